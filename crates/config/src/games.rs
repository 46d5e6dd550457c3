//! `games:` — games that a tournament brings, each in a folder with a `game.yaml`.
//!
//! No referee is started to find out its game: the file declares it.

mod content;
mod options;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::derived_schema::schema_of;
use super::keys::game::GameKeys;
use super::keys::libraries::Provided;
use super::keys::tournament::GameEntry;
use super::node::{MapEntry, NodeValue};
use super::plain_file::{self, read_plain};
use super::problem::{Problem, SourceText};
use super::read::{Cursor, KeyFile};
use super::rejection::Rejection;
use super::yaml;
use joust_model::Limits;
use joust_referee::{Catalogue, Game, RefereeHash};

use content::ContentBudget;
use read::GameLocation;

/// The file of a game, in its folder.
pub const GAME_FILE: &str = "game.yaml";

/// A folder for the files of several games that one program plays.
const SEVERAL: &str = "games";

/// Largest `game.yaml`, in bytes.
const LARGEST: u64 = 1 << 20;

/// Most games that a tournament brings: each may have a page of rules of 1 MiB.
const MOST_GAMES: usize = 100;

/// A game whose referee is a program of its own.
#[derive(Clone, Debug)]
pub struct ExternalGame {
    /// The game, as the tournament calls it; it cannot be started by this alone.
    pub game: Game,
    /// The text of its `game.yaml`.
    pub text: String,
    /// Folder of the referee's source.
    pub folder: PathBuf,
    /// The files that belong to it, relative to that, sorted.
    pub files: Vec<String>,
    /// The id that the referee itself says.
    pub own_id: String,
    /// The version that the referee reports.
    pub version: String,
    /// Abilities beyond playing a bout.
    pub can: Vec<String>,
    /// Source and commands of its program.
    pub program: RefereeProgram,
    /// Limits of the referee: `start` until it reports its game, `turn` for each of its steps.
    pub limits: Limits,
}

/// Source and commands of a referee's program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefereeProgram {
    /// The language's id; by the entry's extension when it is left out.
    pub language: Option<String>,
    /// The main file, relative to the folder.
    pub entry: Option<String>,
    /// The command in place of the language's build.
    pub build: Option<String>,
    /// The command that starts it, in place of the language's.
    pub run: Option<String>,
    /// Libraries that it finds, by language.
    pub provides: BTreeMap<String, Provided>,
}

/// Games that a tournament can play.
pub(super) struct Games {
    /// All that can be played.
    pub(super) catalogue: Catalogue,
    /// Those that the tournament brings.
    pub(super) external: Vec<ExternalGame>,
    /// Ids of games with reported mistakes: their events are not refused for an unknown game, too.
    pub(super) refused: BTreeSet<String>,
}

impl Games {
    /// Reads the games that a tournament brings beside the shipped ones; mistakes are reported.
    pub(super) fn read(
        file: &Cursor<'_>,
        entries: &BTreeMap<String, GameEntry>,
        folder: &Path,
        shipped: &Catalogue,
    ) -> Self {
        let mut games =
            Self { catalogue: shipped.clone(), external: Vec::new(), refused: BTreeSet::new() };
        let Some(section) = file.get("games") else { return games };
        if entries.len() > MOST_GAMES {
            let message = format!("a tournament brings at most {MOST_GAMES} games");
            section.refuse(Rejection::bare(message));
            games.refused.extend(entries.keys().cloned());
            return games;
        }
        if let NodeValue::Map(all) = &section.node.value {
            let unread = all.iter().filter(|entry| !entries.contains_key(&entry.key));
            games.refused.extend(unread.map(|entry| entry.key.clone()));
        }
        let budget = ContentBudget::default();
        for (entry, value) in section.entries(None) {
            let Some(keys) = entries.get(&entry.key) else { continue };
            let Some(brought) = read_game(entry, &value, keys, folder, &budget) else {
                games.refused.insert(entry.key.clone());
                continue;
            };
            match games.catalogue.with(brought.game.clone()) {
                Ok(catalogue) => {
                    games.catalogue = catalogue;
                    games.external.push(brought);
                }
                Err(taken) => {
                    let hint = "give it another key: it is the game's id in every result";
                    value.refuse_key(entry, Rejection::new(taken.to_string(), hint));
                }
            }
        }
        games
    }
}

/// Reads a game that a tournament brings; mistakes are reported.
fn read_game(
    entry: &MapEntry,
    value: &Cursor<'_>,
    keys: &GameEntry,
    folder: &Path,
    budget: &ContentBudget,
) -> Option<ExternalGame> {
    if !is_id(&entry.key) {
        let message = format!("`{}` is no id of a game", entry.key);
        value.refuse_key(
            entry,
            Rejection::new(message, "lower-case words joined by `-`: `my-game`"),
        );
        return None;
    }
    // As short as it is read: without the `.` of `./tournament.yaml` and of `referee: .`.
    let found: PathBuf = folder.join(&keys.referee).components().collect();
    let (own, folder) = match find(&found, &entry.key) {
        Ok(found) => found,
        Err(what) => {
            let hint = format!("a folder with a `{GAME_FILE}`, which `joust docs games` describes");
            value.get("referee")?.refuse(Rejection::new(what, hint));
            return None;
        }
    };
    let game = read_file(&own, &folder, &entry.key, budget);
    game.map_err(|problems| problems.into_iter().for_each(|problem| value.report(problem))).ok()
}

