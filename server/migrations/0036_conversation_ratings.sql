-- Rating conversations: which answers a study rates, and whether raters find that an answer follows each instruction.

ALTER TABLE all_studies ADD COLUMN answers TEXT NOT NULL DEFAULT 'last' CHECK (answers IN ('last', 'each'));
DROP VIEW studies;
CREATE VIEW studies AS
    SELECT id, token, title, version_id, rubric_id, overlap, seed, status, created_by, created_at, presentation,
        sharing, tasks, pace_s, started_at, archived_at, answers
    FROM all_studies WHERE importing_until IS NULL;

-- A rating's yes (1) or no (0) to each instruction of the conversation up to the rated answer. They belong to their
-- rating: a changed answer is a new rating.
CREATE TABLE instruction_answers (
    rating_id INTEGER NOT NULL REFERENCES ratings (id),
    turn      INTEGER NOT NULL CHECK (turn > 0),
    answer    INTEGER NOT NULL CHECK (answer IN (0, 1)),
    PRIMARY KEY (rating_id, turn)
) STRICT, WITHOUT ROWID;
