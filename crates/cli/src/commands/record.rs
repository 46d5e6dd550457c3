//! The file that `joust play --turn-log` writes: one JSON object a line.
//!
//! The first line has the member `bout` (`game`, `rules`, `options`, `seed`,
//! `seats`), each following line a `turn`, the last the `result`: turn and result
//! as in `--format json`. Bouts that follow one another are written one after the
//! other; one that was abandoned for a new map has no result. A file that is there
//! is replaced, and each line is written at once.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use joust_orchestrator::config::Event;
use joust_orchestrator::model::{Pace, StoredBout, TurnRecord};
use joust_orchestrator::report::json::{self, BoutTurn, Turns};
use serde_json::{Value, json};

use crate::error::Failure;
use crate::exit_code::Status;

/// A recording being written.
pub(super) struct Recording {
    path: PathBuf,
    file: File,
    clock: Option<Pace>,
    header: Value,
}

impl Recording {
    /// Makes the file.
    pub(super) fn create(path: &Path, event: &Event, seats: &[String]) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|error| failure(path, &error))?;
        let header = json!({
            "game": event.game.id(),
            "rules": event.rules,
            "options": event.options,
            "seats": seats,
        });
        Ok(Self { path: path.to_owned(), file, clock: event.clock, header })
    }

    /// Writes the line with which a bout begins.
    pub(super) fn begin(&mut self, seed: u64) -> Result<(), Failure> {
        self.header["seed"] = seed.into();
        let header = self.header.clone();
        self.put(&json!({ "bout": header }))
    }

    /// Writes a turn.
    pub(super) fn turn(&mut self, turn: &TurnRecord) -> Result<(), Failure> {
        self.put(&json!({ "turn": BoutTurn::new(turn.clone(), self.clock) }))
    }

    /// Writes the result.
    pub(super) fn finish(&mut self, stored: &StoredBout) -> Result<(), Failure> {
        let result = json::bout(stored, Turns::Hidden)
            .map_err(|error| Failure::from_error(Status::Database, &error))?;
        self.put(&json!({ "result": result }))
    }

    fn put(&mut self, line: &Value) -> Result<(), Failure> {
        writeln!(self.file, "{line}").map_err(|error| failure(&self.path, &error))
    }
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Status::Usage, format!("`{}` cannot be written: {error}", path.display()))
}
