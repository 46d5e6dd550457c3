//! Reading one bout with all that was kept of it.

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::bouts::bout_id;
use super::row::Reader;
use super::{Store, StoreError, StoredBout, logs, seats};
use joust_model::{BoutPlan, BoutResult, Pace, PlanKey, SeatPlan, SeatResult};

impl Store {
    /// Reads bout row `number`.
    pub(super) async fn load(
        &self,
        connection: &mut SqliteConnection,
        number: i64,
    ) -> Result<StoredBout, StoreError> {
        let row = bout_row(connection, number).await.map_err(|error| self.error(error))?;
        let rows = seats::rows(connection, number).await.map_err(|error| self.error(error))?;
        let seats = rows.iter().map(seats::read).collect::<Result<Vec<_>, _>>()?;
        let logs = logs::read(connection, number).await.map_err(|error| self.error(error))??;
        let reader = Reader::new("bouts", "number", &row);
        let plan = plan(&reader, &seats)?;
        Ok(StoredBout { plan, result: result(&reader, seats, logs)? })
    }
}

async fn bout_row(
    connection: &mut SqliteConnection,
    number: i64,
) -> Result<SqliteRow, sqlx::Error> {
    sqlx::query(
        "SELECT bouts.*, options.text AS options_text, limits.text AS limits_text FROM bouts \
         JOIN documents AS options ON options.id = bouts.options \
         JOIN documents AS limits ON limits.id = bouts.limits WHERE number = ?",
    )
    .bind(number)
    .fetch_one(connection)
    .await
}

pub(super) fn plan(reader: &Reader<'_>, seats: &[SeatResult]) -> Result<BoutPlan, StoreError> {
    let seat = |seat: &SeatResult| SeatPlan { bot: seat.bot.clone(), build: seat.build };
    Ok(BoutPlan {
        bout: bout_id(reader.get("id")?),
        event: reader.get("event")?,
        game: reader.get("game")?,
        revision: reader.number("revision")?,
        rules: reader.get("rules")?,
        options: reader.json("options_text")?,
        seed: reader.get::<i64>("seed")?.cast_unsigned(),
        match_number: reader.number("match_number")?,
        number: reader.number("bout_number")?,
        seats: seats.iter().map(seat).collect(),
        limits: reader.json("limits_text")?,
        clock: clock(reader)?,
    })
}

/// Games that ask and wait have none.
fn clock(reader: &Reader<'_>) -> Result<Option<Pace>, StoreError> {
    let word: Option<&str> = reader.get("clock")?;
    word.map(|_| reader.named("clock", Pace::from_name)).transpose()
}

pub(super) fn result(
    reader: &Reader<'_>,
    seats: Vec<SeatResult>,
    (action_log, turn_log): logs::Logs,
) -> Result<BoutResult, StoreError> {
    Ok(BoutResult {
        bout: bout_id(reader.get("id")?),
        key: PlanKey(reader.hash("key")?),
        ended: reader.get("ended")?,
        rounds: reader.number("rounds")?,
        state_hash: reader.get("state_hash")?,
        seats,
        tier: reader.get("tier")?,
        machine: reader.get("machine")?,
        joust_version: reader.get("joust_version")?,
        contended: reader.get("contended")?,
        oversubscribed: reader.get("oversubscribed")?,
        started_at: reader.get("started_at")?,
        took: reader.duration("took_ns")?,
        action_log,
        turn_log,
        ticks_late: reader.number("ticks_late")?,
    })
}
