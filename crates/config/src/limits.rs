//! Limits of an event: those that a game sets by itself, where its rules demand other ones, and those
//! that are valid alone but contradict each other.

use std::time::Duration;

use joust_model::{Bytes, ClockMode, Limits};
use joust_referee::{ClockSpec, DefaultLimits};

use super::quantity::show_duration;
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

/// Sets the limits that are not written to those of the game. A game on wall clock lets a bot use
/// all its cores until it is killed.
pub(super) fn fill_limits(
    limits: &mut Limits,
    game: &DefaultLimits,
    is_written: impl Fn(&str) -> bool,
) {
    let DefaultLimits { start, cpu, turn, kill, memory_bytes, counts_wall_clock } = *game;
    let whole = kill.unwrap_or(limits.kill).saturating_mul(limits.cores_per_bot);
    let cpu = if counts_wall_clock { Some(whole) } else { cpu };
    let fill = |limit: &mut Duration, key: &str, own: Option<Duration>| {
        *limit = own.filter(|_| !is_written(key)).unwrap_or(*limit);
    };
    fill(&mut limits.start, "start", start);
    fill(&mut limits.cpu, "cpu", cpu);
    fill(&mut limits.turn, "turn", turn);
    fill(&mut limits.kill, "kill", kill);
    let memory = memory_bytes.filter(|_| !is_written("memory"));
    limits.memory = memory.map_or(limits.memory, Bytes);
}

#[cfg(test)]
mod tests {
    use joust_referee::Catalogue;

    use super::*;

    fn filled(game: &str, cores_per_bot: u32) -> Limits {
        let mut limits = Limits { cores_per_bot, ..Limits::default() };
        let games = Catalogue::built_in();
        let own = &games.find(game).expect("it ships with Joust").spec().limits;
        fill_limits(&mut limits, own, |_| false);
        limits
    }

    #[test]
    fn a_game_on_wall_clock_lets_a_bot_use_all_its_cores() {
        assert_eq!(filled("bomberman-2016", 1).cpu, Duration::from_secs(4));
        assert_eq!(filled("bomberman-2016", 3).cpu, Duration::from_secs(12));
        assert_eq!(filled("bomberman-2016", 3).memory, Bytes::from_mib(1024));
    }

    #[test]
    fn other_games_have_the_common_limits() {
        let common = Limits { cores_per_bot: 4, ..Limits::default() };
        assert_eq!(filled("battlebots", 4), common);
    }
}
