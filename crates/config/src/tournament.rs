//! The whole of a `tournament.yaml`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::entries::{Entries, read_entries};
use super::event::Event;
use super::layers::Layers;
use super::node::Node;
use super::plain_file::{Unread, read_plain};
use super::problem::{ConfigErrors, Problem, Severity, Source};
use super::read_event::read_event;
use super::report;
use super::section::{Item, Reading, Section};
use super::yaml;
use joust_model::{Publication, escaped};

/// The largest configuration that is read, bytes.
const LARGEST_FILE: u64 = 4 << 20;

/// One `tournament.yaml`, complete: every value it leaves out has its default.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// What the tournament is called; part of every bout's identity. Default
    /// `Tournament`.
    pub name: String,
    /// What every bout's seed derives from. Default 0.
    pub seed: u64,
    /// The database, resolved against [`Self::folder`]. Default `results.db`.
    pub database: PathBuf,
    /// The file this was read from.
    pub file: PathBuf,
    /// The folder of that file; patterns of bots are relative to it.
    pub folder: PathBuf,
    /// Whether the database keeps each bot's source. Default true.
    pub keep_sources: bool,
    /// The events, at least one.
    pub events: Vec<Event>,
    /// What `joust report` makes public.
    pub report: Publication,
    /// Who may change which bots.
    pub entries: Entries,
    /// Languages that are added or changed, by id; see [`Self::error_at`].
    pub languages: BTreeMap<String, serde_yaml::Value>,
    /// What was accepted but is probably not what was meant.
    pub warnings: Vec<Problem>,
    source: Source,
    root: Node,
}

impl Tournament {
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

    /// Makes an error at a pattern of bots of an event.
    #[must_use]
    pub fn error_at_pattern(&self, event: &Event, pattern: usize, message: &str) -> Problem {
        let index = self.events.iter().position(|other| other.id == event.id).unwrap_or(0);
        let place = event.bots.get(pattern).map_or(event.place, |pattern| pattern.place);
        self.source.error(place, &format!("events[{index}].bots[{pattern}]"), message)
    }
}

/// Reads the configuration in the file `path`.
///
/// # Errors
///
/// [`ConfigErrors`] with everything that is wrong with it.
pub fn load(path: &Path) -> Result<Tournament, ConfigErrors> {
    let refuse = |message: String, hint: &str| {
        let mut problem = Source::new(path, "").error(super::Place::START, "", message);
        problem.place = None;
        Err(ConfigErrors(vec![problem.with_hint(hint)]))
    };
    match read_plain(path, LARGEST_FILE) {
        Ok(bytes) => parse_bytes(&bytes, path),
        Err(Unread::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => refuse(
            "the file does not exist".to_owned(),
            "name the configuration, or go to the folder with the `tournament.yaml`",
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

fn parse_bytes(bytes: &[u8], path: &Path) -> Result<Tournament, ConfigErrors> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text, path),
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
/// paths in it are relative to the folder of `path`.
///
/// # Errors
///
/// [`ConfigErrors`] with everything that is wrong with it.
pub fn parse(text: &str, path: &Path) -> Result<Tournament, ConfigErrors> {
    let text = yaml::plain_lines(text);
    let source = Source::new(path, &text);
    let root = yaml::parse(&text, &source)?;
    let reading = Reading::new(&source);
    let tournament = read(&reading, &root, path);
    let (errors, warnings): (Vec<_>, Vec<_>) = reading
        .into_problems()
        .into_iter()
        .partition(|problem| problem.severity == Severity::Error);
    match tournament {
        Some(tournament) if errors.is_empty() => {
            Ok(Tournament { warnings, root, source, ..tournament })
        }
        _ => Err(ConfigErrors(errors)),
    }
}

fn read(reading: &Reading<'_>, root: &Node, path: &Path) -> Option<Tournament> {
    let item = Item { reading, path: String::new(), node: root };
    let section = item.section()?;
    let folder = folder_of(path);
    let text = |key| section.item(key).and_then(|item| read_name(&item));
    let (name, database) = (text("name"), text("database"));
    let seed = section.item("seed").and_then(|item| item.integer(0..=u64::MAX));
    let keep_sources = section.item("keep_sources").and_then(|item| item.flag());
    let defaults = section.item("defaults").and_then(|item| item.section());
    let defaults = defaults.map(read_defaults).unwrap_or_default();
    let languages = section.item("languages").and_then(|item| item.section());
    let languages = languages.map(|section| read_languages(&section)).unwrap_or_default();
    let report = section.item("report").and_then(|item| item.section());
    let report = report.map(report::read).unwrap_or_default();
    let events = read_events(reading, &section, &defaults);
    let entries = section.item("entries").and_then(|item| item.section());
    let entries = entries.map(read_entries).unwrap_or_default();
    section.finish();
    Some(Tournament {
        name: name.unwrap_or_else(|| "Tournament".to_owned()),
        seed: seed.map_or(0, |seed| seed.value),
        database: folder.join(database.as_deref().unwrap_or("results.db")),
        file: path.to_owned(),
        folder,
        keep_sources: keep_sources.unwrap_or(true),
        events,
        report,
        entries,
        languages,
        warnings: Vec::new(),
        source: reading.source.clone(),
        root: root.clone(),
    })
}

/// Returns the folder that a tournament's file lies in.
#[must_use]
pub fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn read_name(item: &Item<'_>) -> Option<String> {
    let text = item.text()?.value;
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

fn read_defaults(section: Section<'_>) -> Layers {
    let layers = Layers::read(&section);
    section.finish();
    layers
}

fn read_languages(section: &Section<'_>) -> BTreeMap<String, serde_yaml::Value> {
    let entries = section.all().into_iter();
    entries.map(|(entry, item)| (entry.key.clone(), item.node.to_yaml())).collect()
}

fn read_events(reading: &Reading<'_>, section: &Section<'_>, defaults: &Layers) -> Vec<Event> {
    let Some(item) = section.item("events") else {
        section.missing("events", "an event is a game with its bots: `tournament.yaml` of Joust's own folder has every key");
        return Vec::new();
    };
    let Some(items) = item.list() else { return Vec::new() };
    if items.is_empty() {
        let hint = "for instance `- { game: battlebots, bots: [bots/*] }`".to_owned();
        item.refuse("there is no event in the list", Some(hint));
    }
    let mut ids = BTreeSet::new();
    let mut events = Vec::new();
    for item in items {
        let Some(event) = item.section().and_then(|section| read_event(section, defaults)) else {
            continue;
        };
        if !ids.insert(event.id.to_lowercase()) {
            reading.report(duplicate_id(reading.source, &item, &event));
        }
        events.push(event);
    }
    events
}

fn duplicate_id(source: &Source, item: &Item<'_>, event: &Event) -> Problem {
    let place = item.node.get("id").or(item.node.get("game")).map_or(event.place, |id| id.place);
    source
        .error(place, &format!("{}.id", item.path), format!("duplicate event id `{}`", event.id))
        .with_hint("give every event an `id` of its own; capitals do not count")
}
