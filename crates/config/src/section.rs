//! Reading a section of the configuration: every key by name and type, every
//! problem kept, nothing stopped at the first.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Place;
use super::duration::parse_duration;
use super::node::{Entry, Node, Value};
use super::problem::{Problem, Source};
use super::size::parse_size;
use super::suggest::did_you_mean;
use joust_model::Bytes;
use joust_referee::Catalogue;

/// The least memory of a program: what starts it in the sandbox has to fit, too.
const LEAST_MEMORY: Bytes = Bytes(1 << 20);

/// Mistakes that are reported of one file.
const MOST_PROBLEMS: usize = 200;

/// A file that is being read and what was wrong with it so far.
pub(super) struct Reading<'a> {
    pub(super) source: &'a Source,
    /// The folder that names of files are relative to.
    pub(super) folder: &'a Path,
    /// The games there are.
    games: RefCell<Catalogue>,
    /// Games that are not among them because something is wrong with them.
    left_out: RefCell<BTreeSet<String>>,
    problems: RefCell<Vec<Problem>>,
    /// Folder with the games, when not beside the file.
    games_folder: Option<PathBuf>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(source: &'a Source, games: &Catalogue) -> Self {
        let folder = source.file.parent().unwrap_or(Path::new(""));
        Self {
            source,
            folder,
            games: RefCell::new(games.clone()),
            left_out: RefCell::default(),
            problems: RefCell::default(),
            games_folder: None,
        }
    }

    /// Has names of files relative to another folder than the file's own.
    pub(super) fn in_folder(self, folder: &'a Path) -> Self {
        Self { folder, ..self }
    }

    /// Sets the folder with the games.
    pub(super) fn with_games_in(self, folder: &Path) -> Self {
        Self { games_folder: Some(folder.to_owned()), ..self }
    }

    /// Returns where the folders of games are looked for, when not beside the file.
    pub(super) fn games_folder(&self) -> Option<&Path> {
        self.games_folder.as_deref()
    }

    /// Returns the games there are.
    pub(super) fn games(&self) -> Catalogue {
        self.games.borrow().clone()
    }

    /// Sets the games.
    pub(super) fn set_games(&self, games: Catalogue) {
        *self.games.borrow_mut() = games;
    }

    /// Notes that mistakes of the game of this name are reported.
    pub(super) fn leave_out(&self, game: &str) {
        self.left_out.borrow_mut().insert(game.to_owned());
    }

    /// Returns whether mistakes of this game are reported.
    pub(super) fn is_left_out(&self, game: &str) -> bool {
        self.left_out.borrow().contains(game)
    }

    pub(super) fn report(&self, problem: Problem) {
        let mut problems = self.problems.borrow_mut();
        if problems.len() < MOST_PROBLEMS {
            problems.push(problem);
        }
    }

    /// Returns whether further problems are left out.
    fn is_full(&self) -> bool {
        self.problems.borrow().len() >= MOST_PROBLEMS
    }

    /// Returns all problems in the order of the file, each once: a mistake in
    /// `defaults:` is met by every event.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|problem| problem.place.map(|place| (place.line, place.column)));
        let mut kept: Vec<Problem> = Vec::new();
        for problem in problems {
            if !kept.contains(&problem) {
                kept.push(problem);
            }
        }
        kept
    }
}

/// A mapping that is being read.
pub(super) struct Section<'a> {
    pub(super) reading: &'a Reading<'a>,
    pub(super) path: String,
    pub(super) place: Place,
    entries: Vec<&'a Entry>,
    asked: RefCell<Vec<String>>,
    checked: Cell<bool>,
}

impl<'a> Section<'a> {
    /// Opens a mapping and reports its duplicate keys; of those the first counts.
    pub(super) fn new(
        reading: &'a Reading<'a>,
        path: String,
        entries: &'a [Entry],
        place: Place,
    ) -> Self {
        let mut kept: Vec<&Entry> = Vec::new();
        let mut seen: BTreeMap<&str, &Entry> = BTreeMap::new();
        for entry in entries {
            match seen.get(entry.key.as_str()) {
                Some(first) => reading.report(duplicate(reading.source, &path, entry, first)),
                None => {
                    seen.insert(&entry.key, entry);
                    kept.push(entry);
                }
            }
        }
        Self {
            reading,
            path,
            place,
            entries: kept,
            asked: RefCell::default(),
            checked: Cell::new(false),
        }
    }

