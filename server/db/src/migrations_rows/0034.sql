INSERT INTO task_turns (revision_id, turn, kind, instruction, listed, judged) VALUES
    (2, 0, 'base', 'Sorts.', 0, 1), (2, 1, 'code_standard', 'Follow PEP 8.', 1, 1);
UPDATE outputs SET turn = 1, conversation = 0 WHERE id = 2;
UPDATE all_submissions SET way = 'n' WHERE id = 1;
INSERT INTO author_verdicts (output_id, passed, other_text) VALUES (2, 1, 0);
UPDATE runs SET profile = 'as-run' WHERE id = 1;
