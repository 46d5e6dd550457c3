//! JSON. Field names are stable; new ones may be added.
//!
//! # Standings
//!
//! One object: `event`, `game`, `rules`, `bouts_per_match`, `bouts` (that count),
//! `referee_errors` (bouts without points; left out when there are none), `rejudgeable` (left
//! out when it is true), `expected` (bouts of the whole event, or `null`), `tie_breaks` (names in
//! order), `rows` and `cross`.
//!
//! A row: `rank` (or `null`), `bot`, `author`, `owner`, `language`, `build` (or
//! `null`), `status` (`playing`, `not built`, `not run`, `withdrawn`, `disqualified`),
//! `reason` (or `null`), `date` of a decision (or `null`), `matches` and `bouts`
//! (each `won`, `drawn`, `lost`, `unfinished`), `points`, `score`, `faults`,
//! `verdicts` (count per verdict earned), `tie_breaks` (value by name, `null`
//! when it never came to that).
//!
//! `cross` has one object for each pair of bots that play, the better placed
//! first: `bot`, `opponent`, `won`, `drawn`, `lost`, `unfinished`, and `bout_ids`, the
//! first ten bouts in which both sat, by their numbers in their matches and then by these.
//!
//! With ratings there is `ratings`: `model` (its name), `text` (what a rating means),
//! `interval` (0.95), `notes` (each `text` and the `bots` it is about); and a row has
//! `rating`, `rating_low`, `rating_high` (the ends of the interval) and `rating_se`
//! (the standard error), all `null` for a bot without bouts. `superiority`, when it
//! was asked for, has a line for each bot that plays, in the order of `rows`: how
//! likely it is stronger than each of them, from 0 to 1, `null` for the bot itself and
//! where two cannot be compared.
//!
//! # A bout
//!
//! See [`Bout`].
//!
//! # Calibrations
//!
//! See [`calibrations`].

mod bout;
mod standings;

pub use bout::{Bout, BoutConditions, BoutSeat, BoutTurn, PlannedBout, Turns, Usage, bout};
pub use standings::Json;

use std::io;

use serde::{Serialize, Serializer};
use serde_json::ser::PrettyFormatter;

use joust_model::{Calibration, LimitSet, VerdictCounts, escaped, is_command};

/// Returns a value as indented JSON that ends with a line break.
///
/// Characters that could disturb a terminal or deceive a reader are written as `\uXXXX`, which
/// every parser reads back as the same characters.
///
/// # Panics
///
/// A map of the value has keys that are not text.
pub fn pretty(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    write_pretty(value, &mut bytes).expect("plain data is JSON");
    String::from_utf8(bytes).expect("JSON is text")
}

/// Writes a value as [`pretty`] returns it, a part at a time.
///
/// # Errors
///
/// Those of the writer.
///
/// # Panics
///
/// As [`pretty`].
pub fn write_pretty(value: &impl Serialize, to: &mut dyn io::Write) -> io::Result<()> {
    let formatter = PrettyFormatter::new();
    let mut serializer = serde_json::Serializer::with_formatter(Safe(to), formatter);
    value.serialize(&mut serializer)?;
    to.write_all(b"\n")
}

/// Writer that escapes characters of strings; whatever else JSON has is plain.
struct Safe<'a>(&'a mut dyn io::Write);

impl io::Write for Safe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = str::from_utf8(bytes).map_err(io::Error::other)?;
        if escaped(text) == text {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        for (at, character) in text.char_indices() {
            match character {
                // Within a string it is written as an escape already.
                '\n' => self.0.write_all(b"\n")?,
                _ if is_command(&text[at..]) => self.0.write_all(b"\\u0023")?,
                _ => write_character(self.0, character)?,
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn write_character(to: &mut dyn io::Write, character: char) -> io::Result<()> {
    let mut bytes = [0; 4];
    let text: &str = character.encode_utf8(&mut bytes);
    if escaped(text) == text {
        return to.write_all(text.as_bytes());
    }
    let mut units = [0; 2];
    character.encode_utf16(&mut units).iter().try_for_each(|unit| write!(to, "\\u{unit:04x}"))
}

/// Verdicts as an object: the count of each that was earned, by name.
///
/// # Errors
///
/// Those of the serializer.
pub fn verdicts<S: Serializer>(counts: &VerdictCounts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(counts.iter().map(|(verdict, count)| (verdict.name(), count)))
}

/// Limits as a list of their names.
fn limits<S: Serializer>(limits: &LimitSet, serializer: S) -> Result<S::Ok, S::Error> {
    let names: Vec<_> = limits.iter().map(|limit| limit.name()).collect();
    names.serialize(serializer)
}

/// Milliseconds with three decimals.
#[expect(clippy::cast_precision_loss, reason = "no bout takes 2^53 microseconds")]
fn milliseconds(duration: std::time::Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}

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
        cpu_ms: milliseconds(one.cpu),
        wall_ms: milliseconds(one.wall),
        spread_ms: milliseconds(one.spread),
        measured_at: one.measured_at,
    });
    pretty(&objects.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deceptive_text_is_written_out_and_read_back_as_it_was() {
        let name = "a\u{202e}b\u{9b}31m\u{7f}\u{1b}[2J\u{e0001}\"\\é";
        let text = pretty(&name);
        assert_eq!(text, "\"a\\u202eb\\u009b31m\\u007f\\u001b[2J\\udb40\\udc01\\\"\\\\é\"\n");
        let read: String = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(read, name);
    }

    #[test]
    fn what_a_build_service_obeys_is_read_back_as_it_was() {
        let said = "x ##[error]y";
        assert_eq!(pretty(&said), "\"x \\u0023#[error]y\"\n");
        assert_eq!(serde_json::from_str::<String>(&pretty(&said)).expect("it is JSON"), said);
    }

    #[test]
    fn the_layout_is_that_of_ordinary_json() {
        let value = serde_json::json!({"a": [1, 2.5, null], "b": {}, "c": []});
        let ordinary = serde_json::to_string_pretty(&value).expect("plain data");
        assert_eq!(pretty(&value), format!("{ordinary}\n"));
    }
}
