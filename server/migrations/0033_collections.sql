-- Collections: outputs that an endpoint is asked for. A request is a task's prompt, sent for one sample.

CREATE TABLE collections (
    id INTEGER PRIMARY KEY,
    version_id INTEGER NOT NULL REFERENCES dataset_versions (id),
    -- The model's name in tables, and what the endpoint calls it.
    model_name TEXT NOT NULL,
    endpoint_model TEXT NOT NULL,
    -- The endpoint's name among the operator's, and its URL. Keys are never stored.
    endpoint TEXT NOT NULL,
    url TEXT NOT NULL,
    -- The settings as JSON, with the prompt template that was used.
    settings TEXT NOT NULL,
    -- IDs of the tasks as a JSON array, in the dataset's order.
    tasks TEXT NOT NULL,
    -- Number of requests in all, and how many have been sent at least once, in order.
    total INTEGER NOT NULL,
    next INTEGER NOT NULL DEFAULT 0,
    status TEXT NOT NULL CHECK (status IN ('draft', 'running', 'stopped', 'finished', 'deleted')),
    -- Why it stopped, as JSON.
    reason TEXT,
    answered INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    -- Number of HTTP requests, including repeated ones.
    sent INTEGER NOT NULL DEFAULT 0,
    prompt_tokens INTEGER NOT NULL DEFAULT 0,
    response_tokens INTEGER NOT NULL DEFAULT 0,
    -- Responses whose tokens the endpoint did not report; theirs are estimated.
    estimated INTEGER NOT NULL DEFAULT 0,
    -- Responses that ended at a limit of tokens.
    cut_off INTEGER NOT NULL DEFAULT 0,
    latency_ms INTEGER NOT NULL DEFAULT 0,
    created_by INTEGER REFERENCES users (id),
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    -- Which process sends its requests, and until when it may without renewing.
    holder TEXT,
    leased_until INTEGER
) STRICT;
CREATE INDEX collections_by_version ON collections (version_id);
CREATE INDEX collections_by_creator ON collections (created_by);
CREATE INDEX collections_in_work ON collections (status) WHERE status IN ('running', 'deleted');

-- The messages that every request for a task sent, as JSON.
CREATE TABLE collection_prompts (
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    task_id TEXT NOT NULL,
    messages TEXT NOT NULL,
    PRIMARY KEY (collection_id, task_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE collection_requests (
    id INTEGER PRIMARY KEY,
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    -- Its place among the collection's requests: all tasks for the first sample, then all for the second.
    position INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    sample INTEGER NOT NULL,
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
    UNIQUE (collection_id, position)
) STRICT;
CREATE INDEX collection_requests_by_status ON collection_requests (collection_id, status, position);

-- The files that were made of a collection's responses.
CREATE TABLE collection_files (
    checksum TEXT NOT NULL,
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    PRIMARY KEY (checksum, collection_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_files_by_collection ON collection_files (collection_id);
