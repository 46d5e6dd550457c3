//! Hashes of states that are replaced as a whole: the tournament, events, fields, builds and their
//! sources.

use sqlx::SqliteConnection;

use super::super::hasher::{Digest, Hasher};
use super::super::row::Reader;
use super::{LinkKind, NewLink};

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
