-- What the engine needs beyond 0002.

-- How a run is done: several outputs in a JVM where that is beyond doubt, and the date that they see.
ALTER TABLE runs ADD COLUMN fast INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN dates TEXT CHECK (dates IN ('june-2022'));
