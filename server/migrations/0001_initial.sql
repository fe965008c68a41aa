-- The first schema. Times are milliseconds since 1970 in UTC; `json` columns hold what the types of
-- app/src/model serialise to. Numbered files are append-only: a later need is a later file.

CREATE TABLE users (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
    role          TEXT NOT NULL CHECK (role IN ('admin', 'rater')),
    password_hash TEXT NOT NULL,               -- argon2id, PHC string
    lang          TEXT CHECK (lang IN ('en', 'zh')), -- absent until the person chooses
    disabled      INTEGER NOT NULL DEFAULT 0,
    -- Sessions remember the epoch they began in; a changed password or a disabled account raises it
    -- and so ends them all.
    epoch         INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE invitations (
    id          INTEGER PRIMARY KEY,
    secret_hash TEXT NOT NULL UNIQUE,          -- SHA-256 of the link's secret
    label       TEXT NOT NULL,
    role        TEXT NOT NULL CHECK (role IN ('admin', 'rater')),
    created_by  INTEGER REFERENCES users (id),
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    revoked_at  INTEGER,
    used_by     INTEGER REFERENCES users (id),
    used_at     INTEGER
) STRICT;

CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    data       TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Failed log-ins, per account (`user:NAME`) and per address (`addr:IP`).
CREATE TABLE login_failures (
    subject  TEXT PRIMARY KEY,
    failures INTEGER NOT NULL,
    last_at  INTEGER NOT NULL
) STRICT;

-- Who did what: one row for each change that an admin or the command line made.
CREATE TABLE audit (
    id      INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    user_id INTEGER REFERENCES users (id),     -- absent: the command line
    action  TEXT NOT NULL,
    detail  TEXT NOT NULL
) STRICT;

CREATE TABLE rubrics (
    id       INTEGER PRIMARY KEY,
    slug     TEXT NOT NULL,
    version  INTEGER NOT NULL,
    checksum TEXT NOT NULL,
    json     TEXT NOT NULL,
    UNIQUE (slug, version),
    UNIQUE (slug, checksum)
) STRICT;

CREATE TABLE datasets (
    id         INTEGER PRIMARY KEY,
    slug       TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

-- One imported state of a dataset; never changed once made.
CREATE TABLE dataset_versions (
    id             INTEGER PRIMARY KEY,
    dataset_id     INTEGER NOT NULL REFERENCES datasets (id),
    number         INTEGER NOT NULL,
    checksum       TEXT NOT NULL,              -- over names, tasks and tests, in a fixed order
    name_en        TEXT NOT NULL,
    name_zh        TEXT NOT NULL,
    description_en TEXT NOT NULL,
    description_zh TEXT NOT NULL,
    license        TEXT NOT NULL,
    source         TEXT NOT NULL,
    rubric_id      INTEGER NOT NULL REFERENCES rubrics (id),
    -- How its tests are run ('aixgrade' or 'aixbench') and the stored tree they come from.
    test_kind      TEXT CHECK (test_kind IN ('aixgrade', 'aixbench')),
    test_tree      TEXT,
    imported_at    INTEGER NOT NULL,
    UNIQUE (dataset_id, number),
    UNIQUE (dataset_id, checksum)
) STRICT;

-- A task keeps its row through all versions; its wordings are revisions.
CREATE TABLE tasks (
    id          INTEGER PRIMARY KEY,
    dataset_id  INTEGER NOT NULL REFERENCES datasets (id),
    external_id TEXT NOT NULL,
    UNIQUE (dataset_id, external_id)
) STRICT;

CREATE TABLE task_revisions (
    id         INTEGER PRIMARY KEY,
    task_id    INTEGER NOT NULL REFERENCES tasks (id),
    checksum   TEXT NOT NULL,
    raw_nl     TEXT NOT NULL,
    lang       TEXT NOT NULL CHECK (lang IN ('en', 'zh')),
    signature  TEXT,
    human      INTEGER NOT NULL,
    tests      INTEGER NOT NULL,
    test_class TEXT,                           -- the class that holds the task's tests
    UNIQUE (task_id, checksum)
) STRICT;

CREATE TABLE dataset_version_tasks (
    version_id  INTEGER NOT NULL REFERENCES dataset_versions (id),
    position    INTEGER NOT NULL,
    revision_id INTEGER NOT NULL REFERENCES task_revisions (id),
    PRIMARY KEY (version_id, position),
    UNIQUE (version_id, revision_id)
) STRICT, WITHOUT ROWID;

-- Files that belong to a dataset version's tests, stored by content.
CREATE TABLE blobs (
    checksum TEXT PRIMARY KEY,                 -- SHA-256
    bytes    BLOB NOT NULL
) STRICT;

CREATE TABLE test_tree_files (
    tree     TEXT NOT NULL,                    -- SHA-256 over the sorted list of paths and checksums
    path     TEXT NOT NULL,                    -- relative, forward slashes
    checksum TEXT NOT NULL REFERENCES blobs (checksum),
    PRIMARY KEY (tree, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE models (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE
) STRICT;

-- A file that an admin sent; its bytes lie in the data folder under their checksum.
CREATE TABLE uploads (
    id         INTEGER PRIMARY KEY,
    checksum   TEXT NOT NULL,
    file_name  TEXT NOT NULL,
    bytes      INTEGER NOT NULL,
    user_id    INTEGER REFERENCES users (id),
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE submissions (
    id         INTEGER PRIMARY KEY,
    version_id INTEGER NOT NULL REFERENCES dataset_versions (id),
    model_id   INTEGER NOT NULL REFERENCES models (id),
    file_name  TEXT NOT NULL,
    checksum   TEXT NOT NULL,
    matching   TEXT NOT NULL,
    created_by INTEGER REFERENCES users (id),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX submissions_by_version ON submissions (version_id);

CREATE TABLE outputs (
    id            INTEGER PRIMARY KEY,
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    revision_id   INTEGER NOT NULL REFERENCES task_revisions (id),
    sample        INTEGER NOT NULL,
    code          TEXT NOT NULL,               -- without fences
    said          TEXT NOT NULL,               -- what a chat answer said around its code
    raw           TEXT,                        -- the answer as it came, where it differs from `code`
    end_by        TEXT,                        -- why generation stopped, where the file says so
    UNIQUE (submission_id, revision_id, sample)
) STRICT;
CREATE INDEX outputs_by_revision ON outputs (revision_id);

CREATE TABLE studies (
    id         INTEGER PRIMARY KEY,
    token      TEXT NOT NULL UNIQUE,           -- its name on the raters' side
    title      TEXT NOT NULL,
    version_id INTEGER NOT NULL REFERENCES dataset_versions (id),
    rubric_id  INTEGER NOT NULL REFERENCES rubrics (id),
    overlap    INTEGER NOT NULL CHECK (overlap >= 1),
    seed       TEXT NOT NULL,                  -- 64 bits, decimal
    status     TEXT NOT NULL CHECK (status IN ('running', 'paused', 'closed')),
    created_by INTEGER REFERENCES users (id),
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE study_submissions (
    study_id      INTEGER NOT NULL REFERENCES studies (id),
    position      INTEGER NOT NULL,
    submission_id INTEGER NOT NULL REFERENCES submissions (id),
    PRIMARY KEY (study_id, position),
    UNIQUE (study_id, submission_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE study_raters (
    study_id INTEGER NOT NULL REFERENCES studies (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    PRIMARY KEY (study_id, user_id)
) STRICT, WITHOUT ROWID;

-- One row for each rating that the study wants: an output has `overlap` of them, numbered from 0.
-- That an output gets exactly so many ratings by different people is held by the two UNIQUEs.
CREATE TABLE assignments (
    id           INTEGER PRIMARY KEY,
    study_id     INTEGER NOT NULL REFERENCES studies (id),
    output_id    INTEGER NOT NULL REFERENCES outputs (id),
    slot         INTEGER NOT NULL CHECK (slot >= 0),
    user_id      INTEGER REFERENCES users (id), -- absent: free
    leased_until INTEGER,                       -- absent while free and once rated
    shown_at     INTEGER,                       -- when this holder was first given it
    rated_at     INTEGER,                       -- the holder's first rating
    UNIQUE (study_id, output_id, slot),
    UNIQUE (study_id, output_id, user_id),
    CHECK (rated_at IS NULL OR user_id IS NOT NULL)
) STRICT;
CREATE INDEX assignments_by_rater ON assignments (study_id, user_id, rated_at);

-- The opaque name under which a rater knows an output. It outlives the lease, so that a laptop
-- opened again the next day still knows what it was showing.
CREATE TABLE handouts (
    token     TEXT PRIMARY KEY,
    study_id  INTEGER NOT NULL REFERENCES studies (id),
    output_id INTEGER NOT NULL REFERENCES outputs (id),
    user_id   INTEGER NOT NULL REFERENCES users (id),
    UNIQUE (study_id, output_id, user_id)
) STRICT, WITHOUT ROWID;

-- A rater passed over an output: it is offered to them once more when nothing else is left.
CREATE TABLE skips (
    study_id  INTEGER NOT NULL REFERENCES studies (id),
    output_id INTEGER NOT NULL REFERENCES outputs (id),
    user_id   INTEGER NOT NULL REFERENCES users (id),
    times     INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (study_id, user_id, output_id)
) STRICT, WITHOUT ROWID;

-- What a rater has put down and not yet submitted; kept even when the lease runs out.
CREATE TABLE drafts (
    study_id   INTEGER NOT NULL REFERENCES studies (id),
    output_id  INTEGER NOT NULL REFERENCES outputs (id),
    user_id    INTEGER NOT NULL REFERENCES users (id),
    json       TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (study_id, user_id, output_id)
) STRICT, WITHOUT ROWID;

-- A rating is never overwritten: a changed mind is a new row, and the old one is marked.
CREATE TABLE ratings (
    id            INTEGER PRIMARY KEY,
    assignment_id INTEGER NOT NULL REFERENCES assignments (id),
    user_id       INTEGER NOT NULL REFERENCES users (id),
    key           TEXT NOT NULL,               -- names one submission: sent twice, it counts once
    comment       TEXT NOT NULL,
    flag          TEXT,                        -- json
    shown_at      INTEGER,
    at            INTEGER NOT NULL,
    superseded_at INTEGER,
    UNIQUE (assignment_id, key)
) STRICT;
-- At most one rating of an assignment counts.
CREATE UNIQUE INDEX ratings_current ON ratings (assignment_id) WHERE superseded_at IS NULL;

CREATE TABLE rating_scores (
    rating_id INTEGER NOT NULL REFERENCES ratings (id),
    dimension INTEGER NOT NULL,                -- its place in the study's rubric
    score     INTEGER NOT NULL,
    PRIMARY KEY (rating_id, dimension)
) STRICT, WITHOUT ROWID;
