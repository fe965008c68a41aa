INSERT INTO archived_rubrics (slug, archived_at) VALUES ('r', 1);
UPDATE rubrics SET created_at = 1, created_by = 1 WHERE id = 1;
UPDATE datasets SET rubric_id = 2 WHERE id = 1;
