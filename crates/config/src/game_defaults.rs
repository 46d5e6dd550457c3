//! Limits that a game sets by itself, where its rules demand other ones.

use std::time::Duration;

use joust_model::{Bytes, Limits};

use super::table::Origins;

/// Games whose rule has been wall clock since their release 1.1.0.
const WALL_CLOCK_GAMES: [&str; 2] = ["bomberman-2016", "battleships-2017"];

/// What a game has in place of the common defaults.
#[derive(Clone, Copy, Debug)]
pub(super) enum GameDefaults {
    /// Nothing.
    Common,
    /// A game on wall clock lets a bot use all its cores until it is killed.
    WallClock { turn: Duration, kill: Duration, memory: Bytes },
}

impl GameDefaults {
    /// Returns the defaults of the game called `id`.
    pub(super) fn of(id: &str) -> Self {
        if !WALL_CLOCK_GAMES.contains(&id) {
            return Self::Common;
        }
        // Their Java is started with `-Xms512m`.
        Self::WallClock {
            turn: Duration::from_secs(2),
            kill: Duration::from_secs(4),
            memory: Bytes::from_mib(1024),
        }
    }

    /// Sets the limits that are written nowhere.
    pub(super) fn fill(self, limits: &mut Limits, origins: &Origins) {
        let Self::WallClock { turn, kill, memory } = self else { return };
        let is_left_out = |key: &'static str| origins.get("limits", key).is_none();
        if is_left_out("cpu") {
            limits.cpu = kill.saturating_mul(limits.cores_per_bot);
        }
        if is_left_out("turn") {
            limits.turn = turn;
        }
        if is_left_out("kill") {
            limits.kill = kill;
        }
        if is_left_out("memory") {
            limits.memory = memory;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(game: &str, cores_per_bot: u32) -> Limits {
        let mut limits = Limits { cores_per_bot, ..Limits::default() };
        GameDefaults::of(game).fill(&mut limits, &Origins::default());
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
