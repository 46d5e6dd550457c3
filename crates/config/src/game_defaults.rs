//! Limits that a game sets by itself, where its rules demand other ones.

use std::time::Duration;

use joust_model::{Bytes, Limits};
use joust_referee::DefaultLimits;

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
