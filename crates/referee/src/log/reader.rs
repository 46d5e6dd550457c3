//! Bytes to inputs.

use std::sync::Arc;

use super::{FORMAT, LogError, LogProblem, kind};
use crate::{Connection, Input, Part, Parts, RequestId, Seat, Verdict};

/// Reads a log input by input.
///
/// After an error nothing more is read.
#[derive(Clone, Debug)]
pub struct LogReader<'a> {
    bytes: &'a [u8],
    offset: usize,
    failed: bool,
    /// The name of the part read last: most parts of a log have the same.
    name: Arc<str>,
}

impl<'a> LogReader<'a> {
    /// Starts reading.
    ///
    /// # Errors
    ///
    /// [`LogError`] when the first byte is not [`FORMAT`].
    pub fn new(bytes: &'a [u8]) -> Result<Self, LogError> {
        let mut reader = Self { bytes, offset: 0, failed: false, name: Arc::from("") };
        match reader.byte()? {
            FORMAT => Ok(reader),
            other => Err(LogError { offset: 0, problem: LogProblem::UnknownFormat(other) }),
        }
    }

    fn input(&mut self) -> Result<Input, LogError> {
        let start = self.offset;
        match self.byte()? {
            kind::ANSWER => self.answer(),
            kind::MESSAGE => {
                Ok(Input::Message { connection: self.connection()?, bytes: self.take()?.into() })
            }
            kind::OPENED => self.opened(),
            kind::CLOSED => Ok(Input::Closed { connection: self.connection()? }),
            kind::TICK => Ok(Input::Tick),
            kind::RESOLVED => self.resolved(),
            kind::PERSON => Ok(Input::Person { seat: Seat(self.number(u8::try_from)?) }),
            other => Err(LogError { offset: start, problem: LogProblem::UnknownKind(other) }),
        }
    }

    fn answer(&mut self) -> Result<Input, LogError> {
        let seat = Seat(self.number(u8::try_from)?);
        let request = RequestId(self.number(u32::try_from)?);
        let verdict = self.verdict()?;
        let parts = self.list(Self::part)?;
        Ok(Input::Answer { seat, request, parts: Parts(parts), verdict })
    }

    fn verdict(&mut self) -> Result<Verdict, LogError> {
        let start = self.offset;
        let code = self.number(u8::try_from)?;
        Verdict::from_code(code).ok_or(LogError { offset: start, problem: LogProblem::Number })
    }

    fn part(&mut self) -> Result<Part, LogError> {
        let name = self.text()?;
        if *self.name != *name {
            self.name = Arc::from(name);
        }
        Ok(Part { name: self.name.clone(), bytes: self.take()?.into() })
    }

    fn opened(&mut self) -> Result<Input, LogError> {
        let connection = self.connection()?;
        let start = self.offset;
        let seat = match self.number(u16::try_from)?.checked_sub(1) {
            None => None,
            Some(seat) => Some(
                u8::try_from(seat)
                    .map(Seat)
                    .map_err(|_| LogError { offset: start, problem: LogProblem::Number })?,
            ),
        };
        Ok(Input::Opened { connection, seat })
    }

    fn resolved(&mut self) -> Result<Input, LogError> {
        let draw = self.text()?.to_owned();
        Ok(Input::Resolved { draw, values: self.list(Self::signed)? })
    }

    fn connection(&mut self) -> Result<Connection, LogError> {
        self.number(u32::try_from).map(Connection)
    }

    fn signed(&mut self) -> Result<i64, LogError> {
        let number = self.number(u64::try_from)?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// Reads a length and so many items. Grows with what is really there, never
    /// with what the length claims.
    fn list<T>(
        &mut self,
        item: impl Fn(&mut Self) -> Result<T, LogError>,
    ) -> Result<Vec<T>, LogError> {
        let length = self.number(u64::try_from)?;
        let mut items = Vec::with_capacity(length.min(1) as usize);
        for _ in 0..length {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn text(&mut self) -> Result<&'a str, LogError> {
        let start = self.offset;
        std::str::from_utf8(self.take()?)
            .map_err(|_| LogError { offset: start, problem: LogProblem::Text })
    }

    fn take(&mut self) -> Result<&'a [u8], LogError> {
        let length = self.number(usize::try_from)?;
        let rest = &self.bytes[self.offset..];
        let taken = rest.get(..length).ok_or_else(|| self.cut_off())?;
        self.offset += length;
        Ok(taken)
    }

    fn number<T, E>(&mut self, convert: impl Fn(u64) -> Result<T, E>) -> Result<T, LogError> {
        let offset = self.offset;
        let wrong = LogError { offset, problem: LogProblem::Number };
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            let is_last = byte & 0x80 == 0;
            let superfluous = is_last && byte == 0 && shift > 0;
            if superfluous || (bits << shift) >> shift != bits {
                return Err(wrong);
            }
            number |= bits << shift;
            if is_last {
                return convert(number).map_err(|_| wrong);
            }
        }
        Err(wrong)
    }

    fn byte(&mut self) -> Result<u8, LogError> {
        let byte = *self.bytes.get(self.offset).ok_or_else(|| self.cut_off())?;
        self.offset += 1;
        Ok(byte)
    }

    fn cut_off(&self) -> LogError {
        LogError { offset: self.offset, problem: LogProblem::CutOff }
    }
}

impl Iterator for LogReader<'_> {
    type Item = Result<Input, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.offset == self.bytes.len() {
            return None;
        }
        let input = self.input();
        self.failed = input.is_err();
        Some(input)
    }
}
