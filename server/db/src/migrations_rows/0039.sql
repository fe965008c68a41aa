INSERT INTO bookmarks (study_id, user_id, token, at) VALUES (1, 2, 'handed-out', 5);
