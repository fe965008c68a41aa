-- Judge models answer which instructions of a conversation an output follows.

-- A judge model's answer, combined from those of its requests: yes (1) or no (0) to each instruction up to the output.
-- Beside `judged_scores`, and like them read by nothing that counts people's ratings.
CREATE TABLE judged_instructions (
    judging_id INTEGER NOT NULL REFERENCES all_judgings (id),
    output_id  INTEGER NOT NULL REFERENCES outputs (id),
    turn       INTEGER NOT NULL CHECK (turn > 0),
    answer     INTEGER NOT NULL CHECK (answer IN (0, 1)),
    PRIMARY KEY (judging_id, output_id, turn)
) STRICT, WITHOUT ROWID;

-- Of a judging: the answers about instructions in a valid answer, as TURN:ANSWER separated by spaces.
ALTER TABLE collection_requests ADD COLUMN instruction_answers TEXT;
