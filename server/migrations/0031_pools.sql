-- Pools of known-score items, and limits on how raters rate.

-- Where the item comes. In both pools: as a hidden check only for raters who did not have it in their calibration.
ALTER TABLE gold_items ADD COLUMN pool TEXT NOT NULL DEFAULT 'both' CHECK (pool IN ('calibration', 'hidden', 'both'));
CREATE INDEX gold_by_task ON gold_items (study_id, revision_id);

-- How a rater keeps a study's limits, and what followed. Items are outputs and hidden checks alike.
CREATE TABLE rater_limits (
    study_id INTEGER NOT NULL,
    user_id  INTEGER NOT NULL,
    judged   INTEGER NOT NULL,                 -- items that the rater had rated when the window before ended
    -- Of the last window over a limit, until an admin deals with it:
    fast     INTEGER NOT NULL DEFAULT 0,       -- items below the minimum time; 0 if that limit was kept
    missed   INTEGER NOT NULL DEFAULT 0,       -- missed known-score items; 0 if that limit was kept
    checks   INTEGER NOT NULL DEFAULT 0,       -- known-score items
    items    INTEGER NOT NULL DEFAULT 0,       -- items
    warned   INTEGER NOT NULL DEFAULT 0,       -- the rater has not yet read the warning
    paused_at  INTEGER,                          -- since when the rater is paused
    PRIMARY KEY (study_id, user_id)
) STRICT, WITHOUT ROWID;

-- Migration 0027's, but a study's own limits replace the fixed ones.
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
    SELECT 'delivery', 0, d.id FROM webhook_deliveries d WHERE d.state = 'failed';

CREATE TRIGGER inbox_limits_new AFTER INSERT ON rater_limits WHEN NEW.fast > 0 OR NEW.missed > 0 BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    VALUES ('pace', NEW.study_id, NEW.user_id), ('checks', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_limits AFTER UPDATE OF fast, missed ON rater_limits
WHEN (OLD.fast > 0) <> (NEW.fast > 0) OR (OLD.missed > 0) <> (NEW.missed > 0) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    VALUES ('pace', NEW.study_id, NEW.user_id), ('checks', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_limited_rater AFTER UPDATE OF left_at ON study_raters
WHEN (OLD.left_at IS NULL) <> (NEW.left_at IS NULL) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    VALUES ('pace', NEW.study_id, NEW.user_id), ('checks', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_limited_rater_removed AFTER DELETE ON study_raters BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    VALUES ('pace', OLD.study_id, OLD.user_id), ('checks', OLD.study_id, OLD.user_id);
END;
CREATE TRIGGER inbox_limits_first_set AFTER INSERT ON study_quality
WHEN json_extract(NEW.json, '$.min_seconds') > 0 OR json_extract(NEW.json, '$.missed_limit') > 0 BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT k.value, m.study_id, m.user_id FROM study_raters m, json_each('["pace","checks"]') k
    WHERE m.study_id = NEW.study_id;
END;
CREATE TRIGGER inbox_limits_set AFTER UPDATE OF json ON study_quality
WHEN (coalesce(json_extract(OLD.json, '$.min_seconds'), 0) > 0)
   <> (coalesce(json_extract(NEW.json, '$.min_seconds'), 0) > 0)
  OR (coalesce(json_extract(OLD.json, '$.missed_limit'), 0) > 0)
   <> (coalesce(json_extract(NEW.json, '$.missed_limit'), 0) > 0) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT k.value, m.study_id, m.user_id FROM study_raters m, json_each('["pace","checks"]') k
    WHERE m.study_id = NEW.study_id;
END;
