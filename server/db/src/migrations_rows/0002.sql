INSERT INTO runs (id, submission_id, status, fresh, environment, fault, created_by, created_at, finished_at) VALUES
    (1, 1, 'finished', 0, '{"java":"17","limits":"short"}', NULL, 1, 1000, 1100), (2, 2, 'running', 1, NULL, NULL, NULL, 1001, NULL),
    (3, 2, 'cancelled', 1, NULL, 'the dataset has no tests', NULL, 1002, 1003);
INSERT INTO run_items (id, run_id, output_id, state, alone, holder, leased_until, verdict, passed, total, cached, outcome,
        fault, finished_at) VALUES
    (1, 1, 1, 'done', 0, NULL, NULL, 'passed', 4, 4, 0, '{"verdict":"passed","wall_ms":2000,"message":"it used up its processor time","flags":[{"kind":"exit","line":1,"detail":"ends the JVM"}]}', NULL, 1100),
    (2, 1, 2, 'failed', 1, NULL, NULL, NULL, 0, 0, 0, NULL, 'no space', 1100),
    (3, 2, 3, 'leased', 0, 'engine', 5000, NULL, 0, 0, 0, NULL, NULL, NULL);
INSERT INTO outcomes (key, outcome, created_at) VALUES ('o1', '{"message":"the JVM was ended by signal 9"}', 1000);
