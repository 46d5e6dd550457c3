//! The native manifest: `bot.yaml` beside the source.
//!
//! Leniencies: a byte order mark; `build`, `run` and `args` as a text that is
//! split into words or as a list; `language` left out when `entry` ends in a
//! known extension.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Candidate, Command, Format, Manifest, split_words};
use crate::name;
use crate::problem::BotProblem;
use crate::source_language::SourceLanguages;
use joust_config::{
    MapEntry, NodeValue, PlainFileError, SourceLocation, did_you_mean, read_plain, yaml,
};

/// Largest size of a manifest, bytes.
const LARGEST: u64 = 64 << 10;

const KEYS: [&str; 10] =
    ["name", "author", "owner", "language", "entry", "build", "run", "args", "enabled", "example"];

/// Forms of a command.
const COMMANDS: &str = "a command is a text, `make all`, or a list of words, `[make, all]`; \
    `build` may be a list of commands";

/// Lines to begin with.
const EXAMPLE: &str = "for instance `name: my bot`";

/// The file's name.
const FILE: &str = "bot.yaml";

/// `bot.yaml`.
pub(super) struct BotYaml;

impl Format for BotYaml {
    fn form(&self) -> &'static str {
        "a folder with a `bot.yaml` (keys `name`, `language`, `entry`)"
    }

    fn name(&self) -> &'static str {
        FILE
    }

    fn fits(&self, candidate: &Candidate<'_>) -> bool {
        candidate.path.join(FILE).symlink_metadata().is_ok()
    }

    fn read(&self, candidate: &Candidate<'_>) -> Result<Manifest, Vec<BotProblem>> {
        let file = candidate.path.join(FILE);
        let text = load(&file).map_err(|problem| vec![problem])?;
        let known = ManifestContext { languages: candidate.languages, given: candidate.language };
        parse(&file, &text, known)
    }
}

/// Facts known before a manifest is read.
#[derive(Clone, Copy)]
struct ManifestContext<'a> {
    languages: &'a SourceLanguages,
    /// The bot's language, where the tournament says it.
    given: Option<&'a str>,
}

fn load(file: &Path) -> Result<String, BotProblem> {
    let unreadable = |error: std::io::Error| BotProblem::io(file, "read", &error);
    let metadata = file.symlink_metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        let problem = BotProblem::new(file, "not a plain file");
        return Err(problem.hint("neither a link nor a pipe is read"));
    }
    let bytes = read_plain(file, LARGEST).map_err(|unread| match unread {
        PlainFileError::Io(error) => unreadable(error),
        PlainFileError::TooLong(_) => {
            BotProblem::new(file, format!("larger than {} KiB", LARGEST >> 10))
                .hint("a manifest is some lines of keys and values")
        }
        other => BotProblem::new(file, other.to_string()),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let last = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let column = String::from_utf8_lossy(last).chars().count() + 1;
        let problem = BotProblem::new(file, "not UTF-8").at(Some((line, column)));
        problem.hint("save it with the encoding UTF-8")
    })
}

/// Reads the text of a manifest that lies at `file`.
fn parse(file: &Path, text: &str, known: ManifestContext<'_>) -> Result<Manifest, Vec<BotProblem>> {
    let text = &*yaml::plain_lines(text);
    let root = yaml::read(text).map_err(|refusal| {
        let problem = BotProblem::new(file, refusal.message).at(Some(start_of(refusal.place)));
        vec![problem.hint(refusal.hint.as_deref().unwrap_or(EXAMPLE))]
    })?;
    let NodeValue::Map(entries) = root.value else {
        let problem = BotProblem::new(file, "expected keys and values").at(Some((1, 1)));
        return Err(vec![problem.hint(EXAMPLE)]);
    };
    let ManifestContext { languages, given } = known;
    let problems = Vec::new();
    let mut reader = BotYamlReader { file: file.to_owned(), entries, problems, language: given };
    reader.refuse_wrong_keys();
    let manifest = reader.manifest(languages);
    if reader.problems.is_empty() { Ok(manifest) } else { Err(reader.problems) }
}

fn start_of(place: SourceLocation) -> (usize, usize) {
    (place.line, place.column)
}

struct BotYamlReader<'a> {
    file: PathBuf,
    entries: Vec<MapEntry>,
    problems: Vec<BotProblem>,
    /// The language, where the tournament says it.
    language: Option<&'a str>,
}

