-- Reasons, changes, flags, limits and faults are values, no longer English sentences. The functions are those of
-- server/src/db/old_words.rs; a sentence that they do not know stays readable as text.

UPDATE run_items SET outcome = outcome_in_values(outcome) WHERE outcome IS NOT NULL;
UPDATE run_items SET fault = fault_in_values(fault) WHERE fault IS NOT NULL;
UPDATE outcomes SET outcome = outcome_in_values(outcome);
UPDATE runs SET environment = environment_in_values(environment) WHERE environment IS NOT NULL;
UPDATE runs SET fault = fault_in_values(fault) WHERE fault IS NOT NULL;
