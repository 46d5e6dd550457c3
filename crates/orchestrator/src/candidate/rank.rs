//! Rank that a candidate would have in the league.

use joust_model::{BotRow, BoutSummary, EventInfo};
use joust_standings::event_results::EventResults;
use joust_standings::ratings::event::EventRatings;

use super::report::TryRank;
use super::stage::TryStage;
use crate::pipeline::event_settings;

/// The likelihood with which one bot is behind another for sure.
const SURE: f64 = 0.975;

/// Results of a league: all bouts, and those without an earlier version of the candidate.
#[derive(Clone, Debug)]
pub(super) struct LeagueResults {
    candidate: String,
    whole: EventResults,
    others: EventResults,
    has_others: bool,
}

impl LeagueResults {
    /// Makes an empty one, without bouts.
    pub(super) fn of(stage: &TryStage<'_>) -> Self {
        let whole = EventResults::of(&info(stage, &names(stage)), None);
        let candidate = stage.name.clone();
        Self { candidate, others: whole.clone(), whole, has_others: false }
    }

    /// Returns true when bouts must be added in schedule order; otherwise any order will do.
    pub(super) fn needs_order(&self) -> bool {
        self.whole.needs_order()
    }

    /// Adds a bout of the league.
    pub(super) fn add(&mut self, bout: &BoutSummary) {
        self.whole.add(bout);
        if !bout.seats.iter().any(|seat| *seat.bot == *self.candidate) {
            self.others.add(bout);
            self.has_others = true;
        }
    }
}

/// Rates the candidate by its bouts and those of the league, in which its earlier version does
/// not count; `None` when nothing was played.
pub(super) fn rank(
    stage: &TryStage<'_>,
    tried: &[BoutSummary],
    mut league: LeagueResults,
) -> Option<TryRank> {
    tried.iter().for_each(|bout| league.others.add(bout));
    let (names, with_league) = (names(stage), league.has_others);
    let rank = rank_in(&league.others.ratings_of(&names), &stage.name)?;
    let before = rank_in(&league.whole.ratings_of(&names), &stage.name);
    Some(TryRank { before: before.map(|before| before.rank), with_league, ..rank })
}

fn names<'a>(stage: &'a TryStage<'_>) -> Vec<&'a str> {
    let field = stage.field.iter().map(String::as_str);
    field.chain(std::iter::once(stage.name.as_str())).collect()
}

fn info(stage: &TryStage<'_>, names: &[&str]) -> EventInfo {
    let settings = event_settings(stage.tournament, stage.event);
    let row = |name: &&str| BotRow { name: (*name).to_owned(), ..BotRow::default() };
    let bots = names.iter().map(row).collect();
    EventInfo { settings, bots, decisions: Vec::new(), referee_errors: 0 }
}

/// Returns a bot's rank by rating; `None` for a bot without bouts.
fn rank_in(ratings: &EventRatings, bot: &str) -> Option<TryRank> {
    let place = ratings.rows.iter().position(|row| row.bot == bot)?;
    let own = &ratings.rows[place];
    let rating = own.rating.filter(|_| own.bouts > 0)?;
    let others = || {
        let all = ratings.rows.iter().enumerate();
        all.filter(|(other, row)| *other != place && row.bouts > 0)
    };
    let count = |is_so: &dyn Fn(usize) -> bool| others().filter(|(row, _)| is_so(*row)).count();
    let is_ahead = |other: usize| ratings.rows[other].rating.is_some_and(|it| it > rating);
    let is_surely = |one: usize, other: usize| {
        ratings.superiority(one, other).is_some_and(|likely| likely >= SURE)
    };
    let of = others().count() + 1;
    Some(TryRank {
        rank: 1 + count(&is_ahead),
        range: [
            1 + count(&|other| is_surely(other, place)),
            of - count(&|other| is_surely(place, other)),
        ],
        of,
        before: None,
        rating: [rating, own.low?, own.high?],
        model: ratings.model.text(),
        with_league: false,
    })
}
