-- What waits for an admin, over all studies, runs and webhooks. The triggers below keep it in the transaction of its
-- cause, whoever causes it; `inbox_due` says what should be open.

CREATE TABLE inbox (
    id       INTEGER PRIMARY KEY,
    -- 'check_flag' is a flag on a calibration item or hidden check.
    kind     TEXT NOT NULL CHECK (kind IN ('flag', 'check_flag', 'disagreement', 'calibration', 'pace', 'checks', 'plan',
                                           'run', 'engine', 'delivery')),
    study_id INTEGER NOT NULL,                 -- 0: of no study
    -- The assignment, probe, output, account, study, run or delivery, by kind.
    subject  INTEGER NOT NULL,
    since    INTEGER NOT NULL,                 -- when it began to wait, the last time
    hidden   INTEGER NOT NULL,                 -- its study or submission is archived or being deleted
    done_at  INTEGER,                          -- absent while it waits
    done_by  INTEGER REFERENCES users (id),    -- absent: it went away by itself, or by the command line
    UNIQUE (kind, study_id, subject)
) STRICT;
CREATE INDEX inbox_open ON inbox (id) WHERE done_at IS NULL AND hidden = 0;
CREATE INDEX inbox_open_of_study ON inbox (study_id, id) WHERE done_at IS NULL AND hidden = 0;
CREATE INDEX inbox_of_study ON inbox (study_id);

-- How many wait; kept by triggers.
CREATE TABLE inbox_counts (
    study_id INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    open     INTEGER NOT NULL,
    PRIMARY KEY (study_id, kind)
) STRICT, WITHOUT ROWID;

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

-- How fast a rater rates and how many hidden known-score items they missed, since an admin last dismissed it.
CREATE TABLE rater_watch (
    study_id INTEGER NOT NULL,
    user_id  INTEGER NOT NULL,
    timed    INTEGER NOT NULL DEFAULT 0,       -- submissions with a measured time
    fast     INTEGER NOT NULL DEFAULT 0,       -- of less than 5 seconds
    checks   INTEGER NOT NULL DEFAULT 0,       -- hidden known-score items answered
    missed   INTEGER NOT NULL DEFAULT 0,       -- outside the study's tolerance
    PRIMARY KEY (study_id, user_id)
) STRICT, WITHOUT ROWID;

-- What should be open. Runs, engine errors, deliveries and raters can be dismissed, so that less is.
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
    SELECT 'pace', w.study_id, w.user_id FROM rater_watch w WHERE w.timed >= 20 AND w.fast * 2 >= w.timed
UNION ALL
    SELECT 'checks', w.study_id, w.user_id FROM rater_watch w WHERE w.checks >= 4 AND w.missed * 2 >= w.checks
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
    SELECT 'delivery', 0, d.id FROM webhook_deliveries d WHERE d.state = 'failed';

CREATE INDEX run_items_failed ON run_items (run_id) WHERE state = 'failed';
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (id) WHERE state = 'failed';
CREATE INDEX flag_answers_by_probe ON flag_answers (probe_id) WHERE probe_id IS NOT NULL;

-- To insert here is to look whether something waits: it is opened, closed or left as it is.
CREATE VIEW inbox_look (kind, study_id, subject) AS SELECT kind, study_id, subject FROM inbox;
CREATE TRIGGER inbox_looked INSTEAD OF INSERT ON inbox_look BEGIN
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

-- Flags.
CREATE TRIGGER inbox_flag_raised AFTER INSERT ON ratings WHEN NEW.flag IS NOT NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT 'flag', study_id, id FROM assignments WHERE id = NEW.assignment_id;
END;
CREATE TRIGGER inbox_flag_replaced AFTER UPDATE OF superseded_at ON ratings WHEN NEW.flag IS NOT NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT 'flag', study_id, id FROM assignments WHERE id = NEW.assignment_id;
END;
CREATE TRIGGER inbox_check_flag_raised AFTER INSERT ON probe_ratings
WHEN json_extract(NEW.draft, '$.flag') IS NOT NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) SELECT 'check_flag', study_id, id FROM probes WHERE id = NEW.probe_id;
END;
CREATE TRIGGER inbox_check_flag_replaced AFTER UPDATE OF superseded_at ON probe_ratings
WHEN json_extract(NEW.draft, '$.flag') IS NOT NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) SELECT 'check_flag', study_id, id FROM probes WHERE id = NEW.probe_id;
END;
CREATE TRIGGER inbox_flag_answered AFTER INSERT ON flag_answers BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES (
        CASE WHEN NEW.probe_id IS NULL THEN 'flag' ELSE 'check_flag' END, NEW.study_id,
        coalesce(NEW.assignment_id, NEW.probe_id));
    UPDATE inbox SET done_by = NEW.answered_by
    WHERE kind = CASE WHEN NEW.probe_id IS NULL THEN 'flag' ELSE 'check_flag' END AND study_id = NEW.study_id
      AND subject = coalesce(NEW.assignment_id, NEW.probe_id) AND done_at IS NOT NULL;
