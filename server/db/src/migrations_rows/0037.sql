UPDATE users SET must_change_password = 1 WHERE id = 1;
INSERT INTO person_groups (id, name, created_at) VALUES (1, 'g', 5);
INSERT INTO person_group_members (group_id, user_id) VALUES (1, 1);
UPDATE invitations SET group_id = 1 WHERE id = 1;
INSERT INTO identities (issuer, subject, user_id, created_at) VALUES ('https://id.example.org', 's', 1, 5);
