//! The table `seats`: what each seat did in a bout.

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::StoreError;
use super::insert::{Insert, Statement, Values};
use super::row::{Reader, nanos};
use super::rows::{Numbered, Row};
use joust_model::{BuildHash, SeatResult, VerdictCounts};

/// The columns of the verdicts, in the order of [`VerdictCounts`].
pub(super) const VERDICTS: [&str; 12] = [
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

const SEATS: Insert = Insert(
    "seats (bout, seat, bot, build, rank, score, limits_hit, cpu_ns, wall_ns, stall_ns, \
     peak_memory_bytes, calibration, ticks_idle, answers_late, infrastructure_error, \
     memory_limit, output_limit, cpu_limit, timeout, disk_limit, protocol_violation, crash, \
     exit_nonzero, no_output, illegal_output, ok)",
);

/// A bout's row, a seat's place, what it did, and its calibration's number.
pub(super) type Seat<'a> = (i64, i64, (&'a SeatResult, i64));

/// Returns the seats of bouts.
pub(super) fn of_bouts<'a>(rows: &'a [Numbered<'a>]) -> Vec<Seat<'a>> {
    rows.iter().flat_map(|(number, row)| of_bout(*number, row)).collect()
}

/// Returns the statements that write seats.
pub(super) fn insert<'a>(seats: &'a [Seat<'a>]) -> impl Iterator<Item = Statement> + Send + 'a {
    SEATS.rows(seats, push)
}

fn of_bout<'a>(number: i64, row: &'a Row<'_>) -> impl Iterator<Item = Seat<'a>> {
    let seats = row.result.seats.iter().zip(row.calibrations.iter().copied());
    (0..).zip(seats).map(move |(place, seat)| (number, place, seat))
}

fn push(values: &mut Values, (bout, place, (seat, calibration)): &Seat<'_>) {
    values
        .number(*bout)
        .number(*place)
        .text(&seat.bot)
        .bytes(&seat.build.0)
        .number(seat.rank)
        .number(seat.score)
        .number(seat.limits_hit)
        .number(nanos(seat.cpu))
        .number(nanos(seat.wall))
        .number(nanos(seat.stall))
        .number(i64::try_from(seat.peak_memory_bytes).unwrap_or(i64::MAX))
        .number(*calibration)
        .number(seat.ticks_idle)
        .number(seat.answers_late);
    for count in seat.verdicts.0 {
        values.number(count);
    }
}

/// Reads the rows of bout row `bout`, in seat order.
pub(super) async fn rows(
    connection: &mut SqliteConnection,
    bout: i64,
) -> Result<Vec<SqliteRow>, sqlx::Error> {
    sqlx::query(
        "SELECT seats.*, text AS calibration_text FROM seats \
         JOIN documents ON documents.id = seats.calibration WHERE bout = ? ORDER BY seat",
    )
    .bind(bout)
    .fetch_all(connection)
    .await
}

/// Reads one row.
pub(super) fn read(row: &SqliteRow) -> Result<SeatResult, StoreError> {
    let reader = Reader::new("seats", "bout", row);
    Ok(SeatResult {
        bot: reader.get("bot")?,
        build: BuildHash(reader.hash("build")?),
        rank: reader.number("rank")?,
        score: reader.get("score")?,
        verdicts: verdicts(&reader)?,
        limits_hit: reader.number("limits_hit")?,
        cpu: reader.duration("cpu_ns")?,
        wall: reader.duration("wall_ns")?,
        stall: reader.duration("stall_ns")?,
        peak_memory_bytes: reader.number("peak_memory_bytes")?,
        calibration: reader.json("calibration_text")?,
        ticks_idle: reader.number("ticks_idle")?,
        answers_late: reader.number("answers_late")?,
    })
}

/// Reads the counts of the verdicts.
pub(super) fn verdicts(reader: &Reader<'_>) -> Result<VerdictCounts, StoreError> {
    let mut counts = VerdictCounts::default();
    for (count, column) in counts.0.iter_mut().zip(VERDICTS) {
        *count = reader.number(column)?;
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use joust_model::Verdict;

    #[test]
    fn every_verdict_has_the_column_of_its_name() {
        let names = Verdict::ALL.map(|verdict| verdict.name().replace('-', "_"));
        assert_eq!(names.each_ref().map(String::as_str), VERDICTS);
    }
}
