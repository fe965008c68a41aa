-- A time on the last day on which a person was logged in in a browser; 0 if there was none since this migration.
ALTER TABLE users ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX users_by_seen ON users (seen_at);
