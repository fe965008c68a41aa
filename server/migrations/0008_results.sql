-- Comparisons, imported ratings, figures kept up to date.

-- The ratings that count, one row each, in the order in which figures read them: a study of 25,000
-- ratings is then one short scan, whatever lies beside it. Kept by the triggers below in the same
-- transaction as the rating itself; `db::results::recount` makes it anew, and a test holds the two equal.
CREATE TABLE counted (
    study_id  INTEGER NOT NULL,
    output_id INTEGER NOT NULL,
    rating_id INTEGER NOT NULL,
    user_id   INTEGER NOT NULL,
    scores    TEXT NOT NULL,                   -- a digit a dimension, in the rubric's order
    PRIMARY KEY (study_id, output_id, rating_id)
) STRICT, WITHOUT ROWID;

-- Goes up with every change to what counts in a study: figures computed at the same stamp still hold.
CREATE TABLE study_stamps (
    study_id INTEGER PRIMARY KEY,
    stamp    INTEGER NOT NULL,
    ratings  INTEGER NOT NULL                  -- how many count
) STRICT;

CREATE TRIGGER counted_scores AFTER INSERT ON rating_scores BEGIN
    INSERT INTO counted (study_id, output_id, rating_id, user_id, scores)
    SELECT a.study_id, a.output_id, r.id, r.user_id,
        (SELECT group_concat(score, '') FROM
            (SELECT score FROM rating_scores WHERE rating_id = NEW.rating_id ORDER BY dimension))
    FROM ratings r JOIN assignments a ON a.id = r.assignment_id
    WHERE r.id = NEW.rating_id AND r.superseded_at IS NULL
    ON CONFLICT DO UPDATE SET scores = excluded.scores;
END;

CREATE TRIGGER counted_rating AFTER INSERT ON ratings WHEN NEW.superseded_at IS NULL BEGIN
    INSERT INTO study_stamps (study_id, stamp, ratings)
    SELECT study_id, 1, 1 FROM assignments WHERE id = NEW.assignment_id
    ON CONFLICT DO UPDATE SET stamp = stamp + 1, ratings = ratings + 1;
END;

CREATE TRIGGER counted_superseded AFTER UPDATE OF superseded_at ON ratings
    WHEN OLD.superseded_at IS NULL AND NEW.superseded_at IS NOT NULL BEGIN
    DELETE FROM counted WHERE rating_id = OLD.id
        AND (study_id, output_id) = (SELECT study_id, output_id FROM assignments WHERE id = OLD.assignment_id);
    UPDATE study_stamps SET stamp = stamp + 1, ratings = ratings - 1
        WHERE study_id = (SELECT study_id FROM assignments WHERE id = OLD.assignment_id);
END;

CREATE TRIGGER counted_restored AFTER UPDATE OF superseded_at ON ratings
    WHEN OLD.superseded_at IS NOT NULL AND NEW.superseded_at IS NULL BEGIN
    INSERT INTO counted (study_id, output_id, rating_id, user_id, scores)
    SELECT a.study_id, a.output_id, NEW.id, NEW.user_id,
        (SELECT coalesce(group_concat(score, ''), '') FROM
            (SELECT score FROM rating_scores WHERE rating_id = NEW.id ORDER BY dimension))
    FROM assignments a WHERE a.id = NEW.assignment_id;
    INSERT INTO study_stamps (study_id, stamp, ratings)
    SELECT study_id, 1, 1 FROM assignments WHERE id = NEW.assignment_id
    ON CONFLICT DO UPDATE SET stamp = stamp + 1, ratings = ratings + 1;
END;

-- What was there before this file.
INSERT INTO counted (study_id, output_id, rating_id, user_id, scores)
    SELECT a.study_id, a.output_id, r.id, r.user_id,
        (SELECT coalesce(group_concat(score, ''), '') FROM
            (SELECT score FROM rating_scores WHERE rating_id = r.id ORDER BY dimension))
    FROM ratings r JOIN assignments a ON a.id = r.assignment_id WHERE r.superseded_at IS NULL;
