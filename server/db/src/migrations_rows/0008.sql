INSERT INTO pseudonyms (study_id, user_id, name) VALUES (1, 2, 'R1');
INSERT INTO figures (key, choice, json, computed_at) VALUES ('fk', 'fc', x'7b7d', 1000);
INSERT INTO judgings (id, version_id, rubric_id, judge, file_name, created_by, created_at) VALUES (1, 2, 2, 'J', 'j.csv', 1, 1000);
INSERT INTO judged_scores (judging_id, output_id, scores, comment) VALUES (1, 1, '12', 'ok');
UPDATE run_items SET state = 'done', holder = NULL, outcome = '{}', verdict = 'failed' WHERE id = 3;
