INSERT INTO rating_notes (rating_id, line, "column", text) VALUES (2, 1, 5, 'why?');
INSERT INTO rater_settings (user_id, keys, tour_at) VALUES (2, '{"next":"n"}', 1000);
UPDATE ratings SET withdrawn = 1 WHERE id = 1;
