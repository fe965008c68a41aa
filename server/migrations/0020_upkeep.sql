-- Archived and deleted objects.
--
-- What is archived stays as it is, but no list and no choice offers it. What is deleted is hidden at once, like an
-- import that is not complete: for some seconds an admin can undo it, then its rows are deleted in short transactions.

ALTER TABLE datasets ADD COLUMN archived_at INTEGER;

ALTER TABLE all_submissions ADD COLUMN archived_at INTEGER;
ALTER TABLE all_submissions ADD COLUMN deleted_at INTEGER;
DROP VIEW submissions;
CREATE VIEW submissions AS
    SELECT id, version_id, model_id, file_name, checksum, matching, created_by, created_at, archived_at
    FROM all_submissions WHERE importing_until IS NULL;

ALTER TABLE all_studies ADD COLUMN archived_at INTEGER;
ALTER TABLE all_studies ADD COLUMN deleted_at INTEGER;
DROP VIEW studies;
CREATE VIEW studies AS
    SELECT id, token, title, version_id, rubric_id, overlap, seed, status, created_by, created_at, presentation,
        sharing, tasks, pace_s, started_at, archived_at
    FROM all_studies WHERE importing_until IS NULL;

-- As before, except for a study that is being deleted: nobody has rated in it.
DROP TRIGGER assignments_stay;
CREATE TRIGGER assignments_stay BEFORE DELETE ON assignments
WHEN (SELECT status <> 'draft' AND importing_until IS NULL FROM all_studies WHERE id = OLD.study_id)
BEGIN
    SELECT RAISE(ABORT, 'a planned rating cannot be deleted once the study has begun');
END;

-- What refers to a submission that an admin wants to delete.
CREATE INDEX study_submissions_by_submission ON study_submissions (submission_id);
CREATE INDEX gold_by_output ON gold_items (output_id) WHERE output_id IS NOT NULL;
