//! Columns of bouts and seats. Each is listed once, and the code that writes, reads and hashes them
//! is generated from the list.
//!
//! A new column takes a line in the migration and a line in the list.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use super::StoreError;
use super::bounds::{MOST_COUNTED, MOST_MILLIONTHS};
use super::bouts::{bout_id, id_number};
use super::document::{Document, LONGEST_SHARED};
use super::hasher::Hasher;
use super::insert::Values;
use super::row::{LONGEST_TEXT, Reader, nanos};
use joust_model::{
    BoutId, BuildHash, ClockMode, LimitSet, Occupant, PlanKey, Score, SeatNumbers, Seed, Tier,
    Verdict, VerdictCounts,
};

/// A value of a row, or the place of the next document that the row names.
pub(super) enum Cell<'a> {
    Number(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
    Null,
    Document,
}

/// Encoding of a value in one column or in several.
pub(super) trait Column {
    /// The type of the stored value.
    type Value;
    /// True if the column contains the number of a document. Then the document's text is hashed.
    const IS_DOCUMENT: bool = false;

    /// Returns the names of the columns; `own` is the name in the list.
    fn names(own: &'static str) -> Vec<&'static str> {
        vec![own]
    }

    fn write(value: &Self::Value, sink: &mut impl FnMut(Cell<'_>));

    fn read(reader: &Reader<'_>, column: &'static str) -> Result<Self::Value, StoreError>;
}

/// A column of a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedColumn {
    pub(super) name: &'static str,
    is_document: bool,
}

/// Returns the columns of one value of the list.
pub(super) fn list_columns<C: Column>(own: &'static str) -> impl Iterator<Item = ListedColumn> {
    C::names(own).into_iter().map(|name| ListedColumn { name, is_document: C::IS_DOCUMENT })
}

/// Returns the query for the columns `own` and the listed columns of `table`, with the texts of
/// documents.
pub(super) fn select(table: &str, own: &str, list: &[ListedColumn]) -> String {
    let mut query = format!("SELECT {own}");
    for ListedColumn { name, is_document } in list {
        query += &match is_document {
            true => format!(
                ", (SELECT iif(length(text) <= {LONGEST_SHARED}, text, '') FROM documents \
                 WHERE id = {table}.{name}) AS {name}"
            ),
            false => format!(", {name}"),
        };
    }
    query + " FROM " + table
}

/// Makes a type for a list of columns. Each line has a column's name, its encoding, and the field
/// that it stores. `read` names the macro that builds the returned value from the same lines.
macro_rules! columns {
    (
        $(#[$doc:meta])*
        $name:ident($($base:ident: &$of:ty),+), $read:ident($rest:ty) -> $made:ty {
            $($column:ident: $type:ty = $from:ident.$field:ident,)*
        }
    ) => {
        $(#[$doc])*
        pub(super) struct $name;

        impl $name {
            /// Returns the columns in the order of the list.
            pub(super) fn list() -> &'static [crate::columns::ListedColumn] {
                static LIST: std::sync::LazyLock<Vec<crate::columns::ListedColumn>> =
                    std::sync::LazyLock::new(|| {
                        let mut list = Vec::new();
                        $(list.extend(crate::columns::list_columns::<$type>(stringify!($column)));)*
                        list
                    });
                &LIST
            }

            /// Writes every value to `sink`, in the order of the list.
            pub(super) fn write($($base: &$of,)+ sink: &mut impl FnMut(crate::columns::Cell<'_>)) {
                $(<$type as crate::columns::Column>::write(&$from.$field, sink);)*
            }

            /// Reads a row, and adds the parts that have no column.
            pub(super) fn read(
                reader: &crate::row::Reader<'_>,
                rest: $rest,
            ) -> Result<$made, crate::StoreError> {
                $read!((reader, rest) [] [] $($column: $type = $from.$field,)*)
            }
        }
    };
}
pub(super) use columns;

/// Returns a sink that hashes values, and documents by their texts.
pub(super) fn hashing<'a>(
    hasher: &'a mut Hasher,
    documents: &'a [Arc<str>],
) -> impl FnMut(Cell<'_>) + 'a {
    let mut documents = documents.iter();
    move |cell| match cell {
        Cell::Number(value) => hasher.add_number(value),
        Cell::Text(value) => hasher.add_text(value),
        Cell::Bytes(value) => hasher.add_bytes(value),
        Cell::Null => hasher.add_null(),
        Cell::Document => hasher.add_text(documents.next().expect("a seal has every document")),
    }
}

/// Returns a sink that binds values, and documents by their numbers.
pub(super) fn binding<'a>(
    values: &'a mut Values,
    documents: &'a [i64],
) -> impl FnMut(Cell<'_>) + 'a {
    let mut documents = documents.iter();
    move |cell| {
        _ = match cell {
            Cell::Number(value) => values.number(value),
            Cell::Text(value) => values.text(value),
            Cell::Bytes(value) => values.bytes(value),
            Cell::Null => values.null(),
            Cell::Document => values.number(*documents.next().expect("a row has every document")),
        };
    }
}

/// A document as JSON.
pub(super) struct Json<T>(PhantomData<T>);

impl<T: Document> Column for Json<T> {
    type Value = T;
    const IS_DOCUMENT: bool = true;

    fn write(_: &T, sink: &mut impl FnMut(Cell<'_>)) {
        sink(Cell::Document);
    }

    fn read(reader: &Reader<'_>, column: &'static str) -> Result<T, StoreError> {
        reader.json(column)
    }
}

/// Implements [`Column`] for types that are their own values.
macro_rules! kept {
    ($($type:ty: |$value:ident, $sink:ident| $write:expr, |$reader:ident, $column:ident| $read:expr;)*) => {$(
        impl Column for $type {
            type Value = Self;

            fn write($value: &Self, $sink: &mut impl FnMut(Cell<'_>)) {
                $write;
            }

            fn read($reader: &Reader<'_>, $column: &'static str) -> Result<Self, StoreError> {
                $read
            }
        }
    )*};
}

kept! {
    u8: |value, sink| sink(Cell::Number(i64::from(*value))), |reader, column| reader.number(column);
    u32: |value, sink| sink(Cell::Number(i64::from(*value))), |reader, column| reader.number(column);
    i64: |value, sink| sink(Cell::Number(*value)), |reader, column| reader.timestamp(column);
    u64: |value, sink| sink(Cell::Number(i64::try_from(*value).unwrap_or(i64::MAX).min(MOST_COUNTED))),
        |reader, column| reader.bounded(column, MOST_COUNTED).map(i64::unsigned_abs);
    // All 64 bits, as a number with a sign.
    Seed: |value, sink| sink(Cell::Number(value.0.cast_signed())),
        |reader, column| reader.get(column).map(|number: i64| Self(number.cast_unsigned()));
    Score: |value, sink| sink(Cell::Number(value.as_millionths())),
        |reader, column| reader.bounded(column, MOST_MILLIONTHS).map(Self::millionths);
    LimitSet: |value, sink| sink(Cell::Number(i64::from(value.0))),
        |reader, column| reader.number(column).map(Self);
    Tier: |value, sink| sink(Cell::Text(value.name())), |reader, column| reader.named(column);
    bool: |value, sink| sink(Cell::Number(i64::from(*value))), |reader, column| reader.get(column);
    String: |value, sink| sink(Cell::Text(value)), |reader, column| reader.text(column, LONGEST_TEXT);
    Duration: |value, sink| sink(Cell::Number(nanos(*value))), |reader, column| reader.duration(column);
    BoutId: |value, sink| sink(Cell::Number(id_number(*value))),
        |reader, column| reader.get(column).map(bout_id);
    PlanKey: |value, sink| sink(Cell::Bytes(&value.0)), |reader, column| reader.hash(column).map(Self);
    Occupant: |value, sink| sink(Cell::Bytes(&value.identity().0)),
        |reader, column| reader.hash(column).map(|hash| BuildHash(hash).into());
}

/// `None` for turn-based games, which have no clock.
impl Column for Option<ClockMode> {
    type Value = Self;

    fn write(value: &Self, sink: &mut impl FnMut(Cell<'_>)) {
        match value {
            Some(pace) => sink(Cell::Text(pace.name())),
            None => sink(Cell::Null),
        }
    }

    fn read(reader: &Reader<'_>, column: &'static str) -> Result<Self, StoreError> {
        reader.optional(column, Reader::named)
    }
}

/// Encoded as text; null where nothing was counted.
impl Column for SeatNumbers {
    type Value = Self;

    fn write(value: &Self, sink: &mut impl FnMut(Cell<'_>)) {
        match value.is_empty() {
            true => sink(Cell::Null),
            false => sink(Cell::Text(&value.to_text())),
        }
    }

    fn read(reader: &Reader<'_>, column: &'static str) -> Result<Self, StoreError> {
        Ok(reader.optional(column, Reader::seat_numbers)?.unwrap_or_default())
    }
}

/// `None` for built-in games, which have no separately built referee.
impl Column for Option<BuildHash> {
    type Value = Self;

    fn write(value: &Self, sink: &mut impl FnMut(Cell<'_>)) {
        match value {
            Some(hash) => sink(Cell::Bytes(&hash.0)),
            None => sink(Cell::Null),
        }
    }

    fn read(reader: &Reader<'_>, column: &'static str) -> Result<Self, StoreError> {
        Ok(reader.optional(column, Reader::hash)?.map(BuildHash))
    }
}

/// The columns of the verdict counts, in the order of [`VerdictCounts`].
pub(super) const VERDICTS: [&str; Verdict::ALL.len()] = [
    "infrastructure_error",
    "memory_limit",
    "output_limit",
    "cpu_limit",
    "timeout",
    "disk_limit",
    "protocol_violation",
    "crash",
    "exit_nonzero",
    "no_output",
    "illegal_output",
    "ok",
];

/// Returns an SQL expression for the number of a seat's faults.
pub(super) fn faults() -> String {
    let faults = Verdict::ALL.iter().zip(VERDICTS).filter(|(verdict, _)| **verdict != Verdict::Ok);
    faults.map(|(_, column)| column).collect::<Vec<_>>().join(" + ")
}

impl Column for VerdictCounts {
    type Value = Self;

    fn names(_: &'static str) -> Vec<&'static str> {
        VERDICTS.to_vec()
    }

    fn write(value: &Self, sink: &mut impl FnMut(Cell<'_>)) {
        value.0.iter().for_each(|count| sink(Cell::Number(i64::from(*count))));
    }

    fn read(reader: &Reader<'_>, _: &'static str) -> Result<Self, StoreError> {
        let mut counts = Self::default();
        for (count, column) in counts.0.iter_mut().zip(VERDICTS) {
            *count = reader.number(column)?;
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_the_column_of_its_name() {
        let names = Verdict::ALL.map(|verdict| verdict.name().replace('-', "_"));
        assert_eq!(names.each_ref().map(String::as_str), VERDICTS);
    }

    #[test]
    fn a_document_is_selected_by_its_text() {
        let list = [ListedColumn { name: "seed", is_document: false }];
        let list = [list[0], ListedColumn { name: "limits", is_document: true }];
        assert_eq!(
            select("bouts", "number", &list),
            "SELECT number, seed, (SELECT iif(length(text) <= 262144, text, '') FROM documents \
             WHERE id = bouts.limits) AS limits \
             FROM bouts"
        );
    }
}
