INSERT INTO collection_submissions (submission_id, collection_id) VALUES (1, 1);
