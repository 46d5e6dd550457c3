//! Rank that a candidate would have in the league.

use joust_model::{BoutSummary, EventInfo};
use joust_standings::event_results::EventResults;
use joust_standings::ratings::event::EventRatings;

use super::report::TryRank;
use super::stage::TryStage;
use crate::board;
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
    let ratings = league.others.ratings_of(&names);
    let standing = RatedRank::of(&ratings, &stage.name)?;
    let before = RatedRank::of(&league.whole.ratings_of(&names), &stage.name);
    let own = &ratings.rows[standing.place];
    Some(TryRank {
        rank: standing.rank,
        range: standing.range,
        of: standing.of,
        before: before.map(|before| before.rank),
        rating: [own.rating?, own.low?, own.high?],
        model: ratings.model.text(),
        with_league,
    })
}

fn names<'a>(stage: &'a TryStage<'_>) -> Vec<&'a str> {
    let field = stage.field.iter().map(String::as_str);
    field.chain(std::iter::once(stage.name.as_str())).collect()
}

fn info(stage: &TryStage<'_>, names: &[&str]) -> EventInfo {
    let settings = event_settings(stage.tournament, stage.event);
    board::event_between(settings, names.iter().copied())
}

/// Rank of a bot by rating.
struct RatedRank {
    place: usize,
    rank: usize,
    range: [usize; 2],
    of: usize,
}

impl RatedRank {
    fn of(ratings: &EventRatings, bot: &str) -> Option<Self> {
        let place = ratings.rows.iter().position(|row| row.bot == bot)?;
        let own = ratings.rows[place].rating.filter(|_| ratings.rows[place].bouts > 0)?;
        let others = || {
            let all = ratings.rows.iter().enumerate();
            all.filter(|(other, row)| *other != place && row.bouts > 0)
        };
        let count = |is_so: &dyn Fn(usize) -> bool| others().filter(|(row, _)| is_so(*row)).count();
        let is_ahead = |other: usize| ratings.rows[other].rating.is_some_and(|it| it > own);
        let is_surely = |one: usize, other: usize| {
            ratings.superiority(one, other).is_some_and(|likely| likely >= SURE)
        };
        let of = others().count() + 1;
        Some(Self {
            place,
            rank: 1 + count(&is_ahead),
            range: [
                1 + count(&|other| is_surely(other, place)),
                of - count(&|other| is_surely(place, other)),
            ],
            of,
        })
    }
}
