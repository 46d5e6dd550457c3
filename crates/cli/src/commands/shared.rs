//! What several commands begin with: the tournament, the game, the database.

use std::path::{Path, PathBuf};

use joust_orchestrator::bots::{Fault, FolderStore, Languages, Problem};
use joust_orchestrator::config::{self, ConfigErrors, Tournament};
use joust_orchestrator::model::{EventInfo, StoredBout};
use joust_orchestrator::pipeline::stand_in;
use joust_orchestrator::store::{Access, Store, StoreError};
use joust_referee::{GameKind, registry};

use crate::args::BoutArgs;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

/// Reads a tournament's file and prints its warnings.
pub(super) fn tournament(file: &Path, screen: Screen) -> Result<Tournament, Failure> {
    let wrong = |errors: ConfigErrors| Failure::new(Status::Usage, errors.to_string());
    let tournament = config::load(file).map_err(wrong)?;
    Languages::of_tournament(&tournament).map_err(|problems| wrong(ConfigErrors(problems)))?;
    for warning in &tournament.warnings {
        screen.error(&format!("{warning}\n"));
    }
    Ok(tournament)
}

/// Reads the tournament's file when one was named; otherwise makes the one
/// that an empty file would describe.
pub(super) fn tournament_or_default(
    file: Option<&Path>,
    screen: Screen,
) -> Result<Tournament, Failure> {
    match file {
        Some(file) => tournament(file, screen),
        None => Ok(stand_in::tournament(Path::new("."))),
    }
}

/// Returns the game called `id`.
pub(super) fn game(id: &str) -> Result<&'static dyn GameKind, Failure> {
    registry::find(id).ok_or_else(|| {
        let known: Vec<_> = registry::ALL.iter().map(|game| game.id()).collect();
        Failure::new(Status::Usage, format!("unknown game `{}`", id.escape_default()))
            .hint(format!("the games are: {}", known.join(", ")))
    })
}

/// Returns the folder for builds and everything else that can be made again.
pub(super) fn cache_folder() -> PathBuf {
    FolderStore::usual_place().unwrap_or_else(|| PathBuf::from(".joust"))
}

/// Opens the database that was named, or the tournament's.
pub(super) async fn store(
    args: &BoutArgs,
    access: Access,
    screen: Screen,
) -> Result<Store, Failure> {
    let path = database_path(args, screen)?;
    Store::open(&path, access).await.map_err(|error| database(&error))
}

/// Returns the database that was named, or the tournament's.
pub(super) fn database_path(args: &BoutArgs, screen: Screen) -> Result<PathBuf, Failure> {
    match &args.database {
        Some(path) => Ok(path.clone()),
        None => Ok(tournament(&args.file.file, screen)?.database),
    }
}

/// Finds a bout by its id or enough of its first digits.
pub(super) async fn bout(store: &Store, id: &str) -> Result<StoredBout, Failure> {
    let found = store.bout(id).await.map_err(|error| database(&error))?;
    found.ok_or_else(|| no_bout(id))
}

/// Says that no bout has an id that begins so.
pub(super) fn no_bout(id: &str) -> Failure {
    Failure::new(Status::Usage, format!("there is no bout `{}`", id.escape_default()))
        .hint("`joust verify --format json` lists every bout's id")
}

/// Makes a failure of a database error.
pub(super) fn database(error: &StoreError) -> Failure {
    let status = match error {
        StoreError::Ambiguous { .. } | StoreError::NoEvent { .. } | StoreError::NoBot { .. } => {
            Status::Usage
        }
        _ => Status::Database,
    };
    let failure = Failure::from_error(status, error);
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// Makes a failure of everything that is wrong with a bot's files.
pub(super) fn bot_problems(problems: &[Problem]) -> Failure {
    let lines: Vec<_> = problems.iter().map(|problem| format!("error: {problem}")).collect();
    let is_of_machine = problems.iter().any(|problem| problem.fault == Fault::Machine);
    let status = if is_of_machine { Status::Machine } else { Status::Usage };
    Failure::new(status, lines.join("\n"))
}

/// Reads every event with its field and decisions.
pub(super) async fn events(store: &Store) -> Result<Vec<EventInfo>, Failure> {
    let mut events = Vec::new();
    for settings in store.events().await.map_err(|error| database(&error))? {
        events.extend(store.event(&settings.id).await.map_err(|error| database(&error))?);
    }
    Ok(events)
}
