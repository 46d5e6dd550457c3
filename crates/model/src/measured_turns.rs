//! Detection of the turns that were measured individually, as opposed to programs that are measured
//! as a whole.

use std::collections::BTreeSet;

use super::{ClockMode, Exit, TurnRecord};

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

#[cfg(test)]
mod tests {
    use joust_referee::LimitSet;

    use super::*;
    use crate::Round;

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
