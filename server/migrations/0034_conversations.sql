-- Tasks that are conversations: a model answers a base prompt and then instructions, turn by turn (CodeIF-Bench).

-- The turns of a task. Tasks of other datasets have none. Turn 0 is the base prompt.
CREATE TABLE task_turns (
    revision_id INTEGER NOT NULL REFERENCES task_revisions (id),
    turn        INTEGER NOT NULL CHECK (turn >= 0),
    kind        TEXT NOT NULL,                 -- the list of kinds is the program's (`InstructionKind`)
    instruction TEXT NOT NULL,
    -- Its place in the order in which the benchmark lists the instructions, from 1; 0 for the base prompt. Outputs of
    -- single instructions have this order.
    listed      INTEGER NOT NULL,
    -- Whether the benchmark judges the answer to this turn in a conversation of all turns.
    judged      INTEGER NOT NULL,
    PRIMARY KEY (revision_id, turn)
) STRICT, WITHOUT ROWID;

-- How a model was asked: `base`, `single`, `multi` or `n`; absent where tasks have no turns.
ALTER TABLE all_submissions ADD COLUMN way TEXT CHECK (way IN ('base', 'single', 'multi', 'n'));
DROP VIEW submissions;
CREATE VIEW submissions AS
    SELECT id, version_id, model_id, file_name, checksum, matching, created_by, created_at, archived_at, left_out, way
    FROM all_submissions WHERE importing_until IS NULL;

-- The turn that an output answers, and the number of its conversation among those of its submission and task, from 0.
-- Absent where tasks have no turns. `sample` still numbers all outputs of a submission and task.
ALTER TABLE outputs ADD COLUMN turn INTEGER;
ALTER TABLE outputs ADD COLUMN conversation INTEGER;
CREATE UNIQUE INDEX outputs_by_turn ON outputs (submission_id, revision_id, conversation, turn) WHERE turn IS NOT NULL;

-- The verdicts that a benchmark's authors published with the outputs.
CREATE TABLE author_verdicts (
    output_id  INTEGER PRIMARY KEY REFERENCES outputs (id),
    passed     INTEGER NOT NULL,
    -- Whether they were computed from another text than the output.
    other_text INTEGER NOT NULL
) STRICT;

-- Which form of CodeIF-Bench's tests a run uses; absent: the default.
ALTER TABLE runs ADD COLUMN profile TEXT CHECK (profile IN ('as-run', 'as-released', 'v1'));