    /// Returns the value under `key`; a key with nothing behind it is left out.
    pub(super) fn item(&self, key: &str) -> Option<Item<'a>> {
        self.asked.borrow_mut().push(key.to_owned());
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        let is_empty = matches!(entry.node.value, Value::Null);
        (!is_empty).then(|| self.item_of(entry))
    }

    /// Returns every key with its value, all of them known.
    pub(super) fn all(&self) -> Vec<(&'a Entry, Item<'a>)> {
        self.checked.set(true);
        self.entries.iter().map(|entry| (*entry, self.item_of(entry))).collect()
    }

    fn item_of(&self, entry: &'a Entry) -> Item<'a> {
        Item { reading: self.reading, path: join(&self.path, &entry.key), node: &entry.node }
    }

    /// Reports that `key` is missing.
    pub(super) fn missing(&self, key: &str, hint: &str) {
        let problem =
            self.reading.source.error(self.place, &self.path, format!("missing key `{key}`"));
        self.reading.report(problem.with_hint(hint));
    }

    /// Reports keys that nobody asked for.
    pub(super) fn finish(self) {
        if self.checked.get() {
            return;
        }
        let asked = self.asked.borrow();
        let mut unknown = self.entries.iter().filter(|entry| !asked.contains(&entry.key));
        while let Some(entry) = unknown.next().filter(|_| !self.reading.is_full()) {
            self.reading.report(self.unknown(entry, &asked));
        }
    }

    fn unknown(&self, entry: &Entry, known: &[String]) -> Problem {
        let message = format!("unknown key `{}`", entry.key);
        let problem = self.reading.source.error(entry.place, &self.path, message);
        if entry.key == "<<" {
            return problem.with_hint("merge keys are not understood; use `defaults:`");
        }
        if entry.key == "webhooks" {
            return secret(problem, entry);
        }
        let mut seen = BTreeSet::new();
        let known = known.iter().map(String::as_str).filter(|key| seen.insert(*key));
        let known: Vec<&str> = known.collect();
        problem.with_hint(did_you_mean(&entry.key, &known, "keys here are"))
    }
}

/// Leaves out of a problem what the key has for a value, because it lets anybody write in
/// somebody's name.
fn secret(mut problem: Problem, entry: &Entry) -> Problem {
    let until = entry.place.column.saturating_sub(1) + entry.key.chars().count();
    problem.line = problem.line.chars().take(until).chain(": …".chars()).collect::<String>().into();
    problem.with_hint(
        "addresses of webhooks are secrets and stand in no file of a repository: use the variable \
         `JOUST_WEBHOOKS` or `joust run --webhooks FILE`",
    )
}

fn duplicate(source: &Source, path: &str, entry: &Entry, first: &Entry) -> Problem {
    let message = format!("`{}` is given twice, first on line {}", entry.key, first.place.line);
    source.error(entry.place, path, message).with_hint("delete one of the two")
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A value that is being read.
pub(super) struct Item<'a> {
    pub(super) reading: &'a Reading<'a>,
    pub(super) path: String,
    pub(super) node: &'a Node,
}

impl<'a> Item<'a> {
    /// Reports a problem with this value.
    pub(super) fn refuse(&self, message: impl Into<String>, hint: Option<String>) {
        let problem = self.reading.source.error(self.node.place, &self.path, message);
        self.reading.report(problem.with_hint_if(hint));
    }

    fn wrong_type<T>(&self, expected: &str, hint: impl Into<String>) -> Option<T> {
        let message = format!("expected {expected}, found {}", self.shown());
        self.refuse(message, Some(hint.into()));
        None
    }

    /// Returns a number as it is written in the file.
    fn number(&self) -> String {
        let written = self.reading.source.text_at(self.node.place);
        let is_number =
            |text: &str| text.starts_with(|c: char| "+-.".contains(c) || c.is_ascii_digit());
        match &self.node.value {
            _ if is_number(&written) && written.len() <= 64 => written,
            Value::Int(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            _ => written,
        }
    }

    /// Returns whether the value is the number zero, which needs no unit.
    fn is_zero(&self) -> bool {
        matches!(self.node.value, Value::Int(0)) || matches!(self.node.value, Value::Float(0.0))
    }

    fn refuse_zero(&self, instead: &str) {
        let hint =
            format!("give it a value such as `{instead}`, or leave the key out for the default");
        self.refuse("a limit of zero leaves nothing", Some(hint));
    }

    fn shown(&self) -> String {
        match &self.node.value {
            Value::Bool(value) => format!("`{value}`"),
            Value::Int(_) | Value::Float(_) => format!("the number `{}`", self.number()),
            Value::Text(text) => format!("the text `{text}`"),
            _ => self.node.kind().to_owned(),
        }
    }

    pub(super) fn section(&self) -> Option<Section<'a>> {
        match &self.node.value {
            Value::Map(entries) => {
                Some(Section::new(self.reading, self.path.clone(), entries, self.node.place))
            }
            _ => self.wrong_type(
                "a mapping of keys and values",
                "put the keys below it, each on a line, indented: `key: value`",
            ),
        }
    }

    /// Returns whether it is a list.
    pub(super) fn is_list(&self) -> bool {
        matches!(self.node.value, Value::List(_))
    }

