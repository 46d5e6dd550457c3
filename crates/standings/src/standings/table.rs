//! The leaderboard and the cross table, of the bots that play and those of their bouts that count.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cross::Cross;
use super::ranking::{PlacedBot, Ranking};
use super::tally::Tallies;
use super::value::{Quarters, TieBreakValue};
use crate::schedule::{self, RoundCount};
use joust_model::{
    BotRow, BoutSummary, ChainHead, Decision, EventInfo, EventSettings, Publication, Reason,
    RoundState, ScheduleKind, Score, TieBreak, VerdictCounts, all_groups,
};

/// Status of a bot in an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// It plays.
    Playing,
    /// It could not be built.
    NotBuilt {
        /// Reason for that.
        reason: Reason,
    },
    /// It was built and does not play.
    NotRun {
        /// Why.
        reason: Reason,
    },
    /// It left.
    Withdrawn {
        /// Why, in the organiser's words.
        reason: String,
        /// Time of it, milliseconds since 1970.
        at: i64,
    },
    /// It was excluded.
    Disqualified {
        /// Why, in the organiser's words.
        reason: String,
        /// Time of it, milliseconds since 1970.
        at: i64,
    },
}

impl Status {
    /// Returns the status as `publication` allows it to be published.
    pub fn published(&self, publication: &Publication) -> Self {
        match self {
            Self::NotBuilt { reason } => Self::NotBuilt { reason: reason.published(publication) },
            Self::NotRun { reason } => Self::NotRun { reason: reason.published(publication) },
            other => other.clone(),
        }
    }
}

/// Matches or bouts, by how they went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Record {
    /// Won.
    pub won: u32,
    /// Drawn.
    pub drawn: u32,
    /// Lost.
    pub lost: u32,
    /// Begun and not finished; for bouts always 0.
    pub unfinished: u32,
}

impl Record {
    /// Returns how many there are, finished or not.
    pub fn played(&self) -> u32 {
        self.won + self.drawn + self.lost + self.unfinished
    }
}

/// One bot's line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingsRow {
    /// 1 is best, level bots share it; `None` for a bot that does not play.
    pub rank: Option<u32>,
    /// The bot.
    pub bot: BotRow,
    /// Status: it plays, or the reason why it does not.
    pub status: Status,
    /// Its matches.
    pub matches: Record,
    /// Its bouts.
    pub bouts: Record,
    /// Its points.
    pub points: Quarters,
    /// The game's own score, summed.
    pub score: Score,
    /// Verdicts earned.
    pub verdicts: VerdictCounts,
    /// The value of each of the event's tie-breaks, in their order; `None` for a
    /// head-to-head that it never came to.
    pub tie_breaks: Vec<Option<TieBreakValue>>,
}

/// An event's standings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standings {
    /// The event's id.
    pub event: String,
    /// The game's id.
    pub game: String,
    /// The rule set.
    pub rules: String,
    /// Bouts of a match.
    pub bouts_per_match: u32,
    /// Bots that meet in a match.
    pub bots_per_match: u32,
    /// Tie-breaks that separate level bots.
    pub tie_breaks: Vec<TieBreak>,
    /// Every bot of the field: first those that play, best first, then the
    /// others, the disqualified last.
    pub rows: Vec<StandingsRow>,
    /// Results of each bot that plays against each other, in the order of `rows`.
    pub cross: Cross,
    /// Bouts that count.
    pub bouts: u64,
    /// Number of these bouts whose bots were not isolated (tier D).
    pub unisolated: u64,
    /// Bouts that the referee could not finish; they count for no bot.
    pub referee_errors: u64,
    /// True if the game's referee does not declare that it can judge a bout again.
    pub unrepeatable: bool,
    /// The newest link of the database's chain, for formats that print it.
    pub head: Option<ChainHead>,
    /// Bouts of the whole event among the bots that play, or of its rounds up to the one that
    /// is open; `None` when there are more than can be counted.
    pub expected: Option<u64>,
    /// Progress of its rounds; `None` where it has none.
    pub rounds: Option<RoundState>,
}

impl Standings {
    /// Returns the rows of the bots that play, best first.
    pub fn playing(&self) -> &[StandingsRow] {
        &self.rows[..self.cross.bots()]
    }

    /// Returns whether the criterion at this place of `tie_breaks` put a bot ahead of another.
    pub fn decided(&self, place: usize) -> bool {
        self.playing().windows(2).any(|rows| {
            let [above, below] = [&rows[0].tie_breaks, &rows[1].tie_breaks];
            above[..place] == below[..place] && above[place] != below[place]
        })
    }

