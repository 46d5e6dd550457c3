//! First position of a bout. Nothing in this game is drawn by lot.

use super::{Board, BoutOptions, GameState, LastMove, Phase, Player, Shield, Ship};

impl GameState {
    /// Makes the position every bout starts from.
    pub fn start(options: &BoutOptions) -> Self {
        Self {
            round: 0,
            phase: Phase::Placing,
            players: [start_player(options), start_player(options)],
        }
    }
}

/// Makes a player who has placed nothing.
pub(super) fn start_player(options: &BoutOptions) -> Player {
    Player {
        energy: options.energy_per_round(),
        points: 0,
        shots_fired: 0,
        shots_hit: 0,
        first_hit_round: None,
        failed_placements: 0,
        do_nothings: 0,
        killed: false,
        is_person: false,
        ships: [Ship::default(); 5],
        shield: Shield::default(),
        board: Board::new(options.size),
        last: LastMove::default(),
    }
}
