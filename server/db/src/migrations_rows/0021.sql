UPDATE run_items SET failure = 'assertion_error' WHERE state = 'done' AND published = 'failed';
