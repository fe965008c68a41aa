UPDATE task_revisions SET code_lang = 'python' WHERE id = 2;
INSERT INTO task_tests (revision_id, body) VALUES (2, '{"task_id":"Python/1"}');
UPDATE outputs SET prompt = 'def f(x):' WHERE id = 2;
UPDATE run_items SET published = 'passed' WHERE id = 1;
