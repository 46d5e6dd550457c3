//! Values that are fine alone and impossible together.

use std::time::Duration;

use joust_referee::ClockSpec;

use super::duration::show_duration;
use super::problem::Problem;
use super::section::{Reading, Section};
use super::table::{Origin, Origins};
use joust_model::{Limits, Pace};

/// Reports limits of one event that contradict each other, at the value that
/// was written nearest to the event.
pub(super) fn check_limits(reading: &Reading<'_>, origins: &Origins, limits: &Limits) {
    if limits.kill < limits.turn {
        let at = origins.get("limits", "kill").or(origins.get("limits", "turn"));
        report(reading, at, kill_before_turn(limits));
    }
    if limits.bout < limits.turn {
        let at = origins.get("limits", "bout").or(origins.get("limits", "turn"));
        report(reading, at, bout_before_turn(limits));
    }
    if limits.turn < limits.cpu.saturating_mul(2)
        && let Some(at) = origins.get("limits", "cpu").or(origins.get("limits", "turn"))
    {
        reading.report(tight_wall_clock(reading, at, limits));
    }
}

/// Reports what a clock cannot do with the limits of one event.
pub(super) fn check_clock(
    event: &Section<'_>,
    origins: &Origins,
    limits: &Limits,
    pace: Pace,
    clock: &ClockSpec,
) {
    let ticks = Duration::from_millis(clock.tick_ms.into()).saturating_mul(clock.ticks);
    let whole = Duration::from_millis(clock.first_ms.into()).saturating_add(ticks);
    if pace == Pace::Realtime && limits.bout < whole {
        let (bout, whole) = (show_duration(limits.bout), show_duration(whole));
        let message = format!("`bout` ({bout}) is shorter than a bout by its clock ({whole})");
        let hint = format!("make `bout` at least {whole}, or use `clock: eager`");
        let written = origins.get("limits", "bout");
        let (place, path) = written.map_or((event.place, &event.path), |w| (w.place, &w.path));
        let problem = event.reading.source.error(place, path, message);
        event.reading.report(problem.with_hint(hint));
    }
}

/// A limit that a game has no use for is a mistake where it is written for that game alone.
pub(super) fn refuse_cpu_bout(reading: &Reading<'_>, origins: &Origins, game: &str) {
    let Some(written) = origins.get("limits", "cpu_bout") else { return };
    if written.path.starts_with("defaults") {
        return;
    }
    let message = format!("`{game}` is not a game on a clock");
    let hint = "its limit of processor time is `cpu`, for each turn".to_owned();
    report(reading, Some(written), Clash { message, hint });
}

/// Contradiction of values that are fine alone, and advice.
struct Clash {
    message: String,
    hint: String,
}

fn report(reading: &Reading<'_>, at: Option<&Origin>, clash: Clash) {
    let Some(at) = at else { return };
    let problem = reading.source.error(at.place, &at.path, clash.message);
    reading.report(problem.with_hint(clash.hint));
}

fn kill_before_turn(limits: &Limits) -> Clash {
    let (kill, turn) = (show_duration(limits.kill), show_duration(limits.turn));
    Clash {
        message: format!("`kill` ({kill}) is shorter than `turn` ({turn})"),
        hint: format!("a bot is killed after its turn is over: make `kill` at least {turn}"),
    }
}

fn bout_before_turn(limits: &Limits) -> Clash {
    let (bout, turn) = (show_duration(limits.bout), show_duration(limits.turn));
    Clash {
        message: format!("`bout` ({bout}) is shorter than `turn` ({turn})"),
        hint: "`bout` is the wall budget of a whole bout; the default is 30m".to_owned(),
    }
}

fn tight_wall_clock(reading: &Reading<'_>, at: &Origin, limits: &Limits) -> Problem {
    let (turn, cpu) = (show_duration(limits.turn), show_duration(limits.cpu));
    let message = format!("`turn` ({turn}) is less than twice `cpu` ({cpu})");
    reading
        .source
        .error(at.place, &at.path, message)
        .with_hint(
            "on a loaded machine the wall clock may end a turn that kept within its processor time",
        )
        .as_warning()
}
