UPDATE uploads SET purpose = 'ratings', dataset_slug = 'd' WHERE id = 1;
UPDATE all_submissions SET left_out = 2, expected = 3 WHERE id = 1;
