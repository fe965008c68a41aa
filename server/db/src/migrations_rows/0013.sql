UPDATE audit SET via = 'session', address = '127.0.0.1' WHERE id = 1;
