//! Turn logs decoded only for the referee's decisions.

use joust_referee::{LimitSet, Seat, Verdict};

use super::TurnLogError;
use super::columns::Columns;
use crate::NumberRecord;

/// Decision of the referee about one turn.
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
    pub fn seat(&self) -> Seat {
        Seat(self.seat)
    }

    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        Verdict::from_code(self.verdict).unwrap_or(Verdict::InfrastructureError)
    }
}

/// Iterator over the turns of a decompressed log.
#[derive(Clone, Debug)]
pub struct TurnVerdicts<'a>(Columns<'a>);

impl<'a> TurnVerdicts<'a> {
    /// Begins to decode a log.
    ///
    /// # Errors
    ///
    /// [`TurnLogError`] when it is damaged.
    pub fn of(log: &'a [u8]) -> Result<Self, TurnLogError> {
        Ok(Self(Columns::read(log)?))
    }

    /// Returns the reported numbers, in the order in which they were recorded.
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
