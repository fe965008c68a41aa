INSERT INTO judged_instructions (judging_id, output_id, turn, answer) VALUES (1, 1, 1, 1);
