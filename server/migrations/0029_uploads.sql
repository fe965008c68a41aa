-- Uploads are listed with what they are for; submissions record which lines of their file they lack.

ALTER TABLE uploads ADD COLUMN purpose TEXT NOT NULL DEFAULT 'outputs' CHECK (purpose IN ('outputs', 'ratings'));
-- The dataset that was named with the file.
ALTER TABLE uploads ADD COLUMN dataset_slug TEXT;
CREATE INDEX uploads_by_purpose ON uploads (purpose);

-- Invalid lines of the file that an admin chose to leave out; 0 where the file was imported as a whole.
ALTER TABLE all_submissions ADD COLUMN left_out INTEGER NOT NULL DEFAULT 0;
-- Number of outputs that the import stores, for its progress.
ALTER TABLE all_submissions ADD COLUMN expected INTEGER;
CREATE INDEX submissions_by_checksum ON all_submissions (checksum);
DROP VIEW submissions;
CREATE VIEW submissions AS
    SELECT id, version_id, model_id, file_name, checksum, matching, created_by, created_at, archived_at, left_out
    FROM all_submissions WHERE importing_until IS NULL;
