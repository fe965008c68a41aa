-- The schema. Numbered files are append-only: a later need is a later file.
--
-- Times are milliseconds since 1970 in UTC. Columns marked "json" hold what the types of app/model serialize to.
-- Triggers count and maintain what lists and pages read, in the transaction of its cause, whoever causes it.
--
--   Policy ...................... thresholds
--   People and login ............ accounts, groups, invitations, sessions, access tokens
--   Datasets and tasks .......... datasets, their versions, tasks, tests
--   Submissions and outputs ..... models, uploads, submissions, outputs
--   Rubrics ..................... what raters score
--   Studies and their plans ..... studies, raters, guidelines, who rates which output
--   Ratings ..................... what raters give, and which of it counts
--   Quality ..................... known scores, calibration, hidden checks, limits, disagreements, flags
--   Runs and outcomes ........... tests of outputs
--   Collections ................. outputs and scores that endpoints are asked for
--   Comparison .................. judge models' scores, figures, public links
--   Notifications ............... announcements, webhooks, email, the inbox
--   Operation ................... routines, the audit log, the search, the database's identity


-- Policy ---------------------------------------------------------------------------------------------------------------

-- Thresholds that triggers and views compare with: one row, which the program writes from its constants whenever it
-- opens the database (server/db/src/policy.rs). Triggers and views have no numbers of their own.
CREATE TABLE policy (
    id               INTEGER PRIMARY KEY CHECK (id = 1),
    first_extra_slot INTEGER NOT NULL,         -- the slots of extra ratings begin here
    fast_ms          INTEGER NOT NULL,         -- a rating of less time is fast
    pace_timed       INTEGER NOT NULL,         -- fewest timed ratings after which a rater can be too fast
    checks_answered  INTEGER NOT NULL,         -- fewest known-score items after which a rater can miss too many
    one_in           INTEGER NOT NULL          -- at least one in so many are too many
) STRICT;


-- People and login ----------------------------------------------------------------------------------------------------

CREATE TABLE users (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
    role          TEXT NOT NULL CHECK (role IN ('admin', 'rater')),
    password_hash TEXT NOT NULL,               -- argon2id, PHC string
    lang          TEXT CHECK (lang IN ('en', 'zh')), -- absent until the person chooses
    disabled      INTEGER NOT NULL DEFAULT 0,
    -- Sessions remember the epoch they began in; a changed password or a deactivated account raises it
    -- and so ends them all.
    epoch         INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    -- The languages that the person reads; absent: nobody has said, and both are assigned.
    reads         TEXT CHECK (reads IN ('en', 'zh', 'en zh')),
    -- A time on the last day on which the person was logged in in a browser; 0 if there was none.
    seen_at       INTEGER NOT NULL DEFAULT 0,
    -- Whether the person must choose a password before anything else: someone else has set the present one.
    must_change_password INTEGER NOT NULL DEFAULT 0 CHECK (must_change_password IN (0, 1))
) STRICT;
CREATE INDEX users_by_role ON users (role);
CREATE INDEX users_by_seen ON users (seen_at);

-- What people set for themselves.
CREATE TABLE rater_settings (
    user_id INTEGER PRIMARY KEY REFERENCES users (id),
    keys    TEXT NOT NULL DEFAULT '{}',        -- json: what differs from the default keyboard shortcuts
    tour_at INTEGER,                           -- when the first tour was finished or closed
    display TEXT,                              -- how pages look, as `model::display` writes it; absent: the default
    overview_at  INTEGER,                      -- when an admin last opened the overview
    visit_before INTEGER                       -- when the admin's visit before that one ended
) STRICT;

