-- Rows of every table of schema 1: a study of two models with overlap 2, rated, changed, drafted and skipped.
INSERT INTO users (id, name, role, password_hash, lang, disabled, epoch, created_at) VALUES
    (1, 'root', 'admin', '$argon2id$x', 'en', 0, 3, 1000), (2, 'ada', 'rater', '$argon2id$y', NULL, 0, 0, 1001),
    (3, 'bo', 'rater', '$argon2id$z', 'zh', 1, 1, 1002);
INSERT INTO invitations (id, secret_hash, label, role, created_by, created_at, expires_at, revoked_at, used_by, used_at)
    VALUES (1, 'h1', 'for ada', 'rater', 1, 1000, 9000, NULL, 2, 1001), (2, 'h2', 'late', 'admin', NULL, 1000, 2000, 1500, NULL, NULL);
INSERT INTO sessions (id, data, expires_at) VALUES ('s1', '{}', 9000);
INSERT INTO login_failures (subject, failures, last_at) VALUES ('user:ada', 2, 1000);
INSERT INTO audit (id, at, user_id, action, detail) VALUES (1, 1000, 1, 'import', 'x'), (2, 1001, NULL, 'import', 'y');
INSERT INTO rubrics (id, slug, version, checksum, json) VALUES (1, 'r', 1, 'c1', '{}'), (2, 'r', 2, 'c2', '{}');
INSERT INTO datasets (id, slug, created_at) VALUES (1, 'd', 1000);
INSERT INTO dataset_versions (id, dataset_id, number, checksum, name_en, name_zh, description_en, description_zh, license,
        source, rubric_id, test_kind, test_tree, imported_at) VALUES
    (1, 1, 1, 'v1', 'D', '数', 'about', '关于', 'MIT', 'd.zip', 1, NULL, NULL, 1000),
    (2, 1, 2, 'v2', 'D', '数', 'about', '关于', 'MIT', 'd.zip', 2, 'aixgrade', 't1', 1001);
INSERT INTO tasks (id, dataset_id, external_id) VALUES (1, 1, '0'), (2, 1, '1');
INSERT INTO task_revisions (id, task_id, checksum, raw_nl, lang, signature, human, tests, test_class) VALUES
    (1, 1, 'a', 'Adds.', 'en', 'int add(int a, int b)', 1, 1, 'AddTest'), (2, 2, 'b', '排序', 'zh', NULL, 1, 0, NULL);
INSERT INTO dataset_version_tasks (version_id, position, revision_id) VALUES (1, 0, 1), (2, 0, 1), (2, 1, 2);
INSERT INTO blobs (checksum, bytes) VALUES ('b1', x'00ff');
INSERT INTO test_tree_files (tree, path, checksum) VALUES ('t1', 'src/AddTest.java', 'b1');
INSERT INTO models (id, name) VALUES (1, 'Model A'), (2, 'Model B');
INSERT INTO uploads (id, checksum, file_name, bytes, user_id, created_at) VALUES (1, 'u1', 'a.jsonl', 12, 1, 1000);
INSERT INTO submissions (id, version_id, model_id, file_name, checksum, matching, created_by, created_at) VALUES
    (1, 2, 1, 'a.jsonl', 'u1', 'task_id', 1, 1000), (2, 2, 2, 'b.jsonl', 'u2', 'description', NULL, 1001);
INSERT INTO outputs (id, submission_id, revision_id, sample, code, said, raw, end_by) VALUES
    (1, 1, 1, 0, 'int add() {}', '', NULL, NULL), (2, 1, 2, 0, 'while (true) {}', 'Here:', '```', 'eos'), (3, 2, 1, 0, '', '', NULL, NULL);
INSERT INTO studies (id, token, title, version_id, rubric_id, overlap, seed, status, created_by, created_at) VALUES
    (1, 'study-1', 'Pilot', 2, 2, 2, '18446744073709551615', 'running', 1, 1000),
    (2, 'study-2', 'Done', 2, 2, 1, '0', 'closed', NULL, 1001);
INSERT INTO study_submissions (study_id, position, submission_id) VALUES (1, 0, 1), (1, 1, 2), (2, 0, 1);
INSERT INTO study_raters (study_id, user_id) VALUES (1, 2), (1, 3), (2, 2);
INSERT INTO assignments (id, study_id, output_id, slot, user_id, leased_until, shown_at, rated_at) VALUES
    (1, 1, 1, 0, 2, NULL, 1000, 1100), (2, 1, 1, 1, 3, 5000, 1200, NULL), (3, 1, 2, 0, NULL, NULL, NULL, NULL),
    (4, 1, 2, 1, 2, NULL, NULL, NULL), (5, 2, 1, 0, 2, NULL, 1000, 1300);
INSERT INTO handouts (token, study_id, output_id, user_id) VALUES ('h-1', 1, 1, 2), ('h-2', 1, 1, 3);
INSERT INTO skips (study_id, output_id, user_id, times, at) VALUES (1, 2, 2, 1, 1000);
INSERT INTO drafts (study_id, output_id, user_id, json, updated_at) VALUES (1, 1, 3, '{"scores":[1]}', 1000);
INSERT INTO ratings (id, assignment_id, user_id, key, comment, flag, shown_at, at, superseded_at) VALUES
    (1, 1, 2, 'k1', 'first', NULL, 1000, 1100, 1150), (2, 1, 2, 'k2', '=second', '{"kind":"other"}', NULL, 1150, NULL),
    (3, 5, 2, 'k1', '', NULL, 1000, 1300, NULL);
INSERT INTO rating_scores (rating_id, dimension, score) VALUES (1, 0, 1), (1, 1, 2), (2, 0, 3), (2, 1, 4), (3, 0, 2), (3, 1, 2);
