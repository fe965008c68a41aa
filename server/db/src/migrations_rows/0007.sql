UPDATE runs SET begun_at = 1001, taken_over = 1, recheck = 1, fast = 1, dates = 'june-2022' WHERE id = 1;
UPDATE run_items SET key = 'k', fingerprint = 'f', fresh = 1, expected_s = 5 WHERE id = 1;
