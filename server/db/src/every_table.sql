-- At least one row of every table, for the test of migrations: two models' outputs of a dataset, rated, adjudicated, run
-- and collected.
INSERT INTO users (id, name, role, password_hash, lang, disabled, epoch, created_at, reads, seen_at, must_change_password)
VALUES
    (1, 'root', 'admin', '$argon2id$x', 'en', 0, 3, 1000, NULL, 1, 1),
    (2, 'ada', 'rater', '$argon2id$y', NULL, 0, 0, 1001, 'en', 0, 0),
    (3, 'bo', 'rater', '$argon2id$z', 'zh', 1, 1, 1002, NULL, 0, 0);
INSERT INTO rater_settings (user_id, keys, tour_at, display) VALUES (2, '{"next":"n"}', 1000, 'dark large compact wrap UTC');
INSERT INTO person_groups (id, name, created_at) VALUES (1, 'g', 5);
INSERT INTO person_group_members (group_id, user_id) VALUES (1, 1);
INSERT INTO password_resets (user_id, secret_hash, created_at, expires_at) VALUES (1, 'h', 1, 2);
INSERT INTO sessions (id, data, expires_at) VALUES ('s1', '{}', 9000);
INSERT INTO known_devices (token_hash, user_id, used_at) VALUES ('device', 2, 1000);
INSERT INTO login_failures (subject, failures, last_at) VALUES ('hash', 2, 1000);
INSERT INTO identities (issuer, subject, user_id, created_at) VALUES ('https://id.example.org', 's', 1, 5);
INSERT INTO api_tokens (id, user_id, secret_hash, prefix, label, scopes, created_at, expires_at, last_used_at, revoked_at)
    VALUES (1, 1, 'th', 'ax_', 'ci', '["read"]', 1000, 9000, 1100, NULL);
INSERT INTO idempotency_keys (token_id, key, request_hash, status, content_type, location, body, created_at)
    VALUES (1, 'i1', 'rh', 201, 'application/json', '/x', x'7b7d', 1000);

INSERT INTO rubrics (id, slug, version, checksum, json, created_at, created_by) VALUES
    (1, 'r', 1, 'c1', '{}', 1, 1), (2, 'r', 2, 'c2', '{}', NULL, NULL);
INSERT INTO archived_rubrics (slug, archived_at) VALUES ('r', 1);
INSERT INTO datasets (id, slug, created_at, rubric_id, archived_at) VALUES (1, 'd', 1000, 2, 1);
INSERT INTO dataset_guidelines (dataset_id, version, en, zh, created_at, created_by) VALUES (1, 1, 'e', 'z', 1, NULL);
INSERT INTO dataset_versions (id, dataset_id, number, checksum, name_en, name_zh, description_en, description_zh, license,
        source, rubric_id, test_kind, test_tree, imported_at) VALUES
    (1, 1, 1, 'v1', 'D', '数', 'about', '关于', 'MIT', 'd.zip', 1, NULL, NULL, 1000),
    (2, 1, 2, 'v2', 'D', '数', 'about', '关于', 'MIT', 'd.zip', 2, 'aixgrade', 't1', 1001);
INSERT INTO tasks (id, dataset_id, external_id) VALUES (1, 1, '0'), (2, 1, '1');
INSERT INTO task_revisions (id, task_id, checksum, raw_nl, nl_lang, code_lang, signature, human, tests, test_class) VALUES
    (1, 1, 'a', 'Adds.', 'en', 'java', 'int add(int a, int b)', 1, 1, 'AddTest'),
    (2, 2, 'b', '排序', 'zh', 'python', NULL, 1, 0, NULL);
INSERT INTO task_turns (revision_id, turn, kind, instruction, listed, judged) VALUES
    (2, 0, 'base', 'Sorts.', 0, 1), (2, 1, 'code_standard', 'Follow PEP 8.', 1, 1);
