//! First steps of several commands: the tournament, the game, the database.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use joust_build::FolderStore;
use joust_config::{ConfigErrors, Tournament};
use joust_model::cancel::Cancel;
use joust_model::{EventInfo, EventSettings, StoredBout, TieBreak, escaped};
use joust_orchestrator::dispute::can_repeat;
use joust_orchestrator::machine::{Machine, default_tournament};
use joust_referee::{Catalogue, Game};
use joust_store::{Access, Store};
use joust_toolchain::Languages;

use super::failures::there_are;
use crate::args::{BoutFormatArgs, FileArg, GameArg, SourceArgs, TextFormat};
use crate::error::Failure;
use crate::output::Screen;

/// Reads a tournament's file and prints its warnings.
pub(super) fn tournament(file: &Path, screen: Screen) -> Result<Tournament, Failure> {
    let wrong = |errors: ConfigErrors| Failure::usage(errors.to_string());
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

/// Returns the games that ship with Joust.
pub(super) fn games() -> Catalogue {
    Catalogue::built_in()
}

/// Returns the games in which recorded bouts can be judged: those that ship with Joust
/// and those of the tournament, whose referees are built for it.
/// `cancel` stops the referees, too.
pub(super) fn playable_games(
    file: &FileArg,
    cancel: &Cancel,
    screen: Screen,
) -> Result<Catalogue, Failure> {
    let Some(file) = file.existing() else { return Ok(games()) };
    let tournament = tournament(file, screen)?;
    if tournament.external.is_empty() {
        return Ok(tournament.games);
    }
    let isolation = super::run::isolation(false)?;
    Ok(Machine::open(&tournament, &cache_folder(), &isolation, cancel)?.games)
}

/// A game, and the tournament in whose file or folder it is described.
pub(super) struct FoundGame {
    pub(super) game: Game,
    pub(super) tournament: Tournament,
}

/// Finds a game by its id, of Joust or of the tournament, or by the folder that describes it.
pub(super) fn find_game(args: &GameArg, screen: Screen) -> Result<FoundGame, Failure> {
    let (wanted, file) = (&*args.game, &args.file);
    let folder = Path::new(wanted);
    let mut tournament = tournament_or_default(file.existing(), screen)?;
    let is_folder = joust_config::is_game_folder(folder);
    let own = tournament.external.iter().find(|own| is_folder && is_same(&own.folder, folder));
    let id = own.map_or(wanted, |own| own.game.id());
    let game = match tournament.games.find(id) {
        Some(game) => game.clone(),
        None if is_folder && file.named().is_none() => return game_in(folder),
        None => return Err(unknown_game(&tournament.games, wanted)),
    };
    tournament.external.retain(|own| own.game.id() == game.id());
    Ok(FoundGame { game, tournament })
}

/// Returns the game that was named, else the only one of the tournament's events.
pub(super) fn named_or_only_game(
    named: Option<&str>,
    file: &FileArg,
    screen: Screen,
) -> Result<GameArg, Failure> {
    let known: BTreeSet<String> = match (named, file.existing()) {
        (Some(game), _) => [game.to_owned()].into(),
        (None, None) => games().ids().into_iter().map(str::to_owned).collect(),
        (None, Some(path)) => {
            let events = tournament(path, screen)?.events;
            events.iter().map(|event| event.game.id().to_owned()).collect()
        }
    };
    let mut games = known.iter();
    match (games.next(), games.next()) {
        (Some(game), None) => Ok(GameArg { game: game.clone(), file: file.clone() }),
        _ => {
            let known: Vec<_> = known.iter().map(|id| escaped(id)).collect();
            let hint = format!("name it before the bot; the games are: {}", known.join(", "));
            Err(Failure::usage("which game?").hint(hint))
        }
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// Reads the game in a folder, for the tournament that an empty file would describe.
fn game_in(folder: &Path) -> Result<FoundGame, Failure> {
    let brought = joust_config::read_game_folder(folder).map_err(|problems| {
        let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Failure::usage(text.join("\n"))
    })?;
    let game = brought.game.clone();
    let known = games().with(game.clone()).expect("its id was looked up");
    let mut tournament = default_tournament::tournament(Path::new("."), &known);
    tournament.external.push(brought);
    Ok(FoundGame { game, tournament })
}

fn unknown_game(games: &Catalogue, wanted: &str) -> Failure {
    if !Path::new(wanted).is_dir() {
        return no_game(games, wanted);
    }
    let message = format!("there is no `game.yaml` in `{}`", escaped(wanted));
    Failure::usage(message)
        .hint("`joust game new python DIR` makes a game that plays; `joust docs games` says what is in it")
}

/// Returns the game called `id`.
pub(super) fn game(games: &Catalogue, id: &str) -> Result<Game, Failure> {
    games.find(id).cloned().ok_or_else(|| no_game(games, id))
}

fn no_game(games: &Catalogue, id: &str) -> Failure {
    Failure::usage(format!("unknown game `{}`", escaped(id))).hint(format!(
        "the games are: {}; a game of your own is named by its folder",
        games.ids().join(", ")
    ))
}

/// Returns the folder for builds and everything else that can be made again.
pub(super) fn cache_folder() -> PathBuf {
    FolderStore::usual_place().unwrap_or_else(|| PathBuf::from(".joust"))
}

/// Opens the database that was named, or the tournament's.
pub(super) async fn store(
    args: &SourceArgs,
    access: Access,
    screen: Screen,
) -> Result<Store, Failure> {
    let path = database_path(args, screen)?;
    Ok(Store::open(&path, access).await?)
}

/// Returns the database that was named, or the tournament's.
pub(super) fn database_path(args: &SourceArgs, screen: Screen) -> Result<PathBuf, Failure> {
    match &args.database.database {
        Some(path) => Ok(path.clone()),
        None => Ok(tournament(args.file.path(), screen)?.database),
    }
}

/// Criteria of the ranks by event, as a tournament's file has them now.
pub(super) type Rankings = BTreeMap<String, Vec<TieBreak>>;

/// Returns the criteria of a tournament's events.
pub(super) fn rankings(tournament: &Tournament) -> Rankings {
    tournament.events.iter().map(|event| (event.id.clone(), event.ranking())).collect()
}

/// Ranks an event by the tournament's file; returns a note if the last run used other criteria.
pub(super) fn rank_by_file(rankings: &Rankings, event: &mut EventSettings) -> Option<String> {
    let now = rankings.get(&event.id).filter(|now| **now != event.tie_breaks)?;
    let words = |criteria: &[TieBreak]| {
        let names: Vec<_> = criteria.iter().map(|one| one.name()).collect();
        names.join(", ")
    };
    let note = format!(
        "note: `{}` is ranked by {}, as the tournament's file says now; the last run ranked it by {}\n",
        escaped(&event.id),
        words(now),
        words(&event.tie_breaks),
    );
    event.tie_breaks.clone_from(now);
    Some(note)
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
            Err(Failure::usage(message).hint(there_are("events", unknown, known)))
        }
    }
}

/// Refuses a rule set that a game does not have.
pub(super) fn check_rules(game: &Game, rules: &str) -> Result<(), Failure> {
    if game.spec().has_rules(rules) {
        return Ok(());
    }
    let message = format!("`{}` has no rule set `{}`", game.id(), escaped(rules));
    Err(Failure::usage(message)
        .hint(format!("its rule sets are: {}", game.spec().rule_sets.join(", "))))
}

/// Refuses `--turns` where turns are not printed.
pub(super) fn turns_want_json(args: &BoutFormatArgs) -> Result<(), Failure> {
    if args.turns && args.output.format == TextFormat::Text {
        let failure = Failure::usage("`--turns` lists turns in JSON alone");
        return Err(failure.hint("add `--format json`"));
    }
    Ok(())
}

/// Warns that judging a bout again may give another result, where its game does not declare that it
/// is repeatable.
pub(super) fn warn_of_no_repeat(games: &Catalogue, bout: &StoredBout, screen: Screen) {
    if !can_repeat(games, &bout.plan) {
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
