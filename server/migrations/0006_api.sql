-- Tokens, idempotency keys, webhooks, public links.

-- Personal tokens for the REST API. A token acts as its owner, while the owner is an enabled admin.
CREATE TABLE api_tokens (
    id           INTEGER PRIMARY KEY,
    user_id      INTEGER NOT NULL REFERENCES users (id),
    secret_hash  TEXT NOT NULL UNIQUE,         -- SHA-256 of 256 random bits: nothing to guess, so no slow hash
    prefix       TEXT NOT NULL,                -- how it begins, to recognise it by
    label        TEXT NOT NULL,
    scopes       TEXT NOT NULL,                -- json
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    last_used_at INTEGER,                      -- written at most once a minute
    revoked_at   INTEGER
) STRICT;
CREATE INDEX api_tokens_by_owner ON api_tokens (user_id);

-- Answers kept for 24 hours under the key that a client sent with its request.
CREATE TABLE idempotency_keys (
    token_id     INTEGER NOT NULL REFERENCES api_tokens (id),
    key          TEXT NOT NULL,
    request_hash TEXT NOT NULL,                -- SHA-256 of method, address and body
    status       INTEGER,                      -- absent while the first request is at work
    content_type TEXT,
    location     TEXT,
    body         BLOB,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (token_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE TABLE webhooks (
    id         INTEGER PRIMARY KEY,
    url        TEXT NOT NULL,
    secret     TEXT NOT NULL,                  -- messages are signed with it, so it cannot be a hash
    events     TEXT NOT NULL,                  -- json: the names of what it hears of
    created_by INTEGER REFERENCES users (id),
    created_at INTEGER NOT NULL
) STRICT;

-- Messages on their way. A message is written in the transaction that ends the run or the study (the
-- triggers below), so that neither is without the other, whoever ends it: server, engine, command line.
CREATE TABLE webhook_deliveries (
    id         INTEGER PRIMARY KEY,
    webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event      TEXT NOT NULL,
    subject    INTEGER,                        -- the run's or the study's number
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    body       TEXT,                           -- composed at the first try; every try sends the same
    attempts   INTEGER NOT NULL DEFAULT 0,
    status     INTEGER,
    error      TEXT,
    created_at INTEGER NOT NULL,
    next_at    INTEGER                         -- when it is tried next; absent once it is at its end
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);

CREATE TRIGGER run_ended AFTER UPDATE OF status ON runs
WHEN old.status = 'running' AND new.status <> 'running'
BEGIN
    INSERT INTO webhook_deliveries (webhook_id, event, subject, state, created_at, next_at)
    SELECT w.id, 'run.ended', new.id, 'waiting',
           CAST(unixepoch('subsec') * 1000 AS INTEGER), CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM webhooks w WHERE EXISTS (SELECT 1 FROM json_each(w.events) e WHERE e.value = 'run.ended');
END;

CREATE TRIGGER study_closed AFTER UPDATE OF status ON studies
WHEN old.status <> 'closed' AND new.status = 'closed'
BEGIN
    INSERT INTO webhook_deliveries (webhook_id, event, subject, state, created_at, next_at)
    SELECT w.id, 'study.closed', new.id, 'waiting',
           CAST(unixepoch('subsec') * 1000 AS INTEGER), CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM webhooks w WHERE EXISTS (SELECT 1 FROM json_each(w.events) e WHERE e.value = 'study.closed');
END;

-- Links to the public page of a closed study.
CREATE TABLE public_links (
    id          INTEGER PRIMARY KEY,
    study_id    INTEGER NOT NULL REFERENCES studies (id),
    secret_hash TEXT NOT NULL UNIQUE,          -- SHA-256 of the link's secret
    code        INTEGER NOT NULL,              -- whether the page shows the models' code
    created_by  INTEGER REFERENCES users (id),
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    revoked_at  INTEGER
) STRICT;
CREATE INDEX public_links_by_study ON public_links (study_id);
