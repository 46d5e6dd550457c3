//! The table `seats`: what each seat did in a bout.

use std::slice;
use std::sync::LazyLock;
use std::time::Duration;

use rusqlite::Connection;
use sqlx::sqlite::SqliteRow;

use super::StoreError;
use super::columns::{Column as _, Inserting, Json, columns, select};
use super::insert::Insert;
use super::row::Reader;
use super::rows::Numbered;
use joust_model::{Calibration, LimitSet, Occupant, Score, SeatNumbers, SeatResult, VerdictCounts};

columns! {
    /// The columns of a seat that say what was recorded, in the order in which they are
    /// hashed, after the number of the seat.
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

/// Makes a seat's result of the lines of its columns.
macro_rules! seat_result {
    (($reader:ident, $rest:ident) [] []
        $($column:ident: $type:ty = seat.$field:ident,)*
    ) => {{
        let () = $rest;
        Ok(SeatResult { $($field: <$type>::read($reader, stringify!($column))?,)* })
    }};
}
use seat_result;

/// The columns of a seat that say where it is.
const OWN: &str = "bout, seat";

/// The query for seats, with the texts of their calibrations.
pub(super) static SELECT: LazyLock<String> =
    LazyLock::new(|| select("seats", OWN, SeatColumns::list()));

static SEATS: LazyLock<Insert> = LazyLock::new(|| Insert::new("seats", OWN, SeatColumns::list()));

/// Writes the seats of bouts.
pub(super) fn write(file: &Connection, rows: &[Numbered<'_>]) -> rusqlite::Result<()> {
    SEATS.write(file, rows.iter().flat_map(of_bout), |values, (bout, number, seat, calibration)| {
        values.number(bout).number(number);
        let documents = slice::from_ref(calibration).iter();
        SeatColumns::write(seat, &mut Inserting { values, documents });
    })
}

/// Returns a bout's seats, each with the row of the bout, its place there and its calibration.
fn of_bout<'a>(
    Numbered { number, row }: &'a Numbered<'a>,
) -> impl Iterator<Item = (i64, i64, &'a SeatResult, &'a i64)> {
    let seats = row.result.seats.iter().zip(&row.calibrations);
    (0..).zip(seats).map(|(place, (seat, calibration))| (*number, place, seat, calibration))
}

/// Reads one row.
pub(super) fn read(row: &SqliteRow) -> Result<SeatResult, StoreError> {
    SeatColumns::read(&Reader::new("seats", "bout", row), ())
}
