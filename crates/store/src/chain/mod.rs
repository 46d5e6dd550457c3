//! The table `chain`: a link for each recorded thing, which includes the hash of the link before
//! it.
//!
//! Links are never changed or removed. Each result has a link. When another result replaces it, one
//! link records that the old result went to the history, and another link records the new result.
//! Everything else that decides standings has links too: the tournament, each event's settings and
//! field, decisions, and the places of bouts in the schedule.
//!
//! [`Ledger`] reads the chain again and derives what the other tables must contain.

mod ledger;
mod states;

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

pub(super) use states::{ChainedState, decision_link, history_digest};

pub use ledger::{CheckScope, Inconsistency, Ledger, LinkSummary};

use super::hasher::Digest;
use super::insert::{Insert, Values, execute};
use super::row::Reader;
use super::rows::BoutPlacing;
use super::{Store, StoreError};
use joust_model::{BoutId, ChainHash, ChainHead};

/// Kind of what a link records.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::EnumString, strum::IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum LinkKind {
    /// The first link: nothing was recorded yet.
    Begin,
    /// The tournament's name and seed.
    Tournament,
    /// An event's settings.
    Event,
    /// An event's field of bots.
    Field,
    /// The way in which a build was made.
    Build,
    /// The source of a build.
    Source,
    /// A bout's result.
    Result,
    /// A line of a bout's history.
    History,
    /// New places of an event's bouts in the schedule.
    Places,
    /// An organiser's decision.
    Decision,
}

impl LinkKind {
    /// Returns the name used in the database and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the noun for `count` links of this kind.
    #[must_use]
    pub fn plural(self, count: usize) -> &'static str {
        match (self, count) {
            (Self::Event, 2..) => "events",
            (Self::Field, 2..) => "fields",
            (Self::Build, 2..) => "builds",
            (Self::Source, 2..) => "sources",
            (Self::Result, 2..) => "results",
            (Self::History, 1) => "history line",
            (Self::History, _) => "history lines",
            (Self::Places, _) => "changes of the schedule",
            (Self::Decision, 2..) => "decisions",
            (other, _) => other.name(),
        }
    }
}

static CHAIN: Insert = Insert::of("chain (number, kind, subject, digest, detail, hash)");

const NEWEST: &str = "SELECT number, hash FROM chain ORDER BY number DESC LIMIT 1";

/// A link that has no number yet.
pub(super) struct NewLink {
    pub(super) kind: LinkKind,
    /// A bout, an event or a build; empty for the tournament.
    pub(super) subject: String,
    pub(super) digest: Digest,
    /// Bytes beside the digest; the functions that make links define them.
    pub(super) detail: Vec<u8>,
}

struct Link {
    number: i64,
    new: NewLink,
}

/// The end of the chain during one change, and the links that the change will write.
pub(super) struct Tail {
    /// The number of the newest link, written or pending.
    number: i64,
    /// The hash of the newest link that is written.
    hash: ChainHash,
    unwritten: Vec<Link>,
}

impl Tail {
    /// Reads the end of the chain.
    pub(super) async fn read(connection: &mut SqliteConnection) -> Result<Self, sqlx::Error> {
        let (number, hash): (_, Vec<u8>) = sqlx::query_as(NEWEST).fetch_one(connection).await?;
        let hash = ChainHash(<[u8; 32]>::try_from(hash).unwrap_or_default());
        Ok(Self { number, hash, unwritten: Vec::new() })
    }

    /// Appends a link and returns its number.
    pub(super) fn push(&mut self, new: NewLink) -> i64 {
        self.number = self.number.saturating_add(1);
        self.unwritten.push(Link { number: self.number, new });
        self.number
    }

    /// Returns the digest of link `number`; `None` when there is no such link.
    pub(super) async fn digest_of(
        &self,
        connection: &mut SqliteConnection,
        number: i64,
    ) -> Result<Option<Digest>, sqlx::Error> {
        if let Some(link) = self.unwritten.iter().find(|link| link.number == number) {
            return Ok(Some(link.new.digest));
        }
        let found: Option<Vec<u8>> =
            sqlx::query_scalar("SELECT digest FROM chain WHERE number = ?")
                .bind(number)
                .fetch_optional(connection)
                .await?;
        Ok(found.and_then(|digest| digest.try_into().ok()))
    }

