//! Bouts: channels to bots, calibration, clocks and executors. The referee decides which bots are
//! asked, and the channels ask them.
//!
//! A bout runs on one thread: waking another core between a request and its answer would cost more
//! than the turn.
#![forbid(unsafe_code)]

pub mod calibrate;
pub mod channel;
pub mod executor;
pub mod external;
mod ledger;
mod reported_numbers;
mod rounds;
mod ticks;
mod transfer;
pub mod trial;

use std::ops::ControlFlow;
use std::time::Duration;

use joust_model::cancel::Cancel;
use joust_model::{BoutPlan, FoldError, NumberRecord, Round, TurnRecord};
use joust_referee::{
    Catalogue, Game, Input, JudgeError, Outcome, Parts, Scene, Seat, StartError, StateHash,
};

use crate::channel::ChannelError;

pub use ledger::{Ledger, SeatLedger};
pub use rounds::{TurnBout, play};
pub use ticks::{ClockBout, Processors, play_live};

/// A bout that was played to its end.
#[derive(Debug)]
pub struct Played {
    /// Outcome of the bout.
    pub outcome: Outcome,
    /// The final state.
    pub state_hash: StateHash,
    /// Record of every seat's actions and resources, with the logs.
    pub ledger: Ledger,
    /// Time that it took.
    pub took: Duration,
}

/// Reason why a bout was not played to its end. It is never a bot's fault.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// There is no such game.
    #[error("this version of Joust has no game `{0}`")]
    UnknownGame(String),
    /// The plan has a clock mode, but the game has no clock.
    #[error("`{0}` is not a game on a clock")]
    NoClock(String),
    /// The bout cannot start with these rules and options.
    #[error("the bout cannot start")]
    Start(#[source] StartError),
    /// A request could not be made.
    #[error("seat {seat} could not be asked in round {round}")]
    Channel {
        /// Seat of the request.
        seat: u8,
        /// Round of the request.
        round: joust_model::Round,
        /// The cause.
        #[source]
        source: ChannelError,
    },
    /// The referee failed.
    #[error("the referee failed")]
    Judge(#[from] JudgeError),
    /// The action log of an earlier play cannot be read.
    #[error("the recorded play cannot be repeated")]
    Recorded(#[source] FoldError),
    /// The run is being stopped.
    #[error("stopped")]
    Cancelled,
}

/// Returns an error if the run is being stopped.
fn refuse_cancelled(cancel: &Cancel) -> Result<(), PlayError> {
    if cancel.is_cancelled() { Err(PlayError::Cancelled) } else { Ok(()) }
}

/// Returns the game of `plan`.
///
/// # Errors
///
/// [`PlayError::UnknownGame`] when there is no such game.
pub fn game_of<'g>(games: &'g Catalogue, plan: &BoutPlan) -> Result<&'g Game, PlayError> {
    games.find(&plan.game).ok_or_else(|| PlayError::UnknownGame(plan.game.clone()))
}

/// Entry points for fuzzers, only in programs that are built for fuzzing; tests compile them, too.
#[cfg(any(fuzzing, test))]
pub mod fuzzing {
    use joust_model::{NumberRecord, Round};

    use crate::reported_numbers::ReportedNumbers;

    /// Numbers found in a bot's standard error.
    pub struct FoundNumbers {
        /// Its numbers, if the bot was started for one answer.
        pub of_answer: Vec<NumberRecord>,
        /// Its numbers, if the bot stayed for three answers.
        pub of_answers: Vec<NumberRecord>,
        /// Standard error without the numbers.
        pub rest: Vec<u8>,
    }

    /// Parses numbers in arbitrary bytes.
    pub fn said_numbers(bytes: &[u8]) -> FoundNumbers {
        let said = ReportedNumbers::of(bytes);
        FoundNumbers {
            of_answer: said.of_answer(Round(0), 0),
            of_answers: said.of_answers(0, &[0, 1, 2].map(Round), 0),
            rest: said.rest.into_owned(),
        }
    }

    /// Reads the answer of a web server, which comes in pieces of `piece` bytes; returns its status
    /// and its body, of at most `cap` bytes.
    pub fn http_response(bytes: &[u8], piece: usize, cap: usize) -> Option<(u16, Vec<u8>)> {
        let mut reader = crate::channel::http::ResponseReader::new(cap);
        for piece in bytes.chunks(piece) {
            if let Some(response) = reader.push(piece).ok()? {
                return Some((response.status, response.body));
            }
        }
        reader.end().ok().map(|response| (response.status, response.body))
    }

    /// Returns a sanitised copy of a picture; `None` if it is not a valid one.
    pub fn sanitised(svg: &str) -> Option<String> {
        crate::external::sanitised(svg)
    }
}

/// Passes an event to an observer, and stops the bout if the observer abandons it.
///
/// # Errors
///
/// [`PlayError::Cancelled`], if the observer abandons the bout.
pub(crate) fn notify(
    observer: &mut dyn BoutObserver,
    event: &BoutEvent<'_>,
) -> Result<(), PlayError> {
    match observer.observe(event) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(PlayError::Cancelled),
    }
}

/// Event of a bout for an observer.
pub enum BoutEvent<'a> {
    /// A seat is about to be asked.
    Asked {
        /// The round.
        round: Round,
        /// The seat.
        seat: u8,
        /// The view for the bot.
        view: &'a Parts,
    },
    /// The referee is about to receive an input.
    Input(&'a Input),
    /// A turn has been judged.
    Turn(&'a TurnRecord),
    /// Numbers were reported: by the referee at the end of a round, or by a bot in its turn.
    Numbers(&'a [NumberRecord]),
    /// A round is over; `scene` is the position after it.
    Round {
        /// The round.
        round: Round,
        /// The position.
        scene: &'a dyn Fn() -> Scene,
        /// Returns the game's own name for the player in a seat, if it has one.
        name: &'a dyn Fn(Seat) -> Option<String>,
    },
    /// The bout begins.
    Begin {
        /// The position.
        scene: &'a dyn Fn() -> Scene,
    },
}

/// Observer of a bout.
pub trait BoutObserver {
    /// Handles an event; `Break` abandons the bout.
    fn observe(&mut self, event: &BoutEvent<'_>) -> ControlFlow<()>;
}

/// Observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullObserver;

impl BoutObserver for NullObserver {
    fn observe(&mut self, _: &BoutEvent<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
