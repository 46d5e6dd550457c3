//! The whole of a `tournament.yaml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::entries::Entries;
use super::event::Event;
use super::games::ExternalGame;
use super::keys::TOURNAMENT;
use super::node::{Node, Value};
use super::plain_file::{Unread, read_plain};
use super::problem::{ConfigErrors, Problem, Severity, Source};
use super::schema::values::{integer, text};
use super::section::{Item, Reading};
use super::shared::Shared;
use super::site;
use super::table::{Kind, Origins, OwnKind};
use super::yaml::{self, LARGEST_FILE};
use joust_model::{Publication, Seed, SiteWords, escaped};
use joust_referee::Catalogue;

/// Where a tournament's seed comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedSource {
    /// Its file.
    Written,
    /// A run, which draws it when it first plays.
    ToDraw,
    /// A run has drawn it.
    Drawn,
}

/// One `tournament.yaml`, complete: every value it leaves out has its default.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// What the tournament is called; part of every bout's identity. Default
    /// `Tournament`.
    pub name: String,
    /// What every bout's seed derives from. Default 0; nothing as long as it is [`SeedSource::ToDraw`].
    pub seed: Seed,
    /// Where the seed comes from.
    pub seed_source: SeedSource,
    /// The database, resolved against [`Self::folder`]. Default `results.db`.
    pub database: PathBuf,
    /// The file this was read from.
    pub file: PathBuf,
    /// The folder of that file; patterns of bots are relative to it.
    pub folder: PathBuf,
    /// Whether the database keeps each bot's source. Default true.
    pub keep_sources: bool,
    /// The games there are: those that ship with Joust, and its own.
    pub games: Catalogue,
    /// The tournament's own games, which are among `games`.
    pub external: Vec<ExternalGame>,
    /// The events, at least one.
    pub events: Vec<Event>,
    /// What `joust report` makes public.
    pub report: Publication,
    /// What its pages say.
    pub site: SiteWords,
    /// Who may change which bots.
    pub entries: Entries,
    /// Languages that are added or changed, by id; see [`Self::error_at`].
    pub languages: BTreeMap<String, serde_json::Value>,
    /// What was accepted but is probably not what was meant.
    pub warnings: Vec<Problem>,
    /// `defaults:`, as far as it is filled in without a game.
    pub(super) defaults: Shared,
    source: Source,
    root: Node,
}

impl Tournament {
    /// Makes a tournament in which nothing is set yet that the table of keys sets.
    fn blank(reading: &Reading<'_>, root: &Node, path: &Path) -> Self {
        Self {
            name: String::new(),
            seed: Seed(0),
            seed_source: SeedSource::Written,
            database: PathBuf::new(),
            file: path.to_owned(),
            folder: folder_of(path),
            keep_sources: false,
            games: reading.games(),
            external: Vec::new(),
            events: Vec::new(),
            report: Publication::default(),
            site: SiteWords::default(),
            entries: Entries::default(),
            languages: BTreeMap::new(),
            warnings: Vec::new(),
            defaults: Shared::default(),
            source: reading.source.clone(),
            root: root.clone(),
        }
    }

    /// Returns the event called `id`.
    #[must_use]
    pub fn event(&self, id: &str) -> Option<&Event> {
        self.events.iter().find(|event| event.id == id)
    }

    /// Makes an error at the value under `keys`, or as near to it as the file
    /// goes: `["languages", "python3", "variants", "0", "run"]`.
    #[must_use]
    pub fn error_at(&self, keys: &[&str], message: impl Into<String>) -> Problem {
        let mut node = &self.root;
        for key in keys {
            let Some(inner) = node.get(key).or_else(|| node.item(key)) else { break };
            node = inner;
        }
        self.source.error(node.place, &keys.join("."), message)
    }

    /// Makes an error at what an event provides for a language.
    #[must_use]
    pub fn error_at_provided(&self, event: usize, language: &str, message: String) -> Problem {
        let place = self.events[event].provides[language].place;
        self.source.error(place, &format!("events[{event}].provides"), message)
    }
}

/// Reads the configuration in the file `path`; `games` ship with Joust.
///
/// # Errors
///
/// [`ConfigErrors`] with everything that is wrong with it.
pub fn load(path: &Path, games: &Catalogue) -> Result<Tournament, ConfigErrors> {
    let refuse = |message: String, hint: &str| {
        let mut problem = Source::new(path, "").error(super::Place::START, "", message);
        problem.place = None;
        Err(ConfigErrors(vec![problem.with_hint(hint)]))
    };
    match read_plain(path, LARGEST_FILE) {
        Ok(bytes) => parse_bytes(&bytes, path, games),
        Err(Unread::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => refuse(
            "the file does not exist".to_owned(),
            "name the configuration, go to the folder with the `tournament.yaml`, or make a contest here with `joust init`",
        ),
        Err(error @ Unread::Folder) => {
            refuse(error.to_string(), "name the file `tournament.yaml` in it")
        }
        Err(error @ Unread::NotPlain(_)) => {
            refuse(error.to_string(), "write the configuration to a file and name that")
        }
        Err(error @ Unread::TooLong(_)) => refuse(error.to_string(), "is it the right file?"),
        Err(error @ Unread::Io(_)) => {
            refuse(error.to_string(), "check that it is a file you may read")
        }
    }
}

fn parse_bytes(bytes: &[u8], path: &Path, games: &Catalogue) -> Result<Tournament, ConfigErrors> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text, path, games),
        Err(error) => {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let place = yaml::end_of(&valid);
            let source = Source::new(path, &String::from_utf8_lossy(bytes));
            let problem = source.error(place, "", "the file is not UTF-8");
            Err(ConfigErrors(vec![problem.with_hint("save it with the encoding UTF-8")]))
        }
    }
}

