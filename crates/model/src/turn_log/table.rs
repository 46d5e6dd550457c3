//! Deduplicated texts and bytes: a table of distinct values, and an index for each record.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use joust_referee::log::columns::{Column, Cursor, push_column, push_number, push_sized};
use joust_referee::log::{LogError, LogProblem};

/// The longest entry that several records may share, so that a log grows in memory by a limited
/// factor. A turn's record keeps no more than this of any stream.
const LONGEST_SHARED: usize = 1024;

/// A table that is being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TableWriter {
    entries: Vec<Arc<[u8]>>,
    known: BTreeMap<Arc<[u8]>, u64>,
    places: Vec<u64>,
}

impl TableWriter {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let is_shared = bytes.len() <= LONGEST_SHARED;
        let known = self.known.get(bytes).copied().filter(|_| is_shared);
        let place = known.unwrap_or_else(|| self.add(bytes, is_shared));
        self.places.push(place);
    }

    /// Replaces a record's entry.
    pub(super) fn set(&mut self, record: usize, bytes: &[u8]) {
        self.push(bytes);
        if let (Some(place), Some(of_record)) = (self.places.pop(), self.places.get_mut(record)) {
            *of_record = place;
        }
    }

    fn add(&mut self, bytes: &[u8], is_shared: bool) -> u64 {
        let (place, entry) = (self.entries.len() as u64, Arc::<[u8]>::from(bytes));
        if is_shared {
            self.known.insert(entry.clone(), place);
        }
        self.entries.push(entry);
        place
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        push_number(out, self.entries.len() as u64);
        self.entries.iter().for_each(|entry| push_sized(out, entry));
        push_column(out, &self.places);
    }
}

/// A decoded table, whose indices are all valid.
#[derive(Clone, Debug)]
pub(super) struct ValueTable<'a, T> {
    entries: Vec<T>,
    places: Column<'a>,
}

/// Function that reads an entry.
type ReadEntry<'a, T> = fn(&mut Cursor<'a>) -> Result<T, LogError>;

impl<'a, T: Copy + Default + AsRef<[u8]>> ValueTable<'a, T> {
    /// Decodes a table and the indices of `count` records.
    pub(super) fn read(
        cursor: &mut Cursor<'a>,
        count: usize,
        entry: ReadEntry<'a, T>,
    ) -> Result<Self, LogError> {
        let wrong = LogError { offset: cursor.offset(), problem: LogProblem::Number };
        // Each entry belongs to a record, or was the last entry of its seat before another replaced
        // it.
        let most = count.saturating_add(usize::from(u8::MAX) + 1);
        let length = Some(cursor.number()?).filter(|length| *length <= most).ok_or(wrong)?;
        let mut entries = Vec::new();
        for _ in 0..length {
            entries.push(entry(cursor)?);
        }
        let table = Self { entries, places: cursor.column(count)? };
        table.check(count)?;
        Ok(table)
    }

    fn check(&self, count: usize) -> Result<(), LogError> {
        let Some(last) = self.entries.len().checked_sub(1) else {
            return if count == 0 { Ok(()) } else { Err(self.places.wrong()) };
        };
        self.places.check(last as u64)?;
        let is_long = |entry: &T| entry.as_ref().len() > LONGEST_SHARED;
        if !self.entries.iter().any(is_long) {
            return Ok(());
        }
        let mut met = BTreeSet::new();
        let long = (0..count).filter(|number| is_long(&self.at(*number)));
        let once = long.map(|number| self.places.at(number)).all(|place| met.insert(place));
        if once { Ok(()) } else { Err(self.places.wrong()) }
    }

    /// Returns a record's entry.
    pub(super) fn at(&self, record: usize) -> T {
        let place = usize::try_from(self.places.at(record)).ok();
        place.and_then(|place| self.entries.get(place)).copied().unwrap_or_default()
    }
}
