//! Columns that may be of any length.

/// Tables that are read whole, with the columns that may be of any length.
pub(super) const READ_WHOLE: [(&str, &[&str]); 10] = [
    ("tournament", &["name"]),
    ("events", &["id", "settings"]),
    ("bots", &["event", "name", "author", "owner", "language", "build", "sits_out"]),
    ("builds", &["hash", "language", "toolchain", "recipe", "log_head", "result"]),
    ("sources", &["build", "hash", "name", "place", "commit_id", "files"]),
    ("calibrations", &["machine", "language", "game"]),
    ("documents", &["text"]),
    ("decisions", &["event", "bot", "decision", "reason"]),
    ("history", &["change", "reason", "document", "action_log", "turn_log"]),
    ("accounts", &["game", "name", "password"]),
];

/// Columns of `bots` that every table and page repeats.
pub(super) const OF_A_BOT: [&str; 4] = ["name", "author", "owner", "language"];

/// The most bytes of such a column: a manifest has no more.
pub(super) const LONGEST_OF_A_BOT: usize = 64 << 10;

/// Tables that are read row by row, with the columns that may be of any length.
pub(super) const READ_BY_ROWS: [(&str, &[&str]); 4] = [
    (
        "bouts",
        &[
            "event",
            "key",
            "game",
            "rules",
            "ended",
            "state_hash",
            "tier",
            "machine",
            "joust_version",
            "clock",
            "referee",
        ],
    ),
    ("seats", &["bot", "build", "numbers"]),
    ("logs", &["action_log", "turn_log"]),
    ("chain", &["kind", "subject", "digest", "detail", "hash"]),
];
