-- Announcements of admins to people, who read them at the top of their pages.

CREATE TABLE announcements (
    id           INTEGER PRIMARY KEY,
    -- Its name for those who read it.
    token        TEXT NOT NULL UNIQUE,
    en           TEXT NOT NULL,
    zh           TEXT NOT NULL,
    -- The audience: a study's raters, a group or one person; everyone if all are absent.
    study_id     INTEGER REFERENCES all_studies (id) ON DELETE CASCADE,
    group_id     INTEGER REFERENCES person_groups (id) ON DELETE CASCADE,
    user_id      INTEGER REFERENCES users (id) ON DELETE CASCADE,
    -- The last day on which it is shown, in UTC, such as 2026-11-30.
    last_day     TEXT,
    created_at   INTEGER NOT NULL,
    -- Absent for the command line.
    created_by   INTEGER REFERENCES users (id) ON DELETE SET NULL,
    withdrawn_at INTEGER,
    CHECK ((study_id IS NOT NULL) + (group_id IS NOT NULL) + (user_id IS NOT NULL) <= 1)
) STRICT;
CREATE INDEX announcements_by_study ON announcements (study_id) WHERE study_id IS NOT NULL;
CREATE INDEX announcements_by_group ON announcements (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX announcements_by_user ON announcements (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX announcements_by_author ON announcements (created_by) WHERE created_by IS NOT NULL;

-- Who has read which.
CREATE TABLE announcements_read (
    announcement_id INTEGER NOT NULL REFERENCES announcements (id) ON DELETE CASCADE,
    user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    read_at         INTEGER NOT NULL,
    PRIMARY KEY (announcement_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX announcements_read_by_user ON announcements_read (user_id);
