-- How a study's work is planned and shared (docs/plan.md).

-- `studies` again, with more columns and with drafts among its states. SQLite cannot change a CHECK,
-- so the table is made anew; what refers to it is looked at when the migration commits.
PRAGMA defer_foreign_keys = ON;
CREATE TABLE studies_before AS SELECT * FROM studies;
DROP TABLE studies;
CREATE TABLE studies (
    id           INTEGER PRIMARY KEY,
    token        TEXT NOT NULL UNIQUE,           -- its name on the raters' side
    title        TEXT NOT NULL,
    version_id   INTEGER NOT NULL REFERENCES dataset_versions (id),
    rubric_id    INTEGER NOT NULL REFERENCES rubrics (id),
    overlap      INTEGER NOT NULL CHECK (overlap BETWEEN 1 AND 100),
    seed         TEXT NOT NULL,                  -- 64 bits, decimal
    status       TEXT NOT NULL CHECK (status IN ('draft', 'running', 'paused', 'closed')),
    created_by   INTEGER REFERENCES users (id),
    created_at   INTEGER NOT NULL,
    presentation TEXT NOT NULL DEFAULT 'one' CHECK (presentation IN ('one', 'side_by_side')),
    sharing      TEXT NOT NULL DEFAULT 'count' CHECK (sharing IN ('count', 'language', 'hand')),
    tasks        INTEGER,                        -- a pilot's number of tasks; absent: all
    pace_s       INTEGER CHECK (pace_s > 0),     -- seconds a rating, as the admin expects; absent: as measured
    started_at   INTEGER
) STRICT;
INSERT INTO studies (id, token, title, version_id, rubric_id, overlap, seed, status, created_by, created_at, started_at)
SELECT id, token, title, version_id, rubric_id, overlap, seed, status, created_by, created_at, created_at
FROM studies_before;
DROP TABLE studies_before;

-- Which languages a person reads; absent: nobody has said, and they are given both.
ALTER TABLE users ADD COLUMN reads TEXT CHECK (reads IN ('en', 'zh', 'en zh'));

-- A rater who left keeps their row: what they gave still counts.
ALTER TABLE study_raters ADD COLUMN joined_at INTEGER;
ALTER TABLE study_raters ADD COLUMN left_at INTEGER;
-- The languages in which this study gives them work.
ALTER TABLE study_raters ADD COLUMN reads TEXT NOT NULL DEFAULT 'en zh' CHECK (reads IN ('en', 'zh', 'en zh'));
-- Shared by hand: the most that they are given (outputs, or tasks where they stand side by side).
ALTER TABLE study_raters ADD COLUMN share INTEGER CHECK (share >= 0);
-- Rows of `assignments` that are theirs, rated and unrated. Kept by the triggers below, so that a
-- rater's progress costs the same at the first and at the hundred-thousandth rating.
ALTER TABLE study_raters ADD COLUMN rated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE study_raters ADD COLUMN open INTEGER NOT NULL DEFAULT 0;

-- From here on an assignment's `user_id` says for whom it is planned, `leased_until` that it was
-- handed out, `rated_at` that it was rated. The two UNIQUEs of the first schema therefore hold the
-- plan too: no output is planned twice for the same rater.
--
-- The place in that rater's order; smaller is sooner.
ALTER TABLE assignments ADD COLUMN place INTEGER;
-- Slots below the overlap are the plan's. What comes on top of it (one more opinion where raters
-- disagree) has slots from 1000 on.
ALTER TABLE assignments ADD COLUMN extra INTEGER GENERATED ALWAYS AS (slot >= 1000) VIRTUAL;
CREATE INDEX assignments_waiting ON assignments (study_id, user_id, place)
    WHERE rated_at IS NULL AND leased_until IS NULL;
CREATE INDEX assignments_in_hand ON assignments (study_id, user_id, leased_until)
    WHERE leased_until IS NOT NULL;

UPDATE study_raters SET
    rated = (SELECT count(*) FROM assignments a
             WHERE a.study_id = study_raters.study_id AND a.user_id = study_raters.user_id AND a.rated_at IS NOT NULL),
    open = (SELECT count(*) FROM assignments a
            WHERE a.study_id = study_raters.study_id AND a.user_id = study_raters.user_id AND a.rated_at IS NULL);

