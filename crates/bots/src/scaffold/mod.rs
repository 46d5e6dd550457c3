//! Starters: bots from one template folder per game and language, and games.

mod author;
mod branch;
pub mod contest;
mod copied;
mod game;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use include_dir::{Dir, File, include_dir};

use joust_model::escaped;

use crate::name::BadName;
use crate::new_files::NewFiles;

pub use author::author;
pub use branch::current_branch;
pub use copied::copy;
pub use game::make_game;

/// Starter bots, `<game>/<language>/<file>`.
static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/starters");

/// Last line of a starter's manifest.
const OWNER: &str = "# owner: NAME   # your name on GitHub; nobody else may change this bot in a pull request then\n";

/// Starter to create.
#[derive(Clone, Copy, Debug)]
pub struct Starter<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The language's id.
    pub language: &'a str,
    /// The folder to make; its last part is the bot's name.
    pub folder: &'a Path,
    /// The author's name.
    pub author: &'a str,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// Path relative to the folder that gets it.
    pub path: PathBuf,
    /// Content of the file.
    pub text: String,
}

/// Reason why no starter bot was made.
#[derive(Debug, thiserror::Error)]
pub enum ScaffoldError {
    /// There is no starter for this game.
    #[error("there is no starter bot for `{0}`")]
    Game(String),
    /// There is no starter for this language.
    #[error("there is no starter bot for `{game}` in `{}`", escaped(.language))]
    Language {
        /// The game.
        game: String,
        /// The language asked for.
        language: String,
        /// The languages there are.
        known: Vec<String>,
    },
    /// There is no kit for a referee in this language.
    #[error("there is no kit for a referee in `{}`", escaped(.language))]
    GameLanguage {
        /// The language asked for.
        language: String,
        /// The languages there are.
        known: Vec<String>,
    },
    /// The folder's last part cannot be the id of a game.
    #[error("`{}` gives the game no id", .0.display())]
    GameId(PathBuf),
    /// A game that ships with Joust has the id that the folder gives.
    #[error("there is a game `{0}` already")]
    GameTaken(String),
    /// The folder's last part cannot be a bot's name.
    #[error("`{}` gives the bot no name", escaped(&.0.to_string_lossy()))]
    Name(PathBuf, #[source] Option<BadName>),
    /// The folder is there and not empty.
    #[error("`{}` already exists", .0.display())]
    NotEmpty(PathBuf),
    /// A file cannot be written.
    #[error("`{}` cannot be written", .0.display())]
    Write(PathBuf, #[source] io::Error),
}

impl ScaffoldError {
    /// Returns advice for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Language { known, .. } => {
                Some(format!("there are starter bots in: {}", known.join(", ")))
            }
            Self::GameLanguage { known, .. } => {
                Some(format!("there are kits in: {}", known.join(", ")))
            }
            Self::GameId(_) => Some(
                "end the path with lower-case words joined by `-`, for instance `my-game`".into(),
            ),
            Self::GameTaken(id) => {
                Some(format!("give the folder another name, for instance `my-{id}`"))
            }
            Self::Game(_) => Some(
                "write one by the game's page (`joust rules`) and `joust docs authors`. For a game \
                 of your own a bot in its folder is copied: `bots/first/main.py` with \
                 `bots/first/bot.yaml`, which says `language: python`"
                    .to_owned(),
            ),
            Self::Name(..) => {
                Some("end the path with the bot's name, for instance `my-bot`".into())
            }
            Self::NotEmpty(_) => Some("choose a new folder".to_owned()),
            Self::Write(..) => None,
        }
    }
}

/// Returns the languages with a starter bot for `game`.
pub fn languages(game: &str) -> Vec<String> {
    let folders = TEMPLATES.get_dir(game).into_iter().flat_map(Dir::dirs);
    let mut names: Vec<_> = folders.map(|folder| last_part(folder.path())).collect();
    names.sort_unstable();
    names
}

/// Makes a starter bot and returns the files written.
///
/// # Errors
///
/// [`ScaffoldError`]; nothing that was there is changed, and nothing of the bot stays.
pub fn make(starter: &Starter<'_>) -> Result<Vec<PathBuf>, ScaffoldError> {
    let files = starter_files(starter)?;
    refuse_filled(starter.folder)?;
    write_all(files)
}

/// Writes files that are not there; all of them, or none: half of a starter would be in the way
/// of the next try.
fn write_all(files: Vec<NewFile>) -> Result<Vec<PathBuf>, ScaffoldError> {
    let mut new = NewFiles::default();
    for NewFile { path, text } in files {
        let written = new.write(&path, text.as_bytes());
        written.map_err(|error| ScaffoldError::Write(path, error))?;
    }
    Ok(new.keep())
}

