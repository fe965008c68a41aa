-- Groups of people, accounts of an identity provider, passwords that must be changed.

-- Whether the person must choose a password before anything else: someone else has set the present one.
ALTER TABLE users ADD COLUMN must_change_password INTEGER NOT NULL DEFAULT 0 CHECK (must_change_password IN (0, 1));

CREATE TABLE person_groups (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE COLLATE NOCASE,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE person_group_members (
    group_id INTEGER NOT NULL REFERENCES person_groups (id) ON DELETE CASCADE,
    user_id  INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX person_group_members_by_user ON person_group_members (user_id);

-- The group that who accepts the invitation joins.
ALTER TABLE invitations ADD COLUMN group_id INTEGER REFERENCES person_groups (id) ON DELETE SET NULL;
CREATE INDEX invitations_by_group ON invitations (group_id) WHERE group_id IS NOT NULL;

-- Accounts at an identity provider, by which people log in. An e-mail address identifies nobody.
CREATE TABLE identities (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX identities_by_user ON identities (user_id);
