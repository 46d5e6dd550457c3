//! Base of a change: the bots, files and tables before it, and the difference of each bot's rating
//! since.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use joust_bots::git::{GitError, Repository};
use joust_bots::{BotSource, PerOwner, SourceHash};
use joust_config::{self as config, Event, Tournament, differ_in_bots_only};
use joust_model::cancel::Cancel;
use joust_model::{BotRow, BuildHash};
use joust_standings::standings::TableChanges;
use joust_store::{Access, Store, StoreError};
use tempfile::TempDir;

use super::change::{HeadBot, SourceHashes};
use super::git::{ExportedTree, changed_between, export_commit, text_of};
use super::report::{EventTable, RatingInterval, RatingMoved, RebuiltBot};
use super::repository_path::repository_path;
use super::request::{CheckRequest, CiError, insist_on_running};
use crate::board::{self, Board};
use crate::machine::Machine;

/// Note of a report without a commit to compare with.
const WITHOUT_COMMIT: &str = "without a commit (`--base`) the settings are those of the file as it is, which \
                              must be trusted, and nothing but bots is compared";

/// A bot before the change.
#[derive(Clone, Debug)]
pub(super) struct BaseBot {
    pub(super) name: String,
    /// Owner by its manifest.
    pub(super) owner: Option<String>,
    pub(super) content: BaseContent,
    /// Its source, exported out; `None` when only a database is known.
    pub(super) source: Option<BotSource>,
    /// Path, relative to the top of the repository.
    pub(super) path: Option<PathBuf>,
}

/// Known content of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BaseContent {
    /// Its source.
    Source(SourceHashes),
    /// Content that a database records.
    Recorded {
        /// Its build; `None` when it had none.
        build: Option<BuildHash>,
        /// The hash of the source of the build; `None` where the database is too old to have it.
        source: Option<SourceHash>,
        /// As [`SourceHashes::program`]; computed only where a name is gone.
        program: Option<SourceHash>,
    },
}

/// State before the change.
#[derive(Default)]
pub(super) struct ChangeBase {
    /// Name for people.
    pub(super) label: String,
    /// The tournament before the change, with the paths of its files then, when a commit is known.
    pub(super) tournament: Option<Tournament>,
    /// The repository.
    pub(super) repository: Option<Repository>,
    /// Files that have changed in the named commit since the change began.
    pub(super) since: Vec<PathBuf>,
    /// Those of these files that contain rules of the tournament.
    pub(super) rules_since: Vec<PathBuf>,
    /// The named commit; the base is the last commit that the change has in common with it.
    tip: String,
    /// Notes for people.
    pub(super) notes: Vec<String>,
    /// The files of the commit, and their differences from the change.
    pub(super) exported: ExportedTree,
    /// Stops the check.
    pub(super) cancel: Cancel,
    fields: HashMap<String, Vec<BaseBot>>,
    _folder: Option<ExportFolder>,
}

impl ChangeBase {
    /// Reads the commit named `name` in the repository that contains the tournament's `file`.
    pub(super) fn of_commit(name: &str, file: &Path, cancel: &Cancel) -> Result<Self, CiError> {
        let repository = Repository::of(config::folder_of(file).as_path())?;
        let (commit, tip) = (repository.base(name)?, repository.commit(name)?);
        let since = changed_between(&repository, &commit, &tip)?;
        let folder = ExportFolder::new(cancel).map_err(CiError::Folder)?;
        let exported = export_commit(&repository, &commit, folder.path(), cancel)?;
        let mut notes = Vec::new();
        if exported.is_dirty {
            notes.push(
                "the working tree has changes that are not committed; they were checked too"
                    .to_owned(),
            );
        }
        if commit != tip {
            notes.push(format!("`{name}` has gone on since the change began"));
        }
        let short = commit.get(..10).unwrap_or(&commit);
        Ok(Self {
            label: if commit.starts_with(name) {
                format!("commit {short}")
            } else {
                format!("{name} at {short}")
            },
            repository: Some(repository),
            since,
            tip,
            notes,
            exported,
            cancel: cancel.clone(),
            _folder: Some(folder),
            ..Self::default()
        })
    }

