UPDATE all_studies SET answers = 'each' WHERE id = 1;
INSERT INTO instruction_answers (rating_id, turn, answer) VALUES (1, 1, 1), (2, 1, 0);
