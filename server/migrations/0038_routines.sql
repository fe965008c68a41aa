-- What the server does for itself every day, and what fails of it: daily backups, and the check of the database.

CREATE TABLE routines (
    id           INTEGER PRIMARY KEY,
    name         TEXT NOT NULL UNIQUE CHECK (name IN ('backup', 'integrity')),
    succeeded_at INTEGER,                      -- when it last succeeded
    failed_at    INTEGER,                      -- when it last failed; absent if it has succeeded since
    failures     INTEGER NOT NULL DEFAULT 0,   -- attempts that failed since it last succeeded
    error        TEXT                          -- why the last one failed: a message in both languages, as JSON
) STRICT;
INSERT INTO routines (id, name) VALUES (1, 'backup'), (2, 'integrity');

-- Migration 0031's, and routines that fail.
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
    -- `Rated::state` (server/src/db/quality/disagreements.rs) in SQL: a test holds the two equal.
    SELECT 'disagreement', q.study_id, c.output_id
    FROM study_quality q
    CROSS JOIN counted c ON c.study_id = q.study_id
    WHERE (json_extract(q.json, '$.spread') IS NOT NULL OR json_extract(q.json, '$.spread_correctness') IS NOT NULL)
      -- Once for each output.
      AND NOT EXISTS (SELECT 1 FROM counted x WHERE x.study_id = c.study_id AND x.output_id = c.output_id
                                                AND x.rating_id < c.rating_id)
      AND NOT EXISTS (SELECT 1 FROM assignments a WHERE a.study_id = c.study_id AND a.output_id = c.output_id
                                                    AND (a.rated_at IS NULL OR a.slot >= 1000))
      AND NOT EXISTS (SELECT 1 FROM adjudications d WHERE d.study_id = c.study_id AND d.output_id = c.output_id
                                                      AND d.superseded_at IS NULL)
      AND EXISTS (
          SELECT 1 FROM all_studies s JOIN rubrics b ON b.id = s.rubric_id, json_each(b.json, '$.dimensions') d
          WHERE s.id = c.study_id
            AND (SELECT max(CAST(substr(x.scores, d.key + 1, 1) AS INTEGER))
                      - min(CAST(substr(x.scores, d.key + 1, 1) AS INTEGER))
                 FROM counted x WHERE x.study_id = c.study_id AND x.output_id = c.output_id)
                > CASE WHEN json_extract(d.value, '$.key') = 'correctness'
                       THEN coalesce(json_extract(q.json, '$.spread_correctness'), json_extract(q.json, '$.spread'))
                       ELSE json_extract(q.json, '$.spread') END)
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

-- Migration 0027's, with the two kinds. SQLite cannot change a CHECK, so the table is made again. Views and triggers name
-- it, and exist before it does again.
CREATE TABLE inbox_now (
    id       INTEGER PRIMARY KEY,
    -- 'check_flag' is a flag on a calibration item or hidden check.
    kind     TEXT NOT NULL CHECK (kind IN ('flag', 'check_flag', 'disagreement', 'calibration', 'pace', 'checks', 'plan',
                                           'run', 'engine', 'delivery', 'backup', 'integrity')),
    study_id INTEGER NOT NULL,                 -- 0: of no study
    -- The assignment, probe, output, account, study, run, delivery or routine, by kind.
    subject  INTEGER NOT NULL,
    since    INTEGER NOT NULL,                 -- when it began to wait, the last time
    hidden   INTEGER NOT NULL,                 -- its study or submission is archived or being deleted
    done_at  INTEGER,                          -- absent while it waits
    done_by  INTEGER REFERENCES users (id),    -- absent: it went away by itself, or by the command line
    UNIQUE (kind, study_id, subject)
) STRICT;
INSERT INTO inbox_now (id, kind, study_id, subject, since, hidden, done_at, done_by)
    SELECT id, kind, study_id, subject, since, hidden, done_at, done_by FROM inbox;
DROP TABLE inbox;
PRAGMA legacy_alter_table = ON;
ALTER TABLE inbox_now RENAME TO inbox;
PRAGMA legacy_alter_table = OFF;
CREATE INDEX inbox_open ON inbox (id) WHERE done_at IS NULL AND hidden = 0;
CREATE INDEX inbox_open_of_study ON inbox (study_id, id) WHERE done_at IS NULL AND hidden = 0;
CREATE INDEX inbox_of_study ON inbox (study_id);
CREATE TRIGGER inbox_counted_new AFTER INSERT ON inbox WHEN NEW.done_at IS NULL AND NEW.hidden = 0 BEGIN
    INSERT INTO inbox_counts (study_id, kind, open) VALUES (NEW.study_id, NEW.kind, 1)
    ON CONFLICT DO UPDATE SET open = open + 1;
END;
CREATE TRIGGER inbox_counted_gone AFTER DELETE ON inbox WHEN OLD.done_at IS NULL AND OLD.hidden = 0 BEGIN
    UPDATE inbox_counts SET open = open - 1 WHERE study_id = OLD.study_id AND kind = OLD.kind;
END;
CREATE TRIGGER inbox_counted AFTER UPDATE OF done_at, hidden ON inbox
WHEN (OLD.done_at IS NULL AND OLD.hidden = 0) <> (NEW.done_at IS NULL AND NEW.hidden = 0) BEGIN
    INSERT INTO inbox_counts (study_id, kind, open) VALUES (NEW.study_id, NEW.kind, 1)
    ON CONFLICT DO UPDATE SET open = open + CASE WHEN NEW.done_at IS NULL AND NEW.hidden = 0 THEN 1 ELSE -1 END;
END;

CREATE TRIGGER inbox_routine AFTER UPDATE OF failed_at ON routines
WHEN (OLD.failed_at IS NULL) <> (NEW.failed_at IS NULL) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES (NEW.name, 0, NEW.id);
END;