-- "Exactly so many ratings by different people", whatever the program does: never more slots than the
-- overlap, none taken away once the study has left its draft, none missing when it runs.
CREATE TRIGGER assignments_within_overlap BEFORE INSERT ON assignments
WHEN NEW.slot < 1000 AND NEW.slot >= (SELECT overlap FROM studies WHERE id = NEW.study_id)
BEGIN
    SELECT RAISE(ABORT, 'an output has more ratings planned than the overlap');
END;
CREATE TRIGGER assignments_stay BEFORE DELETE ON assignments
WHEN (SELECT status FROM studies WHERE id = OLD.study_id) <> 'draft'
BEGIN
    SELECT RAISE(ABORT, 'a planned rating cannot be taken away once the study has begun');
END;
CREATE TRIGGER assignments_keep_their_output BEFORE UPDATE OF study_id, output_id, slot ON assignments
WHEN NEW.study_id <> OLD.study_id OR NEW.output_id <> OLD.output_id OR NEW.slot <> OLD.slot
BEGIN
    SELECT RAISE(ABORT, 'a planned rating stays with its output');
END;
CREATE TRIGGER assignments_rated_stay BEFORE UPDATE OF user_id, rated_at ON assignments
WHEN OLD.rated_at IS NOT NULL AND (NEW.user_id IS NOT OLD.user_id OR NEW.rated_at IS NULL)
BEGIN
    SELECT RAISE(ABORT, 'what was rated stays with its rater');
END;
CREATE TRIGGER studies_are_whole BEFORE UPDATE OF status ON studies
WHEN NEW.status = 'running' AND EXISTS (
    SELECT 1 FROM assignments WHERE study_id = NEW.id AND slot < 1000
    GROUP BY output_id HAVING count(*) <> NEW.overlap)
BEGIN
    SELECT RAISE(ABORT, 'an output has fewer ratings planned than the overlap');
END;
CREATE TRIGGER studies_never_lower BEFORE UPDATE OF overlap ON studies
WHEN NEW.overlap < OLD.overlap AND OLD.status <> 'draft'
BEGIN
    SELECT RAISE(ABORT, 'the overlap of a study that has begun is never lowered');
END;

CREATE TRIGGER assignments_counted_new AFTER INSERT ON assignments WHEN NEW.user_id IS NOT NULL
BEGIN
    UPDATE study_raters SET rated = rated + (NEW.rated_at IS NOT NULL), open = open + (NEW.rated_at IS NULL)
    WHERE study_id = NEW.study_id AND user_id = NEW.user_id;
END;
CREATE TRIGGER assignments_counted_gone AFTER DELETE ON assignments WHEN OLD.user_id IS NOT NULL
BEGIN
    UPDATE study_raters SET rated = rated - (OLD.rated_at IS NOT NULL), open = open - (OLD.rated_at IS NULL)
    WHERE study_id = OLD.study_id AND user_id = OLD.user_id;
END;
CREATE TRIGGER assignments_counted AFTER UPDATE OF user_id, rated_at ON assignments
WHEN NEW.user_id IS NOT OLD.user_id OR (NEW.rated_at IS NULL) <> (OLD.rated_at IS NULL)
BEGIN
    UPDATE study_raters SET rated = rated - (OLD.rated_at IS NOT NULL), open = open - (OLD.rated_at IS NULL)
    WHERE study_id = OLD.study_id AND user_id = OLD.user_id;
    UPDATE study_raters SET rated = rated + (NEW.rated_at IS NOT NULL), open = open + (NEW.rated_at IS NULL)
    WHERE study_id = NEW.study_id AND user_id = NEW.user_id;
END;

-- What changed the plan after it was made: with the seed, the whole history of who was given what.
CREATE TABLE plan_events (
    id       INTEGER PRIMARY KEY,
    study_id INTEGER NOT NULL REFERENCES studies (id),
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('planned', 'started', 'joined', 'left', 'taken', 'extended')),
    user_id  INTEGER REFERENCES users (id),    -- whom it is about
    detail   TEXT NOT NULL                     -- json
) STRICT;
CREATE INDEX plan_events_by_study ON plan_events (study_id, id);