    /// Returns the rows of the bots that do not play.
    pub fn others(&self) -> &[StandingsRow] {
        &self.rows[self.cross.bots()..]
    }
}

/// Returns the standings of an event after `bouts`, where level bots are
/// separated by `tie_breaks`, applied one after another.
///
/// Bouts of bots that are not in the field, or do not play, do not count.
pub fn table(event: &EventInfo, bouts: &[BoutSummary], tie_breaks: &[TieBreak]) -> Standings {
    let mut count = Count::of(event);
    bouts.iter().for_each(|bout| count.add(bout));
    count.standings(event, tie_breaks)
}

/// Sums over the bouts of an event from which its standings are made: one entry for each bot,
/// and one for each of its opponents, however many bouts there are.
#[derive(Clone, Debug)]
pub struct Count {
    places: RosterPlaces,
    tallies: Tallies,
    rounds: Option<RoundCount>,
    /// Bouts added, of all bots.
    bouts: u64,
    /// The places of a bout's bots, kept for the next one.
    found: Vec<usize>,
}

impl Count {
    /// Makes an empty count for the field of `event`.
    pub fn of(event: &EventInfo) -> Self {
        let field = Roster::of(event);
        let (places, tallies) = (
            RosterPlaces::of(&field),
            Tallies::of(field.bots.len(), event.settings.bots_per_match),
        );
        Self { places, tallies, rounds: RoundCount::of(event), bouts: 0, found: Vec::new() }
    }

    /// Returns whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.bouts == 0
    }

    /// Adds a bout; the order of bouts does not matter.
    pub fn add(&mut self, bout: &BoutSummary) {
        self.bouts += 1;
        if self.places.find(bout, &mut self.found) {
            self.tallies.add(&self.found, bout);
        }
        if let Some(rounds) = &mut self.rounds {
            rounds.add(bout);
        }
    }

    /// Returns the standings of the event, as [`table`] does.
    pub fn standings(&self, event: &EventInfo, tie_breaks: &[TieBreak]) -> Standings {
        let (field, tallies, settings) = (Roster::of(event), &self.tallies, &event.settings);
        let mut cross = tallies.cross();
        let scheduled = matches(settings, &field);
        if let Some(bouts) = bouts_of_a_pair(settings, field.bots.len() as u64, scheduled) {
            cross.mark_unfinished(bouts);
        }
        let rounds = self.rounds.as_ref().and_then(|rounds| rounds.progress(event));
        let matches = tallies.matches(settings.bouts_per_match);
        let mut ranking = Ranking {
            tallies,
            cross: &cross,
            matches: &matches,
            names: field.bots.iter().map(|bot| bot.name.as_str()).collect(),
            is_uneven: rounds.is_some(),
            head_to_head: vec![None; field.bots.len()],
        };
        let placed = ranking.rank(tie_breaks);
        let mut rows: Vec<_> =
            placed.iter().map(|placed| row(&field, &ranking, placed, tie_breaks)).collect();
        rows.extend(others(event));
        let order: Vec<usize> = placed.iter().map(|placed| placed.bot).collect();
        Standings {
            event: settings.id.clone(),
            game: settings.game.clone(),
            rules: settings.rules.clone(),
            bouts_per_match: settings.bouts_per_match,
            bots_per_match: settings.bots_per_match,
            tie_breaks: tie_breaks.to_vec(),
            rows,
            cross: cross.in_order(&order),
            bouts: tallies.bouts,
            unisolated: tallies.unisolated,
            referee_errors: event.referee_errors,
            unrepeatable: settings.unrepeatable,
            head: None,
            expected: match rounds {
                Some(rounds) => Some(rounds.bouts),
                None => scheduled
                    .and_then(|matches| matches.checked_mul(settings.bouts_per_match.into())),
            },
            rounds: rounds.map(|rounds| rounds.state),
        }
    }
}

/// Returns the matches of the whole event among the bots that play; `None` where they are drawn
/// round by round.
fn matches(event: &EventSettings, field: &Roster<'_>) -> Option<u64> {
    let (bots, seats) = (field.bots.len() as u64, event.bots_per_match.max(2));
    if event.schedule == ScheduleKind::RoundRobin {
        return Some(all_groups(bots, seats.into()));
    }
    let mut names: Vec<&str> = field.bots.iter().map(|bot| bot.name.as_str()).collect();
    names.sort_unstable();
    let whole = schedule::of_kind(&event.schedule, &names, seats as usize, event.draw_seed)?;
    Some(whole.count())
}

