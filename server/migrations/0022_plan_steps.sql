-- Changes of a study in many short transactions, so that no admin makes a rating wait.
--
-- The first transaction records the change (who joined or left, new settings, the plan's event, the audit log) and what
-- it still has to do as steps. Each further transaction takes the first step of a study and does it. If the program is
-- killed, the next start does what is left; before the first transaction has been committed, nothing has changed.
CREATE TABLE study_steps (
    id       INTEGER PRIMARY KEY,
    study_id INTEGER NOT NULL REFERENCES all_studies (id),
    step     TEXT NOT NULL                      -- json
) STRICT;
CREATE INDEX study_steps_by_study ON study_steps (study_id, id);

-- A change is computed from a snapshot. It is refused if this number has risen meanwhile, and computed again.
ALTER TABLE all_studies ADD COLUMN plan_version INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER assignments_moved AFTER UPDATE OF user_id, rated_at ON assignments
WHEN NEW.user_id IS NOT OLD.user_id OR (NEW.rated_at IS NULL AND OLD.rated_at IS NOT NULL)
BEGIN
    UPDATE all_studies SET plan_version = plan_version + 1 WHERE id = NEW.study_id;
END;
CREATE TRIGGER assignments_extra AFTER INSERT ON assignments WHEN NEW.slot >= 1000
BEGIN
    UPDATE all_studies SET plan_version = plan_version + 1 WHERE id = NEW.study_id;
END;

-- While steps are left, outputs may lack planned ratings.
CREATE TRIGGER studies_start_after_steps BEFORE UPDATE OF status ON all_studies
WHEN NEW.status = 'running' AND EXISTS (SELECT 1 FROM study_steps WHERE study_id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'a change of the study''s plan is not complete');
END;
