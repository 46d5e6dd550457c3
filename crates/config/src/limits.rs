//! Limits that are valid alone but contradict each other.

use std::time::Duration;

use joust_model::{ClockMode, Limits};
use joust_referee::ClockSpec;

use super::duration::show_duration;
use super::read::Cursor;
use super::rejection::Rejection;

/// Reports limits of one event that contradict each other, at the value that
/// was written nearest to the event.
pub(super) fn check_limits(event: &Cursor<'_>, limits: &Limits) {
    let written = |key| event.find(&["limits", key]);
    let Limits { cpu, turn, kill, bout, .. } = limits;
    let [shown_cpu, shown_turn] = [cpu, turn].map(|time| show_duration(*time));
    if kill < turn
        && let Some(at) = written("kill").or_else(|| written("turn"))
    {
        let kill = show_duration(*kill);
        let message = format!("`kill` ({kill}) is shorter than `turn` ({shown_turn})");
        let hint =
            format!("a bot is killed after its turn is over: make `kill` at least {shown_turn}");
        at.refuse(Rejection::new(message, hint));
    }
    if bout < turn
        && let Some(at) = written("bout").or_else(|| written("turn"))
    {
        let bout = show_duration(*bout);
        let message = format!("`bout` ({bout}) is shorter than `turn` ({shown_turn})");
        let hint = "`bout` is the wall budget of a whole bout; the default is 30m";
        at.refuse(Rejection::new(message, hint));
    }
    if *turn < cpu.saturating_mul(2)
        && let Some(at) = written("cpu").or_else(|| written("turn"))
    {
        let message = format!("`turn` ({shown_turn}) is less than twice `cpu` ({shown_cpu})");
        let hint = "on a loaded machine the wall clock may end a turn that kept within its \
                    processor time";
        at.warn(Rejection::new(message, hint));
    }
}

/// Reports limits of one event that do not fit its clock.
pub(super) fn check_clock(event: &Cursor<'_>, limits: &Limits, pace: ClockMode, clock: &ClockSpec) {
    let ticks = Duration::from_millis(clock.tick_ms.into()).saturating_mul(clock.ticks);
    let whole = Duration::from_millis(clock.first_ms.into()).saturating_add(ticks);
    if pace == ClockMode::Realtime && limits.bout < whole {
        let (bout, whole) = (show_duration(limits.bout), show_duration(whole));
        let message = format!("`bout` ({bout}) is shorter than a bout by its clock ({whole})");
        let hint = format!("make `bout` at least {whole}, or use `clock: eager`");
        let at = event.find(&["limits", "bout"]);
        at.as_ref().unwrap_or(event).refuse(Rejection::new(message, hint));
    }
}

/// Refuses a limit that has no effect in a game, if it is written for that game alone.
pub(super) fn refuse_cpu_bout(event: &Cursor<'_>, game: &str) {
    let own = event.clone().over(None);
    if let Some(written) = own.find(&["limits", "cpu_bout"]) {
        let hint = "its limit of processor time is `cpu`, for each turn";
        written.refuse(Rejection::new(format!("`{game}` is not a game on a clock"), hint));
    }
}

/// Returns the processor time of a whole bout of a game on a clock for which none is
/// written: four fifths of the longest time of its ticks.
pub(super) fn cpu_of_a_bout(clock: &ClockSpec, bout: Duration) -> Duration {
    let ticks = Duration::from_millis(clock.tick_ms.into()).saturating_mul(clock.ticks);
    ticks.min(bout) / 5 * 4
}
