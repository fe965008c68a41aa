UPDATE datasets SET archived_at = 1 WHERE id = 1;
UPDATE all_submissions SET archived_at = 1 WHERE id = 1;
UPDATE all_studies SET archived_at = 1 WHERE id = 1;
