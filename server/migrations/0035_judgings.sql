-- Judgings: collections of a judge model's scores. A response may lead to another request, its next turn.

-- What a collection is of: a model's outputs, or a judge model's scores of outputs. A judging's `tasks` has the IDs of
-- the outputs.
ALTER TABLE collections ADD COLUMN kind TEXT NOT NULL DEFAULT 'outputs' CHECK (kind IN ('outputs', 'scores'));
-- Number of stored responses of all turns; `answered` counts those whose last turn is answered.
ALTER TABLE collections ADD COLUMN responses INTEGER NOT NULL DEFAULT 0;
-- Of a judging: how it asks, as JSON; where its scores are; and the study that it was started from.
ALTER TABLE collections ADD COLUMN judging TEXT;
ALTER TABLE collections ADD COLUMN judging_id INTEGER REFERENCES all_judgings (id);
ALTER TABLE collections ADD COLUMN study_id INTEGER REFERENCES all_studies (id);
-- Of a judging: outputs with a score, and requests without a valid answer, although asked once more.
ALTER TABLE collections ADD COLUMN scored INTEGER NOT NULL DEFAULT 0;
ALTER TABLE collections ADD COLUMN invalid INTEGER NOT NULL DEFAULT 0;
UPDATE collections SET responses = answered;
CREATE INDEX collections_by_judging ON collections (judging_id) WHERE judging_id IS NOT NULL;
CREATE INDEX collections_by_study ON collections (study_id) WHERE study_id IS NOT NULL;

-- The submissions whose outputs a judging grades, which therefore cannot be deleted.
CREATE TABLE collection_submissions (
    submission_id INTEGER NOT NULL REFERENCES all_submissions (id),
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    PRIMARY KEY (submission_id, collection_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_submissions_by_collection ON collection_submissions (collection_id);

-- Increases with every change of its scores.
ALTER TABLE all_judgings ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
DROP VIEW judgings;
CREATE VIEW judgings AS
    SELECT id, version_id, rubric_id, judge, file_name, created_by, created_at, revision
    FROM all_judgings WHERE importing_until IS NULL;

-- Requests with turns. `prompt` is the key of its messages, `collection_prompts.task_id`.
CREATE TABLE turns (
    id INTEGER PRIMARY KEY,
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    -- Its place among the collection's requests: all tasks for the first sample, then all for the second.
    position INTEGER NOT NULL,
    -- 0, and one more for each request that the response before it led to.
    turn INTEGER NOT NULL DEFAULT 0,
    task_id TEXT NOT NULL,
    sample INTEGER NOT NULL,
    prompt TEXT NOT NULL DEFAULT '',
    -- Of a judging: the output, and the scores of a valid answer, a digit for each dimension.
    output_id INTEGER REFERENCES outputs (id),
    scores TEXT,
    comment TEXT,
    status TEXT NOT NULL CHECK (status IN ('sent', 'waiting', 'answered', 'failed')),
    attempts INTEGER NOT NULL,
    sent_at INTEGER NOT NULL,
    response TEXT,
    finish_reason TEXT,
    -- The model's name as the endpoint reported it.
    reported_model TEXT,
    prompt_tokens INTEGER,
    response_tokens INTEGER,
    latency_ms INTEGER,
    -- What went wrong in the last attempt.
    error TEXT,
    UNIQUE (collection_id, position, turn)
) STRICT;
INSERT INTO turns (id, collection_id, position, task_id, sample, prompt, status, attempts, sent_at, response,
        finish_reason, reported_model, prompt_tokens, response_tokens, latency_ms, error)
    SELECT id, collection_id, position, task_id, sample, task_id, status, attempts, sent_at, response,
        finish_reason, reported_model, prompt_tokens, response_tokens, latency_ms, error FROM collection_requests;
DROP TABLE collection_requests;
ALTER TABLE turns RENAME TO collection_requests;
CREATE INDEX collection_requests_in_order ON collection_requests (collection_id, position);
CREATE INDEX collection_requests_by_status ON collection_requests (collection_id, status, position);
CREATE INDEX collection_requests_by_output ON collection_requests (output_id, collection_id) WHERE output_id IS NOT NULL;
