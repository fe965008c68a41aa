UPDATE run_items SET sample = 2 WHERE id = 1;