INSERT INTO task_tests (revision_id, body) VALUES (2, '{"task_id":"Python/1"}');
INSERT INTO dataset_version_tasks (version_id, position, revision_id) VALUES (1, 0, 1), (2, 0, 1), (2, 1, 2);
INSERT INTO blobs (checksum, bytes) VALUES ('b1', x'00ff');
INSERT INTO test_tree_files (tree, path, checksum) VALUES ('t1', 'src/AddTest.java', 'b1');

INSERT INTO models (id, name) VALUES (1, 'Model A'), (2, 'Model B');
INSERT INTO uploads (id, checksum, file_name, bytes, purpose, dataset_slug, user_id, created_at)
    VALUES (1, 'u1', 'a.jsonl', 12, 'ratings', 'd', 1, 1000);
INSERT INTO all_submissions (id, version_id, model_id, file_name, checksum, matching, way, left_out, created_by, created_at,
        archived_at, importing_until, expected) VALUES
    (1, 2, 1, 'a.jsonl', 'u1', 'task_id', 'n', 2, 1, 1000, 1, NULL, 3),
    (2, 2, 2, 'b.jsonl', 'u2', 'description', NULL, 0, NULL, 1001, NULL, 5000, NULL);
INSERT INTO outputs (id, submission_id, revision_id, sample, turn, conversation, instruction, prompt, code, surrounding_text, raw, end_by)
VALUES
    (1, 1, 1, 0, NULL, NULL, NULL, NULL, 'int add() {}', '', NULL, NULL),
    (2, 1, 2, 0, 1, 0, 1, 'def f(x):', 'while (true) {}', 'Here:', '```', 'eos'),
    (3, 2, 1, 0, NULL, NULL, NULL, NULL, '', '', NULL, NULL);
INSERT INTO reported (output_id, format, passed, other_text) VALUES (2, 'code_if_bench', 1, 0);
INSERT INTO submission_masks (submission_id, names, masked_by, at) VALUES (1, '["gpt"]', 1, 1000);

INSERT INTO all_studies (id, token, title, version_id, rubric_id, seed, status, settings, created_by, created_at, started_at,
        archived_at) VALUES
    (1, 'study-1', 'Pilot', 2, 2, '18446744073709551615', 'running', '{"presentation":"one","answers":"each","sharing":"count","tasks":null,"pace_s":null,"raters_per_output":2,"tolerance":1,"spread":null,"spread_correctness":null,"min_seconds":0,"missed_limit":0,"due":null}', 1, 1000, 1000, 1),
    (2, 'study-2', 'Done', 2, 2, '0', 'closed', '{"presentation":"one","answers":"last","sharing":"count","raters_per_output":1,"tolerance":0,"min_seconds":0,"missed_limit":0}', NULL, 1001, 1001, NULL),
    (3, 'study-3', 'Planned', 2, 2, '7', 'draft', '{"presentation":"side_by_side","answers":"last","sharing":"hand","tasks":1,"pace_s":30,"raters_per_output":3,"tolerance":0,"min_seconds":0,"missed_limit":0}', 1, 1002, NULL, NULL);
INSERT INTO invitations (id, secret_hash, label, role, group_id, study_id, created_by, created_at, expires_at, revoked_at,
        used_by, used_at) VALUES
    (1, 'h1', 'for ada', 'rater', 1, 1, 1, 1000, 9000, NULL, 2, 1001),
    (2, 'h2', 'late', 'admin', NULL, NULL, NULL, 1000, 2000, 1500, NULL, NULL);
INSERT INTO study_submissions (study_id, position, submission_id) VALUES (1, 0, 1), (1, 1, 2), (2, 0, 1);
INSERT INTO study_raters (study_id, user_id, added_at, removed_at, reads, share) VALUES
    (1, 2, NULL, NULL, 'en zh', NULL), (1, 3, NULL, NULL, 'en zh', NULL), (2, 2, NULL, NULL, 'en zh', NULL),
    (3, 3, 1000, 1100, 'zh', 5);
