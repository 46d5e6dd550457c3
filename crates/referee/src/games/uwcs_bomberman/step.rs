//! One turn, phase by phase.

use super::{Action, BLAST_SQUARES, GameState, Quirks, Square};
use crate::{Connection, Grid, Point};

/// Events of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Every player that lived when the turn began, with its action, ascending
    /// by connection.
    pub acted: Vec<(Connection, Option<Action>)>,
    /// Players who died, ascending by connection.
    pub dead: Vec<Connection>,
}

/// Plays one turn with the actions that are pending.
pub fn advance(state: &mut GameState, quirks: &Quirks) -> Turn {
    state.turns += 1;
    let acted = act(state);
    age_bombs(state);
    let hit = explode(state, quirks.fuse_turns);
    break_rocks(state, &hit);
    let dead = kill(state, &hit);
    award(state, dead.len());
    state.blast = state.squares().filter(|at| hit.get(*at) == Some(&true)).collect();
    Turn { acted, dead }
}

/// Carries out the pending actions, one living player after the other.
fn act(state: &mut GameState) -> Vec<(Connection, Option<Action>)> {
    let mut acted = Vec::new();
    for index in 0..state.players.len() {
        let player = &mut state.players[index];
        if !player.is_alive {
            continue;
        }
        let action = player.pending.take();
        acted.push((player.connection, action));
        let at = player.at;
        match action {
            Some(Action::Bomb) => place_bomb(state, at),
            Some(walk) => {
                let target = walk.target(at).filter(|target| can_enter(state, *target));
                state.players[index].at = target.unwrap_or(at);
            }
            None => {}
        }
    }
    acted
}

/// A bomb on a bomb changes nothing.
fn place_bomb(state: &mut GameState, at: Point) {
    if state.bombs.get(at) == Some(&None) {
        state.bombs.set(at, Some(0));
    }
}

/// A bomb placed in this very turn, of age 0, is no obstacle: actions of a turn
/// are meant to be simultaneous.
fn can_enter(state: &GameState, at: Point) -> bool {
    let is_free = state.map.get(at) == Some(&Square::Free);
    is_free && matches!(state.bombs.get(at), Some(None | Some(0)))
}

fn age_bombs(state: &mut GameState) {
    let bombs: Vec<(Point, u32)> = state.bombs().collect();
    for (at, age) in bombs {
        state.bombs.set(at, Some(age + 1));
    }
}

/// Explodes every bomb older than the fuse, and every bomb hit by a blast;
/// returns the squares hit. Rocks shield for the whole turn.
fn explode(state: &mut GameState, fuse_turns: u32) -> Grid<bool> {
    let mut hit = Grid::filled(usize::from(state.columns), usize::from(state.rows), false);
    let old = state.bombs().filter(|(_, age)| *age > fuse_turns);
    let mut exploding: Vec<Point> = old.map(|(at, _)| at).collect();
    exploding.iter().for_each(|at| state.bombs.set(*at, None));
    while let Some(bomb) = exploding.pop() {
        for at in blast(state, bomb) {
            hit.set(at, true);
            if let Some(Some(_)) = state.bombs.get(at) {
                state.bombs.set(at, None);
                exploding.push(at);
            }
        }
    }
    hit
}

/// Returns the squares that a bomb's blast hits: its own and up to three in
/// each direction, the first rock or pillar included.
fn blast(state: &GameState, bomb: Point) -> Vec<Point> {
    let mut squares = vec![bomb];
    for (columns, rows) in [(0, -1), (0, 1), (-1, 0), (1, 0)] {
        for distance in 1..=BLAST_SQUARES {
            let at = Point { x: bomb.x + columns * distance, y: bomb.y + rows * distance };
            let Some(square) = state.map.get(at) else { break };
            squares.push(at);
            if *square != Square::Free {
                break;
            }
        }
    }
    squares
}

fn break_rocks(state: &mut GameState, hit: &Grid<bool>) {
    for at in state.squares() {
        if hit.get(at) == Some(&true) && state.map.get(at) == Some(&Square::Rock) {
            state.map.set(at, Square::Free);
        }
    }
}

fn kill(state: &mut GameState, hit: &Grid<bool>) -> Vec<Connection> {
    let mut dead = Vec::new();
    for player in state.players.iter_mut().filter(|player| player.is_alive) {
        if hit.get(player.at) == Some(&true) {
            player.is_alive = false;
            dead.push(player.connection);
        }
    }
    dead
}

/// Everybody still alive gains a point for each death of the turn.
fn award(state: &mut GameState, deaths: usize) {
    let points = i64::try_from(deaths).unwrap_or(i64::MAX);
    state.players.iter_mut().filter(|player| player.is_alive).for_each(|player| {
        player.score += points;
    });
}
