//! Limits that a game sets by itself, where its rules demand other ones.

use std::time::Duration;

use joust_model::{Bytes, Limits};

/// Games whose rule has been wall clock since their release 1.1.0.
const WALL_CLOCK_GAMES: [&str; 2] = ["bomberman-2016", "battleships-2017"];

/// The limits of a game for which nothing is written.
#[derive(Clone, Debug)]
pub(super) struct GameDefaults {
    pub(super) limits: Limits,
    is_wall_clock: bool,
}

impl GameDefaults {
    /// Returns the defaults of the game called `id`.
    pub(super) fn of(id: &str) -> Self {
        if WALL_CLOCK_GAMES.contains(&id) {
            return Self { limits: entelect(), is_wall_clock: true };
        }
        Self { limits: Limits::default(), is_wall_clock: false }
    }

    /// Returns the limits when a bot has `cores` cores: a game on wall clock
    /// lets a bot use all of them until it is killed.
    pub(super) fn limits_with_cores(&self, cores: u32) -> Limits {
        let mut limits = self.limits.clone();
        if self.is_wall_clock {
            limits.cpu = limits.kill.saturating_mul(cores);
        }
        limits
    }
}

/// Turn 2 s, kill 4 s; their Java is started with `-Xms512m`.
fn entelect() -> Limits {
    Limits {
        cpu: Duration::from_secs(4),
        turn: Duration::from_secs(2),
        kill: Duration::from_secs(4),
        memory: Bytes::from_mib(1024),
        ..Limits::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_on_wall_clock_lets_a_bot_use_all_its_cores() {
        let defaults = GameDefaults::of("bomberman-2016");
        assert_eq!(defaults.limits_with_cores(1).cpu, Duration::from_secs(4));
        assert_eq!(defaults.limits_with_cores(3).cpu, Duration::from_secs(12));
        assert_eq!(defaults.limits.memory, Bytes::from_mib(1024));
    }

    #[test]
    fn other_games_have_the_common_limits() {
        assert_eq!(GameDefaults::of("battlebots").limits_with_cores(4), Limits::default());
    }
}
