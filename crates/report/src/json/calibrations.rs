//! Measurements as a list of objects.

use serde::Serialize;

use super::pretty;
use joust_model::Calibration;

#[derive(Serialize)]
struct CalibrationJson<'a> {
    game: &'a str,
    language: &'a str,
    machine: &'a str,
    runs: u32,
    cpu_ms: f64,
    wall_ms: f64,
    spread_ms: f64,
    measured_at: i64,
}

/// Returns measurements as a JSON list: `game`, `language`, `machine`, `runs`,
/// `cpu_ms` and `wall_ms` (medians), `spread_ms` (slowest minus fastest),
/// `measured_at` (milliseconds since 1970).
pub fn calibrations(measured: &[Calibration]) -> String {
    let objects = measured.iter().map(|one| CalibrationJson {
        game: &one.game,
        language: &one.language,
        machine: &one.machine,
        runs: one.runs,
        cpu_ms: super::milliseconds(one.cpu),
        wall_ms: super::milliseconds(one.wall),
        spread_ms: super::milliseconds(one.spread),
        measured_at: one.measured_at,
    });
    pretty(&objects.collect::<Vec<_>>())
}
