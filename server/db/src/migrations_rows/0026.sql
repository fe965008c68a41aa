UPDATE models SET name = name || ' 2' WHERE id = 1;
UPDATE all_submissions SET model_id = model_id WHERE id = 1;
