INSERT INTO adjudicated_instructions (adjudication_id, turn, answer) VALUES (1, 1, 0), (2, 1, 1);
