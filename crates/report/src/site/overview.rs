//! The first page: the tournament, its events, how to check it.

use serde::Serialize;

use super::leaderboard::{Heading, Moment, heading};
use super::rating::signed;
use super::{EventSite, Site, names, notable, shown, text};
use joust_model::{BoutId, Public, Seed};

/// What a site needs to know of a tournament.
#[derive(Clone, Debug, Default)]
pub struct TournamentInput {
    /// Its name.
    pub name: String,
    /// The seed that every bout's seed derives from.
    pub seed: Seed,
    /// The file name of the database, for the commands that check it.
    pub database: String,
    /// The hash of the last bout in the chain; empty when there is none.
    pub head: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Overview {
    name: String,
    seed: u64,
    head: String,
    database: String,
    events: Vec<Event>,
    bots: String,
    bouts: String,
    faults: Option<String>,
    last: Option<Moment>,
    example: Option<String>,
    public: Vec<&'static str>,
    hidden: Vec<&'static str>,
}

/// What the first page says of an event.
#[derive(Debug)]
pub struct EventCard {
    shown: Event,
    bots: usize,
    bouts: u64,
    faults: u64,
    last_at: Option<i64>,
    example: Option<BoutId>,
}

#[derive(Debug, Serialize)]
struct Event {
    heading: Heading,
    folder: String,
    leaders: Vec<Leader>,
    first_bout: Option<String>,
}

#[derive(Debug, Serialize)]
struct Leader {
    rank: u32,
    name: String,
    page: String,
    rating: Option<String>,
    matches: String,
}

impl EventSite {
    /// Returns what the first page says of the event.
    #[must_use]
    pub fn card(&self) -> EventCard {
        let rows = self.standings.playing();
        EventCard {
            shown: event(self),
            bots: rows.len(),
            bouts: self.standings.bouts,
            faults: rows.iter().map(|row| u64::from(row.verdicts.faults())).sum(),
            last_at: self.last_at(),
            example: self.bouts().next(),
        }
    }
}

/// Returns the first page.
pub(super) fn page(site: &Site, events: Vec<EventCard>) -> Overview {
    let shows = |what: &Public| site.publication.shows(*what);
    let parts = |wanted: bool| {
        let parts = Public::NAMES.into_iter().filter(|(_, what)| shows(what) == wanted);
        parts.map(|(name, _)| name).collect()
    };
    let bots: usize = events.iter().map(|event| event.bots).sum();
    let faults = || shown::count(events.iter().map(|event| event.faults).sum());
    Overview {
        name: text::public(&site.tournament.name),
        seed: site.tournament.seed.0,
        head: text::public(&site.tournament.head),
        database: text::public(&site.tournament.database),
        bots: shown::count(bots as u64),
        bouts: shown::count(events.iter().map(|event| event.bouts).sum()),
        faults: shows(&Public::Verdicts).then(faults),
        last: events.iter().filter_map(|event| event.last_at).max().map(Moment::of),
        example: events.iter().find_map(|event| event.example).map(|id| id.to_string()),
        public: parts(true),
        hidden: parts(false),
        events: events.into_iter().map(|event| event.shown).collect(),
    }
}

fn event(event: &EventSite) -> Event {
    let rows = event.standings.playing().iter().enumerate().take(3);
    let leader = |(place, row): (usize, &joust_tables::standings::Row)| Leader {
        rank: row.rank.unwrap_or_default(),
        name: text::public(&row.bot.name),
        page: names::bot_file(&row.bot.name),
        rating: event.rating(place).map(|rating| signed(rating.value, event.ratings.decimals())),
        matches: shown::record(row.matches.won, row.matches.drawn, row.matches.lost),
    };
    Event {
        heading: heading(event),
        folder: event.folder.clone(),
        leaders: rows.map(leader).collect(),
        first_bout: notable::first(event),
    }
}