INSERT INTO assignments (id, study_id, output_id, slot, user_id, place, leased_until, shown_at, rated_at) VALUES
    (1, 1, 1, 0, 2, NULL, NULL, 1000, 1100), (2, 1, 1, 1, 3, NULL, 5000, 1200, NULL),
    (3, 1, 2, 0, NULL, NULL, NULL, NULL, NULL), (4, 1, 2, 1, 2, NULL, NULL, NULL, NULL),
    (5, 2, 1, 0, 2, NULL, NULL, 1000, 1300), (6, 3, 1, 0, 3, 1, NULL, NULL, NULL),
    (7, 3, 1, 1000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO extra_assignments (study_id, output_id, slot, asked_by, at) VALUES (3, 1, 1000, 1, 1000);
INSERT INTO plan_events (id, study_id, at, kind, user_id, detail) VALUES (1, 3, 1000, 'planned', NULL, '{"ratings":1}');
INSERT INTO study_steps (id, study_id, step) VALUES (1, 3, '"Clear"');
INSERT INTO study_guidelines (study_id, version, en, zh, created_at, created_by) VALUES (1, 1, 'e', 'z', 1, 1);
INSERT INTO guidelines_read (study_id, user_id, version, read_at) VALUES (1, 1, 1, 1);
INSERT INTO pseudonyms (study_id, user_id, name) VALUES (1, 2, 'R1');

INSERT INTO handouts (token, study_id, output_id, user_id) VALUES ('h-1', 1, 1, 2), ('h-2', 1, 1, 3);
INSERT INTO skips (study_id, output_id, user_id, times, at) VALUES (1, 2, 2, 1, 1000);
INSERT INTO bookmarks (study_id, user_id, token, at) VALUES (1, 2, 'h-1', 5);
INSERT INTO drafts (study_id, output_id, user_id, json, updated_at) VALUES (1, 1, 3, '{"scores":[1]}', 1000);
INSERT INTO ratings (id, assignment_id, user_id, key, comment, flag, shown_at, active_ms, at, replaced_at, withdrawn) VALUES
    (1, 1, 2, 'k1', 'first', NULL, 1000, NULL, 1100, 1150, 1),
    (2, 1, 2, 'k2', '=second', '{"kind":"other"}', NULL, 900, 1150, NULL, 0),
    (3, 5, 2, 'k1', '', NULL, 1000, NULL, 1300, NULL, 0);
INSERT INTO rating_scores (rating_id, dimension, score) VALUES (1, 0, 1), (1, 1, 2), (2, 0, 3), (2, 1, 4), (3, 0, 2), (3, 1, 2);
INSERT INTO rating_notes (rating_id, line, "column", text) VALUES (2, 1, 5, 'why?');
INSERT INTO instruction_answers (rating_id, turn, answer) VALUES (1, 1, 1), (2, 1, 0);

INSERT INTO known_items (id, study_id, revision_id, output_id, pool, code, surrounding_text, scores, reasons, created_by, created_at,
        deactivated_at) VALUES
    (1, 1, 1, 1, 'hidden', 'int add() {}', '', '[1,2]', '[]', 1, 1000, NULL),
    (2, 1, 2, NULL, 'both', 'pasted', 'said', '[1,1]', '[]', NULL, 1000, 2000);
INSERT INTO calibrations (study_id, user_id, round, state, decided_at, admitted_by, acknowledged) VALUES (1, 2, 1, 'passed', 1000, 1, 1);
INSERT INTO checks (id, token, study_id, user_id, kind, round, known_item_id, output_id, first_id, shown_at, leased_until, rated_at,
        skips, skipped_at, draft, acknowledged) VALUES
    (1, 'p-1', 1, 2, 'known_item', 0, 1, NULL, NULL, 1000, NULL, 1100, 0, NULL, '{}', 0),
    (2, 'p-2', 1, 2, 'repeat', 0, NULL, 1, 2, 1000, 5000, NULL, 1, 1200, NULL, 0);
INSERT INTO check_ratings (id, check_id, key, draft, at, replaced_at, withdrawn) VALUES (1, 1, 'k', '{}', 1100, NULL, 1);
INSERT INTO check_notes (rating_id, line, "column", text) VALUES (1, 2, 1, 'so?');
INSERT INTO rater_limits (study_id, user_id, judged) VALUES (1, 2, 3);
INSERT INTO adjudicators (study_id, user_id) VALUES (1, 3);
INSERT INTO disagreement_handouts (token, study_id, output_id, user_id) VALUES ('q-1', 1, 1, 3);
INSERT INTO adjudications (id, study_id, output_id, user_id, scores, comment, at, replaced_at) VALUES
    (1, 1, 1, 3, '[1,2]', 'no', 1000, 1100), (2, 1, 1, 1, '[2,2]', 'yes', 1100, NULL);
INSERT INTO adjudicated_instructions (adjudication_id, turn, answer) VALUES (1, 1, 0), (2, 1, 1);
INSERT INTO flag_replies (id, study_id, user_id, assignment_id, check_id, flag, reply, replied_by, at, read_at) VALUES
    (1, 1, 2, 1, NULL, '{}', 'thanks', 1, 1000, 1100), (2, 1, 2, NULL, 1, '{}', '', NULL, 1000, NULL);

INSERT INTO runs (id, submission_id, status, fresh, fast, dates, profile, recheck, environment, fault, taken_over, created_by,
        created_at, begun_at, finished_at) VALUES
    (1, 1, 'finished', 0, 1, 'june-2022', 'as-run', 1, '{"java":"17"}', NULL, 1, 1, 1000, 1001, 1100),
    (2, 2, 'running', 1, 0, NULL, NULL, 0, NULL, NULL, 0, NULL, 1001, NULL, NULL),
    (3, 2, 'running', 1, 0, NULL, NULL, 0, NULL, NULL, 0, NULL, 1002, NULL, NULL);
UPDATE runs SET status = 'stopped', fault = '{"code":"no_tests"}', finished_at = 1003 WHERE id = 3;
INSERT INTO run_items (id, run_id, output_id, state, fresh, expected_s, sample, holder, leased_until, attempt, verdict,
        published, passed, total, outcome, fault, key, fingerprint, finished_at) VALUES
    (1, 1, 1, 'leased', 1, 5, 2, 'engine', 5000, 1, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL),
    (2, 1, 2, 'failed', 0, 0, 0, NULL, NULL, 1, NULL, NULL, 0, 0, NULL, '{"code":"no_tests"}', NULL, NULL, 1100),
    (3, 2, 3, 'leased', 0, 0, 0, 'engine', 5000, 1, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL);
UPDATE run_items SET state = 'done', holder = NULL, leased_until = NULL, verdict = 'passed', published = 'failed',
    failure = 'assertion_error', passed = 4, total = 4, outcome = '{"verdict":"passed"}', key = 'k', fingerprint = 'f',
    finished_at = 1100 WHERE id = 1;
INSERT INTO outcomes (key, outcome, created_at) VALUES
    ('k', '{"verdict":"timeout","reason":{"code":"cpu_time","limit_ms":10000},"message":""}', 1017);
INSERT INTO removed_workers (name, removed_at) VALUES ('w', 1018);

INSERT INTO collections (id, version_id, model_name, endpoint_model, endpoint, url, settings, form, waiting, tasks, total,
        status, reason, created_at)
    VALUES (1, 1, 'm', 'm', 'local', 'http://127.0.0.1:8000/v1', '{}',
        '{"stream":true,"no_stream_options":false,"max_completion_tokens":false}',
        '{"until":9999999999999,"fault":{"code":"status","status":429,"detail":"slow down"}}', '["1"]', 1, 'finished',
        '{"kind":"failing","text":{"code":"timeout","seconds":300}}', 5);
INSERT INTO collection_prompts (collection_id, task_id, messages) VALUES (1, '1', '[]');
INSERT INTO collection_requests (id, collection_id, position, task_id, sample, level_order, status, attempts, sent_at,
        response, reasoning, refusal, other_parts, error)
    VALUES (1, 1, 0, '1', 0, 'worst_first', 'answered', 1, 5, 'int a;', 'Hm.', 'No.', '["image_url"]',
        '{"code":"timeout","seconds":300}');
INSERT INTO collection_files (checksum, collection_id) VALUES ('c', 1);
INSERT INTO collection_submissions (submission_id, collection_id) VALUES (1, 1);

INSERT INTO all_judgings (id, version_id, rubric_id, judge, file_name, created_by, created_at)
    VALUES (1, 2, 2, 'J', 'j.csv', 1, 1000);
INSERT INTO judged_scores (judging_id, output_id, scores, comment) VALUES (1, 1, '12', 'ok');
INSERT INTO judged_instructions (judging_id, output_id, turn, answer) VALUES (1, 1, 1, 1);
INSERT INTO figures (key, selection, json, computed_at) VALUES ('fk', 'fc', x'7b7d', 1000);
INSERT INTO public_links (id, study_id, secret_hash, code, purpose, authors, contact, license, created_by, created_at, expires_at,
    revoked_at)
    VALUES (1, 2, 'ph', 1, 'why', 'who', 'w@a.example', 'CC BY 4.0', 1, 1000, NULL, NULL);

INSERT INTO announcements (id, token, en, zh, study_id, created_at, created_by) VALUES (1, 'announced', 'hello', '', 1, 5, 1);
INSERT INTO announcements_read (announcement_id, user_id, read_at) VALUES (1, 1, 6);
INSERT INTO webhooks (id, url, secret, events, created_by, created_at)
    VALUES (1, 'https://a.example', 's', '["run.ended"]', 1, 1000);
INSERT INTO webhook_deliveries (id, webhook_id, event, subject, state, body, attempts, status, error, created_at, next_at)
    VALUES (1, 1, 'run.ended', 1, 'waiting', '{}', 1, 500, '{"code":"status","status":500}', 1000, 2000);
INSERT INTO mail_addresses (user_id, address, verified_at, secret_hash, expires_at, due, digest, digest_at) VALUES
    (1, 'root@example.org', 1000, NULL, NULL, 0, 'weekly', 1000), (2, 'ada@example.org', NULL, 'mh', 9000, 1, 'off', 1000);
INSERT INTO mail_outbox (id, kind, address, user_id, invitation_id, study_id, asked_by, subject, body, state, attempts,
    error, created_at, ended_at, next_at) VALUES
    (1, 'due', 'ada@example.org', 2, NULL, 1, NULL, 's', 'b', 'waiting', 1, '{"code":"no_start_tls"}', 1000, NULL, 2000),
    (2, 'invitation', 'eve@example.org', NULL, 1, NULL, 1, 's', '', 'failed', 0, '{"code":"stopped"}', 1000, 1001, NULL);
INSERT INTO due_notices (study_id, user_id, due) VALUES (1, 2, '2026-11-30');
INSERT INTO mail_stops (address, created_at) VALUES ('eve@example.org', 1000);
UPDATE routines SET failed_at = 5, failures = 1, error = '{"code":"disk_full","path":"/backups"}' WHERE name = 'backup';
INSERT INTO audit (id, at, user_id, via, address, action, object, detail) VALUES
    (1, 1000, 1, 'session', '127.0.0.1', 'dataset.import', 'dataset d', '[]'),
    (2, 1001, NULL, 'command line', NULL, 'dataset.import', 'dataset d', '[]');
INSERT INTO disagreements (study_id, output_id, state, spread_exceeded, spread) VALUES (90, 1, 0, 1, 2);
INSERT INTO inbox_requests (id, act, user_id, due) VALUES (1, 'resolve', 1, 2000);
INSERT INTO inbox_acts (item, request) SELECT min(id), 1 FROM inbox;
