INSERT INTO studies (id, token, title, version_id, rubric_id, overlap, seed, status, created_by, created_at, presentation,
        sharing, tasks, pace_s, started_at)
    VALUES (3, 'study-3', 'Planned', 2, 2, 3, '7', 'draft', 1, 1002, 'side_by_side', 'hand', 1, 30, NULL);
UPDATE users SET reads = 'en' WHERE id = 2;
INSERT INTO study_raters (study_id, user_id, joined_at, left_at, reads, share) VALUES (3, 3, 1000, 1100, 'zh', 5);
INSERT INTO assignments (id, study_id, output_id, slot, user_id, place) VALUES (6, 3, 1, 0, 3, 1), (7, 3, 1, 1000, NULL, NULL);
INSERT INTO plan_events (id, study_id, at, kind, user_id, detail) VALUES (1, 3, 1000, 'planned', NULL, '{"ratings":1}');
