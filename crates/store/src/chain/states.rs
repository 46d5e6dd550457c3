//! Hashes of what is replaced as a whole: the tournament, events, fields, builds and
//! what they were made from.

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::super::StoreError;
use super::super::facts::{Digest, Hasher};
use super::super::row::Reader;
use super::super::writing::Writing;
use super::{Kind, NewLink};

/// Goes on with a hash by a row's columns.
type Read = fn(&SqliteRow, Hasher) -> Result<Hasher, StoreError>;

/// What a link of a state is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State<'a> {
    Tournament,
    Event(&'a str),
    Field(&'a str),
    /// By the build's hash in hexadecimal digits.
    Build(&'a str),
    /// By the build's hash in hexadecimal digits.
    Source(&'a str),
}

impl<'a> State<'a> {
    fn kind(self) -> Kind {
        match self {
            Self::Tournament => Kind::Tournament,
            Self::Event(_) => Kind::Event,
            Self::Field(_) => Kind::Field,
            Self::Build(_) => Kind::Build,
            Self::Source(_) => Kind::Source,
        }
    }

    fn subject(self) -> &'a str {
        match self {
            Self::Tournament => "",
            Self::Event(id) | Self::Field(id) | Self::Build(id) | Self::Source(id) => id,
        }
    }

    /// Returns the kind and the subject of its links.
    pub(super) fn key(self) -> (Kind, String) {
        (self.kind(), self.subject().to_owned())
    }

    /// Returns the hash of what the tables say now; `None` when they say nothing.
    pub(crate) async fn digest(
        self,
        connection: &mut SqliteConnection,
    ) -> Result<Option<Digest>, sqlx::Error> {
        let (query, read): (&'static str, Read) = match self {
            Self::Tournament => {
                ("SELECT id, name, seed FROM tournament WHERE ? = '' AND id = 1", tournament)
            }
            Self::Event(_) => ("SELECT id, position, settings FROM events WHERE id = ?", event),
            Self::Field(_) => ("SELECT * FROM bots WHERE event = ? ORDER BY name", bot),
            Self::Build(_) => ("SELECT * FROM builds WHERE hash = unhex(?)", build),
            Self::Source(_) => ("SELECT * FROM sources WHERE build = unhex(?)", source),
        };
        let rows = sqlx::query(query).bind(self.subject()).fetch_all(connection).await?;
        let begun = Hasher::new(self.kind().name()).text(self.subject());
        let hashed = rows.iter().try_fold(begun, |hasher, row| read(row, hasher));
        let hashed = hashed.map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
        Ok((!rows.is_empty()).then(|| hashed.finish()))
    }

    /// Appends a link when the tables say something else than `before`.
    pub(crate) async fn link_if_changed(
        self,
        writing: &mut Writing,
        before: Option<Digest>,
    ) -> Result<(), sqlx::Error> {
        let after = self.digest(&mut writing.change).await?;
        if let Some(digest) = after.filter(|_| after != before) {
            let subject = self.subject().to_owned();
            writing.chain.push(NewLink { kind: self.kind(), subject, digest, detail: Vec::new() });
        }
        Ok(())
    }
}

fn tournament(row: &SqliteRow, hasher: Hasher) -> Result<Hasher, StoreError> {
    let reader = Reader::new("tournament", "id", row);
    Ok(hasher.text(reader.get("name")?).number(reader.get("seed")?))
}

fn event(row: &SqliteRow, hasher: Hasher) -> Result<Hasher, StoreError> {
    let reader = Reader::new("events", "id", row);
    Ok(hasher.number(reader.get("position")?).text(reader.get("settings")?))
}

fn bot(row: &SqliteRow, hasher: Hasher) -> Result<Hasher, StoreError> {
    let reader = Reader::new("bots", "name", row);
    Ok(hasher
        .text(reader.get("name")?)
        .text(reader.get("author")?)
        .text(reader.get("owner")?)
        .text(reader.get("language")?)
        .optional_bytes(reader.get("build")?)
        .optional_text(reader.get("not_built")?)
        .number(reader.get("registration")?)
        .number(reader.get("example")?)
        .number(reader.get("entered")?))
}

fn build(row: &SqliteRow, hasher: Hasher) -> Result<Hasher, StoreError> {
    let reader = Reader::new("builds", "hash", row);
    Ok(hasher
        .text(reader.get("language")?)
        .text(reader.get("toolchain")?)
        .text(reader.get("recipe")?)
        .text(reader.get("log_head")?)
        .number(reader.get("built_at")?)
        .bytes(reader.get("result")?))
}

fn source(row: &SqliteRow, hasher: Hasher) -> Result<Hasher, StoreError> {
    let reader = Reader::new("sources", "build", row);
    Ok(hasher
        .bytes(reader.get("hash")?)
        .text(reader.get("name")?)
        .optional_text(reader.get("place")?)
        .optional_text(reader.get("commit_id")?)
        .optional_bytes(reader.get("files")?))
}