INSERT INTO study_stamps (study_id, stamp, ratings)
    SELECT study_id, 1, count(*) FROM counted GROUP BY study_id;

-- A run's verdicts without the long outcomes beside them.
CREATE INDEX run_items_verdicts ON run_items (run_id, output_id, verdict, passed, total, finished_at)
    WHERE state = 'done';

-- Goes up with every verdict that comes or goes.
CREATE TABLE run_stamps (
    run_id INTEGER PRIMARY KEY,
    stamp  INTEGER NOT NULL,
    done   INTEGER NOT NULL                    -- outputs with a verdict
) STRICT;

CREATE TRIGGER run_verdicts AFTER UPDATE OF state ON run_items
    WHEN (OLD.state = 'done') <> (NEW.state = 'done') BEGIN
    INSERT INTO run_stamps (run_id, stamp, done) VALUES (NEW.run_id, 1, 1)
    ON CONFLICT DO UPDATE SET stamp = stamp + 1, done = done + CASE WHEN NEW.state = 'done' THEN 1 ELSE -1 END;
END;

INSERT INTO run_stamps (run_id, stamp, done)
    SELECT run_id, 1, count(*) FROM run_items WHERE state = 'done' GROUP BY run_id;

-- Under which name a rater goes in what is taken away: drawn once, so that it stays the same.
CREATE TABLE pseudonyms (
    study_id INTEGER NOT NULL REFERENCES studies (id),
    user_id  INTEGER NOT NULL REFERENCES users (id),
    name     TEXT NOT NULL,
    PRIMARY KEY (study_id, user_id),
    UNIQUE (study_id, name)
) STRICT, WITHOUT ROWID;

-- Figures that took long, by everything they depend on.
CREATE TABLE figures (
    key         TEXT PRIMARY KEY,              -- SHA-256 of choice, stamps and program
    choice      TEXT NOT NULL,                 -- SHA-256 of the choice alone
    json        BLOB NOT NULL,
    computed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX figures_by_choice ON figures (choice, computed_at);

-- A judge model's scores. They are compared with people's, never mixed in: nothing that counts ratings
-- looks here. (People's ratings from another tool become a closed study of their own.)
CREATE TABLE judgings (
    id         INTEGER PRIMARY KEY,
    version_id INTEGER NOT NULL REFERENCES dataset_versions (id),
    rubric_id  INTEGER NOT NULL REFERENCES rubrics (id),
    judge      TEXT NOT NULL,                  -- the judge model's name, once a dataset
    file_name  TEXT NOT NULL,
    created_by INTEGER REFERENCES users (id),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX judgings_by_version ON judgings (version_id);

CREATE TABLE judged_scores (
    judging_id INTEGER NOT NULL REFERENCES judgings (id),
    output_id  INTEGER NOT NULL REFERENCES outputs (id),
    scores     TEXT NOT NULL,                  -- a digit a dimension
    comment    TEXT NOT NULL,
    PRIMARY KEY (judging_id, output_id)
) STRICT, WITHOUT ROWID;

-- Final scores depend on decisions and on extra assignments too.
CREATE TRIGGER decided_stamp AFTER INSERT ON adjudications BEGIN
    INSERT INTO study_stamps (study_id, stamp, ratings) VALUES (NEW.study_id, 1, 0)
    ON CONFLICT DO UPDATE SET stamp = stamp + 1;
END;
CREATE TRIGGER decided_anew_stamp AFTER UPDATE OF superseded_at ON adjudications BEGIN
    UPDATE study_stamps SET stamp = stamp + 1 WHERE study_id = NEW.study_id;
END;
CREATE TRIGGER extra_stamp AFTER INSERT ON extra_assignments BEGIN
    INSERT INTO study_stamps (study_id, stamp, ratings) VALUES (NEW.study_id, 1, 0)
    ON CONFLICT DO UPDATE SET stamp = stamp + 1;
END;
