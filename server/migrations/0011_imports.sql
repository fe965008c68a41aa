-- Imports in many short transactions, so that no upload makes a rating wait.
--
-- While `importing_until` is set, an import is adding rows; nobody sees them. It is the end of a lease that every
-- chunk of rows extends: when it has passed, the import was killed and its rows are deleted. The import's last
-- transaction clears it. Everything that reads goes through the views, which hide what is incomplete; only imports
-- name the tables.

ALTER TABLE submissions RENAME TO all_submissions;
ALTER TABLE all_submissions ADD COLUMN importing_until INTEGER;
CREATE VIEW submissions AS
    SELECT id, version_id, model_id, file_name, checksum, matching, created_by, created_at
    FROM all_submissions WHERE importing_until IS NULL;
CREATE INDEX submissions_importing ON all_submissions (importing_until) WHERE importing_until IS NOT NULL;

ALTER TABLE studies RENAME TO all_studies;
ALTER TABLE all_studies ADD COLUMN importing_until INTEGER;
CREATE VIEW studies AS
    SELECT id, token, title, version_id, rubric_id, overlap, seed, status, created_by, created_at, presentation,
        sharing, tasks, pace_s, started_at
    FROM all_studies WHERE importing_until IS NULL;
CREATE INDEX studies_importing ON all_studies (importing_until) WHERE importing_until IS NOT NULL;

-- A study of imported ratings is a draft until it is complete (the rows of a draft can be deleted), and then closed.
-- That is no study that ended: no webhook hears of it.
DROP TRIGGER study_closed;
CREATE TRIGGER study_closed AFTER UPDATE OF status ON all_studies
WHEN old.status <> 'closed' AND new.status = 'closed' AND old.importing_until IS NULL
BEGIN
    INSERT INTO webhook_deliveries (webhook_id, event, subject, state, created_at, next_at)
    SELECT w.id, 'study.closed', new.id, 'waiting',
           CAST(unixepoch('subsec') * 1000 AS INTEGER), CAST(unixepoch('subsec') * 1000 AS INTEGER)
    FROM webhooks w WHERE EXISTS (SELECT 1 FROM json_each(w.events) e WHERE e.value = 'study.closed');
END;

ALTER TABLE judgings RENAME TO all_judgings;
ALTER TABLE all_judgings ADD COLUMN importing_until INTEGER;
CREATE VIEW judgings AS
    SELECT id, version_id, rubric_id, judge, file_name, created_by, created_at
    FROM all_judgings WHERE importing_until IS NULL;
CREATE INDEX judgings_importing ON all_judgings (importing_until) WHERE importing_until IS NOT NULL;
