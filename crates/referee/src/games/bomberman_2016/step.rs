//! One round, phase by phase.
//!
//! Source: [One round](crate::docs::bomberman_2016#one-round).

mod blast;
mod chance;
pub(super) mod commands;
mod harness;
mod report;

pub use chance::{Chance, LOSER_DRAW, ROLL_DRAW};
pub use harness::Idleness;
pub use report::{CommandResult, Event, Report};

use super::{Command, GameState, Ground, score};
use crate::Seat;

/// Plays one round.
///
/// `commands` has one entry per seat, `None` for a player that is dead at the
/// start of the round; they count in seat order.
pub fn advance(
    state: &mut GameState,
    commands: &[Option<Command>],
    chance: &mut Chance,
    report: &mut Report,
) {
    report.clear();
    note_commands(state, commands, report);
    state.blasts.clear();
    burn_fuses(state);
    blast::detonate(state, report);
    kill_players_in_blasts(state);
    commands::carry_out(state, commands, chance, report);
    kill_players_in_blasts(state);
    take_power_ups(state, report);
    score::count_walls(state, report);
    score::count_players(state, report);
    score::pay(state, report);
    take_bombs_off(state);
    count_coverage(state);
    chance.end_round();
    state.round += 1;
}

/// Returns the position in which the commands of the next round are carried out.
pub(super) fn when_commands_count(state: &GameState, report: &mut Report) -> GameState {
    let mut state = state.clone();
    state.blasts.clear();
    burn_fuses(&mut state);
    blast::detonate(&mut state, report);
    state
}

fn note_commands(state: &GameState, commands: &[Option<Command>], report: &mut Report) {
    for ((seat, player), command) in (0..).map(Seat).zip(&state.players).zip(commands) {
        let Some(command) = *command else { continue };
        report.note(Event::Submitted { seat, at: player.at, command });
    }
}

fn burn_fuses(state: &mut GameState) {
    for bomb in &mut state.bombs {
        bomb.timer = bomb.timer.saturating_sub(1);
    }
}

/// A player in a blast is dead from this moment, but stays on the map until the
/// end of the round.
fn kill_players_in_blasts(state: &mut GameState) {
    let (blasts, round) = (&state.blasts, state.round);
    if blasts.is_empty() {
        return;
    }
    for player in state.players.iter_mut().filter(|player| player.is_alive()) {
        if blasts.iter().any(|blast| blast.at == player.at) {
            player.killed_round = Some(round);
        }
    }
}

/// Players on a block with an open power-up take it, also those killed in this
/// round.
fn take_power_ups(state: &mut GameState, report: &mut Report) {
    for (seat, player) in (0..).map(Seat).zip(&mut state.players) {
        let block = &mut state.blocks[usize::from(player.at.0)];
        if !player.on_map || block.ground != Ground::Free {
            continue;
        }
        if let Some(power_up) = block.power_up.take() {
            player.take(power_up);
            report.note(Event::Took { seat, power_up });
        }
    }
}

/// Takes exploded bombs off the map and puts the planted ones in their place.
fn take_bombs_off(state: &mut GameState) {
    state.bombs.retain(|bomb| !bomb.exploding);
    state.bombs.sort_unstable_by_key(|bomb| bomb.at);
}

fn count_coverage(state: &mut GameState) {
    let usable = f64::from(state.usable);
    for player in state.players.iter_mut().filter(|player| player.is_alive()) {
        player.coverage = ((f64::from(player.touched) / usable) * 100.0) as u32;
    }
}
