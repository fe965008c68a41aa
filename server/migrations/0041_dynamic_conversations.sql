-- Dynamic conversations: the tests of each answer decide what the model is asked next.

-- The turn of the task whose instruction an output answers, in a dynamic conversation, where `turn` counts the answers.
-- Absent in other conversations, where both are the same.
ALTER TABLE outputs ADD COLUMN instruction INTEGER;

-- A submission can be asked in the way `dynamic`. SQLite cannot change the CHECK of a column, so the column is replaced.
DROP VIEW submissions;
ALTER TABLE all_submissions RENAME COLUMN way TO former_way;
ALTER TABLE all_submissions ADD COLUMN way TEXT CHECK (way IN ('base', 'single', 'multi', 'n', 'dynamic'));
UPDATE all_submissions SET way = former_way WHERE former_way IS NOT NULL;
ALTER TABLE all_submissions DROP COLUMN former_way;
CREATE VIEW submissions AS
    SELECT id, version_id, model_id, file_name, checksum, matching, created_by, created_at, archived_at, left_out, way
    FROM all_submissions WHERE importing_until IS NULL;

-- In a dynamic conversation: the turn of the task whose instruction a request asks for; whether its answer still waits
-- for its tests; what they showed; and why they could not run, the last time that they were tried. The last two are JSON.
ALTER TABLE collection_requests ADD COLUMN instruction INTEGER;
ALTER TABLE collection_requests ADD COLUMN untested INTEGER NOT NULL DEFAULT 0;
ALTER TABLE collection_requests ADD COLUMN tests TEXT;
ALTER TABLE collection_requests ADD COLUMN tests_fault TEXT;
CREATE INDEX collection_requests_untested ON collection_requests (collection_id, position) WHERE untested = 1;
