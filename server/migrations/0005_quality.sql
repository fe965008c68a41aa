-- Calibration, repeats, adjudication, answers to flags.

-- What a study does about quality; `json` is a QualitySettings (app/src/model/quality.rs). Without a
-- row: the defaults, which do nothing.
CREATE TABLE study_quality (
    study_id INTEGER PRIMARY KEY REFERENCES studies (id),
    json     TEXT NOT NULL
) STRICT;

-- An output with known scores. The code is its own copy: it may be pasted, and what raters were
-- measured by must not change with a later import.
CREATE TABLE gold_items (
    id          INTEGER PRIMARY KEY,
    study_id    INTEGER NOT NULL REFERENCES studies (id),
    revision_id INTEGER NOT NULL REFERENCES task_revisions (id),
    output_id   INTEGER REFERENCES outputs (id),  -- where it was picked from; absent: pasted
    code        TEXT NOT NULL,
    said        TEXT NOT NULL,
    scores      TEXT NOT NULL,                    -- json: one place a dimension
    reasons     TEXT NOT NULL,                    -- json: one bilingual text a dimension
    created_by  INTEGER REFERENCES users (id),
    created_at  INTEGER NOT NULL,
    retired_at  INTEGER                           -- asked no more; what was answered stays
) STRICT;
CREATE INDEX gold_by_study ON gold_items (study_id);

-- Where each rater stands with the items that open a study. A reset begins a new round.
CREATE TABLE openings (
    study_id   INTEGER NOT NULL REFERENCES studies (id),
    user_id    INTEGER NOT NULL REFERENCES users (id),
    round      INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('open', 'passed', 'stopped')),
    decided_at INTEGER,
    let_in_by  INTEGER REFERENCES users (id),     -- an admin let them in although they had not passed
    told       INTEGER NOT NULL DEFAULT 0,        -- they have read how it went
    PRIMARY KEY (study_id, user_id)
) STRICT, WITHOUT ROWID;

-- Something a rater is given to measure the rater, never the models: nothing that counts ratings of a
-- study looks here. `opening` items come first and are marked as what they are; `gold` and `repeat`
-- come unmarked among the work. The token is of the same kind as a handout's.
CREATE TABLE probes (
    id        INTEGER PRIMARY KEY,
    token     TEXT NOT NULL UNIQUE,
    study_id  INTEGER NOT NULL REFERENCES studies (id),
    user_id   INTEGER NOT NULL REFERENCES users (id),
    kind      TEXT NOT NULL CHECK (kind IN ('opening', 'gold', 'repeat')),
    round     INTEGER NOT NULL,                   -- of the opening; 0 otherwise
    gold_id   INTEGER REFERENCES gold_items (id),
    output_id INTEGER REFERENCES outputs (id),    -- of a repeat
    -- What a repeat is held against: the rating that counted when it was handed out.
    first_id  INTEGER REFERENCES ratings (id),
    shown_at  INTEGER NOT NULL,
    rated_at  INTEGER,
    skips     INTEGER NOT NULL DEFAULT 0,
    skipped_at INTEGER,
    draft     TEXT,                               -- json
    told      INTEGER NOT NULL DEFAULT 0,         -- the rater has read the known scores
    UNIQUE (study_id, user_id, kind, round, gold_id),
    UNIQUE (study_id, user_id, output_id),
    CHECK ((kind = 'repeat') = (gold_id IS NULL)),
    CHECK ((kind = 'repeat') = (output_id IS NOT NULL))
) STRICT;
CREATE INDEX probes_by_rater ON probes (study_id, user_id, rated_at);

-- Like ratings: never overwritten.
CREATE TABLE probe_ratings (
    id            INTEGER PRIMARY KEY,
    probe_id      INTEGER NOT NULL REFERENCES probes (id),
    key           TEXT NOT NULL,
    draft         TEXT NOT NULL,                  -- json: scores, comment, flag, notes
    at            INTEGER NOT NULL,
    superseded_at INTEGER,
    UNIQUE (probe_id, key)
) STRICT;
CREATE UNIQUE INDEX probe_ratings_current ON probe_ratings (probe_id) WHERE superseded_at IS NULL;

-- How long the rater had the page in front of them and was at it, as the page counted it.
ALTER TABLE ratings ADD COLUMN active_ms INTEGER;

-- Assignments beyond the overlap, each with its reason to be. Their slots follow the overlap's.
CREATE TABLE extra_assignments (
    study_id  INTEGER NOT NULL REFERENCES studies (id),
    output_id INTEGER NOT NULL REFERENCES outputs (id),
    slot      INTEGER NOT NULL,
    asked_by  INTEGER REFERENCES users (id),      -- absent: the study's policy
    at        INTEGER NOT NULL,
    PRIMARY KEY (study_id, output_id, slot)
) STRICT, WITHOUT ROWID;

-- Raters who may decide where others disagree. Admins always may.
CREATE TABLE adjudicators (
    study_id INTEGER NOT NULL REFERENCES studies (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    PRIMARY KEY (study_id, user_id)
) STRICT, WITHOUT ROWID;

-- The opaque name under which an adjudicator knows an output.
CREATE TABLE dispute_handouts (
    token     TEXT PRIMARY KEY,
    study_id  INTEGER NOT NULL REFERENCES studies (id),
    output_id INTEGER NOT NULL REFERENCES outputs (id),
    user_id   INTEGER NOT NULL REFERENCES users (id),
    UNIQUE (study_id, output_id, user_id)
) STRICT, WITHOUT ROWID;

-- The final say. Ratings stay as they were; a decision taken again is a new row.
CREATE TABLE adjudications (
    id            INTEGER PRIMARY KEY,
    study_id      INTEGER NOT NULL REFERENCES studies (id),
    output_id     INTEGER NOT NULL REFERENCES outputs (id),
    user_id       INTEGER NOT NULL REFERENCES users (id),
    scores        TEXT NOT NULL,                  -- json: one place a dimension
    comment       TEXT NOT NULL,
    at            INTEGER NOT NULL,
    superseded_at INTEGER
) STRICT;
CREATE UNIQUE INDEX adjudications_current ON adjudications (study_id, output_id) WHERE superseded_at IS NULL;

-- What an admin answered to a flag. It answers that flag of that rater on that output: a rating changed
-- in something else does not ask again. Exactly one of `assignment_id` and `probe_id` is there.
CREATE TABLE flag_answers (
    id            INTEGER PRIMARY KEY,
    study_id      INTEGER NOT NULL REFERENCES studies (id),
    user_id       INTEGER NOT NULL REFERENCES users (id), -- who raised it
    assignment_id INTEGER REFERENCES assignments (id),
    probe_id      INTEGER REFERENCES probes (id),
    flag          TEXT NOT NULL,                  -- json
    reply         TEXT NOT NULL,                  -- empty: resolved without a word
    answered_by   INTEGER REFERENCES users (id),
    at            INTEGER NOT NULL,
    read_at       INTEGER,                        -- when the rater said that they had read it
    CHECK ((assignment_id IS NULL) <> (probe_id IS NULL))
) STRICT;
CREATE INDEX flag_answers_by_user ON flag_answers (user_id);
CREATE INDEX flag_answers_by_assignment ON flag_answers (assignment_id);

-- Names that raters of these outputs do not get to see; the stored outputs stay as they came.
CREATE TABLE submission_masks (
    submission_id INTEGER PRIMARY KEY REFERENCES submissions (id),
    names         TEXT NOT NULL,                  -- json: lower case, longest first
    masked_by     INTEGER REFERENCES users (id),
    at            INTEGER NOT NULL
) STRICT;