/// Returns a starter bot's files, none of them written.
fn starter_files(starter: &Starter<'_>) -> Result<Vec<NewFile>, ScaffoldError> {
    let name = name_of(starter.folder)?;
    let new = |file: &File<'_>| {
        let owner = if is_manifest(file) { OWNER } else { "" };
        let text = fill(file, &name, starter.author) + owner;
        NewFile { path: starter.folder.join(last_part(file.path())), text }
    };
    let mut files: Vec<_> = template(starter)?.files().map(new).collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

/// Refuses a folder with something in it.
fn refuse_filled(folder: &Path) -> Result<(), ScaffoldError> {
    let is_taken = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    match is_taken || folder.is_file() {
        true => Err(ScaffoldError::NotEmpty(folder.to_owned())),
        false => Ok(()),
    }
}

fn template(starter: &Starter<'_>) -> Result<&'static Dir<'static>, ScaffoldError> {
    let (game, language) = (starter.game, starter.language);
    let known = languages(game);
    if known.is_empty() {
        return Err(ScaffoldError::Game(game.to_owned()));
    }
    let wrong = || ScaffoldError::Language {
        game: game.to_owned(),
        language: language.to_owned(),
        known: known.clone(),
    };
    if !known.iter().any(|id| id == language) {
        return Err(wrong());
    }
    TEMPLATES.get_dir(format!("{game}/{language}")).ok_or_else(wrong)
}

fn name_of(folder: &Path) -> Result<String, ScaffoldError> {
    let bad = |why| ScaffoldError::Name(folder.to_owned(), why);
    let part = folder.file_name().and_then(|name| name.to_str()).ok_or_else(|| bad(None))?;
    crate::name::normalise(part).map_err(|why| bad(Some(why)))
}

/// Fills in name and author; in a manifest as JSON texts, which YAML reads as
/// they are.
fn fill(file: &File<'_>, name: &str, author: &str) -> String {
    let template = file.contents_utf8().unwrap_or_default();
    let written = |text: &str| match is_manifest(file) {
        true => serde_json::to_string(text).expect("a text is JSON"),
        false => escaped(text),
    };
    let filled = template.replace("\"{{author}}\"", "{{author}}");
    filled.replace("{{name}}", &written(name)).replace("{{author}}", &written(author))
}

fn is_manifest(file: &File<'_>) -> bool {
    file.path().extension().is_some_and(|extension| extension == "yaml")
}

fn last_part(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::new_files::long_paths::{LONGEST_PATH, path_of};

    #[test]
    fn a_starter_bot_carries_its_name_and_author() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let folder = home.path().join("my-bot");
        let starter =
            Starter { game: "battlebots", language: "python", folder: &folder, author: "A: \"B\"" };
        let files = make(&starter).expect("there is a template");
        assert!(files.iter().any(|file| file.ends_with("bot.yaml")));
        let manifest = fs::read_to_string(folder.join("bot.yaml")).expect("it was written");
        let parsed: std::collections::BTreeMap<String, serde_json::Value> =
            joust_config::yaml::from_str(&manifest).expect("it is YAML");
        assert_eq!(parsed["name"].as_str(), Some("my-bot"));
        assert_eq!(parsed["author"].as_str(), Some("A: \"B\""));
    }

    #[test]
    fn a_folder_with_something_in_it_is_left_alone() {
        let home = tempfile::tempdir().expect("a temporary folder");
        fs::write(home.path().join("mine"), "mine").expect("a file can be written");
        let starter =
            Starter { game: "battlebots", language: "python", folder: home.path(), author: "" };
        assert!(make(&starter).is_err());
        assert_eq!(fs::read_dir(home.path()).expect("it is there").count(), 1);
    }

    #[test]
    fn nothing_of_a_bot_stays_that_cannot_be_written_whole() {
        let home = tempfile::tempdir().expect("a temporary folder");
        // There is room for the name of the folder and for none of a file in it.
        let folder = path_of(LONGEST_PATH - 4, home.path(), "my-bot");
        let starter =
            Starter { game: "battlebots", language: "python", folder: &folder, author: "" };
        assert!(matches!(make(&starter), Err(ScaffoldError::Write(..))));
        assert_eq!(fs::read_dir(home.path()).expect("it is there").count(), 0);
        fs::create_dir_all(&folder).expect("it can be made");
        assert!(matches!(make(&starter), Err(ScaffoldError::Write(..))));
        assert!(folder.is_dir(), "it was there before");
    }
}
