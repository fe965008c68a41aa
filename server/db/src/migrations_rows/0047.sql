-- A study of its own: an earlier schema's rows have none of these.
INSERT INTO disagreements (study_id, output_id, state, apart, widest) VALUES (90, 1, 0, 1, 2);