    /// Adds the tournament's file to those with newer rules, unless the only changes since are
    /// added or removed bots.
    pub(super) fn note_rules(&mut self, file: &Path, before: &str) -> Result<(), GitError> {
        let has_changed = self.since.iter().any(|path| path == file);
        let Some(repository) = self.repository.as_ref().filter(|_| has_changed) else {
            return Ok(());
        };
        let now = text_of(repository, &self.tip, file)?;
        if !now.is_some_and(|now| differ_in_bots_only(before, &now)) {
            self.rules_since.push(file.to_owned());
        }
        Ok(())
    }

    /// Returns true when the commit has a file at `path` or beneath it.
    pub(super) fn has_files_at(&self, path: &Path) -> bool {
        self.exported
            .files
            .range(path.to_owned()..)
            .next()
            .is_some_and(|file| file.starts_with(path))
    }

    /// Reads the field of a database.
    pub(super) async fn of_database(path: &Path, store: &Store) -> Result<Self, StoreError> {
        let sources = store.source_hashes().await?;
        let mut fields = HashMap::new();
        for event in store.events().await? {
            let bots = store.bots(&event.id).await?.into_iter();
            let bots: Vec<BaseBot> = bots.map(|row| recorded(row, &sources)).collect();
            fields.insert(event.id, bots);
        }
        let is_by_build_alone = |bot: &&BaseBot| {
            matches!(bot.content, BaseContent::Recorded { build: Some(_), source: None, .. })
        };
        let unknown = fields.values().flatten().filter(is_by_build_alone).count();
        Ok(Self {
            label: path.display().to_string(),
            notes: by_builds_alone(unknown)
                .into_iter()
                .chain([WITHOUT_COMMIT.to_owned()])
                .collect(),
            fields,
            ..Self::default()
        })
    }

    /// Reads the kept sources of an event's bots whose names are gone, so that they can be
    /// recognised under another name.
    pub(super) async fn find_renamed(
        &mut self,
        store: &Store,
        event: &str,
        now: &[HeadBot],
    ) -> Result<(), StoreError> {
        for bot in self.fields.get_mut(event).into_iter().flatten() {
            let BaseContent::Recorded { build: Some(build), program, .. } = &mut bot.content else {
                continue;
            };
            if now.iter().any(|now| now.source.name() == bot.name) {
                continue;
            }
            let kept = store.source(build).await?;
            *program =
                kept.and_then(|row| SourceHashes::of_kept(&row)).and_then(|found| found.program);
        }
        Ok(())
    }

    /// Returns an event's bots before the change.
    ///
    /// # Errors
    ///
    /// [`CiError`] once the run is being stopped.
    pub(super) fn field(&self, machine: &Machine, event: &Event) -> Result<Vec<BaseBot>, CiError> {
        if let Some(field) = self.fields.get(&event.id) {
            return Ok(field.clone());
        }
        let Some(tournament) = &self.tournament else { return Ok(Vec::new()) };
        let Some(earlier) = tournament.event(&event.id) else { return Ok(Vec::new()) };
        let mut field = Vec::new();
        let (sources, _) = machine.find_bots(tournament, earlier, PerOwner::Any);
        insist_on_running(&self.cancel)?;
        for source in sources {
            insist_on_running(&self.cancel)?;
            // A bot that could not be read then did not take part.
            field.extend(self.bot(source, machine));
        }
        Ok(field)
    }

    fn bot(&self, source: BotSource, machine: &Machine) -> Option<BaseBot> {
        let hashes = SourceHashes::of(&source, machine.languages().sources()).ok()?;
        Some(BaseBot {
            name: source.name().to_owned(),
            owner: source.manifest.owner.clone(),
            content: BaseContent::Source(hashes),
            path: repository_path(&source.found, &self.exported.folder),
            source: Some(source),
        })
    }

