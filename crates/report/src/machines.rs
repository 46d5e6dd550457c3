//! Tables of machines: the workers that are there, and what do-nothing bots cost.

use std::time::Duration;

use comfy_table::Cell;
use joust_model::{Calibration, counted, escaped};
use serde::Serialize;

use super::TextStyle;
use super::progress::span;
use super::table::{empty, right};
use super::timestamp::format_minute;

/// A worker as a line of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkerLine {
    /// Its name.
    pub name: String,
    /// Its version of Joust.
    pub version: String,
    /// The machine, as results name it.
    pub machine: String,
    /// State of the worker, with the reason where it was refused.
    pub state: String,
    /// The sandbox's tier.
    pub tier: String,
    /// Processors that it lends.
    pub cores: usize,
    /// Its languages, with the version of their tools.
    pub languages: Vec<String>,
    /// Its bouts.
    #[serde(flatten)]
    pub bouts: WorkerBouts,
    /// Whole seconds since it came.
    pub up_seconds: u64,
    /// Seconds that its clock is ahead of the clock here.
    pub clock_ahead: f64,
}

/// Bouts of a worker since it came.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WorkerBouts {
    /// Bouts it has in hand.
    pub in_hand: u32,
    /// Bouts it has played.
    pub played: u64,
    /// Bouts that failed on it.
    pub failed: u64,
    /// Batches it lost by renewing too late.
    pub lapsed: u64,
    /// Bouts played a second since it came.
    pub rate: f64,
}

/// Seconds that two clocks may differ without a note: a worker's data on itself are up to ten
/// seconds old.
const CLOCKS_AGREE: f64 = 30.0;

/// Returns workers as a table for terminals, with a note on each that was refused or whose clock
/// differs; a text that ends with a line break.
pub fn workers(lines: &[WorkerLine], look: TextStyle) -> String {
    let mut table = empty(look);
    table.set_header([
        "worker", "machine", "version", "tier", "cores", "state", "in hand", "played", "bouts/s",
        "failed", "lapsed", "up",
    ]);
    for line in lines {
        // The reason of a refusal has lines of its own below.
        let state = line.state.split(':').next().unwrap_or_default();
        table.add_row([
            Cell::new(escaped(&line.name)),
            Cell::new(escaped(&line.machine)),
            Cell::new(escaped(&line.version)),
            Cell::new(escaped(&line.tier)),
            right(line.cores),
            Cell::new(escaped(state)),
            right(line.bouts.in_hand),
            right(line.bouts.played),
            right(format!("{:.1}", line.bouts.rate)),
            right(line.bouts.failed),
            right(line.bouts.lapsed),
            right(span(Duration::from_secs(line.up_seconds))),
        ]);
    }
    let mut text = format!("{}\n{}\n", table.trim_fmt(), total(lines));
    for line in lines {
        notes(line).iter().for_each(|note| {
            text.push_str(&format!("{}: {note}\n", escaped(&line.name)));
        });
    }
    text
}

fn total(lines: &[WorkerLine]) -> String {
    let cores: usize = lines.iter().map(|line| line.cores).sum();
    let rate: f64 = lines.iter().map(|line| line.bouts.rate).sum();
    format!("{}, {}, {rate:.1} bouts/s", counted(lines.len(), "worker"), counted(cores, "core"))
}

fn notes(line: &WorkerLine) -> Vec<String> {
    let refused = line.state.split_once(": ").map(|(_, why)| escaped(why));
    let ahead = line.clock_ahead;
    let clock = (ahead.abs() > CLOCKS_AGREE).then(|| {
        let side = if ahead > 0.0 { "ahead of" } else { "behind" };
        format!("its clock is {} {side} this machine's", span(Duration::from_secs_f64(ahead.abs())))
    });
    refused.into_iter().chain(clock).collect()
}

/// Returns the cost of do-nothing bots as a table for terminals, times in milliseconds; a text
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

fn milliseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, state: &str) -> WorkerLine {
        WorkerLine {
            name: name.to_owned(),
            version: "0.1.0".to_owned(),
            machine: "lab".to_owned(),
            state: state.to_owned(),
            tier: "A".to_owned(),
            cores: 4,
            languages: vec!["python 3.11.2".to_owned()],
            bouts: WorkerBouts { in_hand: 4, played: 120, failed: 0, lapsed: 1, rate: 2.0 },
            up_seconds: 62,
            clock_ahead: 0.2,
        }
    }

    #[test]
    fn a_table_has_a_row_for_each_worker_and_what_they_do_together() {
        let text =
            workers(&[line("east", "playing"), line("west", "draining")], TextStyle::default());
        for expected in ["east", "west", "draining", "1 min 2 s", "2 workers, 8 cores, 4.0 bouts/s"]
        {
            assert!(text.contains(expected), "{expected}: {text}");
        }
        assert!(!text.contains("clock"), "{text}");
    }

    #[test]
    fn notes_for_the_organiser_stand_below() {
        let late = WorkerLine { clock_ahead: -3700.0, ..line("west", "playing") };
        let refused = line("east", "refused: python: 3.11.2 here, 3.11.7 there");
        let text = workers(&[refused, late], TextStyle::default());
        assert!(text.contains("\neast: python: 3.11.2 here, 3.11.7 there\n"), "{text}");
        assert!(text.contains("\nwest: its clock is 1 h 1 min behind this machine's\n"), "{text}");
    }

    #[test]
    fn no_name_moves_the_cursor() {
        let text = workers(&[line("e\u{1b}[2J", "playing")], TextStyle::default());
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
