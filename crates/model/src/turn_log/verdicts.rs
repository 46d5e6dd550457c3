//! A turn log read for what the referee decided alone.

use joust_referee::{LimitSet, Seat, Verdict};

use super::TurnLogError;
use super::columns::Columns;
use crate::NumberRecord;

/// Decision of the referee in one turn, as a turn log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnVerdict<'a> {
    /// The round, from 0.
    pub round: u32,
    pub(super) seat: u8,
    pub(super) verdict: u8,
    /// Limits that were touched.
    pub limits: LimitSet,
    /// The action in the game's words; empty for none.
    pub action: &'a str,
}

impl TurnVerdict<'_> {
    /// Returns the seat.
    #[must_use]
    pub fn seat(&self) -> Seat {
        Seat(self.seat)
    }

    /// Returns the verdict.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::from_code(self.verdict).unwrap_or(Verdict::InfrastructureError)
    }
}

/// The turns of a log that was decompressed, one after the other.
#[derive(Clone, Debug)]
pub struct TurnVerdicts<'a>(Columns<'a>);

impl<'a> TurnVerdicts<'a> {
    /// Begins to read a log.
    ///
    /// # Errors
    ///
    /// [`TurnLogError`] when it is damaged.
    pub fn of(log: &'a [u8]) -> Result<Self, TurnLogError> {
        Ok(Self(Columns::read(log)?))
    }

    /// Returns the numbers that were said, in the order in which they were kept.
    #[must_use]
    pub fn numbers(&self) -> Vec<NumberRecord> {
        self.0.numbers()
    }
}

impl<'a> Iterator for TurnVerdicts<'a> {
    type Item = TurnVerdict<'a>;

    fn next(&mut self) -> Option<TurnVerdict<'a>> {
        self.0.next()
    }
}
