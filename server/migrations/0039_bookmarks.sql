-- Items that a rater marked to find again, under the name by which the rater knows them: an output of the study or a
-- hidden check.
CREATE TABLE bookmarks (
    study_id INTEGER NOT NULL,
    user_id  INTEGER NOT NULL,
    token    TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (study_id, user_id, token)
) STRICT, WITHOUT ROWID;
