//! Explosions: which bombs go off, and what their blasts cover.
//!
//! Source: [Detonation](crate::docs::bomberman_2016#detonation).

use super::super::{Blast, Bomb, Event, GameState, Ground, Report, Square};

/// Detonates every bomb whose time is up, and those their blasts reach.
///
/// Walls and bombs do not change during this step, so the order in which
/// bombs are worked off decides nothing but the order of the facts.
pub(super) fn detonate(state: &mut GameState, report: &mut Report) {
    for index in 0..state.bombs.len() {
        state.bombs[index].chain = index as u16;
    }
    for index in 0..state.bombs.len() {
        if state.bombs[index].timer < 1 {
            set_off(state, index, report);
        }
    }
}

fn set_off(state: &mut GameState, index: usize, report: &mut Report) {
    let bomb = &mut state.bombs[index];
    if bomb.exploding {
        return;
    }
    bomb.exploding = true;
    let bomb = *bomb;
    report.note(Event::Detonated(bomb));
    if cover(state, index, bomb.at) == Arm::Ends {
        return;
    }
    let (x, y) = state.coordinates(bomb.at);
    let (left, right) = (u32::from(x) - 1, u32::from(state.side - x));
    let (above, below) = (u32::from(y) - 1, u32::from(state.side - y));
    let row = i32::from(state.side);
    for (step, blocks) in [(1, right), (-1, left), (row, below), (-row, above)] {
        blow(state, index, (step, blocks.min(bomb.radius)), report);
    }
}

/// Walks one arm of a bomb: `blocks` blocks, `step` apart.
fn blow(state: &mut GameState, index: usize, (step, blocks): (i32, u32), report: &mut Report) {
    let mut at = i32::from(state.bombs[index].at.0);
    for _ in 0..blocks {
        at += step;
        let square = Square(at as u16);
        if let Some(other) = state.bombs.iter().position(|bomb| bomb.at == square) {
            if !state.has_entity(square) {
                list(state, index, square);
            }
            link(&mut state.bombs, index, other);
            set_off(state, other, report);
            return;
        }
        if cover(state, index, square) == Arm::Ends {
            return;
        }
    }
}

/// End or continuation of a blast behind a block.
#[derive(PartialEq, Eq)]
enum Arm {
    GoesOn,
    Ends,
}

/// Covers a block without another bomb: all but pillars, and walls end the arm.
fn cover(state: &mut GameState, index: usize, square: Square) -> Arm {
    let ground = state.block(square).ground;
    if ground != Ground::Pillar {
        list(state, index, square);
    }
    if ground == Ground::Free { Arm::GoesOn } else { Arm::Ends }
}

fn list(state: &mut GameState, index: usize, square: Square) {
    let Bomb { at, owner, .. } = state.bombs[index];
    state.blasts.push(Blast { at: square, bomb_at: at, owner, bomb: index as u16 });
}

/// Makes one chain of two bombs' chains.
fn link(bombs: &mut [Bomb], index: usize, other: usize) {
    let (kept, gone) = (bombs[index].chain, bombs[other].chain);
    for bomb in bombs.iter_mut().filter(|bomb| bomb.chain == gone) {
        bomb.chain = kept;
    }
}
