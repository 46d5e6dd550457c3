//! Log reader: from bytes to inputs.

use super::codec::Cursor;
use super::fields::{Answer, Fields};
use super::{FORMAT, LogError, LogProblem, MOST_SHARED_PARTS, kind};
use crate::{Input, RequestId};

/// Reads a log input by input.
///
/// After an error nothing more is read.
#[derive(Clone, Debug)]
pub struct LogReader<'a> {
    fields: Fields<'a>,
    /// Number of inputs to come.
    left: u64,
    /// The answers so far, without those that were given again.
    answers: Vec<Answer>,
    /// The request after the one answered last.
    next_request: u32,
    /// The input that is lent.
    input: Input,
    /// The answer whose parts are in it.
    lent: Option<usize>,
}

impl<'a> LogReader<'a> {
    /// Starts reading.
    ///
    /// # Errors
    ///
    /// [`LogError`] when the first byte is not [`FORMAT`], or no number of inputs follows.
    pub fn new(bytes: &'a [u8]) -> Result<Self, LogError> {
        let mut cursor = Cursor::new(bytes);
        let format = cursor.byte()?;
        if format != FORMAT {
            return Err(LogError { offset: 0, problem: LogProblem::UnknownFormat(format) });
        }
        let left = cursor.number()?;
        let (fields, answers) = (Fields::new(cursor), Vec::new());
        Ok(Self { fields, left, answers, next_request: 0, input: Input::Tick, lent: None })
    }

    /// Reads the next input and lends it, which takes no memory for an answer.
    pub fn lend(&mut self) -> Option<Result<&Input, LogError>> {
        let cursor = &self.fields.cursor;
        let read = match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                self.read()
            }
            None if cursor.is_at_end() => return None,
            None => Err(LogError { offset: cursor.offset, problem: LogProblem::LeftOver }),
        };
        if read.is_err() {
            (self.left, self.fields.cursor) = (0, Cursor::new(&[]));
        }
        Some(read.map(|()| &self.input))
    }

    fn read(&mut self) -> Result<(), LogError> {
        self.take_back();
        let wrong = LogError { offset: self.fields.cursor.offset, problem: LogProblem::Number };
        match self.fields.cursor.number()? {
            kind::ANSWER => {
                self.answers.push(self.fields.answer()?);
                self.lend_answer(self.answers.len() - 1);
            }
            kind @ ..kind::AGAIN => self.input = self.fields.input(kind)?,
            place => {
                let again = self.answers.get(place - kind::AGAIN);
                // Few parts may come again, so that a log grows in memory by a factor at most.
                again.filter(|again| again.parts.0.len() <= MOST_SHARED_PARTS).ok_or(wrong)?;
                self.lend_answer(place - kind::AGAIN);
            }
        }
        Ok(())
    }

    /// Makes the input the answer at `place`. Its parts are lent to it: before it becomes
    /// anything else they are [taken back](Self::take_back).
    fn lend_answer(&mut self, place: usize) {
        let Answer { seat, step, verdict, ref mut parts } = self.answers[place];
        let request = self.next_request.wrapping_add_signed(step);
        let parts = std::mem::take(parts);
        self.next_request = request.wrapping_add(1);
        self.lent = Some(place);
        self.input = Input::Answer { seat, request: RequestId(request), parts, verdict };
    }

    fn take_back(&mut self) {
        if let (Some(place), Input::Answer { parts, .. }) = (self.lent.take(), &mut self.input) {
            self.answers[place].parts = std::mem::take(parts);
        }
    }
}

impl Iterator for LogReader<'_> {
    type Item = Result<Input, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.lend().map(|read| read.cloned())
    }
}