/// Returns the bouts of each pair among `bots` bots; `None` if pairs have different
/// numbers of bouts, because not every group meets.
fn bouts_of_a_pair(event: &EventSettings, bots: u64, matches: Option<u64>) -> Option<u32> {
    let seats = u64::from(event.bots_per_match).max(2);
    if bots < seats || matches? < all_groups(bots, seats) {
        return None;
    }
    // With two seats that is the one group of the pair itself.
    let groups = if seats == 2 { 1 } else { all_groups(bots - 2, seats - 2) };
    u32::try_from(groups.checked_mul(event.bouts_per_match.into())?).ok()
}

fn row(
    field: &Roster<'_>,
    ranking: &Ranking<'_>,
    placed: &PlacedBot,
    order: &[TieBreak],
) -> StandingsRow {
    let bot = placed.bot;
    let tally = &ranking.tallies.bots[bot];
    StandingsRow {
        rank: Some(placed.rank),
        bot: field.bots[bot].clone(),
        status: Status::Playing,
        matches: ranking.matches[bot],
        bouts: Record { won: tally.won, drawn: tally.drawn, lost: tally.lost, unfinished: 0 },
        points: Quarters::halves(tally.halves),
        score: tally.score,
        verdicts: tally.verdicts,
        tie_breaks: order.iter().map(|criterion| ranking.shown(*criterion, bot)).collect(),
    }
}

fn others(event: &EventInfo) -> Vec<StandingsRow> {
    let with_status = event.bots.iter().map(|bot| (status(event, bot), bot));
    let mut others: Vec<_> = with_status.filter(|(status, _)| *status != Status::Playing).collect();
    others
        .sort_by(|one, other| (order(&one.0), &one.1.name).cmp(&(order(&other.0), &other.1.name)));
    others.into_iter().map(|(status, bot)| unranked(status, bot)).collect()
}

fn order(status: &Status) -> u8 {
    match status {
        Status::Playing => 0,
        Status::NotBuilt { .. } => 1,
        Status::NotRun { .. } => 2,
        Status::Withdrawn { .. } => 3,
        Status::Disqualified { .. } => 4,
    }
}

fn unranked(status: Status, bot: &BotRow) -> StandingsRow {
    StandingsRow {
        rank: None,
        bot: bot.clone(),
        status,
        matches: Record::default(),
        bouts: Record::default(),
        points: Quarters::default(),
        score: Score::default(),
        verdicts: VerdictCounts::default(),
        tie_breaks: Vec::new(),
    }
}

/// The bots that play, in the order of registration.
struct Roster<'a> {
    bots: Vec<&'a BotRow>,
}

impl<'a> Roster<'a> {
    fn of(event: &'a EventInfo) -> Self {
        let plays = |bot: &&BotRow| status(event, bot) == Status::Playing;
        Self { bots: event.bots.iter().filter(plays).collect() }
    }
}

/// Returns the names of the bots of an event that play, in the order of registration.
pub fn playing(event: &EventInfo) -> Vec<&str> {
    Roster::of(event).bots.iter().map(|bot| bot.name.as_str()).collect()
}

/// The places of the bots of a field, by their names.
#[derive(Clone, Debug)]
struct RosterPlaces(BTreeMap<String, usize>);

impl RosterPlaces {
    fn of(field: &Roster<'_>) -> Self {
        Self(field.bots.iter().zip(0..).map(|(bot, place)| (bot.name.clone(), place)).collect())
    }

    /// Returns the place of a bot that plays.
    fn place(&self, bot: &str) -> Option<usize> {
        self.0.get(bot).copied()
    }

    /// Gives `places` a bout's bots by their place in the field, in seat order; says
    /// whether all of them play.
    fn find(&self, bout: &BoutSummary, places: &mut Vec<usize>) -> bool {
        places.clear();
        places.extend(bout.seats.iter().map_while(|seat| self.place(&seat.bot)));
        places.len() == bout.seats.len()
    }
}

/// Returns what becomes of a bot.
fn status(event: &EventInfo, bot: &BotRow) -> Status {
    if let Some(row) = event.decision(&bot.name) {
        let (reason, at) = (row.reason.clone(), row.at);
        return match row.decision {
            Decision::Disqualified => Status::Disqualified { reason, at },
            Decision::Withdrawn | Decision::Restored => Status::Withdrawn { reason, at },
        };
    }
    match &bot.sits_out {
        Some(reason) if bot.build.is_some() => Status::NotRun { reason: reason.clone() },
        Some(reason) => Status::NotBuilt { reason: reason.clone() },
        None => Status::Playing,
    }
}
