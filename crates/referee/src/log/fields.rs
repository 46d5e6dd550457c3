//! Field codec: the fields of single inputs.

use std::sync::Arc;

use super::columns::{Cursor, unfolded};
use super::{LogError, LogProblem, kind};
use crate::{Connection, Input, Part, Parts, RequestId, Seat, Verdict};

/// The most parts of an answer: each takes many times as much memory as bytes of a log.
const MOST_PARTS: usize = 1 << 16;

/// The most values of a draw.
const MOST_VALUES: usize = 1 << 20;

/// Reads how many parts follow.
pub(super) fn parts_of(cursor: &mut Cursor<'_>) -> Result<usize, LogError> {
    length(cursor, MOST_PARTS)
}

/// Reads how many items follow.
fn length(cursor: &mut Cursor<'_>, most: usize) -> Result<usize, LogError> {
    let wrong = LogError { offset: cursor.offset(), problem: LogProblem::Number };
    Some(cursor.number()?).filter(|length| *length <= most).ok_or(wrong)
}

/// Reads the fields of inputs, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    pub(crate) cursor: Cursor<'a>,
    /// The name of the part read last: most parts of a log have the same.
    name: Arc<str>,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(cursor: Cursor<'a>) -> Self {
        Self { cursor, name: Arc::from("") }
    }

    /// Reads the fields of an input of kind `kind`.
    pub(crate) fn input(&mut self, kind: u8, offset: usize) -> Result<Input, LogError> {
        match kind {
            kind::ANSWER => self.answer(),
            kind::MESSAGE => Ok(Input::Message {
                connection: self.connection()?,
                bytes: self.cursor.sized()?.into(),
            }),
            kind::OPENED => self.opened(),
            kind::CLOSED => Ok(Input::Closed { connection: self.connection()? }),
            kind::TICK => Ok(Input::Tick),
            kind::RESOLVED => self.resolved(),
            kind::PERSON => Ok(Input::Person { seat: Seat(self.cursor.number()?) }),
            other => Err(LogError { offset, problem: LogProblem::UnknownKind(other) }),
        }
    }

    fn answer(&mut self) -> Result<Input, LogError> {
        let (seat, request, verdict) = self.judgement()?;
        Ok(Input::Answer { seat, request, parts: self.parts()?, verdict })
    }

    /// Reads a seat, a request and a verdict.
    pub(crate) fn judgement(&mut self) -> Result<(Seat, RequestId, Verdict), LogError> {
        let (seat, request) = (Seat(self.cursor.number()?), RequestId(self.cursor.number()?));
        Ok((seat, request, *self.one_of(&Verdict::ALL)?))
    }

    /// Reads the place of one of `all`.
    pub(crate) fn one_of<'t, T>(&mut self, all: &'t [T]) -> Result<&'t T, LogError> {
        let wrong = LogError { offset: self.cursor.offset(), problem: LogProblem::Number };
        all.get(self.cursor.number::<usize>()?).ok_or(wrong)
    }

    /// Reads a view's or an answer's parts.
    pub(crate) fn parts(&mut self) -> Result<Parts, LogError> {
        let parts = parts_of(&mut self.cursor)?;
        self.so_many(parts, Self::part).map(Parts)
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
        let wrong = LogError { offset: self.cursor.offset(), problem: LogProblem::Number };
        let seat = match self.cursor.number::<u16>()?.checked_sub(1) {
            None => None,
            Some(seat) => Some(u8::try_from(seat).map(Seat).map_err(|_| wrong)?),
        };
        Ok(Input::Opened { connection, seat })
    }

    fn resolved(&mut self) -> Result<Input, LogError> {
        let draw = self.cursor.text()?.to_owned();
        let values = length(&mut self.cursor, MOST_VALUES)?;
        let values = self.so_many(values, |fields| fields.cursor.number().map(unfolded))?;
        Ok(Input::Resolved { draw, values })
    }

    pub(crate) fn connection(&mut self) -> Result<Connection, LogError> {
        self.cursor.number().map(Connection)
    }

    /// Reads a length and that number of items.
    pub(crate) fn list<T>(
        &mut self,
        item: impl Fn(&mut Self) -> Result<T, LogError>,
    ) -> Result<Vec<T>, LogError> {
        let length = self.cursor.number()?;
        self.so_many(length, item)
    }

    /// Reads items. Grows with what is really there, never with what the length claims.
    fn so_many<T>(
        &mut self,
        length: usize,
        item: impl Fn(&mut Self) -> Result<T, LogError>,
    ) -> Result<Vec<T>, LogError> {
        let mut items = Vec::with_capacity(length.min(1));
        for _ in 0..length {
            items.push(item(self)?);
        }
        Ok(items)
    }
}