END;

-- Disagreements. While the scores of a rating are being stored, it has fewer than the others.
CREATE TRIGGER inbox_rating_counted AFTER INSERT ON counted
WHEN EXISTS (SELECT 1 FROM study_quality WHERE study_id = NEW.study_id)
 AND length(NEW.scores) = (SELECT max(length(scores)) FROM counted WHERE study_id = NEW.study_id AND output_id = NEW.output_id)
BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', NEW.study_id, NEW.output_id);
END;
CREATE TRIGGER inbox_rating_recounted AFTER UPDATE OF scores ON counted
WHEN EXISTS (SELECT 1 FROM study_quality WHERE study_id = NEW.study_id)
 AND length(NEW.scores) = (SELECT max(length(scores)) FROM counted WHERE study_id = NEW.study_id AND output_id = NEW.output_id)
BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', NEW.study_id, NEW.output_id);
END;
CREATE TRIGGER inbox_rating_uncounted AFTER DELETE ON counted
WHEN EXISTS (SELECT 1 FROM study_quality WHERE study_id = OLD.study_id) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', OLD.study_id, OLD.output_id);
END;
CREATE TRIGGER inbox_assignment_rated AFTER UPDATE OF rated_at ON assignments
WHEN (OLD.rated_at IS NULL) <> (NEW.rated_at IS NULL)
 AND EXISTS (SELECT 1 FROM study_quality WHERE study_id = NEW.study_id) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', NEW.study_id, NEW.output_id);
END;
-- One more rating is wanted: what waited waits for that.
CREATE TRIGGER inbox_assignment_added AFTER INSERT ON assignments
WHEN EXISTS (SELECT 1 FROM inbox WHERE kind = 'disagreement' AND study_id = NEW.study_id AND subject = NEW.output_id
                                   AND done_at IS NULL) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', NEW.study_id, NEW.output_id);
END;
CREATE TRIGGER inbox_adjudicated AFTER INSERT ON adjudications BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', NEW.study_id, NEW.output_id);
    UPDATE inbox SET done_by = NEW.user_id
    WHERE kind = 'disagreement' AND study_id = NEW.study_id AND subject = NEW.output_id AND done_at IS NOT NULL;
END;
-- New limits concern every rated output, in steps (server/src/services/steps.rs).