/// Reads the configuration `text`; `path` names it in messages, and relative
/// paths in it are relative to the folder of `path`; `games` ship with Joust.
///
/// # Errors
///
/// [`ConfigErrors`] with everything that is wrong with it.
pub fn parse(text: &str, path: &Path, games: &Catalogue) -> Result<Tournament, ConfigErrors> {
    parse_with_games_in(&folder_of(path), text, path, games)
}

/// Reads as [`parse`] does, but that the folders of the games which the text brings are
/// looked for in another folder.
///
/// # Errors
///
/// What an empty file of a tournament lacks.
const LEAST: &str = "a tournament has at least `events:` with one game and its bots";

/// As [`parse`].
pub fn parse_with_games_in(
    folder: &Path,
    text: &str,
    path: &Path,
    games: &Catalogue,
) -> Result<Tournament, ConfigErrors> {
    let text = yaml::plain_lines(text);
    let source = Source::new(path, &text);
    let root = yaml::parse(&text, &source, LEAST)?;
    let reading = Reading::new(&source, games).with_games_in(folder);
    let tournament = read(&reading, &root, path);
    let (errors, warnings): (Vec<_>, Vec<_>) = reading
        .into_problems()
        .into_iter()
        .partition(|problem| problem.severity == Severity::Error);
    match tournament {
        Some(tournament) if errors.is_empty() => Ok(Tournament { warnings, ..tournament }),
        _ => Err(ConfigErrors(errors)),
    }
}

fn read(reading: &Reading<'_>, root: &Node, path: &Path) -> Option<Tournament> {
    let item = Item { reading, path: String::new(), node: root };
    let section = item.section()?;
    let mut tournament = Tournament::blank(reading, root, path);
    TOURNAMENT.set_defaults(&mut tournament);
    TOURNAMENT.read(&section, &mut tournament, &mut Origins::default());
    section.finish();
    site::check_titles(reading, &tournament);
    Some(tournament)
}

/// Returns the folder that a tournament's file lies in.
#[must_use]
pub fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// What the tournament is called.
pub(super) const NAME: Kind<Tournament> = Kind::Own(OwnKind {
    read: |item, to| read_name(item).map(|name| to.name = name).is_some(),
    show: |of| Some(of.name.as_str().into()),
    schema: text,
});

/// What is written for a seed that a run draws.
const DRAWN: &str = "drawn";

/// The seed.
pub(super) const SEED: Kind<Tournament> = Kind::Own(OwnKind {
    read: |item, to| {
        let is_digit = |c: char| c.is_ascii_digit();
        let (seed, source) = match &item.node.value {
            Value::Text(word) if word == DRAWN => (Some(0), SeedSource::ToDraw),
            Value::Text(word) if !word.contains(is_digit) => {
                let hint = format!("write a number, such as `2026`, or `{DRAWN}`");
                item.refuse(format!("unknown seed `{word}`"), Some(hint));
                (None, SeedSource::Written)
            }
            _ => (item.integer(0..=u64::MAX), SeedSource::Written),
        };
        to.seed_source = source;
        seed.map(|seed| to.seed = Seed(seed)).is_some()
    },
    show: |of| match of.seed_source {
        SeedSource::Written => Some(of.seed.0.into()),
        SeedSource::ToDraw | SeedSource::Drawn => Some(DRAWN.into()),
    },
    schema: || json!({ "anyOf": [integer(0, u64::MAX), { "const": DRAWN }] }),
});

/// The database, relative to the tournament's folder.
pub(super) const DATABASE: Kind<Tournament> = Kind::Own(OwnKind {
    read: |item, to| read_name(item).map(|name| to.database = to.folder.join(name)).is_some(),
    show: |of| {
        let database = of.database.strip_prefix(&of.folder).unwrap_or(&of.database);
        Some(database.to_string_lossy().as_ref().into())
    },
    schema: text,
});

/// Languages, which others read; their schema is put in its place later.
pub(super) const LANGUAGES: Kind<Tournament> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(section) = item.section() else { return false };
        let languages = section.all().into_iter();
        to.languages =
            languages.map(|(entry, item)| (entry.key.clone(), item.node.to_json())).collect();
        true
    },
    show: |of| (!of.languages.is_empty()).then(|| json!(of.languages).into()),
    schema: || json!({}),
});

fn read_name(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    if text.trim().is_empty() {
        let hint = "give it a name, or leave the key out for the default";
        item.refuse("an empty text is no name", Some(hint.to_owned()));
        return None;
    }
    if escaped(&text) != text {
        let hint = format!("delete what is written here as `\\u{{..}}`: {}", escaped(&text));
        item.refuse("there are invisible characters in this name", Some(hint));
        return None;
    }
    Some(text)
}
