//! Limits that a game sets by itself, where its rules demand other ones.

use joust_model::{Bytes, Limits};
use joust_referee::DefaultLimits;

use super::table::Origins;

/// Defaults of a game in place of the common ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameDefaults(DefaultLimits);

impl GameDefaults {
    /// Returns the defaults of a game that has these limits of its own.
    pub(super) fn of(own: &DefaultLimits) -> Self {
        Self(*own)
    }

    /// Sets the limits that are written nowhere. A game on wall clock lets a bot use
    /// all its cores until it is killed.
    pub(super) fn fill(self, limits: &mut Limits, origins: &Origins) {
        let is_left_out = |key: &'static str| origins.get("limits", key).is_none();
        let DefaultLimits { start, cpu, turn, kill, memory_bytes, counts_wall_clock } = self.0;
        let whole = kill.unwrap_or(limits.kill).saturating_mul(limits.cores_per_bot);
        let cpu = if counts_wall_clock { Some(whole) } else { cpu };
        if let Some(start) = start.filter(|_| is_left_out("start")) {
            limits.start = start;
        }
        if let Some(cpu) = cpu.filter(|_| is_left_out("cpu")) {
            limits.cpu = cpu;
        }
        if let Some(turn) = turn.filter(|_| is_left_out("turn")) {
            limits.turn = turn;
        }
        if let Some(kill) = kill.filter(|_| is_left_out("kill")) {
            limits.kill = kill;
        }
        if let Some(memory) = memory_bytes.filter(|_| is_left_out("memory")) {
            limits.memory = Bytes(memory);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use joust_referee::Catalogue;

    use super::*;

    fn filled(game: &str, cores_per_bot: u32) -> Limits {
        let mut limits = Limits { cores_per_bot, ..Limits::default() };
        let games = Catalogue::built_in();
        let own = &games.find(game).expect("it ships with Joust").spec().limits;
        GameDefaults::of(own).fill(&mut limits, &Origins::default());
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
