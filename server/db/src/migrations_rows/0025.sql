INSERT INTO study_guidelines (study_id, version, en, zh, created_at, created_by) VALUES (1, 1, 'e', 'z', 1, 1);
INSERT INTO dataset_guidelines (dataset_id, version, en, zh, created_at, created_by) VALUES (1, 1, 'e', 'z', 1, NULL);
INSERT INTO guidelines_read (study_id, user_id, version, read_at) VALUES (1, 1, 1, 1);
INSERT INTO password_resets (user_id, secret_hash, created_at, expires_at) VALUES (1, 'h', 1, 2);
