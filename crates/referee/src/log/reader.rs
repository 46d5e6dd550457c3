//! Log reader: from bytes to inputs.

use super::answers::Answers;
use super::columns::Cursor;
use super::fields::Fields;
use super::{FIRST_FORMAT, FORMAT, LogError, LogProblem, kind};
use crate::Input;

/// Reads a log input by input.
///
/// After an error nothing more is read.
#[derive(Clone, Debug)]
pub struct LogReader<'a> {
    /// Of a log in columns, all but its answers.
    fields: Fields<'a>,
    columns: Option<Columns<'a>>,
    failed: bool,
    /// The input that is lent.
    input: Input,
}

#[derive(Clone, Debug)]
struct Columns<'a> {
    /// The kinds of the inputs to come.
    kinds: std::slice::Iter<'a, u8>,
    answers: Answers<'a>,
}

impl<'a> LogReader<'a> {
    /// Starts reading.
    ///
    /// # Errors
    ///
    /// [`LogError`] when the first byte is not the number of a format, or the
    /// columns are not there.
    pub fn new(bytes: &'a [u8]) -> Result<Self, LogError> {
        let mut cursor = Cursor::new(bytes);
        let columns = match cursor.byte()? {
            FIRST_FORMAT => None,
            FORMAT => Some(Columns::new(&mut cursor)?),
            other => {
                return Err(LogError { offset: 0, problem: LogProblem::UnknownFormat(other) });
            }
        };
        Ok(Self { fields: Fields::new(cursor), columns, failed: false, input: Input::Tick })
    }

    /// Reads the next input and lends it, which takes no memory for an answer in
    /// columns.
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
        let read = match &mut self.columns {
            None if self.fields.cursor.is_at_end() => return None,
            None => read_first_format(&mut self.fields, &mut self.input),
            Some(columns) => columns.read(&mut self.fields, &mut self.input)?,
        };
        self.failed = read.is_err();
        Some(read)
    }
}

fn read_first_format(fields: &mut Fields<'_>, input: &mut Input) -> Result<(), LogError> {
    let start = fields.cursor.offset();
    let kind = fields.cursor.byte()?;
    *input = fields.input(kind, start)?;
    Ok(())
}

impl<'a> Columns<'a> {
    fn new(cursor: &mut Cursor<'a>) -> Result<Self, LogError> {
        let kinds = cursor.sized()?;
        let answers = kinds.iter().filter(|kind| **kind == kind::ANSWER).count();
        Ok(Self { kinds: kinds.iter(), answers: Answers::new(cursor, answers)? })
    }

    fn read(&mut self, others: &mut Fields<'a>, input: &mut Input) -> Option<Result<(), LogError>> {
        let offset = others.cursor.offset();
        match self.kinds.next() {
            Some(&kind::ANSWER) => Some(self.answers.read_into(input)),
            Some(other) => {
                self.answers.take_back(input);
                Some(others.input(*other, offset).map(|read| *input = read))
            }
            None if others.cursor.is_at_end() => None,
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
