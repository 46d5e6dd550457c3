//! Estimate of the remaining time, from earlier bouts.

use std::time::Duration;

use joust_model::BoutPlan;
use joust_model::notices::{EventEstimate, ExpectedTime};
use joust_referee::Catalogue;

/// Durations of an event's bouts.
pub(super) struct BoutDurations<'a> {
    /// Mean of the bouts that were played, if any was.
    pub(super) mean: Option<Duration>,
    /// Games, whose clocks may end.
    pub(super) games: &'a Catalogue,
    /// Bouts at once.
    pub(super) parallel: usize,
}

/// Estimates the duration of bouts that come in schedule order.
pub(super) fn estimate(
    event: &str,
    missing: impl Iterator<Item = BoutPlan>,
    durations: &BoutDurations<'_>,
) -> EventEstimate {
    let (mut bouts, mut matches, mut time) = (0, 0, Some(Duration::ZERO));
    let mut newest = None;
    for plan in missing {
        bouts += 1;
        matches += u64::from(newest.replace(plan.match_number) != Some(plan.match_number));
        let of_bout = durations.mean.or_else(|| longest(durations.games, &plan));
        time = time.zip(of_bout).map(|(time, of_bout)| time.saturating_add(of_bout));
    }
    let parallel = u32::try_from(durations.parallel.max(1)).unwrap_or(1);
    let time = time.map_or(ExpectedTime::Unknown, |time| match durations.mean {
        Some(_) => ExpectedTime::Measured(time / parallel),
        None => ExpectedTime::AtMost(time / parallel),
    });
    EventEstimate { event: event.to_owned(), round: None, bouts, matches, time }
}

/// Returns the longest duration of a bout whose clock ends: no pace is slower than real time.
fn longest(games: &Catalogue, plan: &BoutPlan) -> Option<Duration> {
    let clock = games.find(&plan.game)?.spec().clock(&plan.options.to_referee())?;
    let ticks = Duration::from_millis(u64::from(clock.tick_ms) * u64::from(clock.ticks));
    let first = Duration::from_millis(clock.first_ms.into());
    (clock.ticks < u32::MAX).then(|| plan.limits.start + first + ticks)
}
