-- Runs of a dataset's tests over a submission. An item is one output's turn; it is leased, never
-- "running", so that a crash gives it back.

CREATE TABLE runs (
    id            INTEGER PRIMARY KEY,
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    status        TEXT NOT NULL CHECK (status IN ('running', 'finished', 'cancelled')),
    fresh         INTEGER NOT NULL,            -- whether outcomes from the cache are left alone
    environment   TEXT,                        -- json; absent until the engine has begun
    fault         TEXT,                        -- why the engine could not do it at all
    created_by    INTEGER REFERENCES users (id),
    created_at    INTEGER NOT NULL,
    finished_at   INTEGER
) STRICT;
CREATE INDEX runs_by_submission ON runs (submission_id);
CREATE INDEX runs_open ON runs (id) WHERE status = 'running';

CREATE TABLE run_items (
    id           INTEGER PRIMARY KEY,
    run_id       INTEGER NOT NULL REFERENCES runs (id),
    output_id    INTEGER NOT NULL REFERENCES outputs (id),
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'leased', 'done', 'failed')),
    alone        INTEGER NOT NULL DEFAULT 0,   -- our own machinery failed on it once: nothing runs beside it
    holder       TEXT,                         -- who has it leased
    leased_until INTEGER,
    verdict      TEXT,
    passed       INTEGER NOT NULL DEFAULT 0,
    total        INTEGER NOT NULL DEFAULT 0,
    cached       INTEGER NOT NULL DEFAULT 0,
    outcome      TEXT,                         -- json, once done
    fault        TEXT,                         -- why our own machinery failed
    finished_at  INTEGER,
    UNIQUE (run_id, output_id),
    CHECK ((state = 'done') = (outcome IS NOT NULL)),
    CHECK ((state = 'leased') = (holder IS NOT NULL))
) STRICT;
CREATE INDEX run_items_open ON run_items (run_id, alone, state, id) WHERE state IN ('waiting', 'leased');

-- Outcomes by what decides them: the code, its task, the tests, the harness, the Java build, limits.
CREATE TABLE outcomes (
    key        TEXT PRIMARY KEY,
    outcome    TEXT NOT NULL,                  -- json
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
