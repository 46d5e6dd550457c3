//! The table `seats`: the result of each seat of a bout.

use std::slice;
use std::sync::LazyLock;
use std::time::Duration;

use sqlx::sqlite::SqliteRow;

use super::StoreError;
use super::columns::{Column as _, Json, binding, columns, select};
use super::insert::{Insert, Values};
use super::row::Reader;
use joust_model::{
    BoutResult, Calibration, LimitSet, Occupant, Score, SeatNumbers, SeatResult, VerdictCounts,
};

columns! {
    /// The recorded columns of a seat, in the order in which they are hashed, after the number of
    /// the seat.
    SeatColumns(seat: &SeatResult), seat_result(()) -> SeatResult {
        bot: String = seat.bot,
        build: Occupant = seat.occupant,
        rank: u8 = seat.rank,
        score_millionths: Score = seat.score,
        limits_hit: LimitSet = seat.limits_hit,
        cpu_ns: Duration = seat.cpu,
        wall_ns: Duration = seat.wall,
        stall_ns: Duration = seat.stall,
        peak_memory_bytes: u64 = seat.peak_memory_bytes,
        ticks_idle: u32 = seat.ticks_idle,
        answers_late: u32 = seat.answers_late,
        cold_starts: u32 = seat.cold_starts,
        numbers: SeatNumbers = seat.numbers,
        verdicts: VerdictCounts = seat.verdicts,
        calibration: Json<Calibration> = seat.calibration,
    }
}

/// Builds a seat's result from the list of its columns.
macro_rules! seat_result {
    (($reader:ident, $rest:ident) [] []
        $($column:ident: $type:ty = seat.$field:ident,)*
    ) => {{
        let () = $rest;
        Ok(SeatResult { $($field: <$type>::read($reader, stringify!($column))?,)* })
    }};
}
use seat_result;

/// The columns that identify a seat.
const OWN: &str = "bout, seat";

/// The query for seats, with the texts of their calibrations.
pub(super) static SELECT: LazyLock<String> =
    LazyLock::new(|| select("seats", OWN, SeatColumns::list()));

pub(super) static SEATS: LazyLock<Insert> = LazyLock::new(|| {
    Insert::new("seats", OWN, SeatColumns::list().iter().map(|column| column.name))
});

/// A seat to be written.
pub(super) struct SeatRow<'a> {
    /// The number of the bout's row.
    bout: i64,
    /// The seat's number in the bout.
    number: i64,
    result: &'a SeatResult,
    calibration: i64,
}

/// Returns the seats of the bout in row `bout`, with the numbers of their calibrations.
pub(super) fn of_bout<'a>(
    bout: i64,
    result: &'a BoutResult,
    calibrations: &'a [i64],
) -> impl Iterator<Item = SeatRow<'a>> {
    let seats = result.seats.iter().zip(calibrations);
    (0..).zip(seats).map(move |(number, (result, calibration))| SeatRow {
        bout,
        number,
        result,
        calibration: *calibration,
    })
}

pub(super) fn push(values: &mut Values, seat: &SeatRow<'_>) {
    values.number(seat.bout).number(seat.number);
    let documents = slice::from_ref(&seat.calibration);
    SeatColumns::write(seat.result, &mut binding(values, documents));
}

/// Reads one row.
pub(super) fn read(row: &SqliteRow) -> Result<SeatResult, StoreError> {
    SeatColumns::read(&Reader::new("seats", "bout", row), ())
}
