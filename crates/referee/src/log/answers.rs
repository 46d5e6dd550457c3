//! Columns of a log's answers.

use super::columns::{Column, Cursor, unfolded};
use super::fields::{Fields, parts_of};
use super::{LogError, LogProblem, MOST_SHARED_PARTS};
use crate::{Input, Parts, RequestId, Seat, Verdict};

/// Reads answers, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Answers<'a> {
    seats: Column<'a>,
    steps: Column<'a>,
    verdicts: Column<'a>,
    places: Column<'a>,
    /// The part of the table that answers have referred to so far.
    table: Vec<Entry>,
    /// The rest of it.
    entries: Fields<'a>,
    /// Number of entries.
    most: usize,
    read: usize,
    /// The request after the one answered last.
    next_request: u32,
    /// The entry whose parts are in the input that was made last.
    lent: Option<usize>,
}

/// An answer that was given once or often.
#[derive(Clone, Debug)]
struct Entry {
    parts: Parts,
    was_read: bool,
}

impl<'a> Answers<'a> {
    /// Reads the table and the columns of `count` answers.
    pub(super) fn new(cursor: &mut Cursor<'a>, count: usize) -> Result<Self, LogError> {
        let wrong = LogError { offset: cursor.offset(), problem: LogProblem::Number };
        let most = Some(cursor.number()?).filter(|most| *most <= count).ok_or(wrong)?;
        let entries = Fields::new(cursor.clone());
        for _ in 0..most {
            skip_parts(cursor)?;
        }
        Ok(Self {
            seats: cursor.column(count)?,
            steps: cursor.column(count)?,
            verdicts: cursor.column(count)?,
            places: cursor.column(count)?,
            table: Vec::new(),
            entries,
            most,
            read: 0,
            next_request: 0,
            lent: None,
        })
    }

    /// Makes `input` the next answer. Its parts are lent to it: before it becomes
    /// anything else they are [taken back](Self::take_back).
    pub(super) fn read_into(&mut self, input: &mut Input) -> Result<(), LogError> {
        self.take_back(input);
        let number = self.read;
        self.read += 1;
        let step = i32::try_from(unfolded(self.steps.at(number)));
        let step = step.map_err(|_| self.steps.wrong())?;
        let request = self.next_request.wrapping_add(step.cast_unsigned());
        self.next_request = request.wrapping_add(1);
        let verdict = Verdict::from_code(self.verdicts.get(number)?);
        let verdict = verdict.ok_or_else(|| self.verdicts.wrong())?;
        let (seat, request) = (Seat(self.seats.get(number)?), RequestId(request));
        let place = self.places.get(number)?;
        // Entries stand in the order in which they are needed first.
        if place == self.table.len() && place < self.most {
            self.table.push(Entry { parts: self.entries.parts()?, was_read: false });
        }
        let entry: Option<&mut Entry> = self.table.get_mut(place);
        let entry = entry.filter(|entry| entry.may_be_read()).ok_or_else(|| self.places.wrong())?;
        entry.was_read = true;
        let parts = std::mem::take(&mut entry.parts);
        self.lent = Some(place);
        *input = Input::Answer { seat, request, parts, verdict };
        Ok(())
    }

    /// Takes back the parts that were lent to `input`.
    pub(super) fn take_back(&mut self, input: &mut Input) {
        if let Some(place) = self.lent.take()
            && let (Some(entry), Input::Answer { parts, .. }) = (self.table.get_mut(place), input)
        {
            entry.parts = std::mem::take(parts);
        }
    }
}

impl Entry {
    /// Few parts may come again, so that a log grows in memory by a factor at most.
    fn may_be_read(&self) -> bool {
        !self.was_read || self.parts.0.len() <= MOST_SHARED_PARTS
    }
}

/// Passes by the parts of an entry.
fn skip_parts(cursor: &mut Cursor<'_>) -> Result<(), LogError> {
    for _ in 0..parts_of(cursor)? {
        cursor.text()?;
        cursor.sized()?;
    }
    Ok(())
}
