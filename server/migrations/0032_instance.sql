-- Tells the databases of different servers apart, so that their backups are never mixed. A copy keeps the identity.
CREATE TABLE instance (id TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO instance (id) VALUES (lower(hex(randomblob(16))));
