-- Indexes for statements that run while people work (server/tests/plans_of_statements.rs holds them).

-- The engine extends its leases every few seconds, inside a write transaction.
CREATE INDEX run_items_leased ON run_items (holder) WHERE holder IS NOT NULL;
-- How much each person has rated.
CREATE INDEX study_raters_by_user ON study_raters (user_id);

-- Decisions of a study and of one output, those that were taken again included.
CREATE INDEX adjudications_by_study ON adjudications (study_id, id);
CREATE INDEX adjudications_by_output ON adjudications (study_id, output_id);
-- What raters answered about an item with known scores.
CREATE INDEX probes_by_gold ON probes (gold_id) WHERE gold_id IS NOT NULL;
-- Messages that are old enough to be forgotten.
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at) WHERE state <> 'waiting';
