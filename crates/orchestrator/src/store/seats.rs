//! The table `seats`: what each seat did in a bout.

use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::StoreError;
use super::row::{Reader, nanos};
use super::rows::{MOST_AT_ONCE, Numbered, Row};
use crate::model::{BuildHash, SeatResult, VerdictCounts};

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

/// Writes the seats of bouts.
pub(super) async fn write(
    change: &mut SqliteConnection,
    rows: &[Numbered<'_>],
) -> Result<(), sqlx::Error> {
    let seats: Vec<_> = rows.iter().flat_map(|(number, row)| of_bout(*number, row)).collect();
    for seats in seats.chunks(MOST_AT_ONCE) {
        write_some(change, seats).await?;
    }
    Ok(())
}

/// A bout's row, a seat's place, what it did, and its calibration's number.
type Seat<'a> = (i64, i64, (&'a SeatResult, i64));

fn of_bout<'a>(number: i64, row: &'a Row<'_>) -> impl Iterator<Item = Seat<'a>> {
    let seats = row.result.seats.iter().zip(row.calibrations.iter().copied());
    (0..).zip(seats).map(move |(place, seat)| (number, place, seat))
}

async fn write_some(change: &mut SqliteConnection, seats: &[Seat<'_>]) -> Result<(), sqlx::Error> {
    let mut insert = QueryBuilder::<Sqlite>::new(
        "INSERT INTO seats (bout, seat, bot, build, rank, score, limits_hit, cpu_ns, wall_ns, \
         stall_ns, peak_memory_bytes, calibration, ticks_idle, answers_late, \
         infrastructure_error, memory_limit, output_limit, cpu_limit, timeout, disk_limit, \
         protocol_violation, crash, exit_nonzero, no_output, illegal_output, ok) ",
    );
    insert.push_values(seats, |mut values, (bout, place, (seat, calibration))| {
        values
            .push_bind(*bout)
            .push_bind(*place)
            .push_bind(seat.bot.as_str())
            .push_bind(seat.build.0.as_slice())
            .push_bind(seat.rank)
            .push_bind(seat.score)
            .push_bind(seat.limits_hit)
            .push_bind(nanos(seat.cpu))
            .push_bind(nanos(seat.wall))
            .push_bind(nanos(seat.stall))
            .push_bind(i64::try_from(seat.peak_memory_bytes).unwrap_or(i64::MAX))
            .push_bind(*calibration)
            .push_bind(seat.ticks_idle)
            .push_bind(seat.answers_late);
        for count in seat.verdicts.0 {
            values.push_bind(count);
        }
    });
    insert.build().execute(change).await.map(drop)
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
    use crate::model::Verdict;

    #[test]
    fn every_verdict_has_the_column_of_its_name() {
        let names = Verdict::ALL.map(|verdict| verdict.name().replace('-', "_"));
        assert_eq!(names.each_ref().map(String::as_str), VERDICTS);
    }
}