    pub(super) fn list(&self) -> Option<Vec<Item<'a>>> {
        let Value::List(items) = &self.node.value else {
            let hint = match self.node.value {
                Value::Text(_) => "write it in brackets: `[...]`",
                _ => "write a list in brackets, `[a, b]`, or one item per line after `- `",
            };
            return self.wrong_type("a list", hint);
        };
        let item = |(index, node)| Item {
            reading: self.reading,
            path: format!("{}[{index}]", self.path),
            node,
        };
        Some(items.iter().enumerate().map(item).collect())
    }

    pub(super) fn text(&self) -> Option<String> {
        match &self.node.value {
            Value::Text(text) => Some(text.clone()),
            Value::Int(_) | Value::Float(_) | Value::Bool(_) => {
                self.wrong_type("a text", "write it in quotes: `\"...\"`")
            }
            _ => self.wrong_type("a text", "one text goes here, such as `\"...\"`"),
        }
    }

    pub(super) fn flag(&self) -> Option<bool> {
        match &self.node.value {
            Value::Bool(value) => Some(*value),
            _ => self.wrong_type("`true` or `false`", "write `true` or `false`, without quotes"),
        }
    }

    /// Reads a whole number within `range`.
    pub(super) fn integer(&self, range: RangeInclusive<u64>) -> Option<u64> {
        let Value::Int(number) = self.node.value else {
            return self.wrong_type("a whole number", self.whole(&range));
        };
        match u64::try_from(number).ok().filter(|number| range.contains(number)) {
            Some(number) => Some(number),
            None => {
                let (least, most) = range.into_inner();
                let message = format!("`{}` is out of range", self.number());
                self.refuse(message, Some(range_hint(least, most)));
                None
            }
        }
    }

    /// Returns how a value that is nearly a whole number is written, or which ones are
    /// possible.
    fn whole(&self, range: &RangeInclusive<u64>) -> String {
        let meant = match &self.node.value {
            Value::Float(value) if value.fract() == 0.0 => format!("{value:.0}"),
            Value::Text(text) => text.trim().replace(['_', ','], ""),
            _ => String::new(),
        };
        match meant.parse::<u64>().ok().filter(|number| range.contains(number)) {
            Some(number) => format!("write `{number}`"),
            None => range_hint(*range.start(), *range.end()),
        }
    }

    /// Reads a whole number within `range`.
    pub(super) fn count(&self, range: &RangeInclusive<u32>) -> Option<u32> {
        let number = self.integer((*range.start()).into()..=(*range.end()).into())?;
        u32::try_from(number).ok()
    }

    /// Reads a duration above zero.
    pub(super) fn duration(&self) -> Option<Duration> {
        let text = match &self.node.value {
            Value::Text(text) => text.clone(),
            _ if self.is_zero() => {
                self.refuse_zero("2s");
                return None;
            }
            Value::Int(_) | Value::Float(_) => self.number(),
            _ => {
                let hint = "write a number and a unit: `500ms`, `1.5s`, `2m` or `1h`";
                return self.wrong_type("a duration such as `500ms` or `2s`", hint);
            }
        };
        match parse_duration(&text) {
            Ok(Duration::ZERO) => self.refuse_zero("2s"),
            Ok(duration) => return Some(duration),
            Err(error) => self.refuse(error.to_string(), Some(error.hint())),
        }
        None
    }

    /// Reads a number of bytes above zero.
    pub(super) fn size(&self) -> Option<Bytes> {
        let text = match &self.node.value {
            Value::Text(text) => text.clone(),
            _ if self.is_zero() => {
                self.refuse_zero("512MiB");
                return None;
            }
            Value::Int(_) | Value::Float(_) => self.number(),
            _ => {
                let hint = "write a number and a unit: `64KiB`, `512MiB` or `2GiB`";
                return self.wrong_type("a size such as `64KiB` or `512MiB`", hint);
            }
        };
        match parse_size(&text) {
            Ok(Bytes(0)) => self.refuse_zero("512MiB"),
            Ok(size) => return Some(size),
            Err(error) => self.refuse(error.to_string(), Some(error.hint())),
        }
        None
    }

    /// Reads a number of bytes in which a program can be started at all.
    pub(super) fn memory(&self) -> Option<Bytes> {
        let size = self.size()?;
        if size < LEAST_MEMORY {
            let hint = format!(
                "the least is {LEAST_MEMORY}, and languages with a run time want more: `64MiB`"
            );
            self.refuse(format!("no program starts in {size}"), Some(hint));
            return None;
        }
        Some(size)
    }

    /// Reads one of a few words; `what` names it in the message.
    pub(super) fn word<T: Copy>(&self, what: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.text()?;
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let hint = did_you_mean(&text, &known, "it is one of");
            self.refuse(format!("unknown {what} `{text}`"), Some(hint));
        }
        found
    }
}

fn range_hint(least: u64, most: u64) -> String {
    match most {
        u64::MAX => format!("the least is {least}, the most 18446744073709551615"),
        _ => format!("it can be {least} to {most}"),
    }
}
