//! Recordings of Bomberman 2016, in the formats that `bomberman-2016/README.md`
//! gives.
//!
//! Played are all `*.jsonl.gz` and `*.jsonl` of the folder and of `matches` and
//! `maps` (matches, scenarios or maps, by what their first line says), `files`
//! beside the matches they belong to, `rng.json`, and in `harness` the move file
//! cases and every folder with a `commands.json`.

#[path = "bomberman_2016_facts.rs"]
mod facts;
#[path = "bomberman_2016_harness.rs"]
mod harness;
#[path = "bomberman_2016_match.rs"]
mod matches;
#[path = "bomberman_2016_record.rs"]
mod record;
#[path = "bomberman_2016_scenarios.rs"]
mod scenarios;

use std::path::Path;

use joust_referee::games::bomberman_2016::Command;
use joust_referee::sha256;

use crate::files::{self, Failure};
use crate::tally::Tally;

/// Plays every recording in `folder`.
pub(crate) fn play(folder: &Path) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for part in ["", "matches", "maps"] {
        let part = folder.join(part);
        if part.is_dir() {
            for path in files::with_ending(&part, &[".jsonl.gz", ".jsonl"])? {
                tally.add(play_lines(folder, &path)?);
            }
        }
    }
    tally.add(facts::play_generator(&folder.join("rng.json"))?);
    tally.add(harness::play(&folder.join("harness"))?);
    Ok(tally)
}

/// Plays a file of lines: a match, scenarios or maps.
fn play_lines(folder: &Path, path: &Path) -> Result<Tally, Failure> {
    let lines = files::lines(path)?;
    let first = lines.first().map_or("", String::as_str);
    let has = |field: &str| first.starts_with(&format!("{{\"{field}\":"));
    if has("format") {
        matches::play(folder, path, &lines)
    } else if has("scenario") {
        scenarios::play(path, &lines)
    } else if has("seed") {
        facts::play_maps(path, &lines)
    } else {
        Err(Failure::at_line(path, 1, "neither a match nor a scenario nor a map"))
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    sha256(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, recorded: &T, here: &T) -> Result<(), String> {
    if recorded == here {
        return Ok(());
    }
    Err(format!("{what}: recorded {recorded:?}, here {here:?}"))
}

fn command(word: &str) -> Result<Command, String> {
    Command::from_word(word).ok_or_else(|| format!("unknown command `{word}`"))
}

/// Returns the move file of a command, one digit.
fn move_file(word: &str) -> Result<Vec<u8>, String> {
    let command = command(word)?;
    let number = Command::ALL.iter().position(|other| *other == command);
    Ok(number.expect("all commands are listed").to_string().into_bytes())
}
