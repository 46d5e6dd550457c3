-- The tournament, who plays, every bout with its seats and logs, and the chain.
-- migrations/README.md explains the columns that are not plain to read.

PRAGMA application_id = 1248818547; -- "Jous"

CREATE TABLE tournament (
    id            INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    name          TEXT NOT NULL,
    seed          INTEGER NOT NULL,
    seed_is_drawn INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
    id       TEXT NOT NULL PRIMARY KEY,
    position INTEGER NOT NULL,
    settings TEXT NOT NULL
) STRICT;

CREATE TABLE bots (
    event        TEXT NOT NULL REFERENCES events (id),
    name         TEXT NOT NULL,
    author       TEXT NOT NULL,
    owner        TEXT NOT NULL,
    language     TEXT NOT NULL,
    build        BLOB,
    sits_out     TEXT,
    registration INTEGER NOT NULL,
    example      INTEGER NOT NULL,
    entered      INTEGER NOT NULL,
    PRIMARY KEY (event, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE builds (
    hash      BLOB NOT NULL PRIMARY KEY,
    language  TEXT NOT NULL,
    toolchain TEXT NOT NULL,
    recipe    TEXT NOT NULL,
    log_head  TEXT NOT NULL,
    built_at  INTEGER NOT NULL,
    result    BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sources (
    build     BLOB NOT NULL PRIMARY KEY REFERENCES builds (hash),
    hash      BLOB NOT NULL,
    name      TEXT NOT NULL,
    place     TEXT,
    commit_id TEXT,
    files     BLOB
) STRICT;

CREATE TABLE calibrations (
    machine     TEXT NOT NULL,
    language    TEXT NOT NULL,
    game        TEXT NOT NULL,
    runs        INTEGER NOT NULL,
    cpu_ns      INTEGER NOT NULL,
    wall_ns     INTEGER NOT NULL,
    spread_ns   INTEGER NOT NULL,
    measured_at INTEGER NOT NULL,
    PRIMARY KEY (machine, language, game)
) STRICT, WITHOUT ROWID;

CREATE TABLE documents (
    id   INTEGER NOT NULL PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE bouts (
    number         INTEGER NOT NULL PRIMARY KEY,
    id             INTEGER NOT NULL UNIQUE,
    event          TEXT NOT NULL REFERENCES events (id),
    match_number   INTEGER NOT NULL,
    bout_number    INTEGER NOT NULL,
    counts         INTEGER NOT NULL,
    key            BLOB NOT NULL,
    game           TEXT NOT NULL,
    revision       INTEGER NOT NULL,
    rules          TEXT NOT NULL,
    options        INTEGER NOT NULL REFERENCES documents (id),
    limits         INTEGER NOT NULL REFERENCES documents (id),
    seed           INTEGER NOT NULL,
    ended          TEXT NOT NULL,
    rounds         INTEGER NOT NULL,
    state_hash     TEXT NOT NULL,
    tier           TEXT NOT NULL,
    machine        TEXT NOT NULL,
    joust_version  TEXT NOT NULL,
    contended      INTEGER NOT NULL,
    oversubscribed INTEGER NOT NULL,
    started_at     INTEGER NOT NULL,
    took_ns        INTEGER NOT NULL,
    clock          TEXT,
    ticks_late     INTEGER NOT NULL,
    referee        BLOB,
    link           INTEGER NOT NULL
) STRICT;

CREATE INDEX bouts_in_schedule_order ON bouts (event, match_number, bout_number);

CREATE TABLE seats (
    bout                 INTEGER NOT NULL REFERENCES bouts (number) ON DELETE CASCADE,
    seat                 INTEGER NOT NULL,
    bot                  TEXT NOT NULL,
    build                BLOB NOT NULL,
    rank                 INTEGER NOT NULL,
    score_millionths     INTEGER NOT NULL,
    limits_hit           INTEGER NOT NULL,
    cpu_ns               INTEGER NOT NULL,
    wall_ns              INTEGER NOT NULL,
    stall_ns             INTEGER NOT NULL,
    peak_memory_bytes    INTEGER NOT NULL,
    ticks_idle           INTEGER NOT NULL,
    answers_late         INTEGER NOT NULL,
    cold_starts          INTEGER NOT NULL,
    numbers              TEXT,
    infrastructure_error INTEGER NOT NULL,
    memory_limit         INTEGER NOT NULL,
    output_limit         INTEGER NOT NULL,
    cpu_limit            INTEGER NOT NULL,
    timeout              INTEGER NOT NULL,
    disk_limit           INTEGER NOT NULL,
    protocol_violation   INTEGER NOT NULL,
    crash                INTEGER NOT NULL,
    exit_nonzero         INTEGER NOT NULL,
    no_output            INTEGER NOT NULL,
    illegal_output       INTEGER NOT NULL,
    ok                   INTEGER NOT NULL,
    calibration          INTEGER NOT NULL REFERENCES documents (id),
    PRIMARY KEY (bout, seat)
) STRICT, WITHOUT ROWID;

CREATE TABLE logs (
    bout       INTEGER NOT NULL PRIMARY KEY REFERENCES bouts (number) ON DELETE CASCADE,
    action_log BLOB NOT NULL,
    turn_log   BLOB NOT NULL
) STRICT;

CREATE TABLE history (
    number     INTEGER NOT NULL PRIMARY KEY,
    bout       INTEGER NOT NULL,
    change     TEXT NOT NULL,
    reason     TEXT NOT NULL,
    at         INTEGER NOT NULL,
    document   TEXT,
    action_log BLOB,
    turn_log   BLOB
) STRICT;

CREATE INDEX history_of_a_bout ON history (bout);

CREATE TABLE decisions (
    number   INTEGER NOT NULL PRIMARY KEY,
    event    TEXT NOT NULL REFERENCES events (id),
    bot      TEXT NOT NULL,
    decision TEXT NOT NULL,
    reason   TEXT NOT NULL,
    at       INTEGER NOT NULL
) STRICT;

CREATE TABLE accounts (
    game     TEXT NOT NULL,
    name     TEXT NOT NULL,
    password TEXT NOT NULL,
    score    INTEGER NOT NULL DEFAULT 0,
    games    INTEGER NOT NULL DEFAULT 0,
    made_at  INTEGER NOT NULL,
    PRIMARY KEY (game, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE chain (
    number  INTEGER NOT NULL PRIMARY KEY,
    kind    TEXT NOT NULL,
    subject TEXT NOT NULL,
    digest  BLOB NOT NULL,
    detail  BLOB NOT NULL,
    hash    BLOB NOT NULL
) STRICT;

-- Link 0 is the same everywhere.
INSERT INTO chain (number, kind, subject, digest, detail, hash)
VALUES (0, 'begin', '', zeroblob(32), x'', x'53e2e7f4a209f1a33fa8adbc1a07e078a26d852e30457c73eab0063a84f51767');
