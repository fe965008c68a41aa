-- The state of every disagreement, so that a page of them reads its own rows and no ratings.

-- Outputs whose raters differ by more than the study allows, or that were adjudicated or got an extra rater. Kept by the
-- triggers of `inbox_look`.
CREATE TABLE disagreements (
    study_id  INTEGER NOT NULL,
    output_id INTEGER NOT NULL,
    -- 0 waiting, 1 extra rater, 2 median, 3 adjudicated; absent while planned ratings are missing.
    state     INTEGER CHECK (state BETWEEN 0 AND 3),
    apart     INTEGER NOT NULL,                -- whether its raters differ by more than the study allows
    widest    INTEGER NOT NULL,                -- levels between its raters, at most, on a dimension or an instruction
    -- Where it stands in the study's list: by state, the widest first.
    place     INTEGER GENERATED ALWAYS AS (state * 256 + 255 - widest) VIRTUAL,
    PRIMARY KEY (study_id, output_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX disagreements_in_order ON disagreements (study_id, place, output_id);

-- How many are in each state.
CREATE TABLE disagreement_counts (
    study_id INTEGER NOT NULL,
    state    INTEGER NOT NULL,
    outputs  INTEGER NOT NULL,
    PRIMARY KEY (study_id, state)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER disagreements_counted_new AFTER INSERT ON disagreements WHEN NEW.state IS NOT NULL BEGIN
    INSERT INTO disagreement_counts (study_id, state, outputs) VALUES (NEW.study_id, NEW.state, 1)
    ON CONFLICT DO UPDATE SET outputs = outputs + 1;
END;
CREATE TRIGGER disagreements_counted_gone AFTER DELETE ON disagreements WHEN OLD.state IS NOT NULL BEGIN
    UPDATE disagreement_counts SET outputs = outputs - 1 WHERE study_id = OLD.study_id AND state = OLD.state;
END;

-- Migration 0045's, with the stored state of disagreements.
DROP VIEW inbox_due;
CREATE VIEW inbox_due (kind, study_id, subject) AS
    SELECT 'flag', a.study_id, a.id
    FROM assignments a JOIN ratings r ON r.assignment_id = a.id AND r.superseded_at IS NULL
    WHERE r.flag IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM flag_answers f WHERE f.assignment_id = a.id AND f.flag = r.flag)
UNION ALL
    SELECT 'check_flag', p.study_id, p.id
    FROM probes p JOIN probe_ratings r ON r.probe_id = p.id AND r.superseded_at IS NULL
    WHERE json_extract(r.draft, '$.flag') IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM flag_answers f
                      WHERE f.probe_id = p.id AND f.flag = json_extract(r.draft, '$.flag'))
UNION ALL
    SELECT 'disagreement', d.study_id, d.output_id FROM disagreements d WHERE d.state = 0
UNION ALL
    SELECT 'calibration', o.study_id, o.user_id FROM openings o WHERE o.state = 'stopped'
UNION ALL
    SELECT 'pace', w.study_id, w.user_id FROM rater_watch w
    WHERE w.timed >= 20 AND w.fast * 2 >= w.timed
      AND NOT EXISTS (SELECT 1 FROM study_quality q
                      WHERE q.study_id = w.study_id AND json_extract(q.json, '$.min_seconds') > 0)
UNION ALL
    SELECT 'pace', l.study_id, l.user_id FROM rater_limits l
    JOIN study_raters m ON m.study_id = l.study_id AND m.user_id = l.user_id
    WHERE l.fast > 0 AND m.left_at IS NULL
UNION ALL
    SELECT 'checks', w.study_id, w.user_id FROM rater_watch w
    WHERE w.checks >= 4 AND w.missed * 2 >= w.checks
      AND NOT EXISTS (SELECT 1 FROM study_quality q
                      WHERE q.study_id = w.study_id AND json_extract(q.json, '$.missed_limit') > 0)
UNION ALL
    SELECT 'checks', l.study_id, l.user_id FROM rater_limits l
    JOIN study_raters m ON m.study_id = l.study_id AND m.user_id = l.user_id
    WHERE l.missed > 0 AND m.left_at IS NULL
UNION ALL
    -- Planned ratings that nobody will give.
    SELECT 'plan', s.id, s.id FROM all_studies s
    WHERE s.status <> 'closed' AND s.importing_until IS NULL
      AND (EXISTS (SELECT 1 FROM assignments a WHERE a.study_id = s.id AND a.user_id IS NULL
                                                 AND a.rated_at IS NULL AND a.leased_until IS NULL)
        OR EXISTS (SELECT 1 FROM study_raters m JOIN users u ON u.id = m.user_id
                   WHERE m.study_id = s.id AND m.left_at IS NULL AND m.open > 0 AND u.disabled <> 0))
UNION ALL
    -- A run that an admin stopped has no fault.
    SELECT 'run', 0, r.id FROM runs r WHERE r.status = 'cancelled' AND r.fault IS NOT NULL
UNION ALL
    SELECT 'engine', 0, r.id FROM runs r
    WHERE EXISTS (SELECT 1 FROM run_items i WHERE i.run_id = r.id AND i.state = 'failed')
UNION ALL
    SELECT 'delivery', 0, d.id FROM webhook_deliveries d WHERE d.state = 'failed'
UNION ALL
    SELECT r.name, 0, r.id FROM routines r WHERE r.failed_at IS NOT NULL;

-- Migration 0027's, which now stores the state of a disagreement first. The rule is `services::quality::spread::state` in SQL: a
-- test holds the two equal.
DROP TRIGGER inbox_looked;
CREATE TRIGGER inbox_looked INSTEAD OF INSERT ON inbox_look BEGIN
    DELETE FROM disagreements
    WHERE NEW.kind = 'disagreement' AND study_id = NEW.study_id AND output_id = NEW.subject;
    INSERT INTO disagreements (study_id, output_id, state, apart, widest)
    SELECT NEW.study_id, NEW.subject, state, apart, widest
    FROM (
        SELECT apart, widest,
            CASE WHEN decided THEN 3
                 WHEN missing > 0 THEN NULL
                 WHEN extra = 0 THEN CASE WHEN apart THEN 0 END
                 WHEN extra_missing > 0 THEN 1
                 ELSE 2 END AS state
        FROM (
            SELECT coalesce(max(spread > allowed), 0) AS apart, coalesce(max(spread), 0) AS widest,
                EXISTS (SELECT 1 FROM adjudications d
                        WHERE d.study_id = NEW.study_id AND d.output_id = NEW.subject AND d.superseded_at IS NULL) AS decided,
                (SELECT count(*) FROM assignments a WHERE a.study_id = NEW.study_id AND a.output_id = NEW.subject
                                                      AND a.slot < 1000 AND a.rated_at IS NULL) AS missing,
                (SELECT count(*) FROM assignments a WHERE a.study_id = NEW.study_id AND a.output_id = NEW.subject
                                                      AND a.slot >= 1000) AS extra,
                (SELECT count(*) FROM assignments a WHERE a.study_id = NEW.study_id AND a.output_id = NEW.subject
                                                      AND a.slot >= 1000 AND a.rated_at IS NULL) AS extra_missing
            FROM (
                SELECT (SELECT max(CAST(substr(c.scores, d.key + 1, 1) AS INTEGER))
                             - min(CAST(substr(c.scores, d.key + 1, 1) AS INTEGER))
                        FROM counted c WHERE c.study_id = NEW.study_id AND c.output_id = NEW.subject) AS spread,
                    CASE WHEN json_extract(d.value, '$.key') = 'correctness'
                         THEN coalesce(json_extract(q.json, '$.spread_correctness'), json_extract(q.json, '$.spread'))
                         ELSE json_extract(q.json, '$.spread') END AS allowed
                FROM study_quality q JOIN all_studies s ON s.id = q.study_id JOIN rubrics b ON b.id = s.rubric_id,
                     json_each(b.json, '$.dimensions') d
                WHERE q.study_id = NEW.study_id
            UNION ALL
                -- Yes and no have no level between them: any difference counts, in a study that limits the spread.
                SELECT max(i.answer) - min(i.answer),
                    (SELECT CASE WHEN json_extract(q.json, '$.spread') IS NULL THEN NULL ELSE 0 END
                     FROM study_quality q WHERE q.study_id = NEW.study_id)
                FROM counted c CROSS JOIN instruction_answers i ON i.rating_id = c.rating_id
                WHERE c.study_id = NEW.study_id AND c.output_id = NEW.subject
                GROUP BY i.turn))
        WHERE NEW.kind = 'disagreement'
          AND EXISTS (SELECT 1 FROM counted c WHERE c.study_id = NEW.study_id AND c.output_id = NEW.subject))
    WHERE state IS NOT NULL OR apart;
    INSERT INTO inbox (kind, study_id, subject, since, hidden)
    SELECT NEW.kind, NEW.study_id, NEW.subject, CAST(unixepoch('subsec') * 1000 AS INTEGER),
        CASE WHEN NEW.kind IN ('run', 'engine')
            THEN EXISTS (SELECT 1 FROM runs r JOIN all_submissions s ON s.id = r.submission_id
                         WHERE r.id = NEW.subject AND (s.archived_at IS NOT NULL OR s.importing_until IS NOT NULL))
            ELSE EXISTS (SELECT 1 FROM all_studies s
                         WHERE s.id = NEW.study_id AND (s.archived_at IS NOT NULL OR s.importing_until IS NOT NULL)) END
    WHERE EXISTS (SELECT 1 FROM inbox_due d
                  WHERE d.kind = NEW.kind AND d.study_id = NEW.study_id AND d.subject = NEW.subject)
    ON CONFLICT DO UPDATE SET since = excluded.since, done_at = NULL, done_by = NULL WHERE done_at IS NOT NULL;
    UPDATE inbox SET done_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE kind = NEW.kind AND study_id = NEW.study_id AND subject = NEW.subject AND done_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM inbox_due d
                      WHERE d.kind = NEW.kind AND d.study_id = NEW.study_id AND d.subject = NEW.subject);
END;

-- One more rating is wanted: what waited waits for that.
DROP TRIGGER inbox_assignment_added;
CREATE TRIGGER inbox_assignment_added AFTER INSERT ON assignments
WHEN NEW.slot >= 1000
  OR EXISTS (SELECT 1 FROM disagreements d WHERE d.study_id = NEW.study_id AND d.output_id = NEW.output_id) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', NEW.study_id, NEW.output_id);
END;

-- What was there before this file. The state of an output with one rating is stored if it was adjudicated or got an
-- extra rater.
INSERT INTO inbox_look (kind, study_id, subject)
    SELECT 'disagreement', c.study_id, c.output_id
    FROM study_quality q CROSS JOIN counted c ON c.study_id = q.study_id
    GROUP BY c.study_id, c.output_id
    HAVING count(*) > 1
        OR EXISTS (SELECT 1 FROM adjudications d WHERE d.study_id = c.study_id AND d.output_id = c.output_id)
        OR EXISTS (SELECT 1 FROM extra_assignments x WHERE x.study_id = c.study_id AND x.output_id = c.output_id);
