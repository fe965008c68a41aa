-- Lists that admins search, sort and filter (server/src/db/page.rs).
--
-- A list is read in the order of an index of its own table, so what sorts it is in that table: a submission and a run
-- have the names of their model and dataset beside their numbers. Triggers keep them; nothing else writes them.

ALTER TABLE all_submissions ADD COLUMN model_name TEXT NOT NULL DEFAULT '' COLLATE NOCASE;
ALTER TABLE all_submissions ADD COLUMN dataset_slug TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN model_name TEXT NOT NULL DEFAULT '' COLLATE NOCASE;
ALTER TABLE runs ADD COLUMN dataset_slug TEXT NOT NULL DEFAULT '';

UPDATE all_submissions SET
    model_name = (SELECT m.name FROM models m WHERE m.id = model_id),
    dataset_slug = (SELECT d.slug FROM dataset_versions v JOIN datasets d ON d.id = v.dataset_id WHERE v.id = version_id);
UPDATE runs SET (model_name, dataset_slug) =
    (SELECT s.model_name, s.dataset_slug FROM all_submissions s WHERE s.id = submission_id);

CREATE TRIGGER submission_is_named AFTER INSERT ON all_submissions
BEGIN
    UPDATE all_submissions SET
        model_name = (SELECT m.name FROM models m WHERE m.id = NEW.model_id),
        dataset_slug = (SELECT d.slug FROM dataset_versions v JOIN datasets d ON d.id = v.dataset_id
                        WHERE v.id = NEW.version_id)
    WHERE id = NEW.id;
END;
CREATE TRIGGER run_is_named AFTER INSERT ON runs
BEGIN
    UPDATE runs SET (model_name, dataset_slug) =
        (SELECT s.model_name, s.dataset_slug FROM all_submissions s WHERE s.id = NEW.submission_id)
    WHERE id = NEW.id;
END;
CREATE TRIGGER model_is_renamed AFTER UPDATE OF name ON models
BEGIN
    UPDATE all_submissions SET model_name = NEW.name WHERE model_id = NEW.id;
END;
CREATE TRIGGER submission_changes_model AFTER UPDATE OF model_id ON all_submissions
BEGIN
    UPDATE all_submissions SET model_name = (SELECT m.name FROM models m WHERE m.id = NEW.model_id) WHERE id = NEW.id;
END;
CREATE TRIGGER submission_is_renamed AFTER UPDATE OF model_name ON all_submissions
WHEN OLD.model_name IS NOT NEW.model_name COLLATE BINARY
BEGIN
    UPDATE runs SET model_name = NEW.model_name WHERE submission_id = NEW.id;
END;

CREATE INDEX studies_by_title ON all_studies (title COLLATE NOCASE);
CREATE INDEX studies_by_status ON all_studies (status);
CREATE INDEX submissions_by_model ON all_submissions (model_id);
CREATE INDEX submissions_by_model_name ON all_submissions (model_name);
CREATE INDEX submissions_by_dataset ON all_submissions (dataset_slug);
CREATE INDEX runs_by_model_name ON runs (model_name);
CREATE INDEX runs_by_dataset ON runs (dataset_slug);
CREATE INDEX runs_by_status ON runs (status);
CREATE INDEX users_by_role ON users (role);
CREATE INDEX rubrics_by_slug ON rubrics (slug);

-- Names, for the search over everything (server/src/db/find.rs): three letters in a row are what it looks up, in any
-- language. It stores no text, only where which letters are. A row's number is that of its object, above
-- 2^40 times its kind: 1 dataset, 2 task, 3 model, 4 study, 5 account. Triggers keep it.
CREATE VIRTUAL TABLE names USING fts5 (text, content='', contentless_delete=1, tokenize='trigram');

INSERT INTO names (rowid, text)
SELECT (1 << 40) + d.id, d.slug || ' ' || v.name_en || ' ' || v.name_zh
FROM datasets d JOIN dataset_versions v ON v.dataset_id = d.id
WHERE v.number = (SELECT max(number) FROM dataset_versions x WHERE x.dataset_id = d.id);
INSERT INTO names (rowid, text)
SELECT (2 << 40) + t.id, t.external_id || ' ' || substr(r.raw_nl, 1, 300)
FROM tasks t JOIN task_revisions r ON r.task_id = t.id
WHERE r.id = (SELECT max(id) FROM task_revisions x WHERE x.task_id = t.id);
INSERT INTO names (rowid, text) SELECT (3 << 40) + id, name FROM models;
INSERT INTO names (rowid, text) SELECT (4 << 40) + id, title FROM all_studies;
INSERT INTO names (rowid, text) SELECT (5 << 40) + id, name FROM users;

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
