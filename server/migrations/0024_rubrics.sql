-- Rubrics that admins write in the browser, and the rubric that new studies of a dataset use.
--
-- A version of a rubric never changes: an edit is a new version.

ALTER TABLE rubrics ADD COLUMN created_at INTEGER;                            -- absent: from before this
ALTER TABLE rubrics ADD COLUMN created_by INTEGER REFERENCES users (id);      -- absent: import or command line

CREATE TRIGGER rubrics_stay BEFORE UPDATE OF slug, version, checksum, json ON rubrics
BEGIN
    SELECT RAISE(ABORT, 'a version of a rubric never changes');
END;

-- No form offers these; studies that use them go on.
CREATE TABLE archived_rubrics (
    slug        TEXT PRIMARY KEY,
    archived_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Chosen by an admin; absent: the rubric that came with the dataset's version.
ALTER TABLE datasets ADD COLUMN rubric_id INTEGER REFERENCES rubrics (id);

-- How many studies use a rubric.
CREATE INDEX studies_by_rubric ON all_studies (rubric_id);
