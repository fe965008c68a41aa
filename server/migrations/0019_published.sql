-- A run's verdicts without the long outcomes beside them, now with those as published.
DROP INDEX run_items_verdicts;
CREATE INDEX run_items_verdicts ON run_items (run_id, output_id, verdict, published, passed, total, finished_at)
    WHERE state = 'done';
-- A submission's outputs in the order of their file.
CREATE INDEX outputs_by_submission ON outputs (submission_id, id);
