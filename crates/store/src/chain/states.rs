//! Hashes of states that are replaced as a whole (the tournament, events, fields, builds and their
//! sources), and of rows of the history and of decisions.

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::{LinkKind, NewLink};
use crate::StoreError;
use crate::hasher::{Digest, Hasher};
use crate::row::Reader;

/// The columns of a bot, in the order in which they are hashed.
const BOT: [&str; 9] = [
    "name",
    "author",
    "owner",
    "language",
    "build",
    "sits_out",
    "registration",
    "example",
    "entered",
];

/// The columns of a build, in the order in which they are hashed.
const BUILD: [&str; 6] = ["language", "toolchain", "recipe", "log_head", "built_at", "result"];

/// The columns of a source, in the order in which they are hashed.
const SOURCE: [&str; 5] = ["hash", "name", "place", "commit_id", "files"];

/// A state that the chain records as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChainedState<'a> {
    Tournament,
    Event(&'a str),
    Field(&'a str),
    /// By the build's hash in hexadecimal digits.
    Build(&'a str),
    /// By the build's hash in hexadecimal digits.
    Source(&'a str),
}

impl<'a> ChainedState<'a> {
    fn kind(self) -> LinkKind {
        match self {
            Self::Tournament => LinkKind::Tournament,
            Self::Event(_) => LinkKind::Event,
            Self::Field(_) => LinkKind::Field,
            Self::Build(_) => LinkKind::Build,
            Self::Source(_) => LinkKind::Source,
        }
    }

    fn subject(self) -> &'a str {
        match self {
            Self::Tournament => "",
            Self::Event(id) | Self::Field(id) | Self::Build(id) | Self::Source(id) => id,
        }
    }

    /// Returns the kind and the subject of the state's links.
    pub(super) fn key(self) -> (LinkKind, String) {
        (self.kind(), self.subject().to_owned())
    }

    /// Returns the hash of the state's current rows; `None` when it has none.
    pub(crate) async fn digest(
        self,
        connection: &mut SqliteConnection,
    ) -> Result<Option<Digest>, sqlx::Error> {
        let (query, table, key, columns): (&'static str, _, _, &[&'static str]) = match self {
            Self::Tournament => (
                "SELECT id, name, seed, seed_is_drawn FROM tournament WHERE ? = '' AND id = 1",
                "tournament",
                "id",
                &["name", "seed", "seed_is_drawn"],
            ),
            Self::Event(_) => {
                ("SELECT * FROM events WHERE id = ?", "events", "id", &["position", "settings"])
            }
            Self::Field(_) => {
                ("SELECT * FROM bots WHERE event = ? ORDER BY name", "bots", "name", &BOT)
            }
            Self::Build(_) => {
                ("SELECT * FROM builds WHERE hash = unhex(?)", "builds", "hash", &BUILD)
            }
            Self::Source(_) => {
                ("SELECT * FROM sources WHERE build = unhex(?)", "sources", "build", &SOURCE)
            }
        };
        let rows = sqlx::query(query).bind(self.subject()).fetch_all(connection).await?;
        let mut hasher = Hasher::new(self.kind().name());
        hasher.add_text(self.subject());
        for row in &rows {
            let reader = Reader::new(table, key, row);
            let hashed = reader.hash_columns(columns.iter().copied(), &mut hasher);
            hashed.map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
        }
        Ok((!rows.is_empty()).then(|| hasher.finish()))
    }

    /// Returns the link that records the state's current rows.
    pub(crate) fn link(self, digest: Digest) -> NewLink {
        let subject = self.subject().to_owned();
        NewLink { kind: self.kind(), subject, digest, detail: Vec::new() }
    }
}

const HISTORY: [&str; 8] =
    ["number", "bout", "change", "reason", "at", "document", "action_log", "turn_log"];

const DECISION: [&str; 6] = ["number", "event", "bot", "decision", "reason", "at"];

/// Hashes a row of the table `history`.
pub(crate) fn history_digest(row: &SqliteRow) -> Result<Digest, StoreError> {
    let mut hasher = Hasher::new("joust-history-1");
    Reader::new("history", "number", row).hash_columns(HISTORY, &mut hasher)?;
    Ok(hasher.finish())
}

/// Hashes a row of the table `decisions`.
pub(crate) fn decision_digest(row: &SqliteRow) -> Result<Digest, StoreError> {
    let mut hasher = Hasher::new("joust-decision-1");
    Reader::new("decisions", "number", row).hash_columns(DECISION, &mut hasher)?;
    Ok(hasher.finish())
}

/// Returns the link of a row of the table `decisions`.
pub(crate) fn decision_link(row: &SqliteRow) -> Result<NewLink, StoreError> {
    let reader = Reader::new("decisions", "number", row);
    let number: i64 = reader.get("number")?;
    Ok(NewLink {
        kind: LinkKind::Decision,
        subject: reader.get("event")?,
        digest: decision_digest(row)?,
        detail: number.to_le_bytes().to_vec(),
    })
}
