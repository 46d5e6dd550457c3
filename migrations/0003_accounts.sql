-- Accounts of a standing game server: who registered, and what was won in all.

CREATE TABLE accounts (
    game     TEXT NOT NULL,
    name     TEXT NOT NULL,
    password TEXT NOT NULL,
    score    INTEGER NOT NULL DEFAULT 0,
    games    INTEGER NOT NULL DEFAULT 0,
    made_at  INTEGER NOT NULL,
    PRIMARY KEY (game, name)
) STRICT, WITHOUT ROWID;
