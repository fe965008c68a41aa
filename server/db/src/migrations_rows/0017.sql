INSERT INTO outcomes (key, outcome, created_at) VALUES
    ('o17', '{"verdict":"timeout","reason":{"code":"cpu_time","limit_ms":10000},"message":""}', 1017);
