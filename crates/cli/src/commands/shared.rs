//! First steps of several commands: the tournament, the game, the database.

use std::path::{Path, PathBuf};

use joust_build::FolderStore;
use joust_config::{ConfigErrors, Tournament};
use joust_model::{EventInfo, StoredBout, escaped};
use joust_orchestrator::dispute::can_repeat;
use joust_orchestrator::machine::{Machine, default_tournament};
use joust_referee::{Catalogue, Game};
use joust_store::{Access, Store};
use joust_toolchain::Languages;

use super::failures::there_are;
use crate::args::{BoutArgs, DEFAULT_FILE, TextFormat};
use crate::error::{Failure, Status};
use crate::output::Screen;

/// Reads a tournament's file and prints its warnings.
pub(super) fn tournament(file: &Path, screen: Screen) -> Result<Tournament, Failure> {
    let wrong = |errors: ConfigErrors| Failure::new(Status::Usage, errors.to_string());
    let tournament = joust_config::load(file, &games()).map_err(wrong)?;
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
        None => Ok(default_tournament::tournament(Path::new("."), &games())),
    }
}

/// Returns the tournament's file if it exists, or if another path than the default was named: a
/// missing file is then refused later.
pub(super) fn if_there(file: &Path) -> Option<&Path> {
    (file != Path::new(DEFAULT_FILE) || file.exists()).then_some(file)
}

/// Returns the games that ship with Joust.
pub(super) fn games() -> Catalogue {
    Catalogue::built_in()
}

/// Returns the games in which recorded bouts can be judged: those that ship with Joust
/// and those of the tournament, whose referees are built for it.
pub(super) fn playable_games(args: &BoutArgs, screen: Screen) -> Result<Catalogue, Failure> {
    playable_games_of(&args.file.file, screen)
}

/// As [`playable_games`], of the tournament in `file`.
pub(super) fn playable_games_of(file: &Path, screen: Screen) -> Result<Catalogue, Failure> {
    let Some(file) = if_there(file) else { return Ok(games()) };
    let tournament = tournament(file, screen)?;
    if tournament.external.is_empty() {
        return Ok(tournament.games);
    }
    let isolation = super::run::isolation(false)?;
    Ok(Machine::open(&tournament, &cache_folder(), isolation)?.games)
}

/// A game, and the tournament in whose file or folder it is described.
pub(super) struct FoundGame {
    pub(super) game: Game,
    pub(super) tournament: Tournament,
}

/// Finds a game by its id in a tournament, or by the folder that describes it.
pub(super) fn game_or_folder(
    wanted: &str,
    file: Option<&Path>,
    screen: Screen,
) -> Result<FoundGame, Failure> {
    let path = Path::new(wanted);
    let is_path = wanted.contains(['/', '.']) || !games().ids().contains(&wanted);
    if file.is_none() && is_path && joust_config::is_game_folder(path) {
        let brought = joust_config::read_game_folder(path).map_err(|problems| {
            let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Failure::new(Status::Usage, text.join("\n"))
        })?;
        let known = games().with(brought.game.clone()).expect("its id was looked up");
        let mut tournament = default_tournament::tournament(Path::new("."), &known);
        let game = brought.game.clone();
        tournament.external.push(brought);
        return Ok(FoundGame { game, tournament });
    }
    let tournament = tournament_or_default(file, screen)?;
    let game = game(&tournament.games, wanted).map_err(|failure| match path.is_dir() {
        true => Failure::new(
            Status::Usage,
            format!("there is no `game.yaml` in `{}`", escaped(wanted)),
        )
        .hint("`joust game new python FOLDER` makes a game that plays; `joust docs games` says what is in it"),
        false => failure,
    })?;
    Ok(FoundGame { game, tournament })
}

/// Returns the game called `id`.
pub(super) fn game(games: &Catalogue, id: &str) -> Result<Game, Failure> {
    games.find(id).cloned().ok_or_else(|| {
        Failure::new(Status::Usage, format!("unknown game `{}`", escaped(id)))
            .hint(format!("the games are: {}", games.ids().join(", ")))
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
    Ok(Store::open(&path, access).await?)
}

/// Returns the database that was named, or the tournament's.
pub(super) fn database_path(args: &BoutArgs, screen: Screen) -> Result<PathBuf, Failure> {
    match &args.database {
        Some(path) => Ok(path.clone()),
        None => Ok(tournament(&args.file.file, screen)?.database),
    }
}

/// Reads every event with its field and decisions.
pub(super) async fn events(store: &Store) -> Result<Vec<EventInfo>, Failure> {
    let mut events = Vec::new();
    for settings in store.events().await? {
        events.extend(store.event(&settings.id).await?);
    }
    Ok(events)
}

/// Refuses an event that is not among `known`.
pub(super) fn check_events(wanted: &[String], known: &[&str]) -> Result<(), Failure> {
    match wanted.iter().find(|id| !known.contains(&id.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let message = format!("there is no event `{}`", escaped(unknown));
            Err(Failure::new(Status::Usage, message).hint(there_are("events", unknown, known)))
        }
    }
}

/// Refuses a rule set that a game does not have.
pub(super) fn check_rules(game: &Game, rules: &str) -> Result<(), Failure> {
    if game.spec().has_rules(rules) {
        return Ok(());
    }
    let message = format!("`{}` has no rule set `{}`", game.id(), escaped(rules));
    Err(Failure::new(Status::Usage, message)
        .hint(format!("its rule sets are: {}", game.spec().rule_sets.join(", "))))
}

/// Refuses `--turns` where turns are not printed.
pub(super) fn turns_want_json(turns: bool, format: TextFormat) -> Result<(), Failure> {
    match format {
        TextFormat::Text if turns => {
            Err(Failure::new(Status::Usage, "`--turns` lists turns in JSON alone")
                .hint("add `--format json`"))
        }
        TextFormat::Text | TextFormat::Json => Ok(()),
    }
}

/// Warns that judging a bout again may give another result, where its game does not declare that it
/// is repeatable.
pub(super) fn warn_of_no_repeat(games: &Catalogue, bout: &StoredBout, screen: Screen) {
    if !can_repeat(games, bout) {
        screen.message(&format!(
            "`{}` does not say that it repeats (`can: [rejudge]`): positions and views may not be those \
             that were played",
            escaped(&bout.plan.game)
        ));
    }
}

/// Returns a word as a shell reads it.
pub(super) fn shell_quoted(name: &str) -> String {
    let name = escaped(name);
    let is_plain = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    if name.chars().all(is_plain) { name } else { format!("'{}'", name.replace('\'', r"'\''")) }
}
