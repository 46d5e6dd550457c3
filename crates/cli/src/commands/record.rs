//! Files that `joust play` writes beside its result: `--turn-log`, and `--record`.
//!
//! A turn log is one JSON object a line. The first line has the member `bout` (`game`,
//! `rules`, `options`, `seed`, `seats`), each following line a `turn`, the last the
//! `result`: turn and result as in `--format json`. `--record` is the recording of the
//! game's original, or, where that wrote none, a turn log.
//!
//! Bouts that follow one another are written one after the other; one that was abandoned for a new
//! map has no result. An existing file is replaced, and each line is written at once.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use joust_config::Event;
use joust_model::{BoutPlan, ClockMode, MeasuredTurns, StoredBout};
use joust_play::BoutEvent;
use joust_referee::Catalogue;
use joust_report::OriginalRecording;
use joust_report::json::{self, BoutTurn, Turns};
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use serde_json::{Value, json};

use super::shared;
use crate::error::{Failure, Status};

/// A file being written while bouts are played.
pub(super) struct Recording {
    path: PathBuf,
    file: File,
    form: RecordingFormat,
}

/// Contents of the recording.
enum RecordingFormat {
    Turns { clock: Option<ClockMode>, measured: MeasuredTurns, header: Value },
    Original { games: Catalogue, bout: Option<OriginalRecording> },
}

impl Recording {
    /// Makes the file of `--turn-log`.
    pub(super) fn of_turns(path: &Path, event: &Event, seats: &[String]) -> Result<Self, Failure> {
        let header = json!({
            "game": event.game.id(),
            "rules": event.rules,
            "options": event.options,
            "seats": seats,
        });
        let measured = MeasuredTurns::new(event.clock);
        Self::create(path, RecordingFormat::Turns { clock: event.clock, measured, header })
    }

    /// Makes the file of `--record`.
    pub(super) fn of_game(path: &Path, event: &Event, seats: &[String]) -> Result<Self, Failure> {
        match event.game.spec().has_recording {
            true => {
                Self::create(path, RecordingFormat::Original { games: shared::games(), bout: None })
            }
            false => Self::of_turns(path, event, seats),
        }
    }

    fn create(path: &Path, form: RecordingFormat) -> Result<Self, Failure> {
        let file =
            create_file(path).map_err(|error| Failure::unwritable(Status::Usage, path, &error))?;
        Ok(Self { path: path.to_owned(), file, form })
    }

    /// Writes the beginning of a bout.
    pub(super) fn begin(&mut self, plan: &BoutPlan) -> Result<(), Failure> {
        let lines = match &mut self.form {
            RecordingFormat::Turns { header, clock, measured } => {
                *measured = MeasuredTurns::new(*clock);
                header["seed"] = plan.seed.0.into();
                vec![json!({ "bout": header }).to_string()]
            }
            RecordingFormat::Original { games, bout } => {
                let begun = OriginalRecording::new(games, plan)
                    .map_err(|error| Failure::from_error(Status::Usage, &error))?;
                let head = if bout.is_none() { begun.head() } else { Vec::new() };
                let start = begun.round();
                *bout = Some(begun);
                [head, start].concat()
            }
        };
        self.put(&lines)
    }

    /// Writes an event of the bout.
    pub(super) fn write(&mut self, event: &BoutEvent<'_>) -> Result<(), Failure> {
        let lines = match (&mut self.form, event) {
            (RecordingFormat::Turns { clock, measured, .. }, BoutEvent::Turn(turn)) => {
                let turn = BoutTurn::new((*turn).clone(), *clock, measured);
                vec![json!({ "turn": turn }).to_string()]
            }
            (RecordingFormat::Original { bout: Some(bout), .. }, BoutEvent::Input(input)) => {
                bout.input(input)?
            }
            _ => return Ok(()),
        };
        self.put(&lines)
    }

    /// Writes the end of a bout.
    pub(super) fn finish(&mut self, stored: &StoredBout) -> Result<(), Failure> {
        if matches!(self.form, RecordingFormat::Original { .. }) {
            return Ok(());
        }
        let result = json::bout(stored, Turns::Hidden)
            .map_err(|error| Failure::from_error(Status::Database, &error))?;
        self.put(&[json!({ "result": result }).to_string()])
    }

    fn put(&mut self, lines: &[String]) -> Result<(), Failure> {
        let mut text = lines.join("\n");
        if !lines.is_empty() {
            text.push('\n');
        }
        self.file
            .write_all(text.as_bytes())
            .map_err(|error| Failure::unwritable(Status::Usage, &self.path, &error))
    }
}

/// Creates or replaces a file. A pipe that nobody reads is an error: no signal would end the wait
/// for a reader.
fn create_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true).custom_flags(OFlag::O_NONBLOCK.bits());
    let file = options.open(path)?;
    fcntl(&file, FcntlArg::F_SETFL(OFlag::empty()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use nix::sys::stat::Mode;

    use super::*;

    #[test]
    fn a_pipe_without_a_reader_is_an_error_and_one_with_a_reader_gets_every_byte() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).expect("a pipe");
        assert_eq!(create_file(&pipe).map(drop).unwrap_err().raw_os_error(), Some(6));
        let mut options = File::options();
        let reader = options.read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(&pipe);
        let mut reader = reader.expect("it is there");
        let mut writer = create_file(&pipe).expect("it has a reader");
        fcntl(&reader, FcntlArg::F_SETFL(OFlag::empty())).expect("it is open");
        // More than a pipe holds.
        let bytes = vec![b'x'; 1 << 20];
        let writing = std::thread::spawn(move || writer.write_all(&bytes).map_err(|e| e.kind()));
        let mut read = Vec::new();
        reader.read_to_end(&mut read).expect("it can be read");
        assert_eq!((read.len(), writing.join().expect("no panic")), (1 << 20, Ok(())));
    }
}
