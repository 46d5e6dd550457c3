//! Filters of all partitions, side by side: a bout is looked for in hundreds of them at the cost of a few.
//!
//! Those of one length are a table with a row for each bit of theirs, in which each partition has a
//! column. A bout's rows are laid over each other, and what is left after all of them are the columns of partitions
//! that may have it; of a new bout nothing is left after some ten rows, however many columns there are.

use std::collections::BTreeMap;

use joust_model::BoutId;

use super::filter::{Filter, places};

/// Bytes of a row at most, as many as the processor reads at once.
const WIDEST: usize = 64;

/// The filters of partitions that were read, in their order.
#[derive(Debug, Default)]
pub(in super::super) struct Filters {
    newest: Option<i64>,
    tables: Vec<Table>,
}

/// Filters of one length.
#[derive(Debug)]
struct Table {
    rows: usize,
    /// Bytes of a row.
    width: usize,
    bits: Vec<u8>,
    /// The partition of each column.
    partitions: Vec<i64>,
}

impl Filters {
    /// Returns the newest partition whose filter is here.
    pub(super) fn newest(&self) -> Option<i64> {
        self.newest
    }

    /// Takes the filter of a partition that is newer than all that are here.
    pub(super) fn push(&mut self, partition: i64, filter: &Filter) {
        self.newest = Some(partition);
        let rows = filter.bytes().len() * 8;
        let is_place = |table: &&mut Table| table.rows == rows && !table.is_full();
        match self.tables.iter_mut().find(is_place) {
            Some(table) => table.push(partition, filter),
            None if rows == 0 => {}
            None => {
                let mut table = Table { rows, width: 0, bits: Vec::new(), partitions: Vec::new() };
                table.push(partition, filter);
                self.tables.push(table);
            }
        }
    }

    /// Returns the partitions that may have some of `bouts`, and which; all others have none.
    pub(super) fn may_have(&self, bouts: &[BoutId]) -> BTreeMap<i64, Vec<BoutId>> {
        let mut found = BTreeMap::<i64, Vec<BoutId>>::new();
        for table in &self.tables {
            for bout in bouts {
                table.each_with(*bout, |partition| found.entry(partition).or_default().push(*bout));
            }
        }
        found
    }
}

impl Table {
    fn is_full(&self) -> bool {
        self.partitions.len() == WIDEST * 8
    }

    fn push(&mut self, partition: i64, filter: &Filter) {
        let column = self.partitions.len();
        if column == self.width * 8 {
            self.widen();
        }
        self.partitions.push(partition);
        let (byte, bit) = (column / 8, column % 8);
        let cells = self.bits.iter_mut().skip(byte).step_by(self.width);
        for (cell, row) in cells.zip(0..) {
            *cell |= u8::from(filter.has(row)) << bit;
        }
    }

    /// Makes room for eight more columns, in place: a table can be most of what a program holds.
    fn widen(&mut self) {
        let (before, after) = (self.width, self.width + 1);
        self.bits.reserve_exact(self.rows);
        self.bits.resize(self.rows * after, 0);
        for row in (0..self.rows).rev() {
            self.bits.copy_within(row * before..(row + 1) * before, row * after);
            self.bits[row * after + before] = 0;
        }
        self.width = after;
    }

    /// Hands each partition that may have a bout to `found`.
    fn each_with(&self, bout: BoutId, mut found: impl FnMut(i64)) {
        let mut left = [u8::MAX; WIDEST];
        let left = &mut left[..self.width];
        for row in places(bout, self.rows) {
            let bits = &self.bits[row * self.width..][..self.width];
            let mut any = 0;
            for (left, bits) in left.iter_mut().zip(bits) {
                *left &= bits;
                any |= *left;
            }
            if any == 0 {
                return;
            }
        }
        for (column, partition) in self.partitions.iter().enumerate() {
            if left[column / 8] & (1 << (column % 8)) != 0 {
                found(*partition);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u32) -> BoutId {
        BoutId::of("filters", &[&number.to_le_bytes()])
    }

    /// Returns the filter of `count` bouts from `first` on.
    fn of(first: u32, count: u32) -> Filter {
        let mut filter = Filter::for_ids(count as usize);
        (first..first + count).for_each(|number| filter.insert(id(number)));
        filter
    }

    #[test]
    fn each_bout_is_found_in_its_partition_and_in_few_others() {
        let mut filters = Filters::default();
        assert!(filters.may_have(&[id(1)]).is_empty() && filters.newest().is_none());
        // More than a row of columns, of two lengths by turns, and one that has nothing.
        let many = 600;
        let of_partition = |partition: u32| {
            of(partition * 1000, if partition.is_multiple_of(7) { 900 } else { 200 })
        };
        for partition in 1..=many {
            filters.push(partition.into(), &of_partition(partition));
        }
        filters.push(700, &Filter::from_bytes(Vec::new()));
        assert_eq!(filters.newest(), Some(700));
        let mut others = 0;
        for partition in 1..=many {
            let own: Vec<BoutId> = (0..20).map(|number| id(partition * 1000 + number)).collect();
            let mut found = filters.may_have(&own);
            assert_eq!(found.remove(&partition.into()), Some(own), "partition {partition}");
            others += found.values().map(Vec::len).sum::<usize>();
        }
        let strangers: Vec<BoutId> = (0..2000).map(|number| id(1_000_000 + number)).collect();
        others += filters.may_have(&strangers).values().map(Vec::len).sum::<usize>();
        assert!(others < 400, "{others} of 8 million");
    }

    #[test]
    fn a_table_says_what_each_filter_says() {
        let filters: Vec<Filter> = (0..20).map(|at| of(at * 50, 40)).collect();
        let mut all = Filters::default();
        (0..).zip(&filters).for_each(|(number, filter)| all.push(number, filter));
        for number in 0..1000 {
            let told: Vec<i64> = all.may_have(&[id(number)]).into_keys().collect();
            let may_have =
                |(place, _): &(i64, &Filter)| filters[*place as usize].may_have(id(number));
            let expected: Vec<i64> = (0..).zip(&filters).filter(may_have).map(|it| it.0).collect();
            assert_eq!(told, expected, "bout {number}");
        }
    }
}
