-- Each lease of an item begins an attempt; the result of an older one is refused.
ALTER TABLE run_items ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;

-- What the results of workers on other machines were made in: one row for a suite, the options of a run and a toolchain.
-- Keys of cached outcomes are computed from it.
CREATE TABLE worker_environments (
    suite       TEXT NOT NULL,             -- SHA-256 of the suite as it is sent to workers
    options     TEXT NOT NULL,             -- json
    toolchain   TEXT NOT NULL,             -- its versions, as in the environment
    key_basis   TEXT NOT NULL,             -- what toolchain and limits contribute to keys
    fingerprint TEXT NOT NULL,             -- as in run_items
    environment TEXT NOT NULL,             -- json
    PRIMARY KEY (suite, options, toolchain)
) STRICT, WITHOUT ROWID;