impl BotYamlReader<'_> {
    fn report(&mut self, key: &str, message: impl Into<String>) -> &mut BotProblem {
        let place = self.entries.iter().find(|entry| entry.key == key).map(|entry| entry.place);
        self.problems.push(BotProblem::new(&self.file, message).at(place.map(start_of)));
        self.problems.last_mut().expect("one was pushed")
    }

    /// Refuses keys that are unknown or given twice.
    fn refuse_wrong_keys(&mut self) {
        let mut seen = BTreeSet::new();
        for entry in &self.entries {
            let (message, hint) = match () {
                () if !seen.insert(&entry.key) => (
                    format!("`{:.64}` is given twice", entry.key),
                    "delete one of the two".to_owned(),
                ),
                () if KEYS.contains(&entry.key.as_str()) => continue,
                () => (
                    format!("unknown key `{:.64}`", entry.key),
                    did_you_mean(&entry.key, &KEYS, "known keys are"),
                ),
            };
            let problem = BotProblem::new(&self.file, message).at(Some(start_of(entry.place)));
            self.problems.push(problem.hint(hint));
        }
    }

    /// Returns the value of a key; `None` where nothing is written.
    fn value(&self, key: &str) -> Option<NodeValue> {
        let value = &self.entries.iter().find(|entry| entry.key == key)?.node.value;
        (!matches!(value, NodeValue::Null)).then(|| value.clone())
    }

    fn manifest(&mut self, languages: &SourceLanguages) -> Manifest {
        let entry = self.entry();
        Manifest {
            name: self.name(),
            author: self.text("author"),
            owner: self.text("owner"),
            language: self.language(entry.as_deref(), languages),
            beside: Vec::new(),
            build: self.build(),
            run: self.command("run"),
            args: self.command("args").unwrap_or_default(),
            trailing: Vec::new(),
            enabled: self.flag("enabled").unwrap_or(true),
            example: self.flag("example").unwrap_or(false),
            project: None,
            entry,
        }
    }

    fn name(&mut self) -> String {
        if self.value("name").is_none() {
            let problem = BotProblem::new(&self.file, "`name` is missing");
            self.problems.push(problem.hint("add a line such as `name: my bot`"));
            return String::new();
        }
        let Some(text) = self.text("name") else { return String::new() };
        name::normalise(&text).unwrap_or_else(|error| {
            self.report("name", error.to_string()).hint =
                Some("a name has 1 to 64 letters, digits and signs that can be seen".to_owned());
            String::new()
        })
    }

    fn language(&mut self, entry: Option<&str>, languages: &SourceLanguages) -> String {
        if let Some(language) = self.text("language") {
            if !languages.has(&language) {
                let hint = languages.suggest(&language);
                self.report("language", format!("unknown language `{language:.64}`")).hint =
                    Some(hint);
            }
            return language;
        }
        if let Some(language) = self.language {
            return language.to_owned();
        }
        let extension = entry.and_then(|entry| Path::new(entry).extension()?.to_str());
        match extension.and_then(|extension| languages.of_extension(extension)) {
            Some(language) => language.to_owned(),
            None if self.value("language").is_some() => String::new(),
            None => {
                let problem = BotProblem::new(&self.file, "`language` is missing");
                self.problems.push(problem.hint("add a line such as `language: python`"));
                String::new()
            }
        }
    }

    fn entry(&mut self) -> Option<String> {
        let entry = self.text("entry")?;
        let parts: Vec<&str> = entry.split(['/', '\\']).filter(|part| *part != ".").collect();
        let leaves = entry.starts_with(['/', '\\'])
            || parts.iter().any(|part| *part == ".." || part.is_empty() || part.contains(':'));
        if leaves {
            self.report("entry", "`entry` leaves the bot's folder").hint =
                Some("name a file within it, such as `entry: main.py`".to_owned());
            return None;
        }
        Some(parts.join("/"))
    }

    fn build(&mut self) -> Option<Vec<Command>> {
        let value = self.value("build")?;
        let commands = match &value {
            NodeValue::List(items) => items.iter().map(|item| words(&item.value)).collect(),
            one => words(one).map(|command| vec![command]),
        };
        match commands {
            Ok(commands) if commands.iter().all(|command| !command.is_empty()) => Some(commands),
            Ok(_) => self.refuse("build", "a command of `build` is empty", COMMANDS),
            Err(reason) => self.refuse("build", &reason, COMMANDS),
        }
    }

    fn command(&mut self, key: &str) -> Option<Command> {
        match words(&self.value(key)?) {
            Ok(command) if command.is_empty() && key == "run" => {
                self.refuse(key, "`run` is empty", COMMANDS)
            }
            Ok(command) => Some(command),
            Err(reason) => self.refuse(key, &reason, COMMANDS),
        }
    }

    fn refuse<T>(&mut self, key: &str, reason: &str, hint: &str) -> Option<T> {
        self.report(key, reason).hint = Some(hint.to_owned());
        None
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let value = self.value(key)?;
        match word(&value) {
            Some(text) => Some(text),
            None if matches!(value, NodeValue::Bool(_)) => {
                let hint = "write it in quotes: `\"...\"`";
                self.refuse(key, &format!("`{key}` is not a text"), hint)
            }
            None => {
                let hint = format!("one text goes here: `{key}: ...`");
                self.refuse(key, &format!("`{key}` is not a text"), &hint)
            }
        }
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        match self.value(key)? {
            NodeValue::Bool(flag) => Some(flag),
            _ => {
                let hint = "write `true` or `false`, without quotes";
                self.refuse(key, &format!("`{key}` is neither `true` nor `false`"), hint)
            }
        }
    }
}

fn words(value: &NodeValue) -> Result<Command, String> {
    let no_word = || "expected a command: a text or a list of words".to_owned();
    let command = match value {
        NodeValue::List(items) => {
            items.iter().map(|item| word(&item.value).ok_or_else(no_word)).collect()
        }
        one => word(one).ok_or_else(no_word).and_then(|text| split_words(&text)),
    }?;
    if command.iter().any(|word| word.contains('\0')) {
        return Err("a word contains a NUL character".to_owned());
    }
    Ok(command)
}

/// Returns a text, or a number as it is written.
fn word(value: &NodeValue) -> Option<String> {
    match value {
        NodeValue::Text(text) => Some(text.clone()),
        NodeValue::Int(number) => Some(number.to_string()),
        NodeValue::Float(number) => Some(format!("{number:?}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
