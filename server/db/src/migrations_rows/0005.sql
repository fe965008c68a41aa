INSERT INTO study_quality (study_id, json) VALUES (1, '{"tolerance":1}');
INSERT INTO gold_items (id, study_id, revision_id, output_id, code, said, scores, reasons, created_by, created_at, retired_at)
    VALUES (1, 1, 1, 1, 'int add() {}', '', '[1,2]', '[]', 1, 1000, NULL), (2, 1, 2, NULL, 'pasted', 'said', '[1,1]', '[]', NULL, 1000, 2000);
INSERT INTO openings (study_id, user_id, round, state, decided_at, let_in_by, told) VALUES (1, 2, 1, 'passed', 1000, 1, 1);
INSERT INTO probes (id, token, study_id, user_id, kind, round, gold_id, output_id, first_id, shown_at, rated_at, skips,
        skipped_at, draft, told) VALUES
    (1, 'p-1', 1, 2, 'gold', 0, 1, NULL, NULL, 1000, 1100, 0, NULL, '{}', 0),
    (2, 'p-2', 1, 2, 'repeat', 0, NULL, 1, 2, 1000, NULL, 1, 1200, NULL, 0);
INSERT INTO probe_ratings (id, probe_id, key, draft, at, superseded_at) VALUES (1, 1, 'k', '{}', 1100, NULL);
UPDATE ratings SET active_ms = 900 WHERE id = 2;
INSERT INTO extra_assignments (study_id, output_id, slot, asked_by, at) VALUES (3, 1, 1000, 1, 1000);
INSERT INTO adjudicators (study_id, user_id) VALUES (1, 3);
INSERT INTO dispute_handouts (token, study_id, output_id, user_id) VALUES ('q-1', 1, 1, 3);
INSERT INTO adjudications (id, study_id, output_id, user_id, scores, comment, at, superseded_at) VALUES
    (1, 1, 1, 3, '[1,2]', 'no', 1000, 1100), (2, 1, 1, 1, '[2,2]', 'yes', 1100, NULL);
INSERT INTO flag_answers (id, study_id, user_id, assignment_id, probe_id, flag, reply, answered_by, at, read_at) VALUES
    (1, 1, 2, 1, NULL, '{}', 'thanks', 1, 1000, 1100), (2, 1, 2, NULL, 1, '{}', '', NULL, 1000, NULL);
INSERT INTO submission_masks (submission_id, names, masked_by, at) VALUES (1, '["gpt"]', 1, 1000);