-- Raters.
CREATE TRIGGER inbox_calibration_new AFTER INSERT ON openings WHEN NEW.state = 'stopped' BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('calibration', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_calibration AFTER UPDATE OF state ON openings WHEN OLD.state <> NEW.state BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('calibration', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_timed AFTER INSERT ON ratings WHEN NEW.active_ms IS NOT NULL BEGIN
    INSERT INTO rater_watch (study_id, user_id, timed, fast)
    SELECT study_id, NEW.user_id, 1, NEW.active_ms < 5000 FROM assignments WHERE id = NEW.assignment_id
    ON CONFLICT DO UPDATE SET timed = timed + 1, fast = fast + excluded.fast;
END;
CREATE TRIGGER inbox_checked AFTER INSERT ON probe_ratings
WHEN EXISTS (SELECT 1 FROM probes WHERE id = NEW.probe_id AND kind = 'gold') BEGIN
    INSERT INTO rater_watch (study_id, user_id, checks, missed)
    SELECT p.study_id, p.user_id, 1, EXISTS (
        SELECT 1 FROM json_each(g.scores) k
        WHERE abs(coalesce(json_extract(NEW.draft, '$.scores[' || k.key || ']'), 99) - k.value)
              > coalesce((SELECT json_extract(q.json, '$.tolerance') FROM study_quality q WHERE q.study_id = p.study_id), 0))
    FROM probes p JOIN gold_items g ON g.id = p.gold_id WHERE p.id = NEW.probe_id
    ON CONFLICT DO UPDATE SET checks = checks + 1, missed = missed + excluded.missed;
END;
CREATE TRIGGER inbox_watched_new AFTER INSERT ON rater_watch WHEN NEW.timed >= 20 OR NEW.checks >= 4 BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    VALUES ('pace', NEW.study_id, NEW.user_id), ('checks', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_watched_pace AFTER UPDATE OF timed, fast ON rater_watch
WHEN (OLD.timed >= 20 AND OLD.fast * 2 >= OLD.timed) <> (NEW.timed >= 20 AND NEW.fast * 2 >= NEW.timed) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('pace', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_watched_checks AFTER UPDATE OF checks, missed ON rater_watch
WHEN (OLD.checks >= 4 AND OLD.missed * 2 >= OLD.checks) <> (NEW.checks >= 4 AND NEW.missed * 2 >= NEW.checks) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('checks', NEW.study_id, NEW.user_id);
END;

-- Plans. A plan is stored before its study is shown, so only what changes afterwards is looked at here.
CREATE TRIGGER inbox_assignment_freed AFTER UPDATE OF user_id ON assignments
WHEN (OLD.user_id IS NULL) <> (NEW.user_id IS NULL) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', NEW.study_id, NEW.study_id);
END;
CREATE TRIGGER inbox_assignment_free AFTER INSERT ON assignments WHEN NEW.user_id IS NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', NEW.study_id, NEW.study_id);
END;
CREATE TRIGGER inbox_assignment_gone AFTER DELETE ON assignments WHEN OLD.user_id IS NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', OLD.study_id, OLD.study_id);
END;
CREATE TRIGGER inbox_rater_work AFTER UPDATE OF open, left_at ON study_raters
WHEN (OLD.open > 0 AND OLD.left_at IS NULL) <> (NEW.open > 0 AND NEW.left_at IS NULL) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', NEW.study_id, NEW.study_id);
END;
CREATE TRIGGER inbox_rater_removed AFTER DELETE ON study_raters BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', OLD.study_id, OLD.study_id);
END;
CREATE TRIGGER inbox_account_switched AFTER UPDATE OF disabled ON users WHEN OLD.disabled <> NEW.disabled BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT 'plan', study_id, study_id FROM study_raters WHERE user_id = NEW.id;
END;
CREATE TRIGGER inbox_study_changed AFTER UPDATE OF status, archived_at, importing_until ON all_studies
WHEN OLD.status <> NEW.status OR OLD.archived_at IS NOT NEW.archived_at
  OR (OLD.importing_until IS NULL) <> (NEW.importing_until IS NULL) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', NEW.id, NEW.id);
    UPDATE inbox SET hidden = (NEW.archived_at IS NOT NULL OR NEW.importing_until IS NOT NULL)
    WHERE study_id = NEW.id AND hidden <> (NEW.archived_at IS NOT NULL OR NEW.importing_until IS NOT NULL);
END;

-- Runs and deliveries.
CREATE TRIGGER inbox_run_changed AFTER UPDATE OF status, fault ON runs
WHEN OLD.status <> NEW.status OR OLD.fault IS NOT NEW.fault BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('run', 0, NEW.id);
END;
CREATE TRIGGER inbox_run_item_failed AFTER UPDATE OF state ON run_items
WHEN (OLD.state = 'failed') <> (NEW.state = 'failed') BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('engine', 0, NEW.run_id);
END;
CREATE TRIGGER inbox_run_gone AFTER DELETE ON runs BEGIN
    DELETE FROM inbox WHERE kind IN ('run', 'engine') AND study_id = 0 AND subject = OLD.id;
END;
CREATE TRIGGER inbox_submission_changed AFTER UPDATE OF archived_at, importing_until ON all_submissions
WHEN OLD.archived_at IS NOT NEW.archived_at OR (OLD.importing_until IS NULL) <> (NEW.importing_until IS NULL) BEGIN
    UPDATE inbox SET hidden = (NEW.archived_at IS NOT NULL OR NEW.importing_until IS NOT NULL)
    WHERE kind IN ('run', 'engine') AND study_id = 0
      AND subject IN (SELECT id FROM runs WHERE submission_id = NEW.id);
END;
CREATE TRIGGER inbox_delivery AFTER UPDATE OF state ON webhook_deliveries
WHEN (OLD.state = 'failed') <> (NEW.state = 'failed') BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('delivery', 0, NEW.id);
END;
CREATE TRIGGER inbox_delivery_gone AFTER DELETE ON webhook_deliveries BEGIN
    DELETE FROM inbox WHERE kind = 'delivery' AND study_id = 0 AND subject = OLD.id;
END;

-- What was there before this file.
INSERT INTO inbox_look (kind, study_id, subject) SELECT kind, study_id, subject FROM inbox_due;
