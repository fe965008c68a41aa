-- Tasks in programming languages besides Java, tests that are a text of the task's own, and what a benchmark's own
-- evaluator says of an output.

ALTER TABLE task_revisions ADD COLUMN code_lang TEXT NOT NULL DEFAULT 'java';

-- A task's own tests, as the format that the version's `test_kind` names has them. Apart from the revisions, so that
-- no list reads them.
CREATE TABLE task_tests (
    revision_id INTEGER PRIMARY KEY REFERENCES task_revisions (id),
    body        TEXT NOT NULL
) STRICT;

-- The list of kinds is the program's (`formats::TestKind`): dropping a column drops its CHECK.
ALTER TABLE dataset_versions ADD COLUMN tested_by TEXT;
UPDATE dataset_versions SET tested_by = test_kind;
ALTER TABLE dataset_versions DROP COLUMN test_kind;
ALTER TABLE dataset_versions RENAME COLUMN tested_by TO test_kind;

-- What the model was given instead of the task's own prompt, where the file of outputs says so.
ALTER TABLE outputs ADD COLUMN prompt TEXT;

-- The verdict as published, where the benchmark has an evaluator of its own; the reason is in `outcome`.
ALTER TABLE run_items ADD COLUMN published TEXT;
