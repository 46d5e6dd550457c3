//! Estimate of the remaining time, from earlier bouts.

use std::collections::HashMap;
use std::time::Duration;

use joust_referee::{Catalogue, ClockSpec};

use joust_model::{BoutPlan, ClockMode, RoundState};
use joust_play::executor::Equipment;

/// Rounds assumed for a bout when none has been played.
const ROUNDS_UNSEEN: u32 = 100;

/// A bot's turn where its language has not been measured yet.
const TURN_UNSEEN: Duration = Duration::from_millis(50);

/// Costs of a bout's round on this machine.
pub(super) struct RoundCosts<'a> {
    /// Games and calibrations.
    pub(super) equipment: &'a Equipment,
    /// The language of each bot.
    pub(super) languages: HashMap<&'a str, &'a str>,
    /// Bouts at once.
    pub(super) parallel: usize,
}

/// Estimate of the remaining work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Each event, in the tournament's order.
    pub events: Vec<EventEstimate>,
}

/// Estimate of an event's remaining work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventEstimate {
    /// The event.
    pub event: String,
    /// State of the open round, for events with rounds: the bouts to play are those of this round.
    pub round: Option<RoundState>,
    /// Bouts to play.
    pub bouts: u64,
    /// Matches they belong to.
    pub matches: u64,
    /// Time for all of them, with as many at once as will be played.
    pub time: Duration,
    /// Mean rounds of a bout it is based on.
    pub rounds: u32,
    /// True if bouts were played before; otherwise the rounds are assumed.
    pub is_from_results: bool,
}

/// Estimates what bouts that come in schedule order will take; `mean` are the rounds of those
/// that were played.
pub(super) fn estimate(
    event: &str,
    missing: impl Iterator<Item = BoutPlan>,
    mean: Option<u32>,
    costs: &RoundCosts<'_>,
) -> EventEstimate {
    let mut rounds = mean;
    let (mut bouts, mut matches, mut time) = (0, 0, Duration::ZERO);
    let mut newest = None;
    for plan in missing {
        bouts += 1;
        matches += u64::from(newest.replace(plan.match_number) != Some(plan.match_number));
        let clock = clock(&costs.equipment.games, &plan);
        let of_bout = expected_rounds(mean, clock);
        rounds = Some(of_bout);
        time += costs.of_round(&plan, clock) * of_bout;
    }
    EventEstimate {
        event: event.to_owned(),
        round: None,
        bouts,
        matches,
        time: time / u32::try_from(costs.parallel.max(1)).unwrap_or(1),
        rounds: rounds.unwrap_or(ROUNDS_UNSEEN),
        is_from_results: mean.is_some(),
    }
}

/// Returns the clock of a bout, for games that have one.
fn clock(games: &Catalogue, plan: &BoutPlan) -> Option<ClockSpec> {
    games.find(&plan.game)?.spec().clock(&plan.options.to_referee())
}

/// A clock has an end that options may set, or none.
fn expected_rounds(mean: Option<u32>, clock: Option<ClockSpec>) -> u32 {
    match clock.map(|clock| clock.ticks).filter(|ticks| *ticks < u32::MAX) {
        Some(ticks) => mean.unwrap_or(ticks).min(ticks),
        None => mean.unwrap_or(ROUNDS_UNSEEN),
    }
}

impl RoundCosts<'_> {
    /// Returns the time of a round. Most of a bot's turn is the time of a do-nothing bot; a
    /// real-time clock has a fixed time.
    fn of_round(&self, plan: &BoutPlan, clock: Option<ClockSpec>) -> Duration {
        if let (Some(clock), Some(ClockMode::Realtime)) = (clock, plan.clock) {
            return Duration::from_millis(clock.tick_ms.into());
        }
        let languages = plan.seats.iter().filter_map(|seat| self.languages.get(&*seat.bot));
        let starts = plan.limits.starts;
        let of_turn = |language: &&str| {
            let warm = self.of_turn(&starts.of_language(language), &plan.game);
            warm.unwrap_or_else(|| self.of_turn(language, &plan.game).unwrap_or(TURN_UNSEEN))
        };
        languages.map(of_turn).sum()
    }

    /// Returns the known time of a do-nothing bot's turn.
    fn of_turn(&self, measured: &str, game: &str) -> Option<Duration> {
        Some(self.equipment.calibration(measured, game).wall).filter(|wall| !wall.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_ends_is_not_expected_to_strike_on() {
        let clock = |ticks| Some(ClockSpec { first_ms: 0, tick_ms: 100, ticks });
        assert_eq!(expected_rounds(None, clock(22)), 22);
        assert_eq!(expected_rounds(Some(500), clock(22)), 22);
        assert_eq!(expected_rounds(Some(7), clock(22)), 7);
        assert_eq!(expected_rounds(None, clock(u32::MAX)), ROUNDS_UNSEEN);
        assert_eq!(expected_rounds(Some(7), None), 7);
    }
}
