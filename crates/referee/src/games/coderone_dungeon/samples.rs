//! Sample views for people who write parsers or try an agent on them.

use super::{
    AMMO_LIFE_TICKS, Ammo, BOMB_TIMER_TICKS, Bomb, BoutOptions, Chance, GameState, Report, Spot,
    Treasure, advance, view,
};
use crate::{Part, Parts, Sample, Seat, Seed};

/// The seed of the board that all samples are on.
const SEED: Seed = Seed(2026);

/// Returns a name and a view for each thing an agent must cope with.
pub(super) fn views() -> Vec<Sample> {
    let samples = [
        ("start-seat-0", start(2), Seat(0)),
        ("start-seat-1", start(2), Seat(1)),
        ("bombs", bombs(), Seat(0)),
        ("treasure", treasure(), Seat(1)),
        ("without-blocks", without_blocks(), Seat(0)),
        ("a-dead-opponent", a_dead_opponent(), Seat(2)),
        ("eight-players", start(8), Seat(7)),
        ("the-last-state", the_last_state(), Seat(1)),
    ];
    samples.into_iter().map(|(name, state, seat)| Sample::new(name, shown(&state, seat))).collect()
}

fn shown(state: &GameState, seat: Seat) -> Parts {
    let part = |name: &str, bytes: Vec<u8>| Part { name: name.into(), bytes: bytes.into() };
    Parts(vec![
        part(view::GAME_STATE, view::game_state(state)),
        part(view::PLAYER_STATE, view::player_state(state, seat)),
    ])
}

/// The first state agents see: that after tick 0.
fn start(seats: u8) -> GameState {
    let options = BoutOptions { columns: 12, rows: 10, max_iterations: None, seats };
    let mut chance = Chance::from_seed(SEED);
    let mut state = GameState::generate(&options, &mut chance);
    advance(&mut state, None, &[], &mut chance, &mut Report::default());
    state
}

fn bomb(owner: u8, at: Spot, age: i32) -> Bomb {
    Bomb { at, owner, timer: BOMB_TIMER_TICKS - age, power: 2 }
}

fn bombs() -> GameState {
    let mut state = start(2);
    let [first, second] = [state.players[0].at, state.players[1].at];
    state.bombs = vec![bomb(1, second, 20), bomb(0, first, 3)];
    state.players[0].ammo = 2;
    state.players[1].ammo = 2;
    state
}

fn treasure() -> GameState {
    let mut state = start(2);
    let at = state.blocks.remove(0).at;
    state.treasure = vec![Treasure { at, taken: false }];
    let at = state.blocks.remove(0).at;
    state.ammo.push(Ammo { at, life: AMMO_LIFE_TICKS, taken: false });
    state.players[1].reward = 4;
    state
}

fn without_blocks() -> GameState {
    let mut state = start(2);
    state.metal.clear();
    state.blocks.clear();
    state
}

fn a_dead_opponent() -> GameState {
    let mut state = start(3);
    state.players[0].hp = -1;
    state.players[2].reward = 50;
    state
}

fn the_last_state() -> GameState {
    let mut state = start(2);
    state.players[0].hp = 0;
    state.is_over = true;
    state.winner = Some(1);
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_has_the_documented_shape() {
        let mut state = without_blocks();
        state.players[0].at = Spot { x: 11, y: 9 };
        state.players[1].at = Spot { x: 0, y: 4 };
        state.metal = vec![Spot { x: 1, y: 2 }, Spot { x: 10, y: 0 }];
        state.ammo.clear();
        let shown = shown(&state, Seat(1));
        let expected = "{\"tick_number\":0,\"is_over\":false,\"size\":[12,10],\
                        \"players\":\"0b090004\",\"blocks\":[[\"ib\",\"01020a00\"]],\
                        \"ammo\":\"\",\"treasure\":\"\",\"bombs\":\"\"}";
        assert_eq!(shown.get("game_state.json").unwrap(), expected.as_bytes());
        let expected = "{\"id\":1,\"ammo\":3,\"hp\":3,\"location\":\"0004\",\"reward\":0,\
                        \"power\":2}";
        assert_eq!(shown.get("player_state.json").unwrap(), expected.as_bytes());
    }
}
