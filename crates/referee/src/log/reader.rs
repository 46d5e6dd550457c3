//! Log reader: from bytes to inputs.

use super::answers::Answers;
use super::columns::Cursor;
use super::fields::Fields;
use super::{FORMAT, LogError, LogProblem, kind};
use crate::Input;

/// Reads a log input by input.
///
/// After an error nothing more is read.
#[derive(Clone, Debug)]
pub struct LogReader<'a> {
    /// The kinds of the inputs to come.
    kinds: std::slice::Iter<'a, u8>,
    answers: Answers<'a>,
    /// All but the answers.
    others: Fields<'a>,
    failed: bool,
    /// The input that is lent.
    input: Input,
}

impl<'a> LogReader<'a> {
    /// Starts reading.
    ///
    /// # Errors
    ///
    /// [`LogError`] when the first byte is not [`FORMAT`], or the columns are not there.
    pub fn new(bytes: &'a [u8]) -> Result<Self, LogError> {
        let mut cursor = Cursor::new(bytes);
        let format = cursor.byte()?;
        if format != FORMAT {
            return Err(LogError { offset: 0, problem: LogProblem::UnknownFormat(format) });
        }
        let kinds = cursor.sized()?;
        let count = kinds.iter().filter(|kind| **kind == kind::ANSWER).count();
        let answers = Answers::new(&mut cursor, count)?;
        let (kinds, others) = (kinds.iter(), Fields::new(cursor));
        Ok(Self { kinds, answers, others, failed: false, input: Input::Tick })
    }

    /// Reads the next input and lends it, which takes no memory for an answer.
    pub fn lend(&mut self) -> Option<Result<&Input, LogError>> {
        match self.read()? {
            Ok(()) => Some(Ok(&self.input)),
            Err(error) => Some(Err(error)),
        }
    }

    fn read(&mut self) -> Option<Result<(), LogError>> {
        if self.failed {
            return None;
        }
        let read = self.read_next()?;
        self.failed = read.is_err();
        Some(read)
    }

    fn read_next(&mut self) -> Option<Result<(), LogError>> {
        let offset = self.others.cursor.offset();
        match self.kinds.next() {
            Some(&kind::ANSWER) => Some(self.answers.read_into(&mut self.input)),
            Some(other) => {
                self.answers.take_back(&mut self.input);
                Some(self.others.input(*other, offset).map(|read| self.input = read))
            }
            None if self.others.cursor.is_at_end() => None,
            None => Some(Err(LogError { offset, problem: LogProblem::LeftOver })),
        }
    }
}

impl Iterator for LogReader<'_> {
    type Item = Result<Input, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().map(|read| read.map(|()| self.input.clone()))
    }
}
