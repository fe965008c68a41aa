INSERT INTO announcements (id, token, en, zh, study_id, created_at, created_by) VALUES (1, 'announced', 'hello', '', 1, 5, 1);
INSERT INTO announcements_read (announcement_id, user_id, read_at) VALUES (1, 1, 6);
