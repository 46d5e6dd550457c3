//! The folder that `joust play --log` and `joust replay --export` write: the
//! replay folder of the game's original, or, for games whose original had none,
//! one folder a round with every seat's view and answer, and the result.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};

use joust_bots::{BotSource, NewFiles};
use joust_model::cancel::Cancel;
use joust_model::{BotRow, BoutPlan, MeasuredTurns, Round, StoredBout, TurnRecord, escaped};
use joust_play::BoutEvent;
use joust_referee::{Catalogue, PlayerInfo};
use joust_report::{OriginalReplay, RecordedInputs, ReplayUnavailable, bot_type};
use joust_store::Store;

use super::shared;
use crate::args::ReplayArgs;
use crate::error::{Failure, Status};
use crate::output::Screen;

/// Marks a folder that Joust made and may replace.
const MARK: &str = ".joust-replay";

/// A folder that Joust has made. Nothing of it stays if something could not be written.
pub(super) struct OwnFolder {
    path: PathBuf,
    /// It and the folders above that were not there.
    made: NewFiles,
    has_failed: Cell<bool>,
}

impl OwnFolder {
    /// Makes the folder. One that is there is an error, or with `force`
    /// replaced if Joust made it.
    pub(super) fn create(folder: &Path, force: bool) -> Result<Self, Failure> {
        if folder.exists() {
            clear(folder, force)?;
        }
        let mut made = NewFiles::default();
        made.write(&folder.join(MARK), b"made by joust\n")
            .map_err(|error| Failure::unwritable(Status::Usage, folder, &error))?;
        Ok(Self { path: folder.to_owned(), made, has_failed: Cell::new(false) })
    }

