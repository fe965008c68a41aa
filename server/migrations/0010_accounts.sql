-- Log-in: browsers that logged in before, failures under hashed keys, session ids hashed at rest.

-- Browsers from which an account logged in. The cookie holds 192 random bits; only its SHA-256 is stored.
-- Guesses from other browsers do not slow these down.
CREATE TABLE known_devices (
    token_hash TEXT NOT NULL,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    used_at    INTEGER NOT NULL,
    PRIMARY KEY (token_hash, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX known_devices_by_user ON known_devices (user_id, used_at);

-- The subject was the name as typed, of any length. It becomes a hash of bounded length. Each failure gives its
-- row a new rowid, so the lowest rowids are the subjects that have not failed for the longest time.
DROP TABLE login_failures;
CREATE TABLE login_failures (
    subject  TEXT NOT NULL UNIQUE,             -- SHA-256 of what is limited
    failures INTEGER NOT NULL,
    last_at  INTEGER NOT NULL
) STRICT;

-- A copy of the database must not contain usable sessions: the id becomes its SHA-256, also within the data.
-- `sha256_hex` is provided by the migrating connection.
UPDATE sessions SET id = sha256_hex(id), data = json_remove(data, '$.id');
