-- The number of an item's sample. Workers take the first samples of all tasks before the second ones, so that outputs
-- that are built together are of different tasks (docs/engine.md, "Batches in Go").
ALTER TABLE run_items ADD COLUMN sample INTEGER NOT NULL DEFAULT 0;
UPDATE run_items SET sample = (SELECT o.sample FROM outputs o WHERE o.id = run_items.output_id)
    WHERE state IN ('waiting', 'leased');
DROP INDEX run_items_open;
CREATE INDEX run_items_open ON run_items (run_id, alone, expected_s DESC, sample, id) WHERE state IN ('waiting', 'leased');
