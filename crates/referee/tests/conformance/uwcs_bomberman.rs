//! Recordings of UWCS Bomberman, in the formats that `uwcs-bomberman/README.md`
//! gives.
//!
//! Played are all `*.jsonl.gz` and `*.jsonl` (games) and all `*.json`
//! (scenarios) of the folder.

#[path = "uwcs_bomberman_game.rs"]
mod game;
#[path = "uwcs_bomberman_host.rs"]
mod host;
#[path = "uwcs_bomberman_record.rs"]
mod record;
#[path = "uwcs_bomberman_scenarios.rs"]
mod scenarios;

use std::path::Path;

use crate::files::{self, Failure};
use crate::tally::Tally;

/// Plays every recording in `folder`.
pub(crate) fn play(folder: &Path) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for path in files::with_ending(folder, &[".jsonl.gz", ".jsonl"])? {
        tally.add(game::play(&path)?);
    }
    for path in files::with_ending(folder, &[".json"])? {
        tally.add(scenarios::play(&path)?);
    }
    Ok(tally)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, recorded: &T, here: &T) -> Result<(), String> {
    if recorded == here {
        return Ok(());
    }
    Err(format!("{what}: recorded {recorded:?}, here {here:?}"))
}
