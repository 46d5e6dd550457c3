//! The folder that `joust play --log` writes: one folder a round with every
//! seat's view and answer, and the result.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use joust_orchestrator::model::{StoredBout, TurnRecord};
use joust_orchestrator::play::Moment;

use crate::error::Failure;
use crate::exit_code::Status;

/// Marks a folder that Joust made and may replace.
const MARK: &str = ".joust-replay";

/// A replay folder being written.
pub(super) struct ReplayFolder {
    folder: PathBuf,
}

impl ReplayFolder {
    /// Makes the folder. One that is there is an error, or with `force`
    /// replaced if Joust made it.
    pub(super) fn create(folder: &Path, force: bool) -> Result<Self, Failure> {
        if folder.exists() {
            clear(folder, force)?;
        }
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(folder.join(MARK), "made by joust play --log\n"))
            .map_err(|error| failure(folder, &error))?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Writes what belongs to one moment.
    pub(super) fn write(&mut self, moment: &Moment<'_>) -> Result<(), Failure> {
        match moment {
            Moment::Asked { round, seat, view } => {
                for part in &view.0 {
                    let name = if part.name.is_empty() { "view.txt" } else { &part.name };
                    self.put(*round, *seat, name, &part.bytes)?;
                }
                Ok(())
            }
            Moment::Turn(turn) => self.turn(turn),
            Moment::Round { .. } | Moment::Begin { .. } => Ok(()),
        }
    }

    /// Writes the result.
    pub(super) fn finish(&mut self, stored: &StoredBout) -> Result<(), Failure> {
        let object = super::bout::json(stored, true)?;
        let path = self.folder.join("bout.json");
        fs::write(&path, object).map_err(|error| failure(&path, &error))
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
        let folder = self.folder.join(format!("round-{round:03}")).join(format!("seat-{seat}"));
        let path = folder.join(name);
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&path, bytes))
            .map_err(|error| failure(&path, &error))
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
