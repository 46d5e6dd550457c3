//! Recordings of Coder One's dungeon, in the format that
//! `coderone-dungeon/README.md` gives.
//!
//! Every `*.jsonl.gz` and `*.jsonl` of the folder is played twice: from its
//! seed, and driven by the recorded outcomes of chance with another seed.

#[path = "coderone_dungeon_record.rs"]
mod record;
#[path = "coderone_dungeon_table.rs"]
mod table;
#[path = "coderone_dungeon_view.rs"]
mod view;

use std::path::Path;

use record::{Header, Line, Tick};
use table::Table;

use crate::files::{self, Failure};
use crate::tally::Tally;

/// Source of the outcomes of chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Draws {
    /// From the recorded seed.
    Seed,
    /// From the recorded outcomes; the seed is another one.
    Recorded,
}

/// Plays every recording in `folder`.
pub(crate) fn play(folder: &Path) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    for path in files::with_ending(folder, &[".jsonl.gz", ".jsonl"])? {
        let lines = files::lines(&path)?;
        play_file(&path, &lines, Draws::Recorded)?;
        tally.add(play_file(&path, &lines, Draws::Seed)?);
    }
    Ok(tally)
}

fn play_file(path: &Path, lines: &[String], draws: Draws) -> Result<Tally, Failure> {
    let at = |index: usize, problem: String| {
        Failure::at_line(path, index + 1, format!("{draws:?}: {problem}"))
    };
    let [first, rest @ ..] = lines else {
        return Err(Failure::new(path, "the recording is empty"));
    };
    let header = Header::read(first).map_err(|problem| at(0, problem))?;
    let mut table = Table::open(&header, draws).map_err(|problem| at(0, problem))?;
    let mut result = None;
    for (index, line) in (1..).zip(rest) {
        if result.is_some() {
            return Err(at(index, "something follows the result".to_owned()));
        }
        match Line::read(line).map_err(|problem| at(index, problem))? {
            Line::Tick(tick) => play_tick(&mut table, &tick).map_err(|p| at(index, p))?,
            Line::Result(recorded) => {
                table.check_result(&recorded).map_err(|problem| at(index, problem))?;
                result = Some(recorded);
            }
        }
    }
    let ticks = result.map(|result| result.ticks);
    let ticks = ticks
        .ok_or_else(|| at(lines.len() - 1, "the recording ends without a result".to_owned()))?;
    Ok(match header.scenario {
        Some(_) => Tally { scenarios: 1, ..Tally::default() },
        None => Tally { matches: 1, bouts: 1, rounds: ticks, ..Tally::default() },
    })
}

fn play_tick(table: &mut Table, tick: &Tick) -> Result<(), String> {
    table.play(tick).map_err(|problem| format!("tick {}: {problem}", tick.tick))
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, recorded: &T, here: &T) -> Result<(), String> {
    if recorded == here {
        return Ok(());
    }
    Err(format!("{what}: recorded {recorded:?}, here {here:?}"))
}
