-- Every row that decides or explains a result, chained: each link has the hash
-- of the link before. And what a build can be made from again.

CREATE TABLE chain (
    number  INTEGER NOT NULL PRIMARY KEY,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    digest  BLOB NOT NULL,
    detail  BLOB NOT NULL,
    hash    BLOB NOT NULL
) STRICT;

-- Opening the database for writing chains the rows that are there already.
INSERT INTO chain (number, kind, subject, digest, detail, hash)
VALUES (0, 'pending', '', x'', x'', x'');

ALTER TABLE bouts ADD COLUMN link INTEGER NOT NULL DEFAULT 0;

ALTER TABLE builds ADD COLUMN result BLOB;

CREATE TABLE sources (
    build     BLOB NOT NULL PRIMARY KEY REFERENCES builds (hash),
    hash      BLOB NOT NULL,
    name      TEXT NOT NULL,
    place     TEXT,
    commit_id TEXT,
    files     BLOB
) STRICT;
