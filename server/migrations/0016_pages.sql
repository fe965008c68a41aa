-- Indexes for lists that are read a page at a time.

-- A run's items in their order.
CREATE INDEX run_items_by_run ON run_items (run_id, id);
-- A study's ratings that count, in the order in which they came.
CREATE INDEX counted_by_rating ON counted (study_id, rating_id);
