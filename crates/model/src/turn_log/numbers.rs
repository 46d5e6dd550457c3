//! Columns of the numbers reported in a bout: the referee's counters and the bots' own numbers.

use joust_referee::log::columns::{
    Column, Cursor, folded, push_column, push_number, push_sized, unfolded,
};
use joust_referee::log::{LogError, LogProblem};
use joust_referee::wire::{finite_number, finite_of};

use crate::{NumberRecord, NumberSource};

/// Number of columns, without the sources.
const COLUMNS: usize = 4;

/// Largest value of each column; indices of names have another bound.
const MOST: [u64; COLUMNS] = [u32::MAX as u64, u8::MAX as u64, u64::MAX, u64::MAX];

/// Numbers of a running bout.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NumberWriter {
    names: Vec<String>,
    /// Source of each number: 0 for the referee, 1 for the bot.
    sources: Vec<u8>,
    /// Round less the one before it, seat, index of the name, value.
    columns: [Vec<u64>; COLUMNS],
    last_round: u32,
}

impl NumberWriter {
    pub(super) fn push(&mut self, record: &NumberRecord) {
        let step = record.round.wrapping_sub(self.last_round).cast_signed();
        self.last_round = record.round;
        let name = self.place_of(&record.name) as u64;
        let numbers = [folded(step.into()), record.seat.into(), name, finite_number(record.value)];
        self.sources.push(u8::from(record.source == NumberSource::Bot));
        self.columns.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number));
    }

    fn place_of(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        push_sized(out, &self.sources);
        push_number(out, self.names.len() as u64);
        self.names.iter().for_each(|name| push_sized(out, name.as_bytes()));
        self.columns.iter().for_each(|column| push_column(out, column));
    }
}

/// Decoded and validated numbers.
#[derive(Clone, Debug)]
pub(super) struct NumberColumns<'a> {
    sources: &'a [u8],
    names: Vec<&'a str>,
    columns: [Column<'a>; COLUMNS],
}

impl<'a> NumberColumns<'a> {
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Result<Self, LogError> {
        let wrong = LogError { offset: cursor.offset(), problem: LogProblem::Number };
        let sources = cursor.sized()?;
        let is_known = sources.iter().all(|source| *source <= 1);
        let length = Some(cursor.number()?).filter(|length| *length <= sources.len());
        let mut names = Vec::new();
        for _ in 0..length.ok_or(wrong)? {
            names.push(cursor.text()?);
        }
        let mut columns = [Cursor::new(&[]).column(0)?; COLUMNS];
        for (column, most) in columns.iter_mut().zip(MOST) {
            *column = cursor.column(sources.len())?;
            column.check(most)?;
        }
        let numbers = Self { sources, names, columns };
        numbers.check()?;
        if is_known { Ok(numbers) } else { Err(wrong) }
    }

    fn check(&self) -> Result<(), LogError> {
        let [_, _, names, values] = &self.columns;
        for record in 0..self.sources.len() {
            usize::try_from(names.at(record))
                .ok()
                .and_then(|place| self.names.get(place))
                .ok_or_else(|| names.wrong())?;
            finite_of(values.at(record)).ok_or_else(|| values.wrong())?;
        }
        Ok(())
    }

    /// Returns all numbers.
    pub(super) fn records(&self) -> Vec<NumberRecord> {
        let [steps, seats, names, values] = &self.columns;
        let mut round = 0_u32;
        let record = |(number, source): (usize, &u8)| {
            round = round.wrapping_add(unfolded(steps.at(number)) as u32);
            let name = usize::try_from(names.at(number)).ok();
            NumberRecord {
                round,
                seat: seats.at(number) as u8,
                source: match source {
                    0 => NumberSource::Referee,
                    _ => NumberSource::Bot,
                },
                name: name.and_then(|place| self.names.get(place)).map_or("", |name| name).into(),
                value: finite_of(values.at(number)).unwrap_or_default(),
            }
        };
        self.sources.iter().enumerate().map(record).collect()
    }
}
