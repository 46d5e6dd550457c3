//! Turn of a seat: whether it is asked, what it finds, and the end of a player who does nothing or
//! cannot place its ships.

use super::super::{
    BoutOptions, Command, DO_NOTHINGS_TO_DEATH, FAILED_PLACEMENTS_TO_DEATH, GameState,
    ParsedAnswer, Phase, Player, Refusal, begin,
};
use super::{fire, place, shield};
use crate::Seat;

/// Progress of a seat's turn.
#[derive(Clone, Debug)]
pub(in super::super) enum Turn {
    /// It is not asked in this round.
    Skipped,
    /// It is asked.
    Open,
    /// It has answered.
    Answered(ParsedAnswer),
}

impl Turn {
    /// Returns the command of a seat that has answered.
    pub(in super::super) fn command(&self) -> Option<&Command> {
        match self {
            Self::Answered(reading) => Some(&reading.command),
            Self::Skipped | Self::Open => None,
        }
    }
}

/// Returns the position as a seat finds it when its turn starts: the harness
/// kills a player at the start of that player's own turn, so that `A` does not
/// see yet what happens to `B`.
pub(in super::super) fn at_turn_of(state: &GameState, seat: Seat) -> GameState {
    let mut seen = state.clone();
    for player in &mut seen.players[..=seat.index()] {
        if player.is_doomed() {
            player.kill();
        }
    }
    seen
}

/// Returns whether a player is killed when the turns of the round start.
pub(in super::super) fn has_doomed(state: &GameState) -> bool {
    state.players.iter().any(Player::is_doomed)
}

/// Returns whether the seat waits for the other one to place its ships.
pub(in super::super) fn waits(state: &GameState, options: &BoutOptions, seat: Seat) -> bool {
    let player = &state.players[seat.index()];
    state.phase == Phase::Placing
        && !options.rules.one_failure_spoils_the_round()
        && player.has_placed_all()
}

/// Returns why a command would not be carried out, from what its player knows.
pub(in super::super) fn refusal(
    state: &GameState,
    options: &BoutOptions,
    seat: Seat,
    command: &Command,
) -> Option<Refusal> {
    let mut trial = state.clone();
    begin(&mut trial, options, [None, None]);
    let player = trial.players.get_mut(seat.index())?;
    match (command, state.phase) {
        (Command::Nothing, _) => None,
        (Command::Place(placements), Phase::Placing) => {
            place::place_all(player, &placements.ships).err()
        }
        (_, Phase::Placing) => Some(Refusal::NotAPlacement),
        // Whether it is allowed is for the rules; people are not asked for one.
        (Command::Place(_), Phase::Shooting) => None,
        (Command::Fire { shot, at }, Phase::Shooting) => {
            fire::refusal(&trial, options, seat, (*shot, *at))
        }
        (Command::Shield { at }, Phase::Shooting) => shield::place(player, *at, state.round).err(),
    }
}

impl Player {
    /// Returns whether the player is killed when its next turn starts. People are
    /// not (12).
    ///
    /// Source: [Five attempts](crate::docs::battleships_2017#five-attempts).
    pub fn is_doomed(&self) -> bool {
        !self.killed
            && !self.is_person
            && (self.do_nothings >= DO_NOTHINGS_TO_DEATH
                || self.failed_placements >= FAILED_PLACEMENTS_TO_DEATH)
    }

    /// Strikes all cells the ships are known to be on and takes all points.
    ///
    /// Source: [Harness kills](crate::docs::battleships_2017#harness-kills).
    pub(super) fn kill(&mut self) {
        for number in self.ships.iter().flat_map(|ship| ship.cells).flatten() {
            let cell = self.board.cell_mut(number);
            if cell.shielded {
                cell.shield_hit = true;
            } else {
                cell.hit = true;
            }
        }
        self.killed = true;
        self.points = 0;
    }
}
