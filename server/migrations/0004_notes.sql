-- Line notes, ratings taken back, and what raters set for themselves.

-- What a rater says about one place in the code. A place is counted in the code as the model gave it,
-- from 1: the layout that people read may change, the answer does not.
CREATE TABLE rating_notes (
    rating_id INTEGER NOT NULL REFERENCES ratings (id),
    line      INTEGER NOT NULL CHECK (line >= 1),
    "column"  INTEGER NOT NULL CHECK ("column" >= 1), -- in characters
    text      TEXT NOT NULL CHECK (text <> ''),
    PRIMARY KEY (rating_id, line, "column")
) STRICT, WITHOUT ROWID;

-- Taken back by its rater: superseded without a successor. It never counts again, while a rating that a
-- later one replaced does when that later one is taken back.
ALTER TABLE ratings ADD COLUMN withdrawn INTEGER NOT NULL DEFAULT 0;

CREATE TABLE rater_settings (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    keys    TEXT NOT NULL DEFAULT '{}',        -- json: what differs from the keys as they come
    tour_at INTEGER                            -- when the first tour was finished or put away
) STRICT;

-- 0003 keeps what was rated with its rater and rated. Taking a rating back is the one way out: the place
-- stays with the rater, and only where no rating of it counts any more.
DROP TRIGGER assignments_rated_stay;
CREATE TRIGGER assignments_rated_stay BEFORE UPDATE OF user_id, rated_at ON assignments
WHEN OLD.rated_at IS NOT NULL AND (NEW.user_id IS NOT OLD.user_id OR (NEW.rated_at IS NULL AND EXISTS (
    SELECT 1 FROM ratings WHERE assignment_id = OLD.id AND superseded_at IS NULL)))
BEGIN
    SELECT RAISE(ABORT, 'what was rated stays with its rater');
END;