    /// Refuses a bot in a submodule whose base version is not here.
    pub(super) fn insist_on_submodules(&self, paths: &[PathBuf]) -> Result<(), GitError> {
        let is_needed = |module: &&PathBuf| {
            paths.iter().any(|path| path.starts_with(module) || module.starts_with(path))
        };
        match self.exported.missing.iter().find(is_needed) {
            Some(module) => Err(GitError::Submodule(module.clone())),
            None => Ok(()),
        }
    }
}

fn recorded(row: BotRow, sources: &HashMap<BuildHash, SourceHash>) -> BaseBot {
    let source = row.build.and_then(|build| sources.get(&build).copied());
    BaseBot {
        name: row.name,
        owner: Some(row.owner).filter(|owner| !owner.is_empty()),
        content: BaseContent::Recorded { build: row.build, source, program: None },
        source: None,
        path: None,
    }
}

fn by_builds_alone(bots: usize) -> Option<String> {
    let who = match bots {
        0 => return None,
        1 => "1 bot is".to_owned(),
        more => format!("{more} bots are"),
    };
    Some(format!(
        "{who} compared by the build alone, because the database does not know its source: it \
         counts as changed too when its tools or its language's recipe changed"
    ))
}

/// Copies the database at `from` to `to` and brings its tables up to date.
pub(super) async fn copy(from: &Path, to: &Path) -> Result<Store, StoreError> {
    Store::copy(from, to).await?;
    Store::open(to, Access::MustExist).await.map_err(|error| of_the_base(error, from))
}

/// Makes an error name the database that people know, not its copy.
fn of_the_base(error: StoreError, from: &Path) -> StoreError {
    let path = from.to_owned();
    match error {
        StoreError::Newer { version, known, .. } => StoreError::Newer { path, version, known },
        StoreError::Corrupted { problem, .. } => StoreError::Corrupted { path, problem },
        StoreError::NotOurs { .. } => StoreError::NotOurs(path),
        other => other,
    }
}

/// Longest time that a stopped check takes to remove the files. Thousands can take a busy disk much
/// longer; the next process removes the rest, as that of a process that was killed.
const LONGEST_REMOVAL: Duration = Duration::from_secs(1);

/// Temporary folder of a check.
pub(super) struct ExportFolder {
    folder: Option<TempDir>,
    cancel: Cancel,
}

impl ExportFolder {
    pub(super) fn new(cancel: &Cancel) -> std::io::Result<Self> {
        let folder = joust_sandbox::temporary_folder()?;
        Ok(Self { folder: Some(folder), cancel: cancel.clone() })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.as_ref().expect("it is taken only by drop").path()
    }
}

impl Drop for ExportFolder {
    fn drop(&mut self) {
        let Some(folder) = self.folder.take().filter(|_| self.cancel.is_cancelled()) else {
            return;
        };
        let (done, is_done) = mpsc::channel();
        let remove = move || {
            drop(folder);
            let _ = done.send(());
        };
        // Without a thread the folder is removed here.
        if std::thread::Builder::new().spawn(remove).is_ok() {
            let _ = is_done.recv_timeout(LONGEST_REMOVAL);
        }
    }
}

/// The results before the change.
pub(super) struct EarlierResults {
    /// A copy of the base's database; `None` when there is none.
    pub(super) store: Option<Store>,
    /// True when it has another seed: its bouts differ, so comparing results is meaningless.
    is_of_another_seed: bool,
    _folder: Option<TempDir>,
}

impl EarlierResults {
    /// Copies the database with the results before the change, or else the tournament's own
    /// database before this run.
    pub(super) async fn open(
        tournament: &Tournament,
        request: &CheckRequest,
    ) -> Result<Self, CiError> {
        let named = request.base_database.as_deref();
        let own = Some(tournament.database.as_path()).filter(|path| path.exists());
        let Some(path) = named.or(own) else {
            return Ok(Self { store: None, is_of_another_seed: false, _folder: None });
        };
        let folder = joust_sandbox::temporary_folder().map_err(CiError::Folder)?;
        let store = copy(path, &folder.path().join("base.db")).await?;
        let played = store.tournament().await?;
        let is_of_another_seed = played.is_some_and(|row| row.seed != tournament.seed);
        Ok(Self { store: Some(store), is_of_another_seed, _folder: Some(folder) })
    }

