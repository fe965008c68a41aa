-- Answers about instructions are adjudicated like scores.

-- An adjudicator's yes (1) or no (0) to each instruction of the conversation up to the output. They belong to their
-- adjudication: a changed answer is a new one. Adjudications of earlier versions have none.
CREATE TABLE adjudicated_instructions (
    adjudication_id INTEGER NOT NULL REFERENCES adjudications (id),
    turn            INTEGER NOT NULL CHECK (turn > 0),
    answer          INTEGER NOT NULL CHECK (answer IN (0, 1)),
    PRIMARY KEY (adjudication_id, turn)
) STRICT, WITHOUT ROWID;

-- Migration 0038's, and raters who answer differently about an instruction.
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
      AND (EXISTS (
          SELECT 1 FROM all_studies s JOIN rubrics b ON b.id = s.rubric_id, json_each(b.json, '$.dimensions') d
          WHERE s.id = c.study_id
            AND (SELECT max(CAST(substr(x.scores, d.key + 1, 1) AS INTEGER))
                      - min(CAST(substr(x.scores, d.key + 1, 1) AS INTEGER))
                 FROM counted x WHERE x.study_id = c.study_id AND x.output_id = c.output_id)
                > CASE WHEN json_extract(d.value, '$.key') = 'correctness'
                       THEN coalesce(json_extract(q.json, '$.spread_correctness'), json_extract(q.json, '$.spread'))
                       ELSE json_extract(q.json, '$.spread') END)
        -- Yes and no have no level between them: any difference counts, in a study that limits the spread.
        OR (json_extract(q.json, '$.spread') IS NOT NULL AND EXISTS (
            SELECT 1 FROM counted x CROSS JOIN instruction_answers i ON i.rating_id = x.rating_id
            WHERE x.study_id = c.study_id AND x.output_id = c.output_id
            GROUP BY i.turn HAVING min(i.answer) <> max(i.answer))))
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

-- The answers of a rating are stored after its scores. One that is like all others changes nothing.
CREATE TRIGGER inbox_instruction_answered AFTER INSERT ON instruction_answers
WHEN EXISTS (SELECT 1 FROM ratings r JOIN assignments a ON a.id = r.assignment_id
             JOIN study_quality q ON q.study_id = a.study_id
             CROSS JOIN counted c ON c.study_id = a.study_id AND c.output_id = a.output_id
             CROSS JOIN instruction_answers i ON i.rating_id = c.rating_id AND i.turn = NEW.turn
             WHERE r.id = NEW.rating_id AND i.answer <> NEW.answer)
BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT 'disagreement', a.study_id, a.output_id
    FROM ratings r JOIN assignments a ON a.id = r.assignment_id WHERE r.id = NEW.rating_id;
END;

-- What was there before this file.
INSERT INTO inbox_look (kind, study_id, subject)
    SELECT kind, study_id, subject FROM inbox_due WHERE kind = 'disagreement'
      AND EXISTS (SELECT 1 FROM instruction_answers);
