//! The record of each turn in a bout's compressed turn log, detection of the turns that were measured
//! individually (as opposed to programs that are measured as a whole), and fixed texts about external
//! referees. A bout that its referee could not finish is stored and shown, and gives no points.

use std::collections::BTreeSet;

use joust_referee::{LimitSet, Verdict};
use serde::{Deserialize, Serialize};

use super::{ClockMode, Round};

/// End of a turn's main process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// By itself, with this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
    /// It was ended at a limit.
    Killed,
    /// The program still runs, because it stays for its bout.
    Running,
    /// It could not be started; the number is the `errno`.
    NotStarted(i32),
}

/// Record of one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRecord {
    /// The round.
    pub round: Round,
    /// The seat.
    pub seat: u8,
    /// [`Verdict::code`].
    pub verdict: u8,
    /// Limits touched.
    pub limits_hit: LimitSet,
    /// Wall clock, microseconds.
    pub wall_us: u64,
    /// Processor time, microseconds.
    pub cpu_us: u64,
    /// True if the processor time covers the whole process tree.
    pub cpu_partial: bool,
    /// Runnable without a processor, microseconds.
    pub stall_us: u64,
    /// Largest memory, bytes.
    pub peak_memory_bytes: u64,
    /// End of the main process.
    pub exit: Exit,
    /// The action in the game's words; empty for none.
    pub action: String,
    /// The first 256 bytes of output, kept unless it is the action.
    pub output: Vec<u8>,
    /// The last 1,024 bytes of standard error that were kept.
    pub stderr: Vec<u8>,
    /// A short reason for a fault, if the verdict is not specific enough. An external referee's own
    /// words follow [`REFEREE_SAYS`](super::REFEREE_SAYS).
    pub reason: String,
}

impl TurnRecord {
    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        Verdict::from_code(self.verdict).unwrap_or(Verdict::InfrastructureError)
    }
}

/// Determines which turns of a bout were measured individually. A program that stays after its
/// answer, and a person, has no measurements per turn, only per bout.
#[derive(Clone, Debug, Default)]
pub struct MeasuredTurns {
    is_on_a_clock: bool,
    stays: BTreeSet<u8>,
}

impl MeasuredTurns {
    /// Begins with a bout, with its clock mode if it has one.
    pub fn new(clock: Option<ClockMode>) -> Self {
        Self { is_on_a_clock: clock.is_some(), stays: BTreeSet::new() }
    }

    /// Returns whether processor time, stall and memory of `turn` were measured for this turn
    /// alone. It must be called for every turn, in order, because the last record of a program that
    /// has stayed contains its totals.
    pub fn is_measured(&mut self, turn: &TurnRecord) -> bool {
        if turn.exit == Exit::Running {
            self.stays.insert(turn.seat);
        }
        !self.is_on_a_clock && !self.stays.contains(&turn.seat)
    }
}

/// Prefix of the end of a bout whose referee failed.
pub const REFEREE_ERROR: &str = "referee-error";

/// Reason of the turn whose answer made the referee fail.
pub const UNJUDGED: &str = "the referee failed at this answer";

/// Text for a bout whose referee failed before its first request.
pub const UNASKED: &str = "the referee failed before it asked anybody";

/// Prefix of a referee's own words in the reason of a turn.
pub const REFEREE_SAYS: &str = "the referee says: ";

/// Returns the end of a bout whose referee failed twice at the same answer.
pub fn referee_error(reason: &str) -> String {
    format!("{REFEREE_ERROR}: {reason}")
}

/// Returns whether a bout ended because its referee failed.
pub fn is_referee_error(ended: &str) -> bool {
    ended.starts_with(REFEREE_ERROR)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(seat: u8, exit: Exit) -> TurnRecord {
        TurnRecord {
            round: Round(0),
            seat,
            verdict: 0,
            limits_hit: LimitSet::default(),
            wall_us: 1,
            cpu_us: 1,
            cpu_partial: false,
            stall_us: 0,
            peak_memory_bytes: 1,
            exit,
            action: String::new(),
            output: Vec::new(),
            stderr: Vec::new(),
            reason: String::new(),
        }
    }

    #[test]
    fn a_program_that_stays_is_measured_as_a_whole_and_at_its_end_too() {
        let mut measured = MeasuredTurns::new(None);
        assert!(measured.is_measured(&turn(0, Exit::Status(0))));
        assert!(!measured.is_measured(&turn(1, Exit::Running)));
        assert!(!measured.is_measured(&turn(1, Exit::Signal(9))));
        assert!(measured.is_measured(&turn(0, Exit::Killed)), "the other one ends with its answer");
    }

    #[test]
    fn no_turn_on_a_clock_is_measured() {
        let mut measured = MeasuredTurns::new(Some(ClockMode::Eager));
        assert!(!measured.is_measured(&turn(0, Exit::Status(0))));
    }
}
