-- Guidelines, and links to choose a new password.

-- Guidelines of studies and the defaults of datasets: Markdown in both languages. A version never changes.

CREATE TABLE study_guidelines (
    study_id   INTEGER NOT NULL REFERENCES all_studies (id),
    version    INTEGER NOT NULL,
    en         TEXT NOT NULL,
    zh         TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by INTEGER REFERENCES users (id),  -- absent: command line
    PRIMARY KEY (study_id, version)
) STRICT, WITHOUT ROWID;

-- Copied to each new study of the dataset.
CREATE TABLE dataset_guidelines (
    dataset_id INTEGER NOT NULL REFERENCES datasets (id),
    version    INTEGER NOT NULL,
    en         TEXT NOT NULL,
    zh         TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by INTEGER REFERENCES users (id),
    PRIMARY KEY (dataset_id, version)
) STRICT, WITHOUT ROWID;

-- The newest version that a rater has read.
CREATE TABLE guidelines_read (
    study_id INTEGER NOT NULL REFERENCES all_studies (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    version  INTEGER NOT NULL,
    read_at  INTEGER NOT NULL,
    PRIMARY KEY (study_id, user_id)
) STRICT, WITHOUT ROWID;

-- A link with which a person chooses a new password: one for each account, deleted when it is used.
CREATE TABLE password_resets (
    user_id     INTEGER PRIMARY KEY REFERENCES users (id),
    secret_hash TEXT NOT NULL UNIQUE,          -- SHA-256 of the link's secret
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT;
