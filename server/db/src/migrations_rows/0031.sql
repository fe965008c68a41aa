UPDATE gold_items SET pool = 'hidden' WHERE id = 1;
INSERT INTO rater_limits (study_id, user_id, judged) VALUES (1, 2, 3);
