//! One round, phase by phase.
//!
//! Source: [One round](crate::docs::bomberman_2016#one-round).

mod blast;
mod chance;
pub(super) mod commands;
mod report;

pub use chance::{Chance, LOSER_DRAW, ROLL_DRAW};
pub use report::{CommandResult, Event, Report};

use super::{Command, GameState, Ground, quirks, score};
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

/// Number of do-nothing commands in a row that a bot has given: the idle rule of the original's
/// harness.
///
/// Source: [Order of a match](crate::docs::bomberman_2016#order-of-a-match).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Idleness {
    in_a_row: u32,
}

impl Idleness {
    /// Returns whether the bot is run no more: it triggers in every round.
    #[must_use]
    pub fn is_given_up(self) -> bool {
        quirks::is_run_no_more(self.in_a_row)
    }

    /// Counts the command a bot gave and returns the one that is submitted.
    ///
    /// A refused command is no do-nothing; a fault is one.
    pub fn submit(&mut self, given: Command) -> Command {
        if given != Command::Nothing {
            self.in_a_row = 0;
            return given;
        }
        self.in_a_row += 1;
        quirks::command_of_an_idle_bot(self.in_a_row)
    }

    /// Returns whether the last command given was replaced by a bomb. The original writes
    /// no log of such a turn.
    ///
    /// Source: [Replay folder](crate::docs::bomberman_2016#replay-folder).
    #[must_use]
    pub(super) fn has_just_bombed(self) -> bool {
        quirks::command_of_an_idle_bot(self.in_a_row) == Command::Bomb
    }

    /// Returns the count, for the state's bytes.
    pub(super) fn in_a_row(self) -> u32 {
        self.in_a_row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(commands: u32) -> Idleness {
        let mut idleness = Idleness::default();
        for _ in 0..commands {
            idleness.submit(Command::Nothing);
        }
        idleness
    }

    #[test]
    fn the_twentieth_nothing_becomes_a_bomb() {
        assert_eq!(after(18).submit(Command::Nothing), Command::Nothing);
        assert_eq!(after(19).submit(Command::Nothing), Command::Bomb);
        assert_eq!(after(20).submit(Command::Nothing), Command::Nothing);
    }

    #[test]
    fn a_bot_is_given_up_after_the_one_after_that() {
        assert!(!after(20).is_given_up());
        assert!(after(21).is_given_up());
    }

    #[test]
    fn any_other_command_starts_the_count_afresh() {
        let mut idleness = after(20);
        assert_eq!(idleness.submit(Command::Trigger), Command::Trigger);
        assert_eq!(idleness, Idleness::default());
    }
}