    /// Returns the bots of `now` whose source is unchanged since they played, but whose build
    /// differs, because tools or the recipe of their language have changed.
    pub(super) async fn rebuilt(
        &self,
        now: &[HeadBot],
        machine: &Machine,
        event: &Event,
    ) -> Result<Vec<RebuiltBot>, StoreError> {
        let Some(store) = &self.store else { return Ok(Vec::new()) };
        let (sources, rows) = (store.source_hashes().await?, store.bots(&event.id).await?);
        let mut rebuilt = Vec::new();
        for row in rows {
            let Some(was) = row.build else { continue };
            let Some(bot) = now.iter().find(|bot| bot.source.name() == row.name) else { continue };
            let is_same = sources.get(&was) == Some(&bot.hashes.whole);
            if is_same && bot.key.is_some_and(|key| key != was) {
                let before = store.build(&was).await?.map(|build| build.toolchain);
                let after = machine.builder(event).toolchain(&bot.source).ok();
                rebuilt.push(RebuiltBot { bot: row.name, before, after });
            }
        }
        Ok(rebuilt)
    }

    /// Returns an event's table before the change, if there is one to compare with.
    pub(super) async fn table(&self, event: &str) -> Result<Option<EventTable>, StoreError> {
        match self.store.as_ref().filter(|_| !self.is_of_another_seed) {
            Some(store) => table_of(store, event).await,
            None => Ok(None),
        }
    }
}

/// Refuses to write the bouts of a change into the database that was named as the base.
pub(super) fn insist_on_another_database(
    tournament: &Tournament,
    request: &CheckRequest,
) -> Result<(), CiError> {
    match &request.base_database {
        Some(base) if is_one_file(base, &tournament.database) => {
            Err(CiError::BaseIsDatabase(base.clone()))
        }
        _ => Ok(()),
    }
}

/// Returns true when two paths lead to one file.
fn is_one_file(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
    place(one).is_some_and(|one| Some(one) == place(other))
}

/// Returns an event's table; `None` when the database does not know the event.
pub(super) async fn table_of(store: &Store, event: &str) -> Result<Option<EventTable>, StoreError> {
    let Some(info) = store.event(event).await? else { return Ok(None) };
    let Board { mut standings, ratings } = board::read(store, &info, None).await?;
    standings.head = store.head().await?;
    let bouts = board::pair_bouts(store, &standings).await?;
    Ok(Some(EventTable { standings, ratings, bouts }))
}

/// Returns each bot's rating under its earlier name, and its rating now.
pub(super) fn ratings(
    before: Option<&EventTable>,
    after: &EventTable,
    movement: &TableChanges,
    renamed: &BTreeMap<String, String>,
) -> Vec<RatingMoved> {
    let rating = |table: Option<&EventTable>, bot: &str| {
        let row = table?.ratings.of(bot)?;
        Some(RatingInterval { rating: row.rating?, low: row.low, high: row.high })
    };
    let moved = |bot: &String| RatingMoved {
        bot: bot.clone(),
        before: rating(before, renamed.get(bot).unwrap_or(bot)),
        after: rating(Some(after), bot),
    };
    movement.bots.iter().map(|one| moved(&one.bot)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_removed_whether_the_check_is_stopped_or_not() {
        for is_stopped in [false, true] {
            let cancel = Cancel::default();
            let folder = ExportFolder::new(&cancel).unwrap();
            let path = folder.path().to_owned();
            std::fs::write(path.join("file"), "").unwrap();
            if is_stopped {
                cancel.cancel();
            }
            drop(folder);
            while path.exists() {
                std::thread::yield_now();
            }
        }
    }
}
