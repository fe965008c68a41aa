INSERT INTO known_devices VALUES ('device', 2, 1000);
INSERT INTO login_failures VALUES ('hash', 2, 1000);
