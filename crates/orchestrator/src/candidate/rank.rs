//! Rank that a candidate would have in the league.

use joust_model::{BotRow, BoutSummary, EventInfo};
use joust_tables::ratings::event::{EventRatings, rate};

use super::report::Rank;
use super::stage::Stage;
use crate::pipeline::event_settings;

/// The likelihood with which one bot is behind another for sure.
const SURE: f64 = 0.975;

/// The bouts of a try come after those of the league.
const AFTER_THE_LEAGUE: u64 = 1 << 40;

/// Rates the candidate by its bouts and those of the league, in which its earlier version does
/// not count; `None` when nothing was played.
pub(super) fn rank(
    stage: &Stage<'_>,
    tried: &[BoutSummary],
    league: &[BoutSummary],
) -> Option<Rank> {
    let sat = |bout: &&BoutSummary| bout.seats.iter().any(|seat| *seat.bot == *stage.name);
    let mut bouts: Vec<BoutSummary> = league.iter().filter(|bout| !sat(bout)).cloned().collect();
    let with_league = !bouts.is_empty();
    bouts.extend(tried.iter().map(|bout| BoutSummary {
        match_number: bout.match_number.saturating_add(AFTER_THE_LEAGUE),
        ..bout.clone()
    }));
    let mut names: Vec<&str> = stage.field.iter().map(String::as_str).collect();
    names.push(&stage.name);
    let event = info(stage, &names);
    let ratings = rate(&event, &names, &bouts);
    let standing = Standing::of(&ratings, &stage.name)?;
    let before = Standing::of(&rate(&event, &names, league), &stage.name);
    let own = &ratings.rows[standing.place];
    Some(Rank {
        rank: standing.rank,
        range: standing.range,
        of: standing.of,
        before: before.map(|before| before.rank),
        rating: [own.rating?, own.low?, own.high?],
        model: ratings.model.text(),
        with_league,
    })
}

fn info(stage: &Stage<'_>, names: &[&str]) -> EventInfo {
    let row = |name: &&str| BotRow { name: (*name).to_owned(), ..BotRow::default() };
    EventInfo {
        settings: event_settings(&stage.tournament, stage.event),
        bots: names.iter().map(row).collect(),
        decisions: Vec::new(),
        referee_errors: 0,
    }
}

/// Where a bot stands by rating.
struct Standing {
    place: usize,
    rank: usize,
    range: [usize; 2],
    of: usize,
}

impl Standing {
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
