//! Cost of do-nothing bots, as a table.

use comfy_table::Cell;

use super::TextStyle;
use super::table::{empty, right};
use super::timestamp::format_minute;
use joust_model::{Calibration, escaped};

/// Returns measurements as a table for terminals, times in milliseconds; a text
/// that ends with a line break.
pub fn calibrations(measured: &[Calibration], look: TextStyle) -> String {
    let mut table = empty(look);
    table.set_header(["game", "language", "runs", "cpu ms", "wall ms", "spread ms", "measured"]);
    for one in measured {
        let times = [one.cpu, one.wall, one.spread].map(|time| right(milliseconds(time)));
        let [cpu, wall, spread] = times;
        let (game, language) = (Cell::new(escaped(&one.game)), Cell::new(escaped(&one.language)));
        let (runs, at) = (right(one.runs.to_string()), Cell::new(format_minute(one.measured_at)));
        table.add_row([game, language, runs, cpu, wall, spread, at]);
    }
    format!("{}\n", table.trim_fmt())
}

fn milliseconds(time: std::time::Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1000.0)
}
