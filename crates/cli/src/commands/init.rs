//! `joust init`: this folder becomes a contest.

use std::fs;
use std::path::Path;

use joust_bots::scaffold::contest::{self, Contest, JoustRepository};
use joust_bots::scaffold::{self, NewFile, ScaffoldError, Starter};
use joust_model::escaped;
use joust_referee::Catalogue;

use super::shared;
use crate::args::{DEFAULT_FILE, FileArg, GameArg, InitArgs};
use crate::error::{Failure, Status};
use crate::home;
use crate::output::Screen;

/// Branch of a folder that is in no repository yet.
const USUAL_BRANCH: &str = "main";

pub(super) fn execute(args: &InitArgs, screen: Screen) -> Result<Status, Failure> {
    let root = Path::new(".");
    let games = shared::games();
    let here = games_here(root, &games);
    let id = args.game.clone().or_else(|| here.first().cloned());
    let id = id.or_else(|| games.ids().first().map(|id| (*id).to_owned())).unwrap_or_default();
    let found = shared::find_game(&GameArg { game: id, file: FileArg::default() }, screen)?;
    let (game, own) = (&found.game, found.tournament.external.first());
    insist_on_game(game.id(), &here)?;
    let author = args.author.clone().or_else(scaffold::author).unwrap_or_default();
    let name = name_of_folder(root);
    let wanted = Contest {
        game: game.id(),
        own: own.map(|own| &*own.folder),
        title: &game.spec().title,
        name: &name,
        language: args.language.as_deref(),
        author: &author,
    };
    let mut files = wanted.files().map_err(|error| failure(&error))?;
    if args.github {
        let branch = scaffold::current_branch(root);
        files.extend(contest::workflows(release(), branch.as_deref().unwrap_or(USUAL_BRANCH)));
        files.push(contest::dispute_form());
    }
    let missing = missing(root, files);
    let bots = own.filter(|_| !has_bots(root));
    if missing.is_empty() && bots.is_none() {
        screen.message("nothing is missing here; `joust run` plays");
        return Ok(Status::Done);
    }
    screen.message(&format!("making a {} contest here; existing files are left alone:", game.id()));
    for file in &missing {
        if contest::write_new(root, file).map_err(|error| failure(&error))? {
            screen.result(&format!("{}\n", file.path.display()));
        }
    }
    if let Some(own) = bots {
        let language = &*wanted.starter_language();
        let folder = Path::new(contest::STARTER);
        let starter = Starter { game: game.id(), language, folder, author: &author };
        let files = scaffold::copy(&own.folder.join("bots"), &starter);
        for file in files.map_err(|error| failure(&error))? {
            screen.result(&format!("{}\n", file.display()));
        }
    }
    screen.message("next: `joust run` plays it, `joust report --out site` makes its pages");
    let repository = release().repository;
    if args.github && repository.starts_with("OWNER/") {
        screen.message(&format!(
            "replace `{repository}` in .github/workflows with the repository you take Joust from"
        ));
    }
    Ok(Status::Done)
}

pub(super) fn failure(error: &ScaffoldError) -> Failure {
    let status = match error {
        ScaffoldError::Write(..) => Status::Machine,
        _ => Status::Usage,
    };
    Failure::from_error(status, error).hint_if(error.hint())
}

/// The games of the tournament that is here already, in the order of its events.
fn games_here(root: &Path, games: &Catalogue) -> Vec<String> {
    let Ok(tournament) = joust_config::load(&root.join(DEFAULT_FILE), games) else {
        return Vec::new();
    };
    tournament.events.iter().map(|event| event.game.id().to_owned()).collect()
}

/// Refuses a game that the tournament here has no event of: its file would be left alone.
fn insist_on_game(wish: &str, here: &[String]) -> Result<(), Failure> {
    if here.is_empty() || here.iter().any(|id| id == wish) {
        return Ok(());
    }
    let named: Vec<_> = here.iter().map(|id| format!("`{}`", escaped(id))).collect();
    let message = format!("the tournament of this folder is of {}", named.join(", "));
    Err(Failure::usage(message).hint(format!(
        "run `joust init {wish}` in another folder, or add an event with `game: {wish}` to \
         `{DEFAULT_FILE}` (`joust docs tournament`)"
    )))
}

/// The files that are not there. Where there are bots no others are missing.
fn missing(root: &Path, files: Vec<NewFile>) -> Vec<NewFile> {
    let has_bots = has_bots(root);
    let is_missing = |file: &NewFile| {
        let of_bots = file.path.starts_with("bots");
        !(of_bots && has_bots) && root.join(&file.path).symlink_metadata().is_err()
    };
    files.into_iter().filter(is_missing).collect()
}

fn has_bots(root: &Path) -> bool {
    fs::read_dir(root.join("bots")).is_ok_and(|mut all| all.next().is_some())
}

/// The tournament is called like its folder.
fn name_of_folder(root: &Path) -> String {
    let folder = fs::canonicalize(root).ok();
    let name = folder.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy());
    name.map_or_else(|| "contest".to_owned(), |name| escaped(&name))
}

/// Returns the repository and the release that workflows take Joust from.
fn release() -> JoustRepository<'static> {
    let version = concat!("v", env!("CARGO_PKG_VERSION"));
    JoustRepository { repository: home::repository(), version }
}
