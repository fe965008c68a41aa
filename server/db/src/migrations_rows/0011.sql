UPDATE all_submissions SET importing_until = 5000 WHERE id = 2;