CREATE TABLE person_groups (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE COLLATE NOCASE,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE person_group_members (
    group_id INTEGER NOT NULL REFERENCES person_groups (id) ON DELETE CASCADE,
    user_id  INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX person_group_members_by_user ON person_group_members (user_id);

CREATE TABLE invitations (
    id          INTEGER PRIMARY KEY,
    secret_hash TEXT NOT NULL UNIQUE,          -- SHA-256 of the link's secret
    label       TEXT NOT NULL,
    role        TEXT NOT NULL CHECK (role IN ('admin', 'rater')),
    -- The group that the person who accepts the invitation joins.
    group_id    INTEGER REFERENCES person_groups (id) ON DELETE SET NULL,
    -- The study that they join as a rater.
    study_id    INTEGER REFERENCES all_studies (id) ON DELETE SET NULL,
    created_by  INTEGER REFERENCES users (id),
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    revoked_at  INTEGER,
    used_by     INTEGER REFERENCES users (id),
    used_at     INTEGER
) STRICT;
CREATE INDEX invitations_by_group ON invitations (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX invitations_by_study ON invitations (study_id) WHERE study_id IS NOT NULL;

-- A link with which a person chooses a new password: one for each account, deleted when it is used.
CREATE TABLE password_resets (
    user_id     INTEGER PRIMARY KEY REFERENCES users (id),
    secret_hash TEXT NOT NULL UNIQUE,          -- SHA-256 of the link's secret
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) STRICT;

-- A copy of the database must not contain usable sessions: the id is the SHA-256 of the cookie's.
CREATE TABLE sessions (
    id         TEXT PRIMARY KEY,
    data       TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Browsers from which an account logged in. The cookie holds 192 random bits; only its SHA-256 is stored.
-- Guesses from other browsers do not slow these down.
CREATE TABLE known_devices (
    token_hash TEXT NOT NULL,
    user_id    INTEGER NOT NULL REFERENCES users (id),
    used_at    INTEGER NOT NULL,
    PRIMARY KEY (token_hash, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX known_devices_by_user ON known_devices (user_id, used_at);

-- Failed logins, per account and per address. Each failure gives its row a new rowid, so the lowest rowids are the
-- subjects that have not failed for the longest time.
CREATE TABLE login_failures (
    subject  TEXT NOT NULL UNIQUE,             -- SHA-256 of what is limited: of bounded length, unlike a name as typed
    failures INTEGER NOT NULL,
    last_at  INTEGER NOT NULL
) STRICT;

-- Accounts at an identity provider, by which people log in. An e-mail address identifies nobody.
CREATE TABLE identities (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_by_user ON identities (user_id);

-- Access tokens for the REST API. A token acts as its owner, while the owner is an active admin.
CREATE TABLE api_tokens (
    id           INTEGER PRIMARY KEY,
    user_id      INTEGER NOT NULL REFERENCES users (id),
    secret_hash  TEXT NOT NULL UNIQUE,         -- SHA-256 of 256 random bits: nothing to guess, so no slow hash
    prefix       TEXT NOT NULL,                -- how it begins, to recognize it by
    label        TEXT NOT NULL,
    scopes       TEXT NOT NULL,                -- json
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    last_used_at INTEGER,                      -- written at most once a minute
    revoked_at   INTEGER
) STRICT;
CREATE INDEX api_tokens_by_owner ON api_tokens (user_id);

-- Responses kept for 24 hours under the key that a client sent with its request.
CREATE TABLE idempotency_keys (
    token_id     INTEGER NOT NULL REFERENCES api_tokens (id),
    key          TEXT NOT NULL,
    request_hash TEXT NOT NULL,                -- SHA-256 of method, address and body
    status       INTEGER,                      -- absent while the first request is in progress
    content_type TEXT,
    location     TEXT,
    body         BLOB,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (token_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);


-- Datasets and tasks --------------------------------------------------------------------------------------------------
--
-- What is archived stays as it is, but no list and no form offers it.

CREATE TABLE datasets (
    id          INTEGER PRIMARY KEY,
    slug        TEXT NOT NULL UNIQUE,
    created_at  INTEGER NOT NULL,
    -- The rubric of new studies, as an admin chose it; absent: the one that came with the dataset's version.
    rubric_id   INTEGER REFERENCES rubrics (id),
    archived_at INTEGER
) STRICT;

-- One imported state of a dataset; never changed.
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
    -- How its tests are run (the list of kinds is the program's, `formats::TestKind`) and the stored tree they are in.
    test_kind      TEXT,
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
    nl_lang       TEXT NOT NULL CHECK (nl_lang IN ('en', 'zh')),
    code_lang  TEXT NOT NULL DEFAULT 'java',
    signature  TEXT,
    human      INTEGER NOT NULL,
    tests      INTEGER NOT NULL,
    test_class TEXT,                           -- the class that holds the task's tests
    UNIQUE (task_id, checksum)
) STRICT;

-- The turns of a task that is a conversation: a model answers a base prompt and then instructions, turn by turn
-- (CodeIF-Bench). Tasks of other datasets have none. Turn 0 is the base prompt.
CREATE TABLE task_turns (
    revision_id INTEGER NOT NULL REFERENCES task_revisions (id),
    turn        INTEGER NOT NULL CHECK (turn >= 0),
    kind        TEXT NOT NULL,                 -- the list of kinds is the program's (`InstructionKind`)
    instruction TEXT NOT NULL,
    -- Its place in the order in which the benchmark lists the instructions, from 1; 0 for the base prompt. Outputs of
    -- single instructions have this order.
    listed      INTEGER NOT NULL,
    -- Whether the benchmark judges the answer to this turn in a conversation of all turns.
    judged      INTEGER NOT NULL,
    PRIMARY KEY (revision_id, turn)
) STRICT, WITHOUT ROWID;

-- A task's own tests, as the format that the version's `test_kind` names has them. Apart from the revisions, so that
-- no list reads them.
CREATE TABLE task_tests (
    revision_id INTEGER PRIMARY KEY REFERENCES task_revisions (id),
    body        TEXT NOT NULL
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
-- Whether a file is still used is looked up when datasets are deleted.
CREATE INDEX test_tree_files_by_file ON test_tree_files (checksum);


-- Submissions and outputs ---------------------------------------------------------------------------------------------
--
-- Imports are many short transactions, so that no upload makes a rating wait. While `importing_until` is set, an import
-- is adding rows; nobody sees them. It is the end of a lease that every chunk of rows extends: when it has passed, the
-- import was killed and its rows are deleted. The import's last transaction clears it. Everything that reads goes
-- through the views (`submissions`, `studies`, `judgings`), which hide what is incomplete; only imports name the tables.
--
-- What is deleted is hidden at once, like an import that is not complete: for some seconds an admin can undo it, then
-- its rows are deleted in short transactions.

CREATE TABLE models (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE
) STRICT;

-- A file that an admin uploaded; its bytes are in the data folder under their checksum.
CREATE TABLE uploads (
    id           INTEGER PRIMARY KEY,
    checksum     TEXT NOT NULL,
    file_name    TEXT NOT NULL,
    bytes        INTEGER NOT NULL,
    purpose      TEXT NOT NULL DEFAULT 'outputs' CHECK (purpose IN ('outputs', 'ratings')),
    dataset_slug TEXT,                         -- the dataset that was named with the file
    -- json: our columns of a table to the file's, where they were chosen
    columns      TEXT NOT NULL DEFAULT '{}',
    user_id      INTEGER REFERENCES users (id),
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_by_purpose ON uploads (purpose);

CREATE TABLE all_submissions (
    id              INTEGER PRIMARY KEY,
    version_id      INTEGER NOT NULL REFERENCES dataset_versions (id),
    model_id        INTEGER NOT NULL REFERENCES models (id),
    file_name       TEXT NOT NULL,
    checksum        TEXT NOT NULL,
    matching        TEXT NOT NULL,
    columns         TEXT NOT NULL DEFAULT '{}', -- as in `uploads`
    -- How a model was asked; absent where tasks have no turns.
    way             TEXT CHECK (way IN ('base', 'single', 'multi', 'n', 'dynamic')),
    -- Invalid lines of the file that an admin chose to leave out; 0 where the file was imported as a whole.
    left_out        INTEGER NOT NULL DEFAULT 0,
    created_by      INTEGER REFERENCES users (id),
    created_at      INTEGER NOT NULL,
    archived_at     INTEGER,
    importing_until INTEGER,
    expected        INTEGER,                   -- number of outputs that the import stores, for its progress
    deleted_at      INTEGER,
    -- A list is read in the order of an index of its own table (server/db/src/page.rs), so what sorts it is in that
    -- table: a submission and a run have the names of their model and dataset beside their numbers. Triggers keep them;
    -- nothing else writes them.
    model_name      TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
    dataset_slug    TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX submissions_by_version ON all_submissions (version_id);
CREATE INDEX submissions_by_checksum ON all_submissions (checksum);
CREATE INDEX submissions_importing ON all_submissions (importing_until) WHERE importing_until IS NOT NULL;
CREATE INDEX submissions_by_model ON all_submissions (model_id);
CREATE INDEX submissions_by_model_name ON all_submissions (model_name);
CREATE INDEX submissions_by_dataset ON all_submissions (dataset_slug);

CREATE VIEW submissions AS
    SELECT id, version_id, model_id, file_name, checksum, matching, columns, created_by, created_at, archived_at, left_out,
        way
    FROM all_submissions WHERE importing_until IS NULL;

CREATE TRIGGER submission_is_named AFTER INSERT ON all_submissions
BEGIN
    UPDATE all_submissions SET
        model_name = (SELECT m.name FROM models m WHERE m.id = NEW.model_id),
        dataset_slug = (SELECT d.slug FROM dataset_versions v JOIN datasets d ON d.id = v.dataset_id
                        WHERE v.id = NEW.version_id)
    WHERE id = NEW.id;
END;
CREATE TRIGGER submission_changes_model AFTER UPDATE OF model_id ON all_submissions
BEGIN
    UPDATE all_submissions SET model_name = (SELECT m.name FROM models m WHERE m.id = NEW.model_id) WHERE id = NEW.id;
END;
CREATE TRIGGER model_is_renamed AFTER UPDATE OF name ON models
BEGIN
    UPDATE all_submissions SET model_name = NEW.name WHERE model_id = NEW.id;
END;
CREATE TRIGGER submission_is_renamed AFTER UPDATE OF model_name ON all_submissions
WHEN OLD.model_name IS NOT NEW.model_name COLLATE BINARY
BEGIN
    UPDATE runs SET model_name = NEW.model_name WHERE submission_id = NEW.id;
END;

CREATE TABLE outputs (
    id            INTEGER PRIMARY KEY,
    submission_id INTEGER NOT NULL REFERENCES all_submissions (id),
    revision_id   INTEGER NOT NULL REFERENCES task_revisions (id),
    sample        INTEGER NOT NULL,            -- numbers all outputs of a submission and task
    -- The turn that an output answers, and the number of its conversation among those of its submission and task, from
    -- 0. Absent where tasks have no turns.
    turn          INTEGER,
    conversation  INTEGER,
    -- The turn of the task whose instruction an output answers, in a dynamic conversation, where `turn` counts the
    -- answers. Absent in other conversations, where both are the same.
    instruction   INTEGER,
    prompt        TEXT,                        -- what the code continues, where that is not the task's own
    -- json: prompt and text that the benchmark's published evaluator judges, where they are not `prompt` and `code`: a
    -- continuation in a code fence.
    published_text TEXT,
    chosen_block  INTEGER,                     -- the block of `raw` that an admin chose as the code, from 0
    code          TEXT NOT NULL,               -- without fences
    -- What people and judge models see: without a beginning of its own, the code continues the task's signature.
    visible_code  TEXT NOT NULL GENERATED ALWAYS AS (coalesce(prompt, '') || code) VIRTUAL,
    surrounding_text          TEXT NOT NULL,               -- what a chat answer has around its code
    raw           TEXT,                        -- the answer as it came, where it differs from `code`
    end_by        TEXT,                        -- why generation stopped, where the file says so
    reasoning     TEXT,                        -- what the model thought, where the file has it apart; raters never see it
    UNIQUE (submission_id, revision_id, sample)
) STRICT;
CREATE INDEX outputs_by_revision ON outputs (revision_id);
-- A submission's outputs in the order of their file.
CREATE INDEX outputs_by_submission ON outputs (submission_id, id);
CREATE UNIQUE INDEX outputs_by_turn ON outputs (submission_id, revision_id, conversation, turn) WHERE turn IS NOT NULL;

-- What the files of outputs say of them besides their texts: verdicts of a benchmark's authors or of another tool.
CREATE TABLE reported (
    output_id     INTEGER PRIMARY KEY REFERENCES outputs (id),
    format        TEXT NOT NULL,               -- of the file: Shape in app/model/src/submission.rs
    passed        INTEGER,                     -- absent without a verdict
    -- Whether the verdict was computed from another text than the output.
    other_text    INTEGER NOT NULL,
    detail        TEXT,                        -- the verdict in the tool's own words
    model         TEXT,                        -- the model's name in the file
    epoch         INTEGER,                     -- the number of the sample of its task, from 1
    input_tokens  INTEGER,
    output_tokens INTEGER
) STRICT;

-- Names that raters of these outputs do not get to see; the stored outputs stay as they came.
CREATE TABLE submission_masks (
    submission_id INTEGER PRIMARY KEY REFERENCES all_submissions (id),
    names         TEXT NOT NULL,               -- json: lower case, longest first
    masked_by     INTEGER REFERENCES users (id),
    at            INTEGER NOT NULL
) STRICT;


-- Rubrics -------------------------------------------------------------------------------------------------------------

-- A version of a rubric never changes: an edit is a new version.
CREATE TABLE rubrics (
    id         INTEGER PRIMARY KEY,
    slug       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    checksum   TEXT NOT NULL,
    json       TEXT NOT NULL,
    created_at INTEGER,
    created_by INTEGER REFERENCES users (id),  -- absent: import or command line
    UNIQUE (slug, version),
    UNIQUE (slug, checksum)
) STRICT;
CREATE INDEX rubrics_by_slug ON rubrics (slug);

CREATE TRIGGER rubrics_stay BEFORE UPDATE OF slug, version, checksum, json ON rubrics
BEGIN
    SELECT RAISE(ABORT, 'a version of a rubric never changes');
END;

-- No form offers these; studies that use them go on.
CREATE TABLE archived_rubrics (
    slug        TEXT PRIMARY KEY,
    archived_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;


-- Studies and their plans (docs/plan.md) ------------------------------------------------------------------------------

CREATE TABLE all_studies (
    id              INTEGER PRIMARY KEY,
    token           TEXT NOT NULL UNIQUE,      -- its name on the raters' side
    title           TEXT NOT NULL,
    version_id      INTEGER NOT NULL REFERENCES dataset_versions (id),
    rubric_id       INTEGER NOT NULL REFERENCES rubrics (id),
    seed            TEXT NOT NULL,             -- 64 bits, decimal
    status          TEXT NOT NULL CHECK (status IN ('draft', 'running', 'paused', 'closed')),
    settings        TEXT NOT NULL,             -- json: a StudySettings (app/model/src/study.rs)
    created_by      INTEGER REFERENCES users (id),
    created_at      INTEGER NOT NULL,
    started_at      INTEGER,
    archived_at     INTEGER,
    importing_until INTEGER,
    deleted_at      INTEGER,
    -- A change of the plan is computed from a snapshot. It is refused if this number has risen meanwhile, and computed
    -- again.
    plan_version    INTEGER NOT NULL DEFAULT 0,
    -- What SQL reads of the settings.
    raters_per_output  INTEGER NOT NULL GENERATED ALWAYS AS (settings ->> '$.raters_per_output') STORED
        CHECK (raters_per_output BETWEEN 1 AND 100),
    presentation       TEXT NOT NULL GENERATED ALWAYS AS (settings ->> '$.presentation') STORED
        CHECK (presentation IN ('one', 'side_by_side')),
    due                TEXT GENERATED ALWAYS AS (settings ->> '$.due') STORED,
    min_seconds        INTEGER NOT NULL GENERATED ALWAYS AS (settings ->> '$.min_seconds') STORED,
    missed_limit       INTEGER NOT NULL GENERATED ALWAYS AS (settings ->> '$.missed_limit') STORED,
    tolerance          INTEGER NOT NULL GENERATED ALWAYS AS (settings ->> '$.tolerance') STORED,
    spread             INTEGER GENERATED ALWAYS AS (settings ->> '$.spread') STORED,
    spread_correctness INTEGER GENERATED ALWAYS AS (settings ->> '$.spread_correctness') STORED
) STRICT;
CREATE INDEX studies_importing ON all_studies (importing_until) WHERE importing_until IS NOT NULL;
CREATE INDEX studies_by_title ON all_studies (title COLLATE NOCASE);
CREATE INDEX studies_by_status ON all_studies (status);
-- How many studies use a rubric.
CREATE INDEX studies_by_rubric ON all_studies (rubric_id);

CREATE VIEW studies AS
    SELECT id, token, title, version_id, rubric_id, seed, status, settings, created_by, created_at, started_at, archived_at,
        raters_per_output, presentation, due, min_seconds
    FROM all_studies WHERE importing_until IS NULL;

CREATE TABLE study_submissions (
    study_id      INTEGER NOT NULL REFERENCES all_studies (id),
    position      INTEGER NOT NULL,
    submission_id INTEGER NOT NULL REFERENCES all_submissions (id),
    PRIMARY KEY (study_id, position),
    UNIQUE (study_id, submission_id)
) STRICT, WITHOUT ROWID;
-- What refers to a submission that an admin wants to delete.
CREATE INDEX study_submissions_by_submission ON study_submissions (submission_id);

-- A rater who left keeps their row: what they gave still counts.
CREATE TABLE study_raters (
    study_id    INTEGER NOT NULL REFERENCES all_studies (id),
    user_id     INTEGER NOT NULL REFERENCES users (id),
    added_at   INTEGER,
    removed_at     INTEGER,
    -- The languages in which this study gives them work.
    reads       TEXT NOT NULL DEFAULT 'en zh' CHECK (reads IN ('en', 'zh', 'en zh')),
    -- Shared by hand: the most that they are given (outputs, or tasks where they stand side by side).
    share       INTEGER CHECK (share >= 0),
    -- Rows of `assignments` that are theirs, rated and unrated. Kept by triggers, so that a rater's progress costs the
    -- same at the first and at the hundred-thousandth rating.
    rated       INTEGER NOT NULL DEFAULT 0,
    open        INTEGER NOT NULL DEFAULT 0,
    -- The time of the rater's newest event in the study. Events are stored strictly later than the one before, so that
    -- their order survives a clock that is set back.
    last_event  INTEGER NOT NULL DEFAULT 0,
    -- Outputs of the study that the rater has been given at least once. Hidden checks come after so many.
    given       INTEGER NOT NULL DEFAULT 0,
    -- All of the rater's work was given out and a planned repeat had nothing to repeat: it never comes.
    checks_over INTEGER NOT NULL DEFAULT 0,
    -- When the settings of hidden checks or the known-score items last changed: `given` and `last_event` of that moment.
    -- Hidden checks are counted from there, so that those that earlier outputs would have had do not all come at once.
    checks_from  INTEGER NOT NULL DEFAULT 0,
    checks_since INTEGER NOT NULL DEFAULT 0,
    -- When the rater gave their newest rating in the study, also if it was withdrawn.
    last_rating INTEGER,
    PRIMARY KEY (study_id, user_id)
) STRICT, WITHOUT ROWID;
-- How much each person has rated.
CREATE INDEX study_raters_by_user ON study_raters (user_id);

-- One row for each rating that the study wants: an output has `raters_per_output` of them, numbered from 0. `user_id` says for
-- whom it is planned, `leased_until` that it was handed out, `rated_at` that it was rated. The two UNIQUEs hold that an
-- output gets exactly so many ratings by different people, and that it is not planned twice for the same rater.
CREATE TABLE assignments (
    id           INTEGER PRIMARY KEY,
    study_id     INTEGER NOT NULL REFERENCES all_studies (id),
    output_id    INTEGER NOT NULL REFERENCES outputs (id),
    -- Slots below `raters_per_output` are the plan's. What comes on top of it (one more rating where raters disagree) has
    -- slots from `policy.first_extra_slot` on.
    slot         INTEGER NOT NULL CHECK (slot >= 0),
    user_id      INTEGER REFERENCES users (id), -- absent: free
    -- In the rater's order; smaller is sooner. Of what was skipped for the last time and is free: minus the time of that skip.
    place        INTEGER,
    leased_until INTEGER,                      -- absent while free and once rated
    shown_at     INTEGER,                      -- when this rater was first given it
    rated_at     INTEGER,                      -- the rater's first rating
    UNIQUE (study_id, output_id, slot),
    UNIQUE (study_id, output_id, user_id),
    CHECK (rated_at IS NULL OR user_id IS NOT NULL)
) STRICT;
-- The time from showing to rating of a study's ratings is read from the index alone.
CREATE INDEX assignments_by_rater ON assignments (study_id, user_id, rated_at, shown_at);
CREATE INDEX assignments_waiting ON assignments (study_id, user_id, place)
    WHERE rated_at IS NULL AND leased_until IS NULL;
CREATE INDEX assignments_in_hand ON assignments (study_id, user_id, leased_until)
    WHERE leased_until IS NOT NULL;

-- "Exactly so many ratings by different people", whatever the program does: never more slots than raters per output,
-- none deleted once the study has left its draft (except of a study that is being deleted, in which nobody has rated), none
-- missing when it runs.
CREATE TRIGGER assignments_within_plan BEFORE INSERT ON assignments
WHEN NEW.slot < (SELECT first_extra_slot FROM policy)
 AND NEW.slot >= (SELECT raters_per_output FROM all_studies WHERE id = NEW.study_id)
BEGIN
    SELECT RAISE(ABORT, 'an output has more ratings planned than raters per output');
END;
CREATE TRIGGER assignments_stay BEFORE DELETE ON assignments
WHEN (SELECT status <> 'draft' AND importing_until IS NULL FROM all_studies WHERE id = OLD.study_id)
BEGIN
    SELECT RAISE(ABORT, 'a planned rating cannot be deleted once the study has begun');
END;
CREATE TRIGGER assignments_keep_their_output BEFORE UPDATE OF study_id, output_id, slot ON assignments
WHEN NEW.study_id <> OLD.study_id OR NEW.output_id <> OLD.output_id OR NEW.slot <> OLD.slot
BEGIN
    SELECT RAISE(ABORT, 'a planned rating stays with its output');
END;
-- What was rated stays with its rater, and rated. Undoing a rating is the one way out: the assignment stays with the
-- rater, and only where no rating of it counts any more.
CREATE TRIGGER assignments_rated_stay BEFORE UPDATE OF user_id, rated_at ON assignments
WHEN OLD.rated_at IS NOT NULL AND (NEW.user_id IS NOT OLD.user_id OR (NEW.rated_at IS NULL AND EXISTS (
    SELECT 1 FROM ratings WHERE assignment_id = OLD.id AND replaced_at IS NULL)))
BEGIN
    SELECT RAISE(ABORT, 'what was rated stays with its rater');
END;
-- Generated columns have no value in BEFORE triggers.
CREATE TRIGGER studies_are_whole AFTER UPDATE OF status ON all_studies
WHEN NEW.status = 'running' AND EXISTS (
    SELECT 1 FROM assignments WHERE study_id = NEW.id AND slot < (SELECT first_extra_slot FROM policy)
    GROUP BY output_id HAVING count(*) <> NEW.raters_per_output)
BEGIN
    SELECT RAISE(ABORT, 'an output has fewer ratings planned than raters per output');
END;
CREATE TRIGGER studies_never_lower AFTER UPDATE OF settings ON all_studies
WHEN NEW.raters_per_output < OLD.raters_per_output AND OLD.status <> 'draft'
BEGIN
    SELECT RAISE(ABORT, 'raters per output of a study that has begun are never lowered');
END;

CREATE TRIGGER assignments_counted_new AFTER INSERT ON assignments WHEN NEW.user_id IS NOT NULL
BEGIN
    UPDATE study_raters SET rated = rated + (NEW.rated_at IS NOT NULL), open = open + (NEW.rated_at IS NULL)
    WHERE study_id = NEW.study_id AND user_id = NEW.user_id;
END;
CREATE TRIGGER assignments_counted_gone AFTER DELETE ON assignments WHEN OLD.user_id IS NOT NULL
BEGIN
    UPDATE study_raters SET rated = rated - (OLD.rated_at IS NOT NULL), open = open - (OLD.rated_at IS NULL)
    WHERE study_id = OLD.study_id AND user_id = OLD.user_id;
END;
CREATE TRIGGER assignments_counted AFTER UPDATE OF user_id, rated_at ON assignments
WHEN NEW.user_id IS NOT OLD.user_id OR (NEW.rated_at IS NULL) <> (OLD.rated_at IS NULL)
BEGIN
    UPDATE study_raters SET rated = rated - (OLD.rated_at IS NOT NULL), open = open - (OLD.rated_at IS NULL)
    WHERE study_id = OLD.study_id AND user_id = OLD.user_id;
    UPDATE study_raters SET rated = rated + (NEW.rated_at IS NOT NULL), open = open + (NEW.rated_at IS NULL)
    WHERE study_id = NEW.study_id AND user_id = NEW.user_id;
END;

CREATE TRIGGER assignments_moved AFTER UPDATE OF user_id, rated_at ON assignments
WHEN NEW.user_id IS NOT OLD.user_id OR (NEW.rated_at IS NULL AND OLD.rated_at IS NOT NULL)
BEGIN
    UPDATE all_studies SET plan_version = plan_version + 1 WHERE id = NEW.study_id;
END;
CREATE TRIGGER assignments_extra AFTER INSERT ON assignments
WHEN NEW.slot >= (SELECT first_extra_slot FROM policy)
BEGIN
    UPDATE all_studies SET plan_version = plan_version + 1 WHERE id = NEW.study_id;
END;

-- Extra assignments, each with its reason to be. Their slots follow those of the plan.
CREATE TABLE extra_assignments (
    study_id  INTEGER NOT NULL REFERENCES all_studies (id),
    output_id INTEGER NOT NULL REFERENCES outputs (id),
    slot      INTEGER NOT NULL,
    asked_by  INTEGER REFERENCES users (id),   -- absent: the study's policy
    at        INTEGER NOT NULL,
    PRIMARY KEY (study_id, output_id, slot)
) STRICT, WITHOUT ROWID;

-- The ratings that each study wants of each submission, and has: lists and pages show them without reading the planned
-- ratings.
CREATE TABLE study_counts (
    study_id      INTEGER NOT NULL,
    submission_id INTEGER NOT NULL,
    wanted        INTEGER NOT NULL,
    done          INTEGER NOT NULL,
    PRIMARY KEY (study_id, submission_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER study_counted_new AFTER INSERT ON assignments BEGIN
    INSERT INTO study_counts (study_id, submission_id, wanted, done)
    SELECT NEW.study_id, o.submission_id, 1, NEW.rated_at IS NOT NULL FROM outputs o WHERE o.id = NEW.output_id
    ON CONFLICT DO UPDATE SET wanted = wanted + 1, done = done + excluded.done;
END;
CREATE TRIGGER study_counted_gone AFTER DELETE ON assignments BEGIN
    UPDATE study_counts SET wanted = wanted - 1, done = done - (OLD.rated_at IS NOT NULL)
    WHERE study_id = OLD.study_id
      AND submission_id = (SELECT o.submission_id FROM outputs o WHERE o.id = OLD.output_id);
END;
CREATE TRIGGER study_counted AFTER UPDATE OF rated_at ON assignments
WHEN (NEW.rated_at IS NULL) <> (OLD.rated_at IS NULL) BEGIN
    UPDATE study_counts SET done = done + CASE WHEN NEW.rated_at IS NULL THEN -1 ELSE 1 END
    WHERE study_id = NEW.study_id
      AND submission_id = (SELECT o.submission_id FROM outputs o WHERE o.id = NEW.output_id);
END;

-- What changed the plan after it was made: with the seed, the whole history of who was given what.
CREATE TABLE plan_events (
    id       INTEGER PRIMARY KEY,
    study_id INTEGER NOT NULL REFERENCES all_studies (id),
    at       INTEGER NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('planned', 'started', 'added', 'removed', 'taken_over', 'extended')),
    user_id  INTEGER REFERENCES users (id),    -- the rater who joined, left or took over
    detail   TEXT NOT NULL                     -- json
) STRICT;
CREATE INDEX plan_events_by_study ON plan_events (study_id, id);

-- Changes of a study are many short transactions, so that no admin makes a rating wait.
--
-- The first transaction records the change (who joined or left, new settings, the plan's event, the audit log) and what
-- it still has to do as steps. Each further transaction takes the first step of a study and does it. If the program is
-- killed, the next start does what is left; before the first transaction has been committed, nothing has changed.
CREATE TABLE study_steps (
    id       INTEGER PRIMARY KEY,
    study_id INTEGER NOT NULL REFERENCES all_studies (id),
    step     TEXT NOT NULL                     -- json
) STRICT;
CREATE INDEX study_steps_by_study ON study_steps (study_id, id);

-- While steps are left, outputs may lack planned ratings.
CREATE TRIGGER studies_start_after_steps BEFORE UPDATE OF status ON all_studies
WHEN NEW.status = 'running' AND EXISTS (SELECT 1 FROM study_steps WHERE study_id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'a change of the study''s plan is not complete');
END;

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

-- The name of a rater in exports: drawn once, so that it stays the same.
CREATE TABLE pseudonyms (
    study_id INTEGER NOT NULL REFERENCES all_studies (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    name     TEXT NOT NULL,
    PRIMARY KEY (study_id, user_id),
    UNIQUE (study_id, name)
) STRICT, WITHOUT ROWID;


-- Ratings -------------------------------------------------------------------------------------------------------------

-- The opaque name under which a rater knows an output. It outlives the lease, so that a laptop opened again the next
-- day still knows what it was showing.
CREATE TABLE handouts (
    token     TEXT PRIMARY KEY,
    study_id  INTEGER NOT NULL REFERENCES all_studies (id),
    output_id INTEGER NOT NULL REFERENCES outputs (id),
    user_id   INTEGER NOT NULL REFERENCES users (id),
    UNIQUE (study_id, output_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER handouts_given AFTER INSERT ON handouts
BEGIN
    UPDATE study_raters SET given = given + 1 WHERE study_id = NEW.study_id AND user_id = NEW.user_id;
END;

-- A rater skipped an output: it is offered to them once more when nothing else is left.
CREATE TABLE skips (
    study_id  INTEGER NOT NULL REFERENCES all_studies (id),
    output_id INTEGER NOT NULL REFERENCES outputs (id),
    user_id   INTEGER NOT NULL REFERENCES users (id),
    times     INTEGER NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (study_id, user_id, output_id)
) STRICT, WITHOUT ROWID;

-- Items that a rater marked to find again, under the name by which the rater knows them: an output of the study or a
-- hidden check.
CREATE TABLE bookmarks (
    study_id INTEGER NOT NULL,
    user_id  INTEGER NOT NULL,
    token    TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (study_id, user_id, token)
) STRICT, WITHOUT ROWID;

-- What a rater has entered and not yet submitted; kept even when the lease runs out.
CREATE TABLE drafts (
    study_id   INTEGER NOT NULL REFERENCES all_studies (id),
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
    key           TEXT NOT NULL,               -- names one submit: sent twice, it counts once
    comment       TEXT NOT NULL,
    flag          TEXT,                        -- json
    shown_at      INTEGER,
    active_ms     INTEGER,                     -- how long the rater worked on the page, as the page measured it
    at            INTEGER NOT NULL,
    replaced_at INTEGER,
    -- Undone by its rater: replaced without a successor. It never counts again, while a rating that a later one
    -- replaced does when that later one is undone.
    withdrawn     INTEGER NOT NULL DEFAULT 0,
    UNIQUE (assignment_id, key)
) STRICT;
-- At most one rating of an assignment counts.
CREATE UNIQUE INDEX ratings_current ON ratings (assignment_id) WHERE replaced_at IS NULL;

CREATE TRIGGER last_rating_kept AFTER INSERT ON ratings BEGIN
    UPDATE study_raters SET last_rating = max(coalesce(last_rating, NEW.at), NEW.at)
    WHERE user_id = NEW.user_id
      AND study_id = (SELECT a.study_id FROM assignments a WHERE a.id = NEW.assignment_id);
END;

CREATE TABLE rating_scores (
    rating_id INTEGER NOT NULL REFERENCES ratings (id),
    dimension INTEGER NOT NULL,                -- its place in the study's rubric
    score     INTEGER NOT NULL,
    PRIMARY KEY (rating_id, dimension)
) STRICT, WITHOUT ROWID;

-- What a rater says about one place in the code. A place is counted in the code as the model gave it, from 1: the layout
-- that people read may change, the output does not.
CREATE TABLE rating_notes (
    rating_id INTEGER NOT NULL REFERENCES ratings (id),
    line      INTEGER NOT NULL CHECK (line >= 1),
    "column"  INTEGER NOT NULL CHECK ("column" >= 1), -- in characters
    text      TEXT NOT NULL CHECK (text <> ''),
    PRIMARY KEY (rating_id, line, "column")
) STRICT, WITHOUT ROWID;

-- A rating's yes (1) or no (0) to each instruction of the conversation up to the rated answer. They belong to their
-- rating: a changed answer is a new rating.
CREATE TABLE instruction_answers (
    rating_id INTEGER NOT NULL REFERENCES ratings (id),
    turn      INTEGER NOT NULL CHECK (turn > 0),
    answer    INTEGER NOT NULL CHECK (answer IN (0, 1)),
    PRIMARY KEY (rating_id, turn)
) STRICT, WITHOUT ROWID;

-- The ratings that count, one row each, in the order in which figures read them: a study of 25,000 ratings is then one
-- short scan, whatever lies beside it. `db::results::recount` computes it anew, and a test holds the two equal.
CREATE TABLE counted (
    study_id  INTEGER NOT NULL,
    output_id INTEGER NOT NULL,
    rating_id INTEGER NOT NULL,
    user_id   INTEGER NOT NULL,
    scores    TEXT NOT NULL,                   -- a digit for each dimension, in the rubric's order
    PRIMARY KEY (study_id, output_id, rating_id)
) STRICT, WITHOUT ROWID;
-- A study's ratings that count, in the order in which they came. A rating counts once. The index says so, because
-- without it SQLite looks for a rating among all of its study.
CREATE UNIQUE INDEX counted_by_rating ON counted (study_id, rating_id);

-- Goes up with every change to what counts in a study: figures computed at the same revision still hold.
CREATE TABLE study_revisions (
    study_id INTEGER PRIMARY KEY,
    revision    INTEGER NOT NULL,
    ratings  INTEGER NOT NULL                  -- how many count
) STRICT;

CREATE TRIGGER counted_scores AFTER INSERT ON rating_scores BEGIN
    INSERT INTO counted (study_id, output_id, rating_id, user_id, scores)
    SELECT a.study_id, a.output_id, r.id, r.user_id,
        (SELECT group_concat(score, '') FROM
            (SELECT score FROM rating_scores WHERE rating_id = NEW.rating_id ORDER BY dimension))
    FROM ratings r JOIN assignments a ON a.id = r.assignment_id
    WHERE r.id = NEW.rating_id AND r.replaced_at IS NULL
    ON CONFLICT DO UPDATE SET scores = excluded.scores;
END;
CREATE TRIGGER counted_rating AFTER INSERT ON ratings WHEN NEW.replaced_at IS NULL BEGIN
    INSERT INTO study_revisions (study_id, revision, ratings)
    SELECT study_id, 1, 1 FROM assignments WHERE id = NEW.assignment_id
    ON CONFLICT DO UPDATE SET revision = revision + 1, ratings = ratings + 1;
END;
CREATE TRIGGER counted_replaced AFTER UPDATE OF replaced_at ON ratings
    WHEN OLD.replaced_at IS NULL AND NEW.replaced_at IS NOT NULL BEGIN
    DELETE FROM counted WHERE rating_id = OLD.id
        AND (study_id, output_id) = (SELECT study_id, output_id FROM assignments WHERE id = OLD.assignment_id);
    UPDATE study_revisions SET revision = revision + 1, ratings = ratings - 1
        WHERE study_id = (SELECT study_id FROM assignments WHERE id = OLD.assignment_id);
END;
CREATE TRIGGER counted_restored AFTER UPDATE OF replaced_at ON ratings
    WHEN OLD.replaced_at IS NOT NULL AND NEW.replaced_at IS NULL BEGIN
    INSERT INTO counted (study_id, output_id, rating_id, user_id, scores)
    SELECT a.study_id, a.output_id, NEW.id, NEW.user_id,
        (SELECT coalesce(group_concat(score, ''), '') FROM
            (SELECT score FROM rating_scores WHERE rating_id = NEW.id ORDER BY dimension))
    FROM assignments a WHERE a.id = NEW.assignment_id;
    INSERT INTO study_revisions (study_id, revision, ratings)
    SELECT study_id, 1, 1 FROM assignments WHERE id = NEW.assignment_id
    ON CONFLICT DO UPDATE SET revision = revision + 1, ratings = ratings + 1;
END;
-- Final scores depend on extra assignments too.
CREATE TRIGGER extra_revision AFTER INSERT ON extra_assignments BEGIN
    INSERT INTO study_revisions (study_id, revision, ratings) VALUES (NEW.study_id, 1, 0)
    ON CONFLICT DO UPDATE SET revision = revision + 1;
END;


-- Quality -------------------------------------------------------------------------------------------------------------

-- An output with known scores. The code is its own copy: it may be pasted, and what raters were measured by must not
-- change with a later import.
CREATE TABLE known_items (
    id          INTEGER PRIMARY KEY,
    study_id    INTEGER NOT NULL REFERENCES all_studies (id),
    revision_id INTEGER NOT NULL REFERENCES task_revisions (id),
    output_id   INTEGER REFERENCES outputs (id), -- where it was picked from; absent: pasted
    -- Where the item comes. In both pools: as a hidden check only for raters who did not have it in their calibration.
    pool        TEXT NOT NULL DEFAULT 'both' CHECK (pool IN ('calibration', 'hidden', 'both')),
    code        TEXT NOT NULL,
    surrounding_text        TEXT NOT NULL,
    scores      TEXT NOT NULL,                 -- json: one place for each dimension
    reasons     TEXT NOT NULL,                 -- json: one bilingual text for each dimension
    created_by  INTEGER REFERENCES users (id),
    created_at  INTEGER NOT NULL,
    deactivated_at  INTEGER                        -- raters get it no more; what was answered stays
) STRICT;
CREATE INDEX known_items_by_study ON known_items (study_id);
CREATE INDEX known_items_by_task ON known_items (study_id, revision_id);
-- What refers to a submission that an admin wants to delete.
CREATE INDEX known_items_by_output ON known_items (output_id) WHERE output_id IS NOT NULL;

-- The state of each rater's calibration. A reset begins a new round.
CREATE TABLE calibrations (
    study_id   INTEGER NOT NULL REFERENCES all_studies (id),
    user_id    INTEGER NOT NULL REFERENCES users (id),
    round      INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('open', 'passed', 'stopped')),
    decided_at INTEGER,
    admitted_by  INTEGER REFERENCES users (id),  -- an admin let them in although they had not passed
    acknowledged       INTEGER NOT NULL DEFAULT 0,     -- they have read the result
    PRIMARY KEY (study_id, user_id)
) STRICT, WITHOUT ROWID;

-- Something a rater is given to measure the rater, never the models: nothing that counts ratings of a study looks here.
-- `calibration` items come first and are marked as what they are; `known_item` and `repeat` are hidden checks: they come unmarked
-- among the work and go through the same states: leased, waiting to come again, rated, lost to other raters. The token
-- is of the same kind as a handout's.
CREATE TABLE checks (
    id           INTEGER PRIMARY KEY,
    token        TEXT NOT NULL UNIQUE,
    study_id     INTEGER NOT NULL REFERENCES all_studies (id),
    user_id      INTEGER NOT NULL REFERENCES users (id),
    kind         TEXT NOT NULL CHECK (kind IN ('calibration', 'known_item', 'repeat')),
    round        INTEGER NOT NULL,             -- of the calibration; 0 otherwise
    known_item_id      INTEGER REFERENCES known_items (id),
    output_id    INTEGER REFERENCES outputs (id), -- of a repeat
    -- A rater who could take this output over would take over the check if it were work: the repeated one, or, for a hidden
    -- known-score item, one that its rater has as work, in the same language.
    like_output_id INTEGER REFERENCES outputs (id),
    -- What a repeat is compared with: the rating that counted when it was handed out.
    first_id     INTEGER REFERENCES ratings (id),
    shown_at     INTEGER NOT NULL,
    -- As in `assignments`: set while the check is assigned to its rater and not yet rated.
    leased_until INTEGER,
    rated_at     INTEGER,
    skips        INTEGER NOT NULL DEFAULT 0,
    skipped_at   INTEGER,
    -- As in `assignments`: the position in the rater's order of a check that was skipped and comes again.
    place        INTEGER,
    -- Another rater would have taken the item over if it were work: who, until when the lease of it would last, and the number
    -- of items that this rater has rated once it would be rated. Until it is back, its own rater cannot rate it.
    away_by      INTEGER REFERENCES users (id),
    away_until   INTEGER,
    away_rated   INTEGER,
    draft        TEXT,                         -- json
    acknowledged         INTEGER NOT NULL DEFAULT 0,   -- the rater has read the known scores
    UNIQUE (study_id, user_id, kind, round, known_item_id),
    UNIQUE (study_id, user_id, output_id),
    CHECK ((kind = 'repeat') = (known_item_id IS NULL)),
    CHECK ((kind = 'repeat') = (output_id IS NOT NULL))
) STRICT;
CREATE INDEX checks_by_rater ON checks (study_id, user_id, rated_at);
CREATE INDEX checks_open ON checks (study_id) WHERE rated_at IS NULL;
CREATE INDEX checks_away ON checks (study_id, away_by) WHERE away_by IS NOT NULL;
-- What raters answered about an item with known scores.
CREATE INDEX checks_by_known_item ON checks (known_item_id) WHERE known_item_id IS NOT NULL;

-- Like ratings: never overwritten.
CREATE TABLE check_ratings (
    id            INTEGER PRIMARY KEY,
    check_id      INTEGER NOT NULL REFERENCES checks (id),
    key           TEXT NOT NULL,
    draft         TEXT NOT NULL,               -- json: scores, comment, flag
    at            INTEGER NOT NULL,
    replaced_at INTEGER,
    withdrawn     INTEGER NOT NULL DEFAULT 0,  -- as in `ratings`
    UNIQUE (check_id, key)
) STRICT;
CREATE UNIQUE INDEX check_ratings_current ON check_ratings (check_id) WHERE replaced_at IS NULL;

-- Like rating_notes, so that long notes take the same time to store.
CREATE TABLE check_notes (
    rating_id INTEGER NOT NULL REFERENCES check_ratings (id),
    line      INTEGER NOT NULL CHECK (line >= 1),
    "column"  INTEGER NOT NULL CHECK ("column" >= 1), -- in characters
    text      TEXT NOT NULL CHECK (text <> ''),
    PRIMARY KEY (rating_id, line, "column")
) STRICT, WITHOUT ROWID;

-- How fast a rater rates and how many hidden known-score items they missed, since an admin last dismissed it.
CREATE TABLE rater_watch (
    study_id INTEGER NOT NULL,
    user_id  INTEGER NOT NULL,
    timed    INTEGER NOT NULL DEFAULT 0,       -- submissions with a measured time
    fast     INTEGER NOT NULL DEFAULT 0,       -- of less than `policy.fast_ms`
    checks   INTEGER NOT NULL DEFAULT 0,       -- hidden known-score items answered
    missed   INTEGER NOT NULL DEFAULT 0,       -- outside the study's tolerance
    PRIMARY KEY (study_id, user_id)
) STRICT, WITHOUT ROWID;

-- How a rater keeps a study's limits, and what followed. Items are outputs and hidden checks alike.
CREATE TABLE rater_limits (
    study_id  INTEGER NOT NULL,
    user_id   INTEGER NOT NULL,
    judged    INTEGER NOT NULL,                -- items that the rater had rated when the window before ended
    -- Of the last window over a limit, until an admin deals with it:
    fast      INTEGER NOT NULL DEFAULT 0,      -- items below the minimum time; 0 if that limit was kept
    missed    INTEGER NOT NULL DEFAULT 0,      -- missed known-score items; 0 if that limit was kept
    checks    INTEGER NOT NULL DEFAULT 0,      -- known-score items
    items     INTEGER NOT NULL DEFAULT 0,      -- items
    warned    INTEGER NOT NULL DEFAULT 0,      -- the rater has not yet read the warning
    paused_at INTEGER,                         -- since when the rater is paused
    PRIMARY KEY (study_id, user_id)
) STRICT, WITHOUT ROWID;

-- Raters who may adjudicate disagreements. Admins always may.
CREATE TABLE adjudicators (
    study_id INTEGER NOT NULL REFERENCES all_studies (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    PRIMARY KEY (study_id, user_id)
) STRICT, WITHOUT ROWID;

-- The opaque name under which an adjudicator knows an output.
CREATE TABLE disagreement_handouts (
    token     TEXT PRIMARY KEY,
    study_id  INTEGER NOT NULL REFERENCES all_studies (id),
    output_id INTEGER NOT NULL REFERENCES outputs (id),
    user_id   INTEGER NOT NULL REFERENCES users (id),
    UNIQUE (study_id, output_id, user_id)
) STRICT, WITHOUT ROWID;

-- The scores that count. Ratings stay as they were; an output adjudicated again has a new row.
CREATE TABLE adjudications (
    id            INTEGER PRIMARY KEY,
    study_id      INTEGER NOT NULL REFERENCES all_studies (id),
    output_id     INTEGER NOT NULL REFERENCES outputs (id),
    user_id       INTEGER NOT NULL REFERENCES users (id),
    scores        TEXT NOT NULL,               -- json: one place for each dimension
    comment       TEXT NOT NULL,
    at            INTEGER NOT NULL,
    replaced_at INTEGER
) STRICT;
CREATE UNIQUE INDEX adjudications_current ON adjudications (study_id, output_id) WHERE replaced_at IS NULL;
-- Of a study and of one output, replaced ones included.
CREATE INDEX adjudications_by_study ON adjudications (study_id, id);
CREATE INDEX adjudications_by_output ON adjudications (study_id, output_id);

-- Final scores depend on adjudications.
CREATE TRIGGER adjudicated_revision AFTER INSERT ON adjudications BEGIN
    INSERT INTO study_revisions (study_id, revision, ratings) VALUES (NEW.study_id, 1, 0)
    ON CONFLICT DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER adjudicated_again_revision AFTER UPDATE OF replaced_at ON adjudications BEGIN
    UPDATE study_revisions SET revision = revision + 1 WHERE study_id = NEW.study_id;
END;

-- An adjudicator's yes (1) or no (0) to each instruction of the conversation up to the output. They belong to their
-- adjudication: a changed answer is a new one.
CREATE TABLE adjudicated_instructions (
    adjudication_id INTEGER NOT NULL REFERENCES adjudications (id),
    turn            INTEGER NOT NULL CHECK (turn > 0),
    answer          INTEGER NOT NULL CHECK (answer IN (0, 1)),
    PRIMARY KEY (adjudication_id, turn)
) STRICT, WITHOUT ROWID;

-- Outputs whose raters differ by more than the study allows, or that were adjudicated or got an extra rater. A page of
-- them reads its own rows and no ratings. Kept by the triggers of `inbox_look`.
CREATE TABLE disagreements (
    study_id  INTEGER NOT NULL,
    output_id INTEGER NOT NULL,
    -- 0 waiting, 1 extra rater, 2 median, 3 adjudicated; absent while planned ratings are missing.
    state     INTEGER CHECK (state BETWEEN 0 AND 3),
    spread_exceeded     INTEGER NOT NULL,                -- whether its raters differ by more than the study allows
    spread    INTEGER NOT NULL,                -- levels between its raters, at most, on a dimension or an instruction
    -- Where it stands in the study's list: by state, the widest first.
    place     INTEGER GENERATED ALWAYS AS (state * 256 + 255 - spread) VIRTUAL,
    PRIMARY KEY (study_id, output_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX disagreements_in_order ON disagreements (study_id, place, output_id);

-- How many are in each state.
CREATE TABLE disagreement_counts (
    study_id INTEGER NOT NULL,
    state    INTEGER NOT NULL,
    outputs  INTEGER NOT NULL,
    PRIMARY KEY (study_id, state)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER disagreements_counted_new AFTER INSERT ON disagreements WHEN NEW.state IS NOT NULL BEGIN
    INSERT INTO disagreement_counts (study_id, state, outputs) VALUES (NEW.study_id, NEW.state, 1)
    ON CONFLICT DO UPDATE SET outputs = outputs + 1;
END;
CREATE TRIGGER disagreements_counted_gone AFTER DELETE ON disagreements WHEN OLD.state IS NOT NULL BEGIN
    UPDATE disagreement_counts SET outputs = outputs - 1 WHERE study_id = OLD.study_id AND state = OLD.state;
END;

-- An admin's reply to a flag. It replies to that flag of that rater on that output: a rating changed in something else
-- does not ask again. Exactly one of `assignment_id` and `check_id` is there.
CREATE TABLE flag_replies (
    id            INTEGER PRIMARY KEY,
    study_id      INTEGER NOT NULL REFERENCES all_studies (id),
    user_id       INTEGER NOT NULL REFERENCES users (id), -- who raised it
    assignment_id INTEGER REFERENCES assignments (id),
    check_id      INTEGER REFERENCES checks (id),
    flag          TEXT NOT NULL,               -- json
    reply         TEXT NOT NULL,               -- empty: resolved without words
    replied_by   INTEGER REFERENCES users (id),
    at            INTEGER NOT NULL,
    read_at       INTEGER,                     -- when the rater marked it as read
    CHECK ((assignment_id IS NULL) <> (check_id IS NULL))
) STRICT;
CREATE INDEX flag_replies_by_user ON flag_replies (user_id);
CREATE INDEX flag_replies_by_assignment ON flag_replies (assignment_id);
CREATE INDEX flag_replies_by_check ON flag_replies (check_id) WHERE check_id IS NOT NULL;


-- Runs and outcomes ---------------------------------------------------------------------------------------------------
--
-- Runs of a dataset's tests over a submission. An item is one output's turn; it is leased, never "running", so that a
-- crash gives it back.

CREATE TABLE runs (
    id            INTEGER PRIMARY KEY,
    submission_id INTEGER NOT NULL REFERENCES all_submissions (id),
    status        TEXT NOT NULL CHECK (status IN ('running', 'finished', 'stopped')),
    -- How it is done: without cached results; several outputs in a JVM where that is beyond doubt; the date that outputs
    -- see; the form of CodeIF-Bench's tests (absent: the default).
    fresh         INTEGER NOT NULL,
    fast          INTEGER NOT NULL DEFAULT 0,
    dates         TEXT CHECK (dates IN ('june-2022')),
    profile       TEXT CHECK (profile IN ('as-run', 'as-released', 'v1')),
    -- Whether the engine is to look first which items would get another outcome today.
    recheck       INTEGER NOT NULL DEFAULT 0,
    environment   TEXT,                        -- json; absent until the engine has begun
    fault         TEXT,                        -- json: why the engine could not do it at all
    -- Items whose worker stopped without a report.
    taken_over    INTEGER NOT NULL DEFAULT 0,
    created_by    INTEGER REFERENCES users (id),
    created_at    INTEGER NOT NULL,
    begun_at      INTEGER,                     -- when the engine was ready for it; the time left is computed from there
    finished_at   INTEGER,
    -- As in `all_submissions`.
    model_name    TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
    dataset_slug  TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX runs_by_submission ON runs (submission_id);
CREATE INDEX runs_open ON runs (id) WHERE status = 'running';
CREATE INDEX runs_by_model_name ON runs (model_name);
CREATE INDEX runs_by_dataset ON runs (dataset_slug);
CREATE INDEX runs_by_status ON runs (status);

CREATE TRIGGER run_is_named AFTER INSERT ON runs
BEGIN
    UPDATE runs SET (model_name, dataset_slug) =
        (SELECT s.model_name, s.dataset_slug FROM all_submissions s WHERE s.id = NEW.submission_id)
    WHERE id = NEW.id;
END;

CREATE TABLE run_items (
    id           INTEGER PRIMARY KEY,
    run_id       INTEGER NOT NULL REFERENCES runs (id),
    output_id    INTEGER NOT NULL REFERENCES outputs (id),
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'leased', 'done', 'failed')),
    alone        INTEGER NOT NULL DEFAULT 0,   -- our own machinery failed on it once: nothing runs beside it
    fresh        INTEGER NOT NULL DEFAULT 0,   -- whether its cached result is ignored: somebody wants it run
    -- How many seconds an item may take, as far as can be estimated: those go first, so that nobody waits for one alone
    -- at the end.
    expected_s   INTEGER NOT NULL DEFAULT 0,
    -- The number of its sample. Workers take the first samples of all tasks before the second ones, so that outputs that
    -- are built together are of different tasks (docs/engine.md, "Batches in Go").
    sample       INTEGER NOT NULL DEFAULT 0,
    holder       TEXT,                         -- who has it leased
    leased_until INTEGER,
    attempt      INTEGER NOT NULL DEFAULT 0,   -- each lease begins an attempt; the result of an older one is refused
    verdict      TEXT,
    -- The verdict as published, where the benchmark has an evaluator of its own (the reason is in `outcome`), and the
    -- class of its failure, as the benchmark's authors count them (app/model/src/failure_class.rs).
    published    TEXT,
    failure      TEXT,
    passed       INTEGER NOT NULL DEFAULT 0,
    total        INTEGER NOT NULL DEFAULT 0,
    cached       INTEGER NOT NULL DEFAULT 0,
    outcome      TEXT,                         -- json, once done
    fault        TEXT,                         -- json: why our own machinery failed
    -- What decided the outcome: all of it, and what it shares with the run's other items.
    key          TEXT,
    fingerprint  TEXT,
    worker       TEXT,                         -- the worker on another machine that reported it
    finished_at  INTEGER,
    UNIQUE (run_id, output_id),
    CHECK ((state = 'done') = (outcome IS NOT NULL)),
    CHECK ((state = 'leased') = (holder IS NOT NULL))
) STRICT;
CREATE INDEX run_items_open ON run_items (run_id, alone, expected_s DESC, sample, id) WHERE state IN ('waiting', 'leased');
CREATE INDEX run_items_by_output ON run_items (output_id, id);
-- The engine extends its leases every few seconds, inside a write transaction.
CREATE INDEX run_items_leased ON run_items (holder) WHERE holder IS NOT NULL;
-- A run's items in their order.
CREATE INDEX run_items_by_run ON run_items (run_id, id);
-- A run's verdicts without the long outcomes beside them.
CREATE INDEX run_items_verdicts ON run_items (run_id, output_id, verdict, published, passed, total, finished_at)
    WHERE state = 'done';
CREATE INDEX run_items_failures ON run_items (run_id, failure) WHERE failure IS NOT NULL;
CREATE INDEX run_items_by_worker ON run_items (worker, run_id) WHERE worker IS NOT NULL;
CREATE INDEX run_items_failed ON run_items (run_id) WHERE state = 'failed';

-- Goes up with every verdict that comes or goes.
CREATE TABLE run_revisions (
    run_id INTEGER PRIMARY KEY,
    revision  INTEGER NOT NULL,
    done   INTEGER NOT NULL                    -- outputs with a verdict
) STRICT;
CREATE TRIGGER run_verdicts AFTER UPDATE OF state ON run_items
    WHEN (OLD.state = 'done') <> (NEW.state = 'done') BEGIN
    INSERT INTO run_revisions (run_id, revision, done) VALUES (NEW.run_id, 1, 1)
    ON CONFLICT DO UPDATE SET revision = revision + 1, done = done + CASE WHEN NEW.state = 'done' THEN 1 ELSE -1 END;
END;

-- Cached outcomes by what decides them: the code, its task, the tests, the harness, the toolchain, limits.
CREATE TABLE outcomes (
    key        TEXT PRIMARY KEY,
    outcome    TEXT NOT NULL,                  -- json
    created_at INTEGER NOT NULL,
    worker     TEXT                            -- the worker on another machine that reported it
) STRICT, WITHOUT ROWID;
CREATE INDEX outcomes_by_worker ON outcomes (worker) WHERE worker IS NOT NULL;

-- Workers on other machines that an admin removed: their reports are refused, and what they reported is to be run again.
CREATE TABLE removed_workers (
    name       TEXT PRIMARY KEY,
    removed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;


-- Collections ---------------------------------------------------------------------------------------------------------

-- Outputs that an endpoint is asked for, or a judge model's scores of outputs (a judging). A request is a task's prompt,
-- sent for one sample.
CREATE TABLE collections (
    id              INTEGER PRIMARY KEY,
    kind            TEXT NOT NULL DEFAULT 'outputs' CHECK (kind IN ('outputs', 'scores')),
    version_id      INTEGER NOT NULL REFERENCES dataset_versions (id),
    -- The model's name in tables, and what the endpoint calls it.
    model_name      TEXT NOT NULL,
    endpoint_model  TEXT NOT NULL,
    -- The endpoint's name among the operator's, and its URL. Keys are never stored.
    endpoint        TEXT NOT NULL,
    url             TEXT NOT NULL,
    settings        TEXT NOT NULL,             -- json, with the prompt template that was used
    form            TEXT,                      -- json: how the endpoint wants requests, once it has answered one
    -- IDs of the tasks as a JSON array, in the dataset's order. A judging has the IDs of the outputs.
    tasks           TEXT NOT NULL,
    -- Of a judging: how it asks, as JSON; where its scores are; and the study that it was started from.
    judging         TEXT,
    judging_id      INTEGER REFERENCES all_judgings (id),
    study_id        INTEGER REFERENCES all_studies (id),
    -- Why nothing, or not everything, is sent now, and until when; JSON.
    waiting         TEXT,
    -- Number of requests in all, and how many have been sent at least once, in order.
    total           INTEGER NOT NULL,
    next            INTEGER NOT NULL DEFAULT 0,
    status          TEXT NOT NULL CHECK (status IN ('draft', 'running', 'stopped', 'finished', 'deleted')),
    reason          TEXT,                      -- json: why it stopped
    answered        INTEGER NOT NULL DEFAULT 0,
    -- Number of stored responses of all turns; `answered` counts those whose last turn is answered.
    responses       INTEGER NOT NULL DEFAULT 0,
    failed          INTEGER NOT NULL DEFAULT 0,
    -- Of a judging: outputs with a score, and requests without a valid answer, although asked once more.
    scored          INTEGER NOT NULL DEFAULT 0,
    invalid         INTEGER NOT NULL DEFAULT 0,
    sent            INTEGER NOT NULL DEFAULT 0, -- number of HTTP requests, including repeated ones
    prompt_tokens   INTEGER NOT NULL DEFAULT 0,
    response_tokens INTEGER NOT NULL DEFAULT 0,
    -- Responses whose tokens the endpoint did not report; theirs are estimated.
    estimated       INTEGER NOT NULL DEFAULT 0,
    -- Why responses ended, as the endpoint says: the number of responses by reason; '' where it gives none. JSON.
    ends            TEXT NOT NULL DEFAULT '{}',
    -- Responses without a text, with a refusal apart from it, and with parts that are neither text nor reasoning.
    empty           INTEGER NOT NULL DEFAULT 0,
    refused         INTEGER NOT NULL DEFAULT 0,
    other_parts     INTEGER NOT NULL DEFAULT 0,
    latency_ms      INTEGER NOT NULL DEFAULT 0,
    created_by      INTEGER REFERENCES users (id),
    created_at      INTEGER NOT NULL,
    ended_at        INTEGER,
    -- Which process sends its requests, and until when it may without renewing.
    holder          TEXT,
    leased_until    INTEGER
) STRICT;
CREATE INDEX collections_by_version ON collections (version_id);
CREATE INDEX collections_by_creator ON collections (created_by);
CREATE INDEX collections_in_work ON collections (status) WHERE status IN ('running', 'deleted');
CREATE INDEX collections_by_judging ON collections (judging_id) WHERE judging_id IS NOT NULL;
CREATE INDEX collections_by_study ON collections (study_id) WHERE study_id IS NOT NULL;

-- The messages that every request for a task sent, as JSON.
CREATE TABLE collection_prompts (
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    task_id       TEXT NOT NULL,
    messages      TEXT NOT NULL,
    PRIMARY KEY (collection_id, task_id)
) STRICT, WITHOUT ROWID;

-- Requests. A response may lead to another request, its next turn.
CREATE TABLE collection_requests (
    id                  INTEGER PRIMARY KEY,
    collection_id       INTEGER NOT NULL REFERENCES collections (id),
    -- Its place among the collection's requests: all tasks for the first sample, then all for the second.
    position            INTEGER NOT NULL,
    -- 0, and one more for each request that the response before it led to.
    turn                INTEGER NOT NULL DEFAULT 0,
    task_id             TEXT NOT NULL,
    sample              INTEGER NOT NULL,
    prompt              TEXT NOT NULL DEFAULT '', -- the key of its messages, `collection_prompts.task_id`
    -- Of a judging: the output; the scores of a valid answer, a digit for each dimension; its answers about
    -- instructions, as TURN:ANSWER separated by spaces; and the order in which the prompt lists the levels.
    output_id           INTEGER REFERENCES outputs (id),
    scores              TEXT,
    comment             TEXT,
    instruction_answers TEXT,
    level_order         TEXT CHECK (level_order IN ('best_first', 'worst_first')),
    -- In a dynamic conversation: the turn of the task whose instruction a request asks for; whether its answer still
    -- waits for its tests; what they showed; and why they could not run, the last time that they were tried. The last
    -- two are JSON.
    instruction         INTEGER,
    untested            INTEGER NOT NULL DEFAULT 0,
    tests               TEXT,
    tests_fault         TEXT,
    status              TEXT NOT NULL CHECK (status IN ('sent', 'waiting', 'answered', 'failed')),
    attempts            INTEGER NOT NULL,
    sent_at             INTEGER NOT NULL,
    response            TEXT,
    -- What the endpoint sent apart from the response: reasoning and a refusal; and the types of parts that were left out,
    -- a JSON array.
    reasoning           TEXT,
    refusal             TEXT,
    other_parts         TEXT,
    finish_reason       TEXT,
    reported_model      TEXT,                  -- the model's name as the endpoint reported it
    prompt_tokens       INTEGER,
    response_tokens     INTEGER,
    latency_ms          INTEGER,
    error               TEXT,                  -- json: what went wrong in the last attempt
    UNIQUE (collection_id, position, turn)
) STRICT;
CREATE INDEX collection_requests_in_order ON collection_requests (collection_id, position);
CREATE INDEX collection_requests_by_status ON collection_requests (collection_id, status, position);
CREATE INDEX collection_requests_by_output ON collection_requests (output_id, collection_id) WHERE output_id IS NOT NULL;
CREATE INDEX collection_requests_untested ON collection_requests (collection_id, position) WHERE untested = 1;

-- The files that were made of a collection's responses.
CREATE TABLE collection_files (
    checksum      TEXT NOT NULL,
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    PRIMARY KEY (checksum, collection_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_files_by_collection ON collection_files (collection_id);

-- The submissions whose outputs a judging grades, which therefore cannot be deleted.
CREATE TABLE collection_submissions (
    submission_id INTEGER NOT NULL REFERENCES all_submissions (id),
    collection_id INTEGER NOT NULL REFERENCES collections (id),
    PRIMARY KEY (submission_id, collection_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_submissions_by_collection ON collection_submissions (collection_id);


-- Comparison ----------------------------------------------------------------------------------------------------------

-- A judge model's scores. They are compared with people's, never mixed in: nothing that counts ratings looks here.
-- (People's ratings from another tool become a closed study of their own.)
CREATE TABLE all_judgings (
    id              INTEGER PRIMARY KEY,
    version_id      INTEGER NOT NULL REFERENCES dataset_versions (id),
    rubric_id       INTEGER NOT NULL REFERENCES rubrics (id),
    judge           TEXT NOT NULL,             -- the judge model's name, once for each dataset
    file_name       TEXT NOT NULL,
    created_by      INTEGER REFERENCES users (id),
    created_at      INTEGER NOT NULL,
    revision        INTEGER NOT NULL DEFAULT 0, -- increases with every change of its scores
    importing_until INTEGER
) STRICT;
CREATE INDEX judgings_by_version ON all_judgings (version_id);
CREATE INDEX judgings_importing ON all_judgings (importing_until) WHERE importing_until IS NOT NULL;

CREATE VIEW judgings AS
    SELECT id, version_id, rubric_id, judge, file_name, created_by, created_at, revision
    FROM all_judgings WHERE importing_until IS NULL;

CREATE TABLE judged_scores (
    judging_id INTEGER NOT NULL REFERENCES all_judgings (id),
    output_id  INTEGER NOT NULL REFERENCES outputs (id),
    scores     TEXT NOT NULL,                  -- a digit for each dimension
    comment    TEXT NOT NULL,
    PRIMARY KEY (judging_id, output_id)
) STRICT, WITHOUT ROWID;

-- A judge model's answer, combined from those of its requests: yes (1) or no (0) to each instruction up to the output.
CREATE TABLE judged_instructions (
    judging_id INTEGER NOT NULL REFERENCES all_judgings (id),
    output_id  INTEGER NOT NULL REFERENCES outputs (id),
    turn       INTEGER NOT NULL CHECK (turn > 0),
    answer     INTEGER NOT NULL CHECK (answer IN (0, 1)),
    PRIMARY KEY (judging_id, output_id, turn)
) STRICT, WITHOUT ROWID;

-- Cached figures that took long, by everything they depend on.
CREATE TABLE figures (
    key         TEXT PRIMARY KEY,              -- SHA-256 of selection, revisions and program
    selection      TEXT NOT NULL,                 -- SHA-256 of the selection alone
    json        BLOB NOT NULL,
    computed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX figures_by_selection ON figures (selection, computed_at);

-- Links to the public page of a closed study.
CREATE TABLE public_links (
    id          INTEGER PRIMARY KEY,
    study_id    INTEGER NOT NULL REFERENCES all_studies (id),
    secret_hash TEXT NOT NULL UNIQUE,          -- SHA-256 of the link's secret
    code        INTEGER NOT NULL,              -- whether the page shows the models' code
    -- What the page says about the study; empty where nothing is said.
    purpose     TEXT NOT NULL DEFAULT '',
    authors     TEXT NOT NULL DEFAULT '',
    contact     TEXT NOT NULL DEFAULT '',
    license     TEXT NOT NULL DEFAULT '',
    created_by  INTEGER REFERENCES users (id),
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER,
    revoked_at  INTEGER
) STRICT;
CREATE INDEX public_links_by_study ON public_links (study_id);


-- Notifications -------------------------------------------------------------------------------------------------------

-- Announcements of admins to people, who read them at the top of their pages.
CREATE TABLE announcements (
    id           INTEGER PRIMARY KEY,
    token        TEXT NOT NULL UNIQUE,         -- its name for those who read it
    en           TEXT NOT NULL,
    zh           TEXT NOT NULL,
    -- The audience: a study's raters, a group or one person; everyone if all are absent.
    study_id     INTEGER REFERENCES all_studies (id) ON DELETE CASCADE,
    group_id     INTEGER REFERENCES person_groups (id) ON DELETE CASCADE,
    user_id      INTEGER REFERENCES users (id) ON DELETE CASCADE,
    last_day     TEXT,                         -- the last day on which it is shown, in UTC, such as 2026-11-30
    created_at   INTEGER NOT NULL,
    created_by   INTEGER REFERENCES users (id) ON DELETE SET NULL, -- absent: command line
    withdrawn_at INTEGER,
    CHECK ((study_id IS NOT NULL) + (group_id IS NOT NULL) + (user_id IS NOT NULL) <= 1)
) STRICT;
CREATE INDEX announcements_by_study ON announcements (study_id) WHERE study_id IS NOT NULL;
CREATE INDEX announcements_by_group ON announcements (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX announcements_by_user ON announcements (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX announcements_by_author ON announcements (created_by) WHERE created_by IS NOT NULL;

CREATE TABLE announcements_read (
    announcement_id INTEGER NOT NULL REFERENCES announcements (id) ON DELETE CASCADE,
    user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    read_at         INTEGER NOT NULL,
    PRIMARY KEY (announcement_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX announcements_read_by_user ON announcements_read (user_id);

CREATE TABLE webhooks (
    id         INTEGER PRIMARY KEY,
    url        TEXT NOT NULL,
    secret     TEXT NOT NULL,                  -- messages are signed with it, so it cannot be a hash
    events     TEXT NOT NULL,                  -- json: the names of the events that it is told of
    created_by INTEGER REFERENCES users (id),
    created_at INTEGER NOT NULL
) STRICT;

-- Messages on their way. A message is written in the transaction that ends the run or the study (the triggers below), so
-- that neither is without the other, whoever ends it: server, engine, command line.
CREATE TABLE webhook_deliveries (
    id         INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again: a late result of an attempt finds no other message
    webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    event      TEXT NOT NULL,
    subject    INTEGER,                        -- the run's or the study's number
    state      TEXT NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    body       TEXT,                           -- composed at the first attempt; every attempt sends the same
    attempts   INTEGER NOT NULL DEFAULT 0,
    status     INTEGER,
    error      TEXT,                           -- json
    created_at INTEGER NOT NULL,
    next_at    INTEGER                         -- when the next attempt is due; absent if there is none
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_at) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
-- Messages that are old enough to be deleted.
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at) WHERE state <> 'waiting';
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (id) WHERE state = 'failed';

CREATE TRIGGER run_ended AFTER UPDATE OF status ON runs
WHEN old.status = 'running' AND new.status <> 'running'
BEGIN
    INSERT INTO webhook_deliveries (webhook_id, event, subject, state, created_at, next_at)
    SELECT w.id, 'run.ended', new.id, 'waiting',
           CAST(unixepoch('subsec') * 1000 AS INTEGER), CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM webhooks w WHERE EXISTS (SELECT 1 FROM json_each(w.events) e WHERE e.value = 'run.ended');
END;
-- A study of imported ratings is a draft until it is complete (the rows of a draft can be deleted), and then closed.
-- That is no study that ended: no webhook is told of it.
CREATE TRIGGER study_closed AFTER UPDATE OF status ON all_studies
WHEN old.status <> 'closed' AND new.status = 'closed' AND old.importing_until IS NULL
BEGIN
    INSERT INTO webhook_deliveries (webhook_id, event, subject, state, created_at, next_at)
    SELECT w.id, 'study.closed', new.id, 'waiting',
           CAST(unixepoch('subsec') * 1000 AS INTEGER), CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM webhooks w WHERE EXISTS (SELECT 1 FROM json_each(w.events) e WHERE e.value = 'study.closed');
END;

-- Where people get email, and which: one address a person. Nothing but the link that verifies it is sent to an address that
-- is not verified.
CREATE TABLE mail_addresses (
    user_id     INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    address     TEXT NOT NULL,
    verified_at INTEGER,
    secret_hash TEXT UNIQUE,                   -- SHA-256 of the secret of the link that verifies the address
    expires_at  INTEGER,                       -- until when this link works
    due         INTEGER NOT NULL CHECK (due IN (0, 1)), -- whether to say that a study is due tomorrow
    digest      TEXT NOT NULL CHECK (digest IN ('off', 'daily', 'weekly')),
    digest_at   INTEGER NOT NULL               -- when the last digest was written, or the choice was made
) STRICT;
CREATE INDEX mail_addresses_by_address ON mail_addresses (address COLLATE NOCASE);

-- Messages on their way, written in the transaction of their cause.
CREATE TABLE mail_outbox (
    id            INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again: a late result of an attempt finds no other message
    kind          TEXT NOT NULL CHECK (kind IN ('verify', 'invitation', 'due', 'digest', 'test')),
    address       TEXT NOT NULL,
    -- What it is about: the person who gets it, an invitation, a study.
    user_id       INTEGER REFERENCES users (id) ON DELETE CASCADE,
    invitation_id INTEGER REFERENCES invitations (id) ON DELETE CASCADE,
    study_id      INTEGER REFERENCES all_studies (id) ON DELETE CASCADE,
    asked_by      INTEGER REFERENCES users (id) ON DELETE SET NULL, -- for the limits of what one person can have sent
    subject       TEXT NOT NULL,
    body          TEXT NOT NULL,               -- empty once there is no further attempt: it may contain a secret link
    state         TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed', 'withdrawn')),
    attempts      INTEGER NOT NULL DEFAULT 0,
    error         TEXT,                        -- json: why the last attempt failed
    created_at    INTEGER NOT NULL,
    ended_at      INTEGER,                     -- when it was sent, given up or withdrawn
    next_at       INTEGER                      -- when the next attempt is due; absent if there is none
) STRICT;
CREATE INDEX mail_outbox_due ON mail_outbox (next_at) WHERE state = 'waiting';
CREATE INDEX mail_outbox_by_end ON mail_outbox (state, ended_at) WHERE state <> 'waiting';
CREATE INDEX mail_outbox_failing ON mail_outbox (id) WHERE error IS NOT NULL;
CREATE INDEX mail_outbox_by_user ON mail_outbox (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX mail_outbox_by_invitation ON mail_outbox (invitation_id) WHERE invitation_id IS NOT NULL;
CREATE INDEX mail_outbox_by_study ON mail_outbox (study_id) WHERE study_id IS NOT NULL;
CREATE INDEX mail_outbox_by_person ON mail_outbox (asked_by, kind, created_at) WHERE asked_by IS NOT NULL;
CREATE INDEX mail_outbox_by_address ON mail_outbox (address COLLATE NOCASE, created_at);

-- For which due date of a study a person was written to, so that it is once.
CREATE TABLE due_notices (
    study_id INTEGER NOT NULL REFERENCES all_studies (id) ON DELETE CASCADE,
    user_id  INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    due      TEXT NOT NULL,
    PRIMARY KEY (study_id, user_id, due)
) STRICT, WITHOUT ROWID;
CREATE INDEX due_notices_by_user ON due_notices (user_id);

-- Addresses, in lowercase, whose owner wants no email from this server.
CREATE TABLE mail_stops (
    address    TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Signs the links with which people end email.
CREATE TABLE mail_key (
    id  INTEGER PRIMARY KEY CHECK (id = 1),
    key BLOB NOT NULL
) STRICT;
INSERT INTO mail_key (id, key) VALUES (1, randomblob(32));

-- What waits for an admin, over all studies, runs and webhooks. Triggers keep it in the transaction of its cause, whoever
-- causes it; `inbox_due` says what should be open.
CREATE TABLE inbox (
    id       INTEGER PRIMARY KEY,
    -- 'check_flag' is a flag on a calibration item or hidden check.
    kind     TEXT NOT NULL CHECK (kind IN ('flag', 'check_flag', 'disagreement', 'calibration', 'pace', 'checks', 'plan',
                                           'run', 'engine', 'delivery', 'backup', 'integrity')),
    study_id INTEGER NOT NULL,                 -- 0: of no study
    -- The assignment, check, output, account, study, run, delivery or routine, by kind.
    subject  INTEGER NOT NULL,
    since    INTEGER NOT NULL,                 -- when it began to wait, the last time
    hidden   INTEGER NOT NULL,                 -- its study or submission is archived or being deleted
    place    INTEGER NOT NULL,                 -- its place in the list: see the view `inbox_places`
    acting   INTEGER NOT NULL DEFAULT 0,       -- whether it has an entry in `inbox_acts`
    done_at  INTEGER,                          -- absent while it waits
    done_by  INTEGER REFERENCES users (id),    -- absent: its cause is gone, or the command line
    -- Whether it is in the list.
    listed   INTEGER NOT NULL GENERATED ALWAYS AS (done_at IS NULL AND hidden = 0 AND acting = 0) VIRTUAL,
    UNIQUE (kind, study_id, subject)
) STRICT;
CREATE INDEX inbox_listed ON inbox (place) WHERE listed;
CREATE INDEX inbox_listed_of_study ON inbox (study_id, place) WHERE listed;
CREATE INDEX inbox_of_study ON inbox (study_id);

-- What an admin asked for and can still undo, until it is due. Its items are not listed meanwhile.
CREATE TABLE inbox_requests (
    id      INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again: a late undo finds nothing
    act     TEXT NOT NULL CHECK (act IN ('resolve', 'add_rater', 'restart', 'admit', 'resume', 'retry', 'dismiss')),
    user_id INTEGER NOT NULL REFERENCES users (id),
    due     INTEGER NOT NULL
) STRICT;
CREATE INDEX inbox_requests_due ON inbox_requests (due);
CREATE TABLE inbox_acts (
    item    INTEGER PRIMARY KEY REFERENCES inbox (id) ON DELETE CASCADE,
    request INTEGER NOT NULL REFERENCES inbox_requests (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX inbox_acts_of_request ON inbox_acts (request);
CREATE TRIGGER inbox_act_begun AFTER INSERT ON inbox_acts BEGIN
    UPDATE inbox SET acting = 1 WHERE id = NEW.item;
END;
CREATE TRIGGER inbox_act_ended AFTER DELETE ON inbox_acts BEGIN
    UPDATE inbox SET acting = 0 WHERE id = OLD.item;
END;

-- How many wait.
CREATE TABLE inbox_counts (
    study_id INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    open     INTEGER NOT NULL,
    PRIMARY KEY (study_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER inbox_counted_new AFTER INSERT ON inbox WHEN NEW.listed BEGIN
    INSERT INTO inbox_counts (study_id, kind, open) VALUES (NEW.study_id, NEW.kind, 1)
    ON CONFLICT DO UPDATE SET open = open + 1;
END;
CREATE TRIGGER inbox_counted_gone AFTER DELETE ON inbox WHEN OLD.listed BEGIN
    UPDATE inbox_counts SET open = open - 1 WHERE study_id = OLD.study_id AND kind = OLD.kind;
END;
CREATE TRIGGER inbox_counted AFTER UPDATE OF done_at, hidden, acting ON inbox WHEN OLD.listed <> NEW.listed BEGIN
    INSERT INTO inbox_counts (study_id, kind, open) VALUES (NEW.study_id, NEW.kind, 1)
    ON CONFLICT DO UPDATE SET open = open + CASE WHEN NEW.listed THEN 1 ELSE -1 END;
END;

-- The places of items in the list: what belongs to no study first, then the studies from the newest on. Within a study,
-- what keeps raters from working comes first, and of disagreements the widest.
CREATE VIEW inbox_places (id, place) AS
    SELECT i.id,
        CASE i.study_id WHEN 0 THEN 0 ELSE 1000000000 - i.study_id END * 1000
        + CASE i.kind WHEN 'plan' THEN 0 WHEN 'calibration' THEN 1 WHEN 'checks' THEN 2 WHEN 'pace' THEN 3
                      WHEN 'disagreement' THEN 4 WHEN 'flag' THEN 5 WHEN 'check_flag' THEN 5
                      WHEN 'integrity' THEN 6 WHEN 'backup' THEN 7 WHEN 'run' THEN 8 WHEN 'engine' THEN 9
                      ELSE 10 END * 20
        + CASE i.kind WHEN 'disagreement'
               THEN 19 - min(19, coalesce((SELECT d.spread FROM disagreements d
                                           WHERE d.study_id = i.study_id AND d.output_id = i.subject), 0))
               ELSE 0 END
    FROM inbox i;

-- What should be open. Runs, engine errors, deliveries and raters can be dismissed, so that less is.
CREATE VIEW inbox_due (kind, study_id, subject) AS
    SELECT 'flag', a.study_id, a.id
    FROM assignments a JOIN ratings r ON r.assignment_id = a.id AND r.replaced_at IS NULL
    WHERE r.flag IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM flag_replies f WHERE f.assignment_id = a.id AND f.flag = r.flag)
UNION ALL
    SELECT 'check_flag', p.study_id, p.id
    FROM checks p JOIN check_ratings r ON r.check_id = p.id AND r.replaced_at IS NULL
    WHERE json_extract(r.draft, '$.flag') IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM flag_replies f
                      WHERE f.check_id = p.id AND f.flag = json_extract(r.draft, '$.flag'))
UNION ALL
    SELECT 'disagreement', d.study_id, d.output_id FROM disagreements d WHERE d.state = 0
UNION ALL
    SELECT 'calibration', o.study_id, o.user_id FROM calibrations o WHERE o.state = 'stopped'
UNION ALL
    -- A study's own limits replace those of the policy, here and for checks.
    SELECT 'pace', w.study_id, w.user_id FROM rater_watch w CROSS JOIN policy p
    WHERE w.timed >= p.pace_timed AND w.fast * p.one_in >= w.timed
      AND NOT EXISTS (SELECT 1 FROM all_studies s WHERE s.id = w.study_id AND s.min_seconds > 0)
UNION ALL
    SELECT 'pace', l.study_id, l.user_id FROM rater_limits l
    JOIN study_raters m ON m.study_id = l.study_id AND m.user_id = l.user_id
    WHERE l.fast > 0 AND m.removed_at IS NULL
UNION ALL
    SELECT 'checks', w.study_id, w.user_id FROM rater_watch w CROSS JOIN policy p
    WHERE w.checks >= p.checks_answered AND w.missed * p.one_in >= w.checks
      AND NOT EXISTS (SELECT 1 FROM all_studies s WHERE s.id = w.study_id AND s.missed_limit > 0)
UNION ALL
    SELECT 'checks', l.study_id, l.user_id FROM rater_limits l
    JOIN study_raters m ON m.study_id = l.study_id AND m.user_id = l.user_id
    WHERE l.missed > 0 AND m.removed_at IS NULL
UNION ALL
    -- Planned ratings that nobody will give.
    SELECT 'plan', s.id, s.id FROM all_studies s
    WHERE s.status <> 'closed' AND s.importing_until IS NULL
      AND (EXISTS (SELECT 1 FROM assignments a WHERE a.study_id = s.id AND a.user_id IS NULL
                                                 AND a.rated_at IS NULL AND a.leased_until IS NULL)
        OR EXISTS (SELECT 1 FROM study_raters m JOIN users u ON u.id = m.user_id
                   WHERE m.study_id = s.id AND m.removed_at IS NULL AND m.open > 0 AND u.disabled <> 0))
UNION ALL
    -- A run that an admin stopped has no fault.
    SELECT 'run', 0, r.id FROM runs r WHERE r.status = 'stopped' AND r.fault IS NOT NULL
UNION ALL
    SELECT 'engine', 0, r.id FROM runs r
    WHERE EXISTS (SELECT 1 FROM run_items i WHERE i.run_id = r.id AND i.state = 'failed')
UNION ALL
    SELECT 'delivery', 0, d.id FROM webhook_deliveries d WHERE d.state = 'failed'
UNION ALL
    SELECT r.name, 0, r.id FROM routines r WHERE r.failed_at IS NOT NULL;

-- To insert here is to look whether something waits: it is opened, closed or left as it is. The state of a disagreement is
-- stored first. The rule is `services::quality::spread::state` in SQL: a test holds the two equal.
CREATE VIEW inbox_look (kind, study_id, subject) AS SELECT kind, study_id, subject FROM inbox;
CREATE TRIGGER inbox_looked INSTEAD OF INSERT ON inbox_look BEGIN
    DELETE FROM disagreements
    WHERE NEW.kind = 'disagreement' AND study_id = NEW.study_id AND output_id = NEW.subject;
    INSERT INTO disagreements (study_id, output_id, state, spread_exceeded, spread)
    SELECT NEW.study_id, NEW.subject, state, spread_exceeded, spread
    FROM (
        SELECT spread_exceeded, spread,
            CASE WHEN decided THEN 3
                 WHEN missing > 0 THEN NULL
                 WHEN extra = 0 THEN CASE WHEN spread_exceeded THEN 0 END
                 WHEN extra_missing > 0 THEN 1
                 ELSE 2 END AS state
        FROM (
            SELECT coalesce(max(spread > allowed), 0) AS spread_exceeded, coalesce(max(spread), 0) AS spread,
                EXISTS (SELECT 1 FROM adjudications d
                        WHERE d.study_id = NEW.study_id AND d.output_id = NEW.subject AND d.replaced_at IS NULL) AS decided,
                (SELECT count(*) FROM assignments a CROSS JOIN policy p
                 WHERE a.study_id = NEW.study_id AND a.output_id = NEW.subject
                   AND a.slot < p.first_extra_slot AND a.rated_at IS NULL) AS missing,
                (SELECT count(*) FROM assignments a CROSS JOIN policy p
                 WHERE a.study_id = NEW.study_id AND a.output_id = NEW.subject
                   AND a.slot >= p.first_extra_slot) AS extra,
                (SELECT count(*) FROM assignments a CROSS JOIN policy p
                 WHERE a.study_id = NEW.study_id AND a.output_id = NEW.subject
                   AND a.slot >= p.first_extra_slot AND a.rated_at IS NULL) AS extra_missing
            FROM (
                SELECT (SELECT max(CAST(substr(c.scores, d.key + 1, 1) AS INTEGER))
                             - min(CAST(substr(c.scores, d.key + 1, 1) AS INTEGER))
                        FROM counted c WHERE c.study_id = NEW.study_id AND c.output_id = NEW.subject) AS spread,
                    CASE WHEN json_extract(d.value, '$.key') = 'correctness'
                         THEN coalesce(s.spread_correctness, s.spread) ELSE s.spread END AS allowed
                FROM all_studies s JOIN rubrics b ON b.id = s.rubric_id, json_each(b.json, '$.dimensions') d
                WHERE s.id = NEW.study_id
            UNION ALL
                -- Yes and no have no level between them: any difference counts, in a study that limits the spread.
                SELECT max(i.answer) - min(i.answer),
                    (SELECT CASE WHEN s.spread IS NULL THEN NULL ELSE 0 END
                     FROM all_studies s WHERE s.id = NEW.study_id)
                FROM counted c CROSS JOIN instruction_answers i ON i.rating_id = c.rating_id
                WHERE c.study_id = NEW.study_id AND c.output_id = NEW.subject
                GROUP BY i.turn))
        WHERE NEW.kind = 'disagreement'
          AND EXISTS (SELECT 1 FROM counted c WHERE c.study_id = NEW.study_id AND c.output_id = NEW.subject))
    WHERE state IS NOT NULL OR spread_exceeded;
    INSERT INTO inbox (kind, study_id, subject, since, place, hidden)
    SELECT NEW.kind, NEW.study_id, NEW.subject, CAST(unixepoch('subsec') * 1000 AS INTEGER), 0,
        CASE WHEN NEW.kind IN ('run', 'engine')
            THEN EXISTS (SELECT 1 FROM runs r JOIN all_submissions s ON s.id = r.submission_id
                         WHERE r.id = NEW.subject AND (s.archived_at IS NOT NULL OR s.importing_until IS NOT NULL))
            ELSE EXISTS (SELECT 1 FROM all_studies s
                         WHERE s.id = NEW.study_id AND (s.archived_at IS NOT NULL OR s.importing_until IS NOT NULL)) END
    WHERE EXISTS (SELECT 1 FROM inbox_due d
                  WHERE d.kind = NEW.kind AND d.study_id = NEW.study_id AND d.subject = NEW.subject)
    ON CONFLICT DO UPDATE SET since = excluded.since, done_at = NULL, done_by = NULL WHERE done_at IS NOT NULL;
    -- What an admin decided about a flag is about no later flag.
    DELETE FROM inbox_acts
    WHERE NEW.kind IN ('flag', 'check_flag')
      AND item = (SELECT id FROM inbox WHERE kind = NEW.kind AND study_id = NEW.study_id AND subject = NEW.subject);
    UPDATE inbox SET place = (SELECT p.place FROM inbox_places p WHERE p.id = inbox.id)
    WHERE kind = NEW.kind AND study_id = NEW.study_id AND subject = NEW.subject;
    UPDATE inbox SET done_at = CAST(unixepoch('subsec') * 1000 AS INTEGER)
    WHERE kind = NEW.kind AND study_id = NEW.study_id AND subject = NEW.subject AND done_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM inbox_due d
                      WHERE d.kind = NEW.kind AND d.study_id = NEW.study_id AND d.subject = NEW.subject);
END;

-- Flags.
CREATE TRIGGER inbox_flag_raised AFTER INSERT ON ratings WHEN NEW.flag IS NOT NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT 'flag', study_id, id FROM assignments WHERE id = NEW.assignment_id;
END;
CREATE TRIGGER inbox_flag_replaced AFTER UPDATE OF replaced_at ON ratings WHEN NEW.flag IS NOT NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT 'flag', study_id, id FROM assignments WHERE id = NEW.assignment_id;
END;
CREATE TRIGGER inbox_check_flag_raised AFTER INSERT ON check_ratings
WHEN json_extract(NEW.draft, '$.flag') IS NOT NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) SELECT 'check_flag', study_id, id FROM checks WHERE id = NEW.check_id;
END;
CREATE TRIGGER inbox_check_flag_replaced AFTER UPDATE OF replaced_at ON check_ratings
WHEN json_extract(NEW.draft, '$.flag') IS NOT NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) SELECT 'check_flag', study_id, id FROM checks WHERE id = NEW.check_id;
END;
CREATE TRIGGER inbox_flag_replied AFTER INSERT ON flag_replies BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES (
        CASE WHEN NEW.check_id IS NULL THEN 'flag' ELSE 'check_flag' END, NEW.study_id,
        coalesce(NEW.assignment_id, NEW.check_id));
    UPDATE inbox SET done_by = NEW.replied_by
    WHERE kind = CASE WHEN NEW.check_id IS NULL THEN 'flag' ELSE 'check_flag' END AND study_id = NEW.study_id
      AND subject = coalesce(NEW.assignment_id, NEW.check_id) AND done_at IS NOT NULL;
END;

-- The outputs that can have a disagreement: in a study that limits the spread, and where a disagreement of a study that did
-- is not settled yet.
CREATE VIEW disagreements_possible AS
    SELECT a.study_id, a.output_id FROM assignments a CROSS JOIN all_studies s CROSS JOIN policy p
    WHERE s.id = a.study_id
      AND (s.spread IS NOT NULL OR s.spread_correctness IS NOT NULL OR a.slot >= p.first_extra_slot
        OR EXISTS (SELECT 1 FROM disagreements d WHERE d.study_id = a.study_id AND d.output_id = a.output_id));

-- Disagreements. While the scores of a rating are being stored, it has fewer than the others. New limits concern every
-- rated output, in steps (server/services/src/steps.rs).
CREATE TRIGGER inbox_rating_counted AFTER INSERT ON counted
WHEN EXISTS (SELECT 1 FROM disagreements_possible WHERE study_id = NEW.study_id AND output_id = NEW.output_id)
 AND length(NEW.scores) = (SELECT max(length(scores)) FROM counted WHERE study_id = NEW.study_id AND output_id = NEW.output_id)
BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', NEW.study_id, NEW.output_id);
END;
CREATE TRIGGER inbox_rating_recounted AFTER UPDATE OF scores ON counted
WHEN EXISTS (SELECT 1 FROM disagreements_possible WHERE study_id = NEW.study_id AND output_id = NEW.output_id)
 AND length(NEW.scores) = (SELECT max(length(scores)) FROM counted WHERE study_id = NEW.study_id AND output_id = NEW.output_id)
BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', NEW.study_id, NEW.output_id);
END;
CREATE TRIGGER inbox_rating_uncounted AFTER DELETE ON counted
WHEN EXISTS (SELECT 1 FROM disagreements_possible WHERE study_id = OLD.study_id AND output_id = OLD.output_id) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', OLD.study_id, OLD.output_id);
END;
CREATE TRIGGER inbox_assignment_rated AFTER UPDATE OF rated_at ON assignments
WHEN (OLD.rated_at IS NULL) <> (NEW.rated_at IS NULL)
 AND EXISTS (SELECT 1 FROM disagreements_possible WHERE study_id = NEW.study_id AND output_id = NEW.output_id) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', NEW.study_id, NEW.output_id);
END;
-- One more rating is wanted: what waited waits for that.
CREATE TRIGGER inbox_assignment_added AFTER INSERT ON assignments
WHEN NEW.slot >= (SELECT first_extra_slot FROM policy)
  OR EXISTS (SELECT 1 FROM disagreements d WHERE d.study_id = NEW.study_id AND d.output_id = NEW.output_id) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', NEW.study_id, NEW.output_id);
END;
CREATE TRIGGER inbox_adjudicated AFTER INSERT ON adjudications BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('disagreement', NEW.study_id, NEW.output_id);
    UPDATE inbox SET done_by = NEW.user_id
    WHERE kind = 'disagreement' AND study_id = NEW.study_id AND subject = NEW.output_id AND done_at IS NOT NULL;
END;
-- The answers of a rating are stored after its scores. One that is like all others changes nothing.
CREATE TRIGGER inbox_instruction_answered AFTER INSERT ON instruction_answers
WHEN EXISTS (SELECT 1 FROM ratings r JOIN assignments a ON a.id = r.assignment_id
             JOIN all_studies s ON s.id = a.study_id AND s.spread IS NOT NULL
             CROSS JOIN counted c ON c.study_id = a.study_id AND c.output_id = a.output_id
             CROSS JOIN instruction_answers i ON i.rating_id = c.rating_id AND i.turn = NEW.turn
             WHERE r.id = NEW.rating_id AND i.answer <> NEW.answer)
BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT 'disagreement', a.study_id, a.output_id
    FROM ratings r JOIN assignments a ON a.id = r.assignment_id WHERE r.id = NEW.rating_id;
END;

-- Raters.
CREATE TRIGGER inbox_calibration_new AFTER INSERT ON calibrations WHEN NEW.state = 'stopped' BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('calibration', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_calibration AFTER UPDATE OF state ON calibrations WHEN OLD.state <> NEW.state BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('calibration', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_timed AFTER INSERT ON ratings WHEN NEW.active_ms IS NOT NULL BEGIN
    INSERT INTO rater_watch (study_id, user_id, timed, fast)
    SELECT study_id, NEW.user_id, 1, NEW.active_ms < (SELECT fast_ms FROM policy) FROM assignments WHERE id = NEW.assignment_id
    ON CONFLICT DO UPDATE SET timed = timed + 1, fast = fast + excluded.fast;
END;
CREATE TRIGGER inbox_checked AFTER INSERT ON check_ratings
WHEN EXISTS (SELECT 1 FROM checks WHERE id = NEW.check_id AND kind = 'known_item') BEGIN
    INSERT INTO rater_watch (study_id, user_id, checks, missed)
    SELECT p.study_id, p.user_id, 1, EXISTS (
        SELECT 1 FROM json_each(g.scores) k
        -- A missing score is missed.
        WHERE coalesce(abs(json_extract(NEW.draft, '$.scores[' || k.key || ']') - k.value)
              > (SELECT s.tolerance FROM all_studies s WHERE s.id = p.study_id),
              1))
    FROM checks p JOIN known_items g ON g.id = p.known_item_id WHERE p.id = NEW.check_id
    ON CONFLICT DO UPDATE SET checks = checks + 1, missed = missed + excluded.missed;
END;
CREATE TRIGGER inbox_watched_new AFTER INSERT ON rater_watch BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    VALUES ('pace', NEW.study_id, NEW.user_id), ('checks', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_watched_pace AFTER UPDATE OF timed, fast ON rater_watch
WHEN (SELECT (OLD.timed >= p.pace_timed AND OLD.fast * p.one_in >= OLD.timed)
          <> (NEW.timed >= p.pace_timed AND NEW.fast * p.one_in >= NEW.timed) FROM policy p) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('pace', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_watched_checks AFTER UPDATE OF checks, missed ON rater_watch
WHEN (SELECT (OLD.checks >= p.checks_answered AND OLD.missed * p.one_in >= OLD.checks)
          <> (NEW.checks >= p.checks_answered AND NEW.missed * p.one_in >= NEW.checks) FROM policy p) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('checks', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_limits_new AFTER INSERT ON rater_limits WHEN NEW.fast > 0 OR NEW.missed > 0 BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    VALUES ('pace', NEW.study_id, NEW.user_id), ('checks', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_limits AFTER UPDATE OF fast, missed ON rater_limits
WHEN (OLD.fast > 0) <> (NEW.fast > 0) OR (OLD.missed > 0) <> (NEW.missed > 0) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    VALUES ('pace', NEW.study_id, NEW.user_id), ('checks', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_limited_rater AFTER UPDATE OF removed_at ON study_raters
WHEN (OLD.removed_at IS NULL) <> (NEW.removed_at IS NULL) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    VALUES ('pace', NEW.study_id, NEW.user_id), ('checks', NEW.study_id, NEW.user_id);
END;
CREATE TRIGGER inbox_limited_rater_removed AFTER DELETE ON study_raters BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    VALUES ('pace', OLD.study_id, OLD.user_id), ('checks', OLD.study_id, OLD.user_id);
END;
CREATE TRIGGER inbox_limits_set AFTER UPDATE OF settings ON all_studies
WHEN (OLD.min_seconds > 0) <> (NEW.min_seconds > 0) OR (OLD.missed_limit > 0) <> (NEW.missed_limit > 0) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT k.value, m.study_id, m.user_id FROM study_raters m, json_each('["pace","checks"]') k
    WHERE m.study_id = NEW.id;
END;

-- Another policy concerns everybody who is watched. Ratings that were counted as fast stay so.
CREATE TRIGGER inbox_policy AFTER UPDATE ON policy BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT k.value, w.study_id, w.user_id FROM rater_watch w, json_each('["pace","checks"]') k;
END;

-- Plans. A plan is stored before its study is shown, so only what changes afterwards is looked at here.
CREATE TRIGGER inbox_assignment_freed AFTER UPDATE OF user_id ON assignments
WHEN (OLD.user_id IS NULL) <> (NEW.user_id IS NULL) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', NEW.study_id, NEW.study_id);
END;
CREATE TRIGGER inbox_assignment_free AFTER INSERT ON assignments WHEN NEW.user_id IS NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', NEW.study_id, NEW.study_id);
END;
CREATE TRIGGER inbox_assignment_gone AFTER DELETE ON assignments WHEN OLD.user_id IS NULL BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', OLD.study_id, OLD.study_id);
END;
CREATE TRIGGER inbox_rater_work AFTER UPDATE OF open, removed_at ON study_raters
WHEN (OLD.open > 0 AND OLD.removed_at IS NULL) <> (NEW.open > 0 AND NEW.removed_at IS NULL) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', NEW.study_id, NEW.study_id);
END;
CREATE TRIGGER inbox_rater_removed AFTER DELETE ON study_raters BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', OLD.study_id, OLD.study_id);
END;
CREATE TRIGGER inbox_account_switched AFTER UPDATE OF disabled ON users WHEN OLD.disabled <> NEW.disabled BEGIN
    INSERT INTO inbox_look (kind, study_id, subject)
    SELECT 'plan', study_id, study_id FROM study_raters WHERE user_id = NEW.id;
END;
CREATE TRIGGER inbox_study_changed AFTER UPDATE OF status, archived_at, importing_until ON all_studies
WHEN OLD.status <> NEW.status OR OLD.archived_at IS NOT NEW.archived_at
  OR (OLD.importing_until IS NULL) <> (NEW.importing_until IS NULL) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('plan', NEW.id, NEW.id);
    UPDATE inbox SET hidden = (NEW.archived_at IS NOT NULL OR NEW.importing_until IS NOT NULL)
    WHERE study_id = NEW.id AND hidden <> (NEW.archived_at IS NOT NULL OR NEW.importing_until IS NOT NULL);
END;

-- Runs and deliveries.
CREATE TRIGGER inbox_run_changed AFTER UPDATE OF status, fault ON runs
WHEN OLD.status <> NEW.status OR OLD.fault IS NOT NEW.fault BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('run', 0, NEW.id);
END;
CREATE TRIGGER inbox_run_item_failed AFTER UPDATE OF state ON run_items
WHEN (OLD.state = 'failed') <> (NEW.state = 'failed') BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('engine', 0, NEW.run_id);
END;
CREATE TRIGGER inbox_run_gone AFTER DELETE ON runs BEGIN
    DELETE FROM inbox WHERE kind IN ('run', 'engine') AND study_id = 0 AND subject = OLD.id;
END;
CREATE TRIGGER inbox_submission_changed AFTER UPDATE OF archived_at, importing_until ON all_submissions
WHEN OLD.archived_at IS NOT NEW.archived_at OR (OLD.importing_until IS NULL) <> (NEW.importing_until IS NULL) BEGIN
    UPDATE inbox SET hidden = (NEW.archived_at IS NOT NULL OR NEW.importing_until IS NOT NULL)
    WHERE kind IN ('run', 'engine') AND study_id = 0
      AND subject IN (SELECT id FROM runs WHERE submission_id = NEW.id);
END;
CREATE TRIGGER inbox_delivery AFTER UPDATE OF state ON webhook_deliveries
WHEN (OLD.state = 'failed') <> (NEW.state = 'failed') BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES ('delivery', 0, NEW.id);
END;
CREATE TRIGGER inbox_delivery_gone AFTER DELETE ON webhook_deliveries BEGIN
    DELETE FROM inbox WHERE kind = 'delivery' AND study_id = 0 AND subject = OLD.id;
END;


-- Operation -----------------------------------------------------------------------------------------------------------

-- Tells the databases of different servers apart, so that their backups are never mixed. A copy keeps the identity.
CREATE TABLE instance (id TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO instance (id) VALUES (lower(hex(randomblob(16))));

-- What the server does for itself every day, and what fails of it: daily backups, and the check of the database.
CREATE TABLE routines (
    id           INTEGER PRIMARY KEY,
    name         TEXT NOT NULL UNIQUE CHECK (name IN ('backup', 'integrity')),
    succeeded_at INTEGER,                      -- when it last succeeded
    failed_at    INTEGER,                      -- when it last failed; absent if it has succeeded since
    failures     INTEGER NOT NULL DEFAULT 0,   -- attempts that failed since it last succeeded
    error        TEXT                          -- json: why the last one failed
) STRICT;
INSERT INTO routines (id, name) VALUES (1, 'backup'), (2, 'integrity');
CREATE TRIGGER inbox_routine AFTER UPDATE OF failed_at ON routines
WHEN (OLD.failed_at IS NULL) <> (NEW.failed_at IS NULL) BEGIN
    INSERT INTO inbox_look (kind, study_id, subject) VALUES (NEW.name, 0, NEW.id);
END;

-- Who did what: one row for each change that an admin or the command line made.
CREATE TABLE audit (
    id       INTEGER PRIMARY KEY,
    at       INTEGER NOT NULL,
    user_id  INTEGER REFERENCES users (id),    -- absent: the command line
    via      TEXT CHECK (via IN ('session', 'token', 'command line')),
    token_id INTEGER REFERENCES api_tokens (id),
    address  TEXT,                             -- the client's
    action   TEXT NOT NULL,
    object   TEXT,                             -- what was changed, in one form: `study 3`
    detail   TEXT NOT NULL
) STRICT;

-- Names, for the search over everything (server/db/src/find.rs): three letters in a row are what it looks up, in any
-- language. It stores no text, only where which letters are. A row's number is that of its object, above
-- 2^40 times its kind: 1 dataset, 2 task, 3 model, 4 study, 5 account. Triggers keep it.
CREATE VIRTUAL TABLE names USING fts5 (text, content='', contentless_delete=1, tokenize='trigram');

CREATE TRIGGER version_has_name AFTER INSERT ON dataset_versions
BEGIN
    DELETE FROM names WHERE rowid = (1 << 40) + NEW.dataset_id;
    INSERT INTO names (rowid, text)
    SELECT (1 << 40) + NEW.dataset_id, d.slug || ' ' || NEW.name_en || ' ' || NEW.name_zh
    FROM datasets d WHERE d.id = NEW.dataset_id;
END;
CREATE TRIGGER dataset_loses_name AFTER DELETE ON datasets
BEGIN
    DELETE FROM names WHERE rowid = (1 << 40) + OLD.id;
END;
CREATE TRIGGER revision_has_name AFTER INSERT ON task_revisions
BEGIN
    DELETE FROM names WHERE rowid = (2 << 40) + NEW.task_id;
    INSERT INTO names (rowid, text)
    SELECT (2 << 40) + NEW.task_id, t.external_id || ' ' || substr(NEW.raw_nl, 1, 300)
    FROM tasks t WHERE t.id = NEW.task_id;
END;
CREATE TRIGGER task_loses_name AFTER DELETE ON tasks
BEGIN
    DELETE FROM names WHERE rowid = (2 << 40) + OLD.id;
END;
CREATE TRIGGER model_has_name AFTER INSERT ON models
BEGIN
    INSERT INTO names (rowid, text) VALUES ((3 << 40) + NEW.id, NEW.name);
END;
CREATE TRIGGER model_has_other_name AFTER UPDATE OF name ON models
BEGIN
    DELETE FROM names WHERE rowid = (3 << 40) + NEW.id;
    INSERT INTO names (rowid, text) VALUES ((3 << 40) + NEW.id, NEW.name);
END;
CREATE TRIGGER model_loses_name AFTER DELETE ON models
BEGIN
    DELETE FROM names WHERE rowid = (3 << 40) + OLD.id;
END;
CREATE TRIGGER study_has_name AFTER INSERT ON all_studies
BEGIN
    INSERT INTO names (rowid, text) VALUES ((4 << 40) + NEW.id, NEW.title);
END;
CREATE TRIGGER study_has_other_name AFTER UPDATE OF title ON all_studies
BEGIN
    DELETE FROM names WHERE rowid = (4 << 40) + NEW.id;
    INSERT INTO names (rowid, text) VALUES ((4 << 40) + NEW.id, NEW.title);
END;
CREATE TRIGGER study_loses_name AFTER DELETE ON all_studies
BEGIN
    DELETE FROM names WHERE rowid = (4 << 40) + OLD.id;
END;
CREATE TRIGGER account_has_name AFTER INSERT ON users
BEGIN
    INSERT INTO names (rowid, text) VALUES ((5 << 40) + NEW.id, NEW.name);
END;
CREATE TRIGGER account_has_other_name AFTER UPDATE OF name ON users
BEGIN
    DELETE FROM names WHERE rowid = (5 << 40) + NEW.id;
    INSERT INTO names (rowid, text) VALUES ((5 << 40) + NEW.id, NEW.name);
END;
CREATE TRIGGER account_loses_name AFTER DELETE ON users
BEGIN
    DELETE FROM names WHERE rowid = (5 << 40) + OLD.id;
END;
