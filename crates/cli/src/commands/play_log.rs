//! The folder that `joust play --log` and `joust replay --export` write: the
//! replay folder of the game's original, or, for games whose original had none,
//! one folder a round with every seat's view and answer, and the result.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use joust_orchestrator::model::{StoredBout, TurnRecord};
use joust_orchestrator::play::Moment;
use joust_orchestrator::report::OriginalReplay;

use crate::error::Failure;
use crate::exit_code::Status;

/// Marks a folder that Joust made and may replace.
const MARK: &str = ".joust-replay";

/// A folder that Joust has made.
pub(super) struct OwnFolder(PathBuf);

impl OwnFolder {
    /// Makes the folder. One that is there is an error, or with `force`
    /// replaced if Joust made it.
    pub(super) fn create(folder: &Path, force: bool) -> Result<Self, Failure> {
        if folder.exists() {
            clear(folder, force)?;
        }
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(folder.join(MARK), "made by joust\n"))
            .map_err(|error| failure(folder, &error))?;
        Ok(Self(folder.to_owned()))
    }

    /// Writes a file, with the folders above it, or makes a folder, whose name ends in `/`.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.0.join(name);
        if name.ends_with('/') {
            return fs::create_dir_all(&path).map_err(|error| failure(&path, &error));
        }
        let folder = path.parent().unwrap_or(&self.0);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, bytes))
            .map_err(|error| failure(&path, &error))
    }
}

/// A replay folder being written while a bout is played.
pub(super) struct ReplayFolder {
    folder: OwnFolder,
    original: Option<OriginalReplay>,
}

impl ReplayFolder {
    /// Begins to write; `original` is the replay of a game whose original wrote
    /// one.
    pub(super) fn begin(
        folder: OwnFolder,
        mut original: Option<OriginalReplay>,
    ) -> Result<Self, Failure> {
        if let Some(original) = &mut original {
            original.begin(&mut |name, bytes| folder.put(name, bytes))?;
        }
        Ok(Self { folder, original })
    }

    /// Writes what belongs to one moment.
    pub(super) fn write(&mut self, moment: &Moment<'_>) -> Result<(), Failure> {
        let folder = &self.folder;
        if let Some(original) = &mut self.original {
            return match moment {
                Moment::Input(input) => {
                    original.input(input, &mut |name, bytes| folder.put(name, bytes))
                }
                Moment::Turn(turn) => {
                    original.turn(turn, &mut |name, bytes| folder.put(name, bytes))
                }
                Moment::Asked { .. }
                | Moment::Numbers(_)
                | Moment::Round { .. }
                | Moment::Begin { .. } => Ok(()),
            };
        }
        match moment {
            Moment::Asked { round, seat, view } => {
                for part in &view.0 {
                    let name = if part.name.is_empty() { "view.txt" } else { &part.name };
                    self.put(*round, *seat, name, &part.bytes)?;
                }
                Ok(())
            }
            Moment::Turn(turn) => self.turn(turn),
            Moment::Input(_) | Moment::Numbers(_) | Moment::Round { .. } | Moment::Begin { .. } => {
                Ok(())
            }
        }
    }

    /// Writes the result.
    pub(super) fn finish(&mut self, stored: &StoredBout) -> Result<(), Failure> {
        if self.original.is_some() {
            return Ok(());
        }
        self.folder.put("bout.json", super::bout::json(stored, true)?.as_bytes())
    }

    fn turn(&self, turn: &TurnRecord) -> Result<(), Failure> {
        let log = format!(
            "verdict {}\naction {}\ncpu {} us\nwall {} us\n",
            turn.verdict(),
            turn.action.escape_default(),
            turn.cpu_us,
            turn.wall_us
        );
        self.put(turn.round, turn.seat, "log.txt", log.as_bytes())?;
        if !turn.output.is_empty() {
            self.put(turn.round, turn.seat, "output", &turn.output)?;
        }
        if !turn.stderr.is_empty() {
            self.put(turn.round, turn.seat, "stderr", &turn.stderr)?;
        }
        Ok(())
    }

    fn put(&self, round: u32, seat: u8, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.folder.put(&format!("round-{round:03}/seat-{seat}/{name}"), bytes)
    }
}

fn clear(folder: &Path, force: bool) -> Result<(), Failure> {
    let shown = folder.display();
    if !force {
        return Err(Failure::new(Status::Usage, format!("`{shown}` is there already"))
            .hint("name another folder, or give --force to replace one that joust made"));
    }
    if !folder.join(MARK).is_file() {
        return Err(Failure::new(Status::Usage, format!("`{shown}` was not made by joust"))
            .hint("--force replaces only folders that joust made; name another one"));
    }
    fs::remove_dir_all(folder).map_err(|error| failure(folder, &error))
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Status::Usage, format!("`{}` cannot be written: {error}", path.display()))
}