/// Reads the game in a folder, without a tournament. Its id is the one in its file, or the
/// folder's name.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn read_game_folder(path: &Path) -> Result<ExternalGame, Vec<Problem>> {
    let stem = std::path::absolute(path).ok();
    let stem = stem.as_deref().and_then(|path| match path.extension() {
        Some(_) => path.file_stem(),
        None => path.file_name(),
    });
    let name = stem.and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
    let (file, folder) = find(path, &name).map_err(|what| vec![Problem::of_file(path, what)])?;
    let game = read_file(&file, &folder, "", &ContentBudget::default())?;
    match Catalogue::built_in().with(game.game.clone()) {
        Ok(_) => Ok(game),
        Err(taken) => {
            let problem = Problem::of_file(&file, format!("id: {taken}"));
            Err(vec![problem.with_hint("`id` gives it another one")])
        }
    }
}

/// Returns whether a path leads to a game's folder or file.
pub fn is_game_folder(path: &Path) -> bool {
    let is_file = path.extension().is_some_and(|extension| extension == "yaml");
    path.join(GAME_FILE).exists() || path.join(SEVERAL).is_dir() || (is_file && path.exists())
}

/// Finds the file of a game and the folder that its referee lies in.
fn find(path: &Path, id: &str) -> Result<(PathBuf, PathBuf), String> {
    // Reading says what is wrong with a pipe or a device.
    if path.exists() && !path.is_dir() {
        return Ok((path.to_owned(), folder_of(path)));
    }
    let own = path.join(GAME_FILE);
    let one_of_several = path.join(SEVERAL).join(format!("{id}.yaml"));
    match () {
        () if own.exists() => Ok((own, path.to_owned())),
        () if one_of_several.exists() => Ok((one_of_several, path.to_owned())),
        () if path.is_dir() => Err(format!("there is no `{GAME_FILE}` in `{}`", path.display())),
        () => Err(format!("there is no folder `{}`", path.display())),
    }
}

/// The folder of the game whose file is `path`, wherever it is named from.
fn folder_of(path: &Path) -> PathBuf {
    let beside = plain_file::folder_of(path);
    let whole = beside.canonicalize().unwrap_or_default();
    match whole.file_name() {
        Some(name) if name == SEVERAL && beside.file_name().is_some() => {
            plain_file::folder_of(&beside)
        }
        Some(name) if name == SEVERAL => beside.join(".."),
        _ => beside,
    }
}

/// Hint for an empty file of a game.
const LEAST: &str = "a game's file has what `joust docs games` shows; `joust game new` writes one";

/// Reads a game's file; `id` is the tournament's id for it, empty for the id in the file.
fn read_file(
    file: &Path,
    folder: &Path,
    id: &str,
    budget: &ContentBudget,
) -> Result<ExternalGame, Vec<Problem>> {
    let bytes = read_plain(file, LARGEST);
    let bytes = bytes.map_err(|unread| vec![Problem::of_file(file, unread.to_string())])?;
    let text = SourceText::decode(file, bytes).map_err(|errors| errors.0)?;
    let text = yaml::plain_lines(&text);
    let place = GameLocation { file, folder, id, budget };
    let game = read_text(&text, file, |cursor| read::read(cursor, &place))?;
    Ok(ExternalGame { text, ..game })
}

/// Reads the text of the file `path` with `read`.
fn read_text(
    text: &str,
    path: &Path,
    read: impl Fn(&Cursor<'_>) -> Option<ExternalGame>,
) -> Result<ExternalGame, Vec<Problem>> {
    let file = KeyFile::parse(text, path, LEAST)?;
    let (game, problems) = file.read_with(schema_of::<GameKeys>, read);
    game.filter(|_| problems.is_empty()).ok_or(problems)
}

/// Game as a machine without its folder receives it.
#[derive(Clone, Copy, Debug)]
pub struct RemoteGame<'a> {
    /// Id in the tournament.
    pub id: &'a str,
    /// The id that the referee itself says.
    pub own_id: &'a str,
    /// The text of its `game.yaml`.
    pub text: &'a str,
    /// Its page of rules.
    pub rules: &'a str,
    /// Hash of the referee's source.
    pub hash: RefereeHash,
}

/// Reads a game whose folder is elsewhere; its files stay unknown.
///
/// # Errors
///
/// Everything that is wrong with it, for instance a further file that it wants to read.
pub fn read_remote_game(remote: &RemoteGame<'_>) -> Result<ExternalGame, Vec<Problem>> {
    read_text(remote.text, Path::new(GAME_FILE), |cursor| read::read_remote(cursor, remote))
}

/// Returns whether a text can be the id of a game: lower-case words joined by `-`.
pub fn is_id(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= 64 && text.split('-').all(|word| !word.is_empty() && word.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes what is read")]
    fn a_game_file_that_is_no_plain_file_is_found_and_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, pipe) = (folder.path().join("whole"), folder.path().join("pipe"));
        std::fs::create_dir_all(whole.join(GAME_FILE)).unwrap();
        std::fs::create_dir(&pipe).unwrap();
        let file = pipe.join(GAME_FILE);
        nix::unistd::mkfifo(&file, nix::sys::stat::Mode::S_IRWXU).unwrap();
        for (path, told) in [(&whole, "a folder"), (&pipe, "a pipe"), (&file, "a pipe")] {
            assert!(is_game_folder(path), "{}", path.display());
            let problems = read_game_folder(path).unwrap_err();
            assert!(problems[0].message.contains(told), "{}", problems[0].message);
        }
    }

    /// From this crate's folder, which has a folder `src/games` by chance.
    #[test]
    fn the_folder_of_a_game_is_found_from_wherever_its_file_is_named() {
        let found = |path: &str| folder_of(Path::new(path)).display().to_string();
        assert_eq!(found("Cargo.toml"), ".");
        assert_eq!(found("src/lib.rs"), "src");
        assert_eq!(found("src/games/file.rs"), "src");
        assert_eq!(found("./src/games/file.rs"), "./src");
    }
}
