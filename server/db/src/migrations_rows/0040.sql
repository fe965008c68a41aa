UPDATE run_items SET attempt = 1;
INSERT INTO worker_environments (suite, options, toolchain, key_basis, fingerprint, environment)
    VALUES ('s', '{}', 'Python 3.11.2', 'b', 'f', '{}');