    /// Writes the pending links. The next links are hashed while SQLite writes the ones before.
    pub(super) async fn write(
        &mut self,
        connection: &mut SqliteConnection,
    ) -> Result<(), sqlx::Error> {
        let hash = &mut self.hash;
        execute(connection, CHAIN.rows(&self.unwritten, |values, link| link.push(hash, values)))
            .await?;
        self.unwritten.clear();
        Ok(())
    }
}

impl Link {
    /// Adds the values of its row; updates `hash` from the link before to this link.
    fn push(&self, hash: &mut ChainHash, values: &mut Values) {
        *hash = link_hash(*hash, self.number, &self.new);
        values
            .number(self.number)
            .text(self.new.kind.name())
            .text(&self.new.subject)
            .bytes(&self.new.digest)
            .bytes(&self.new.detail)
            .bytes(&hash.0);
    }
}

/// Returns the hash of a link after one with the hash `before`.
fn link_hash(before: ChainHash, number: i64, link: &NewLink) -> ChainHash {
    let fields: [&[u8]; 6] = [
        &before.0,
        &number.to_le_bytes(),
        link.kind.name().as_bytes(),
        link.subject.as_bytes(),
        &link.digest,
        &link.detail,
    ];
    ChainHash::of("joust-chain-1", &fields)
}

/// Returns the hash of the first link, which the migrations make. It is the same in every database.
fn first_hash() -> ChainHash {
    let first = NewLink {
        kind: LinkKind::Begin,
        subject: String::new(),
        digest: [0; 32],
        detail: Vec::new(),
    };
    link_hash(ChainHash([0; 32]), 0, &first)
}

/// Returns the link of a result.
pub(super) fn result_link(digest: Digest, placing: BoutPlacing) -> NewLink {
    NewLink {
        kind: LinkKind::Result,
        subject: placing.bout.to_string(),
        digest,
        detail: placing.to_bytes().to_vec(),
    }
}

/// Returns the link of new places of an event's bouts.
pub(super) fn places_link(event: &str, placings: &[BoutPlacing]) -> NewLink {
    let detail = placings.iter().flat_map(|placing| placing.to_bytes()).collect();
    NewLink { kind: LinkKind::Places, subject: event.to_owned(), digest: [0; 32], detail }
}

/// Returns the link of row `number` of the history. `before` is the link of the result that went to
/// the history; 0 when none did.
pub(super) fn history_link(bout: BoutId, number: i64, digest: Digest, before: i64) -> NewLink {
    let detail = [number.to_le_bytes(), before.to_le_bytes()].concat();
    NewLink { kind: LinkKind::History, subject: bout.to_string(), digest, detail }
}

impl Store {
    /// Returns the newest link of the chain; `None` when the chain has no links, which only a
    /// change by hand can cause.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn head(&self) -> Result<Option<ChainHead>, StoreError> {
        self.one_row(sqlx::query(NEWEST), |row| {
            let reader = Reader::new("chain", "number", row);
            let hash = ChainHash(reader.hash("hash")?);
            Ok(ChainHead { links: reader.number("number")?, hash })
        })
        .await
    }

    /// Returns the number of the link with this hash; `None` when the chain has no such link.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn link_of(&self, hash: ChainHash) -> Result<Option<u64>, StoreError> {
        let query = sqlx::query("SELECT number FROM chain WHERE hash = ?");
        self.one_row(query.bind(hash.0.as_slice()), number).await
    }

    /// Returns the number of the newest link whose hash begins with these digits; `None` when the
    /// chain has no such link.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn link_that_begins_with(&self, digits: &str) -> Result<Option<u64>, StoreError> {
        let query = "SELECT number FROM chain WHERE substr(hex(hash), 1, length(?1)) = upper(?1) \
                     ORDER BY number DESC LIMIT 1";
        self.one_row(sqlx::query(query).bind(digits), number).await
    }
}

fn number(row: &SqliteRow) -> Result<u64, StoreError> {
    Reader::new("chain", "number", row).number("number")
}
