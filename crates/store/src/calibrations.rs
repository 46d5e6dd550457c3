//! The table `calibrations`: the newest measurement of each language.

use sqlx::AssertSqlSafe;
use sqlx::sqlite::SqliteRow;

use super::row::{Reader, nanos};
use super::writing::Writing;
use super::{Store, StoreError};
use joust_model::Calibration;

impl Store {
    /// Stores a measurement, replacing the older one of the same machine, language and game.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_calibration(&self, calibration: &Calibration) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        writing.put_calibration(calibration, "true").await?;
        writing.finish().await
    }

    /// Returns the measurements of a machine, by game and language.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn calibrations(&self, machine: &str) -> Result<Vec<Calibration>, StoreError> {
        let query = "SELECT * FROM calibrations WHERE machine = ? ORDER BY game, language";
        self.all_rows(sqlx::query(query).bind(machine), read).await
    }

    /// Returns every measurement of every machine.
    pub(super) async fn all_calibrations(&self) -> Result<Vec<Calibration>, StoreError> {
        let query = "SELECT * FROM calibrations ORDER BY machine, game, language";
        self.all_rows(sqlx::query(query), read).await
    }
}

impl Writing {
    /// Stores a measurement. It replaces the stored one only if `condition` holds.
    pub(super) async fn put_calibration(
        &mut self,
        calibration: &Calibration,
        condition: &'static str,
    ) -> Result<(), StoreError> {
        let query = format!(
            "INSERT INTO calibrations (machine, language, game, runs, cpu_ns, wall_ns, spread_ns, \
             measured_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) \
             ON CONFLICT (machine, language, game) DO UPDATE SET runs = excluded.runs, \
             cpu_ns = excluded.cpu_ns, wall_ns = excluded.wall_ns, spread_ns = excluded.spread_ns, \
             measured_at = excluded.measured_at WHERE {condition}"
        );
        let statement = sqlx::query(AssertSqlSafe(query))
            .bind(&calibration.machine)
            .bind(&calibration.language)
            .bind(&calibration.game)
            .bind(calibration.runs)
            .bind(nanos(calibration.cpu))
            .bind(nanos(calibration.wall))
            .bind(nanos(calibration.spread))
            .bind(calibration.measured_at);
        self.execute(statement).await
    }
}

fn read(row: &SqliteRow) -> Result<Calibration, StoreError> {
    let reader = Reader::new("calibrations", "language", row);
    Ok(Calibration {
        language: reader.get("language")?,
        game: reader.get("game")?,
        runs: reader.number("runs")?,
        cpu: reader.duration("cpu_ns")?,
        wall: reader.duration("wall_ns")?,
        spread: reader.duration("spread_ns")?,
        measured_at: reader.timestamp("measured_at")?,
        machine: reader.get("machine")?,
    })
}
