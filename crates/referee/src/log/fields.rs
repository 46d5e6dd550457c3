//! Field codec: the fields of single inputs.

use std::sync::Arc;

use super::codec::{Cursor, unfolded};
use super::{LogError, LogProblem, kind};
use crate::{Connection, Input, Part, Parts, Seat, Verdict};

/// The most parts of an answer: each takes many times as much memory as bytes of a log.
const MOST_PARTS: usize = 1 << 16;

/// The most values of a draw.
const MOST_VALUES: usize = 1 << 20;

/// Reads how many items follow. A list grows with what is really there, never with what its length
/// claims.
fn length(cursor: &mut Cursor<'_>, most: usize) -> Result<usize, LogError> {
    let wrong = LogError { offset: cursor.offset, problem: LogProblem::Number };
    Some(cursor.number()?).filter(|length| *length <= most).ok_or(wrong)
}

/// An answer that was given once or often.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) seat: Seat,
    /// Its request less the one after the request that was answered before.
    pub(super) step: i32,
    pub(super) verdict: Verdict,
    pub(super) parts: Parts,
}

/// Reads the fields of inputs, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    pub(super) cursor: Cursor<'a>,
    /// The name of the part read last: most parts of a log have the same.
    name: Arc<str>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(cursor: Cursor<'a>) -> Self {
        Self { cursor, name: Arc::from("") }
    }

    /// Reads the fields of an input of kind `kind`, which is no answer.
    pub(super) fn input(&mut self, kind: usize) -> Result<Input, LogError> {
        match kind {
            kind::MESSAGE => Ok(Input::Message {
                connection: self.connection()?,
                bytes: self.cursor.sized()?.into(),
            }),
            kind::OPENED => self.opened(),
            kind::CLOSED => Ok(Input::Closed { connection: self.connection()? }),
            kind::RESOLVED => self.resolved(),
            kind::PERSON => Ok(Input::Person { seat: Seat(self.cursor.number()?) }),
            _ => Ok(Input::Tick),
        }
    }

    /// Reads the fields of an answer.
    pub(super) fn answer(&mut self) -> Result<Answer, LogError> {
        let seat = Seat(self.cursor.number()?);
        let wrong = LogError { offset: self.cursor.offset, problem: LogProblem::Number };
        let step = i32::try_from(unfolded(self.cursor.number()?)).map_err(|_| wrong)?;
        let verdict = Verdict::from_code(self.cursor.number()?).ok_or(wrong)?;
        Ok(Answer { seat, step, verdict, parts: self.parts()? })
    }

    fn parts(&mut self) -> Result<Parts, LogError> {
        let parts = length(&mut self.cursor, MOST_PARTS)?;
        (0..parts).map(|_| self.part()).collect::<Result<_, _>>().map(Parts)
    }

    fn part(&mut self) -> Result<Part, LogError> {
        let name = self.cursor.text()?;
        if *self.name != *name {
            self.name = Arc::from(name);
        }
        Ok(Part { name: self.name.clone(), bytes: self.cursor.sized()?.into() })
    }

    fn opened(&mut self) -> Result<Input, LogError> {
        let connection = self.connection()?;
        let wrong = LogError { offset: self.cursor.offset, problem: LogProblem::Number };
        let seat = match self.cursor.number::<u16>()?.checked_sub(1) {
            None => None,
            Some(seat) => Some(u8::try_from(seat).map(Seat).map_err(|_| wrong)?),
        };
        Ok(Input::Opened { connection, seat })
    }

    fn resolved(&mut self) -> Result<Input, LogError> {
        let draw = self.cursor.text()?.to_owned();
        let values = length(&mut self.cursor, MOST_VALUES)?;
        let values = (0..values).map(|_| self.cursor.number().map(unfolded));
        Ok(Input::Resolved { draw, values: values.collect::<Result<_, _>>()? })
    }

    fn connection(&mut self) -> Result<Connection, LogError> {
        self.cursor.number().map(Connection)
    }
}