    /// Writes a file, with the folders above it, or makes a folder, whose name ends in `/`.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.path.join(name);
        let folder = if name.ends_with('/') { Some(&*path) } else { path.parent() };
        let written = fs::create_dir_all(folder.unwrap_or(&self.path))
            .and_then(|()| if name.ends_with('/') { Ok(()) } else { fs::write(&path, bytes) });
        written.map_err(|error| {
            self.has_failed.set(true);
            Failure::unwritable(Status::Usage, &path, &error)
        })
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        if !self.has_failed.get() {
            _ = std::mem::take(&mut self.made).keep();
            return;
        }
        // Half a folder would be in the way of the next try. A path that leads back is not the
        // created folder.
        if self.made.has(&self.path) {
            _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// A replay folder being written while a bout is played.
pub(super) struct ReplayFolder {
    folder: OwnFolder,
    original: Option<OriginalReplay>,
    measured: MeasuredTurns,
}

impl ReplayFolder {
    /// Starts to write; `original` is the replay of a game whose original wrote one.
    pub(super) fn begin(
        folder: OwnFolder,
        mut original: Option<OriginalReplay>,
    ) -> Result<Self, Failure> {
        if let Some(original) = &mut original {
            original.begin(&mut |name, bytes| folder.put(name, bytes))?;
        }
        Ok(Self { folder, original, measured: MeasuredTurns::default() })
    }

    /// Writes an event of the bout.
    pub(super) fn write(&mut self, event: &BoutEvent<'_>) -> Result<(), Failure> {
        let folder = &self.folder;
        if let Some(original) = &mut self.original {
            return match event {
                BoutEvent::Input(input) => {
                    original.input(input, &mut |name, bytes| folder.put(name, bytes))
                }
                BoutEvent::Turn(turn) => {
                    original.turn(turn, &mut |name, bytes| folder.put(name, bytes))
                }
                _ => Ok(()),
            };
        }
        match event {
            BoutEvent::Asked { round, seat, view } => {
                for part in &view.0 {
                    let name = if part.name.is_empty() { "view.txt" } else { &part.name };
                    self.put(*round, *seat, name, &part.bytes)?;
                }
                Ok(())
            }
            BoutEvent::Turn(turn) => self.turn(turn),
            _ => Ok(()),
        }
    }

    /// Writes the result.
    pub(super) fn finish(&mut self, stored: &StoredBout) -> Result<(), Failure> {
        if self.original.is_some() {
            return Ok(());
        }
        self.folder.put("bout.json", super::bout::json(stored, true)?.as_bytes())
    }

    fn turn(&mut self, turn: &TurnRecord) -> Result<(), Failure> {
        let is_measured = self.measured.is_measured(turn);
        let cpu = if is_measured { format!("cpu {} us\n", turn.cpu_us) } else { String::new() };
        let mut log = format!(
            "verdict {}\naction {}\n{cpu}wall {} us\n",
            turn.verdict(),
            turn.action.escape_default(),
            turn.wall_us
        );
        if !turn.reason.is_empty() {
            log.push_str(&format!("reason {}\n", escaped(&turn.reason)));
        }
        self.put(turn.round, turn.seat, "log.txt", log.as_bytes())?;
        if !turn.output.is_empty() {
            self.put(turn.round, turn.seat, "output", &turn.output)?;
        }
        if !turn.stderr.is_empty() {
            self.put(turn.round, turn.seat, "stderr", &turn.stderr)?;
        }
        Ok(())
    }

    fn put(&self, round: Round, seat: u8, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.folder.put(&format!("round-{round:03}/seat-{seat}/{name}"), bytes)
    }
}

fn clear(folder: &Path, force: bool) -> Result<(), Failure> {
    let shown = folder.display();
    if !force {
        return Err(Failure::usage(format!("`{shown}` already exists"))
            .hint("choose a new folder, or give --force to replace one that joust made"));
    }
    if !folder.join(MARK).is_file() {
        return Err(Failure::usage(format!("`{shown}` was not made by joust"))
            .hint("--force replaces only folders that joust made; name another one"));
    }
    fs::remove_dir_all(folder).map_err(|error| Failure::unwritable(Status::Usage, folder, &error))
}

/// Writes the replay folder that `args` asks for.
pub(super) async fn export(
    args: &ReplayArgs,
    store: &Store,
    stored: &StoredBout,
    screen: Screen,
) -> Result<(), Failure> {
    let [layout, folder] = &args.export[..] else { return Ok(()) };
    if layout != "entelect" {
        let message = format!("unknown layout `{}`", escaped(layout));
        return Err(Failure::usage(message).hint("the layouts are: entelect"));
    }
    let plan = &stored.plan;
    let rows = store.bots(&plan.event).await?;
    let players = plan.seats.iter().map(|seat| recorded_player(&seat.bot, &rows)).collect();
    let games = shared::playable_games(&args.which.source.file, &Cancel::default(), screen)?;
    let mut replay = OriginalReplay::new(&games, plan, players, stored.result.started_at)
        .map_err(|error| no_replay(&error))?;
    let recorded = RecordedInputs::of(stored).map_err(|error| no_replay(&error))?;
    let folder = OwnFolder::create(folder.as_ref(), args.force)?;
    recorded.replay_into(&mut replay, &mut |name, bytes| folder.put(name, bytes))
}

fn recorded_player(bot: &str, rows: &[BotRow]) -> PlayerInfo {
    match rows.iter().find(|row| row.name == bot) {
        Some(row) => player(bot, &row.author, &row.language),
        None => PlayerInfo::named(bot),
    }
}

/// Returns the originals' data on a player, except for the address.
fn player(name: &str, author: &str, language: &str) -> PlayerInfo {
    PlayerInfo {
        author: author.to_owned(),
        nick_name: name.to_owned(),
        email: String::new(),
        bot_type: bot_type(language).to_owned(),
    }
}

/// Returns the players of a bout of `people` and then `bots`.
pub(super) fn players(people: &[String], bots: &[BotSource]) -> Vec<PlayerInfo> {
    let bot = |source: &BotSource| {
        let manifest = &source.manifest;
        let author = manifest.author.as_deref().unwrap_or_default();
        let mut player = player(source.name(), author, &manifest.language);
        if let Some(project) = &manifest.project {
            player.bot_type.clone_from(&project.bot_type);
        }
        player
    };
    people.iter().map(|name| PlayerInfo::named(name)).chain(bots.iter().map(bot)).collect()
}

/// Starts the original's replay of a bout; `None` for games whose original had none.
pub(super) fn begin(
    games: &Catalogue,
    plan: &BoutPlan,
    players: Vec<PlayerInfo>,
    now: i64,
) -> Result<Option<OriginalReplay>, Failure> {
    match OriginalReplay::new(games, plan, players, now) {
        Ok(replay) => Ok(Some(replay)),
        Err(ReplayUnavailable::NoLayout(_)) => Ok(None),
        Err(error) => Err(no_replay(&error)),
    }
}

fn no_replay(error: &ReplayUnavailable) -> Failure {
    let status = match error {
        ReplayUnavailable::NoLayout(_) => Status::Usage,
        _ => Status::Failed,
    };
    Failure::from_error(status, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_folder_stays_that_could_not_be_written_whole() {
        let home = tempfile::tempdir().expect("a folder");
        fs::create_dir(home.path().join("there")).expect("it is made");
        let path = home.path().join("there/a/out");
        let folder = OwnFolder::create(&path, false).expect("it is made");
        folder.put("round/view.txt", b"1").expect("it is written");
        let error = folder.put("round/view.txt/x", b"2").expect_err("a file is in the way");
        assert!(error.message.contains("view.txt/x` cannot be written"), "{}", error.message);
        drop(folder);
        assert!(home.path().join("there").exists() && !home.path().join("there/a").exists());
    }

    #[test]
    fn a_path_that_leads_back_takes_nothing_away_that_was_there() {
        let home = tempfile::tempdir().expect("a folder");
        fs::write(home.path().join("mine"), "mine").expect("it is written");
        let folder = OwnFolder::create(&home.path().join("new/.."), false).expect("it is made");
        folder.put("mine/x", b"1").expect_err("a file is in the way");
        drop(folder);
        assert!(home.path().join("mine").exists() && !home.path().join("new").exists());
    }

    #[test]
    fn a_folder_that_was_written_stays() {
        let home = tempfile::tempdir().expect("a folder");
        let path = home.path().join("out");
        let folder = OwnFolder::create(&path, false).expect("it is made");
        folder.put("12/view.txt", b"1").expect("it is written");
        folder.put("empty/", b"").expect("it is made");
        drop(folder);
        assert!(path.join(MARK).exists() && path.join("12/view.txt").exists());
        assert!(path.join("empty").is_dir());
        assert!(OwnFolder::create(&path, false).is_err(), "it is there");
    }
}
