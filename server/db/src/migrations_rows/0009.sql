UPDATE probes SET leased_until = 5000 WHERE id = 2;
UPDATE probe_ratings SET withdrawn = 1 WHERE id = 1;
UPDATE study_raters SET given = 3, checks_over = 1 WHERE study_id = 1 AND user_id = 2;
