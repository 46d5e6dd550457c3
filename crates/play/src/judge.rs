//! Judge, who applies the rules: a game in this process, or one day in another.

use joust_referee::{
    Game, GameKind, Input, Outcome, Outputs, Parts, Scene, Seat, StartError, StateHash, Verdict,
};

use joust_model::BoutPlan;

/// A referee failed. An infrastructure error, never a bot's fault.
#[derive(Debug, thiserror::Error)]
#[error("the referee is gone: {0}")]
pub struct JudgeError(pub String);

/// Applies the rules of one bout.
pub trait Judge {
    /// Takes one input and appends what follows.
    ///
    /// # Errors
    ///
    /// [`JudgeError`] when the referee failed.
    fn next(&mut self, input: Input, out: &mut Outputs) -> Result<(), JudgeError>;

    /// Returns how many rounds were completed.
    fn rounds(&self) -> u32;

    /// Returns the outcome once the bout is over.
    fn outcome(&self) -> Option<Outcome>;

    /// Says whether a seat has done all that a clock can wait for.
    fn has_acted(&self, seat: Seat) -> bool;

    /// Says what an answer reads as now, as [`Game::reads`].
    fn reads(&self, seat: Seat, parts: &Parts) -> Verdict;

    /// Says why the rules would not carry out this answer of a seat.
    fn refusal(&self, seat: Seat, answer: &Parts) -> Option<String>;

    /// Returns what the player in a seat is called by the game itself.
    fn own_name(&self, seat: Seat) -> Option<String>;

    /// Draws the position.
    fn scene(&self) -> Scene;

    /// Returns the hash of the position.
    fn state_hash(&self) -> StateHash;
}

/// The built-in judge: a [`Game`] in this process.
pub struct GameJudge(Box<dyn Game>);

impl GameJudge {
    /// Starts the bout of `plan` and emits the first outputs.
    ///
    /// # Errors
    ///
    /// [`StartError`] when rules, options or seats do not fit the game.
    pub fn start(
        kind: &dyn GameKind,
        plan: &BoutPlan,
        out: &mut Outputs,
    ) -> Result<Self, StartError> {
        plan.start(kind, out).map(Self)
    }
}

impl Judge for GameJudge {
    fn next(&mut self, input: Input, out: &mut Outputs) -> Result<(), JudgeError> {
        self.0.next(&input, out);
        Ok(())
    }

    fn rounds(&self) -> u32 {
        self.0.rounds()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome().cloned()
    }

    fn has_acted(&self, seat: Seat) -> bool {
        self.0.has_acted(seat)
    }

    fn reads(&self, seat: Seat, parts: &Parts) -> Verdict {
        self.0.reads(seat, parts)
    }

    fn refusal(&self, seat: Seat, answer: &Parts) -> Option<String> {
        self.0.refusal(seat, answer)
    }

    fn own_name(&self, seat: Seat) -> Option<String> {
        self.0.own_name(seat).map(str::to_owned)
    }

    fn scene(&self) -> Scene {
        self.0.scene()
    }

    fn state_hash(&self) -> StateHash {
        self.0.state_hash()
    }
}
