-- Why a request or a daily routine failed is a value, no longer a sentence. The functions are those of
-- server/src/db/old_words.rs; a sentence that they do not know stays readable as text.

UPDATE webhook_deliveries
    SET error = request_fault_in_values(CASE WHEN status IS NULL THEN error ELSE 'HTTP ' || status || ': ' || error END)
    WHERE error IS NOT NULL;
UPDATE collection_requests SET error = request_fault_in_values(error) WHERE error IS NOT NULL;
UPDATE collections SET reason = stop_reason_in_values(reason) WHERE reason IS NOT NULL;
UPDATE routines SET error = routine_fault_in_values(error) WHERE error IS NOT NULL;

-- Of a judging: the order in which the prompt lists the levels. Before this, only the prompt's key had it, and not that of a
-- second turn.
ALTER TABLE collection_requests ADD COLUMN level_order TEXT CHECK (level_order IN ('best_first', 'worst_first'));
UPDATE collection_requests
    SET level_order = CASE WHEN (SELECT f.prompt FROM collection_requests f
                                 WHERE f.collection_id = collection_requests.collection_id
                                   AND f.position = collection_requests.position AND f.turn = 0) LIKE '%worst first'
                           THEN 'worst_first' ELSE 'best_first' END
    WHERE output_id IS NOT NULL;
