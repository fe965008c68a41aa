UPDATE routines SET failed_at = 5, failures = 1, error = '{"en":"no space","zh":""}' WHERE name = 'backup';
