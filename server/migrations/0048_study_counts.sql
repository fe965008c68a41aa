-- What lists and pages show of each study without reading its planned ratings.

-- The ratings that each study wants of each submission, and has.
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
INSERT INTO study_counts (study_id, submission_id, wanted, done)
SELECT a.study_id, o.submission_id, count(*), count(a.rated_at)
FROM assignments a CROSS JOIN outputs o ON o.id = a.output_id GROUP BY a.study_id, o.submission_id;

-- When each rater gave their newest rating in the study, also if it was withdrawn.
ALTER TABLE study_raters ADD COLUMN last_rating INTEGER;
UPDATE study_raters SET last_rating = n.at
FROM (SELECT a.study_id, r.user_id, max(r.at) AS at FROM assignments a CROSS JOIN ratings r ON r.assignment_id = a.id
      GROUP BY a.study_id, r.user_id) n
WHERE n.study_id = study_raters.study_id AND n.user_id = study_raters.user_id;
CREATE TRIGGER last_rating_kept AFTER INSERT ON ratings BEGIN
    UPDATE study_raters SET last_rating = max(coalesce(last_rating, NEW.at), NEW.at)
    WHERE user_id = NEW.user_id
      AND study_id = (SELECT a.study_id FROM assignments a WHERE a.id = NEW.assignment_id);
END;

-- The time from showing to rating of a study's ratings is read from the index alone.
DROP INDEX assignments_by_rater;
CREATE INDEX assignments_by_rater ON assignments (study_id, user_id, rated_at, shown_at);
