-- The class of a failure as published, as the benchmark's authors count them (app/src/model/failure_class.rs).
ALTER TABLE run_items ADD COLUMN failure TEXT;
CREATE INDEX run_items_failures ON run_items (run_id, failure) WHERE failure IS NOT NULL;
