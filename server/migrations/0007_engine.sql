-- What the engine needs beyond 0002.

-- A run begins when the engine is ready for it; the time left is reckoned from there. An item is taken
-- over when whoever had it stopped without a word.
ALTER TABLE runs ADD COLUMN begun_at INTEGER;
ALTER TABLE runs ADD COLUMN taken_over INTEGER NOT NULL DEFAULT 0;
-- Whether the engine is to look first which items would come to something else today.
ALTER TABLE runs ADD COLUMN recheck INTEGER NOT NULL DEFAULT 0;

-- What decided an item's outcome: all of it, and what it shares with the run's other items.
ALTER TABLE run_items ADD COLUMN key TEXT;
ALTER TABLE run_items ADD COLUMN fingerprint TEXT;
-- Whether what is known of it is left alone: somebody wants it run.
ALTER TABLE run_items ADD COLUMN fresh INTEGER NOT NULL DEFAULT 0;
-- How a run is done: several outputs in a JVM where that is beyond doubt, and the date that they see.
ALTER TABLE runs ADD COLUMN fast INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN dates TEXT CHECK (dates IN ('june-2022'));

-- How many seconds an item may take, as far as anybody can guess: those go first, so that nobody waits
-- for one alone at the end.
ALTER TABLE run_items ADD COLUMN expected_s INTEGER NOT NULL DEFAULT 0;
DROP INDEX run_items_open;
CREATE INDEX run_items_open ON run_items (run_id, alone, expected_s DESC, id) WHERE state IN ('waiting', 'leased');
CREATE INDEX run_items_by_output ON run_items (output_id, id);
