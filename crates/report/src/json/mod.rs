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
mod calibrations;
mod standings;
mod text;

pub use bout::{Bout, BoutConditions, BoutSeat, BoutTurn, PlannedBout, Turns, Usage, bout};
pub use calibrations::calibrations;
pub use standings::Json;
pub use text::{pretty, write_pretty};

use serde::{Serialize, Serializer};

use joust_model::{LimitSet, VerdictCounts};

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
