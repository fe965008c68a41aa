INSERT INTO collections (id, version_id, model_name, endpoint_model, endpoint, url, settings, tasks, total, status, created_at)
    VALUES (1, 1, 'm', 'm', 'local', 'http://127.0.0.1:8000/v1', '{}', '["1"]', 1, 'finished', 5);
INSERT INTO collection_prompts (collection_id, task_id, messages) VALUES (1, '1', '[]');
INSERT INTO collection_requests (id, collection_id, position, task_id, sample, status, attempts, sent_at, response)
    VALUES (1, 1, 0, '1', 0, 'answered', 1, 5, 'int a;');
INSERT INTO collection_files (checksum, collection_id) VALUES ('c', 1);
