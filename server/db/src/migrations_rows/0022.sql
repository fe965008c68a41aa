INSERT INTO study_steps (id, study_id, step) VALUES (1, 3, '"Clear"');
