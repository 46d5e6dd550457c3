//! Languages table: data, not code.
//!
//! The shipped table is `languages.yaml`; a tournament adds entries or
//! overrides fields of one under `languages:`.

mod libraries;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use joust_bots::{ServerSigns, SourceLanguage, SourceLanguages};
use joust_config::{self as config, Tournament};

pub use libraries::{Libraries, Prepared, ProvidedAt, Settings};

/// The shipped table.
const SHIPPED: &str = include_str!("languages.yaml");

/// Tools of one language, and how to find and use them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Language {
    /// Display name.
    pub title: String,
    /// Extensions of source files, without the dot.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Names of the main file, tried in order when a manifest names none.
    #[serde(default)]
    pub entry: Vec<String>,
    /// Names of files and folders that are not part of the source.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Signs of web servers without a manifest.
    #[serde(default)]
    pub servers: ServerSigns,
    /// Globs of files by which a bot brings code of others.
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// Set in builds and turns.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Folders of the machine that turns see, read-only, where they are there.
    #[serde(default)]
    pub shows: Vec<String>,
    /// Folder of the do-nothing bot, relative to the tournament.
    #[serde(default)]
    pub calibration: Option<String>,
    /// Commands that make library sets, for languages that have them.
    #[serde(default)]
    pub libraries: Option<Libraries>,
    /// Prepared part of builds, for languages whose tools would make the same for every bot.
    #[serde(default)]
    pub prepared: Option<Prepared>,
    /// Additions to the language's own library, for languages that find them by themselves.
    #[serde(default)]
    pub installed: Option<Installed>,
    /// Ways to build and run.
    #[schemars(length(min = 1))]
    pub variants: Vec<Variant>,
}

/// Libraries that the owner of a machine installed for a language.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Installed {
    /// Globs of the folders. Each begins with a folder of a tool, such as `{python.home}`.
    pub folders: Vec<String>,
    /// Globs of files there that run code at every start, also as `GLOB | REGEX`.
    #[serde(default)]
    pub code: Vec<String>,
}

/// One way to build and run a language.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name within the language.
    pub name: String,
    /// True for bots whose manifest names a project and the file to run.
    #[serde(default)]
    pub project: bool,
    /// True for bots that are web servers.
    #[serde(default)]
    pub server: bool,
    /// Globs: one must match a file of the source. Empty for any source.
    #[serde(default)]
    pub when: Vec<String>,
    /// The command that installs its tools.
    pub install: String,
    /// The tools by name.
    pub programs: BTreeMap<String, Program>,
    /// True if turns do not see the libraries installed on the machine for the language.
    #[serde(default)]
    pub hides_installed: bool,
    /// Tools whose newest release on the machine is taken instead of the first on PATH.
    #[serde(default)]
    pub newest: Vec<String>,
    /// Set in builds and turns, over the language's.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Package caches of the machine by name. Builds read them, nothing writes to them.
    #[serde(default)]
    pub caches: BTreeMap<String, Cache>,
    /// Files laid into the source before the build, by path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Folder in which commands of the build start, beneath the bot's folder.
    #[serde(default)]
    pub folder: Option<String>,
    /// Commands before the build that fetch what the bot's own list names. They may fail where the
    /// bot is one file: the list beside it may belong to another bot.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    pub bring: Vec<Vec<String>>,
    /// Commands of the build.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    pub build: Vec<Vec<String>>,
    /// Commands after the build that may fail.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    pub optional: Vec<Vec<String>>,
    /// Further builds, tried in order from a fresh copy of the source while the one before
    /// failed or made no program.
    #[serde(default)]
    #[schemars(inner(inner(length(min = 1))))]
    pub otherwise: Vec<Vec<Vec<String>>>,
    /// The file of the source that plays where every build failed.
    #[serde(default)]
    pub shipped: Option<String>,
    /// The command of a turn.
    #[schemars(length(min = 1))]
    pub run: Vec<String>,
    /// Globs in the result; the first that matches must match exactly one file.
    #[serde(default, deserialize_with = "one_or_many")]
    #[schemars(with = "OneOrMany")]
    pub program: Vec<String>,
}

/// A package cache of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Possible places: the first that exists is used.
    pub places: Vec<String>,
    /// The group of the Maven plugins that builds see of it, with what these are made of; `None`
    /// for all that is in it.
    #[serde(default)]
    pub plugins_of: Option<String>,
}

/// A text or a list of texts.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// Reads a text or a list of texts.
fn one_or_many<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<String>, D::Error> {
    Ok(match OneOrMany::deserialize(reader)? {
        OneOrMany::One(one) => vec![one],
        OneOrMany::Many(many) => many,
    })
}

/// Rules to find one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["find"], "properties": { "find": { "minItems": 1 } } },
    { "required": ["at"] },
]))]
pub struct Program {
    /// Names searched on PATH, in order.
    #[serde(default)]
    pub find: Vec<String>,
    /// Globs of further places; `~` is the home.
    #[serde(default)]
    pub also: Vec<String>,
    /// Path that another tool reports; nothing is searched then.
    #[serde(default)]
    pub at: Option<String>,
    /// Arguments that make it tell its folders.
    #[serde(default)]
    pub ask: Vec<String>,
    /// Prefix of the line that reports each folder; empty for the first line.
    #[serde(default)]
    pub folders: BTreeMap<String, String>,
    /// Number of levels from the program up to its `home`.
    #[serde(default)]
    pub up: usize,
    /// The real program, with folders as place-holders.
    #[serde(default)]
    pub program: Option<String>,
    /// Arguments that print the version.
    #[serde(default)]
    pub version: Vec<String>,
    /// Text that the version must contain.
    #[serde(default)]
    pub accept: Option<String>,
    /// The older release that some sources ask for.
    #[serde(default)]
    pub older: Option<Older>,
}

/// Condition for the use of an older release of a tool, where it is on the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Older {
    /// Text that its version must contain.
    pub accept: String,
    /// Patterns `GLOB | REGEX`, one of which must match a file of the source.
    pub when: Vec<String>,
    /// Patterns that no file of the source may match.
    #[serde(default)]
    pub unless: Vec<String>,
    /// Message for a build that failed without it.
    pub lacking: String,
}

/// A languages table has an entry that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("languages.{language}: {reason}")]
pub struct LanguageError {
    /// The language's id.
    pub language: String,
    /// Description of the mistake, with the path of the key.
    pub reason: String,
}

/// Form of an entry.
const HINT: &str = "an entry has `title`, `extensions` and `variants`, each with `name`, \
    `install`, `programs`, `build` and `run`; one that is shipped may change any of them";

impl LanguageError {
    /// Returns the keys that lead to the mistake within the entry, and the message.
    fn split(&self) -> (Vec<&str>, &str) {
        let path = self.reason.split_once(": ").filter(|(path, _)| !path.contains([' ', '`']));
        let Some((path, reason)) = path else { return (Vec::new(), &self.reason) };
        let keys = path.split(['.', '[', ']']).filter(|key| !key.is_empty());
        (keys.collect(), reason)
    }
}

/// All languages by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Languages {
    by_id: BTreeMap<String, Language>,
    sources: SourceLanguages,
}

impl Languages {
    /// Returns the shipped table.
    pub fn shipped() -> Self {
        Self::with(&BTreeMap::new()).expect("the shipped table is tested")
    }

    /// Returns the shipped table with a tournament's entries over it: a field
    /// given there replaces the shipped one, a new id is a new language.
    ///
    /// # Errors
    ///
    /// Every entry that cannot be used.
    pub fn with(extra: &BTreeMap<String, Value>) -> Result<Self, Vec<LanguageError>> {
        let mut languages: BTreeMap<String, Language> =
            joust_config::yaml::from_str(SHIPPED).expect("the shipped table is tested");
        let mut errors = Vec::new();
        if !extra.is_empty() {
            let mut table: BTreeMap<String, Value> =
                joust_config::yaml::from_str(SHIPPED).expect("the shipped table is tested");
            for (id, value) in extra {
                match read(overlay(table.remove(id), value.clone())) {
                    Ok(language) => drop(languages.insert(id.clone(), language)),
                    Err(reason) => errors.push(LanguageError { language: id.clone(), reason }),
                }
            }
        }
        if errors.is_empty() { Ok(Self::of(languages)) } else { Err(errors) }
    }

    fn of(by_id: BTreeMap<String, Language>) -> Self {
        let signs = |(id, language): (&String, &Language)| {
            let (extensions, ignore) = (language.extensions.clone(), language.ignore.clone());
            (id.clone(), SourceLanguage { extensions, ignore, servers: language.servers.clone() })
        };
        let sources = SourceLanguages::new(by_id.iter().map(signs).collect());
        Self { by_id, sources }
    }

    /// Returns the languages of a tournament.
    ///
    /// # Errors
    ///
    /// Every entry that cannot be used, with its place.
    pub fn of_tournament(tournament: &Tournament) -> Result<Self, Vec<config::Problem>> {
        let place = |error: LanguageError| {
            let (path, reason) = error.split();
            let keys: Vec<&str> = ["languages", &error.language].into_iter().chain(path).collect();
            tournament.error_at(&keys, reason).with_hint(HINT)
        };
        Self::with(&tournament.languages).map_err(|errors| errors.into_iter().map(place).collect())
    }

    /// Returns problems for libraries that events provide in languages without library sets.
    pub fn without_library_sets(&self, tournament: &Tournament) -> Vec<config::Problem> {
        let has_sets = |id: &str| {
            let libraries = self.get(id).and_then(|language| language.libraries.as_ref());
            libraries.is_some_and(|libraries| libraries.provided.is_some())
        };
        let known: Vec<&str> = self.iter().map(|(id, _)| id).filter(|id| has_sets(id)).collect();
        let problem = |(event, id): (usize, &String)| {
            let message = format!("no libraries can be provided for `{id}`");
            let problem = tournament.error_at_provided(event, id, message);
            problem.with_hint(format!("languages with library sets are `{}`", known.join("`, `")))
        };
        let events = tournament.events.iter().enumerate();
        let ids = events
            .flat_map(|(at, event)| event.requirements.provides.keys().map(move |id| (at, id)));
        ids.filter(|(_, id)| !has_sets(id)).map(problem).collect()
    }

    /// Returns the language called `id`.
    pub fn get(&self, id: &str) -> Option<&Language> {
        self.by_id.get(id)
    }

    /// Returns the signs by which sources of the languages are recognised.
    pub fn sources(&self) -> &SourceLanguages {
        &self.sources
    }

    /// Returns every language with its id, in order of ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Language)> {
        self.by_id.iter().map(|(id, language)| (id.as_str(), language))
    }
}

fn overlay(base: Option<Value>, over: Value) -> Value {
    match (base, over) {
        (Some(Value::Object(mut base)), Value::Object(over)) => {
            base.extend(over);
            Value::Object(base)
        }
        (_, over) => over,
    }
}

fn read(value: Value) -> Result<Language, String> {
    let value = if value.is_null() { Value::Object(Map::new()) } else { value };
    if !value.is_object() {
        return Err("expected a mapping of keys and values".to_owned());
    }
    let language: Language = serde_path_to_error::deserialize(value).map_err(in_plain_words)?;
    check(&language)?;
    Ok(language)
}

/// Returns the path and the reason, in the words of YAML.
fn in_plain_words(error: serde_path_to_error::Error<serde_json::Error>) -> String {
    let path = error.path().to_string();
    let reason =
        error.inner().to_string().replace("a sequence", "a list").replace("a map", "a mapping");
    let reason = match reason.split_once("expected struct ") {
        Some((before, _)) => format!("{before}expected a mapping of keys and values"),
        None => reason,
    };
    if path == "." { reason } else { format!("{path}: {reason}") }
}

fn check(language: &Language) -> Result<(), String> {
    if language.variants.is_empty() {
        return Err("variants: at least one is needed".to_owned());
    }
    if let Some(prepared) = &language.prepared
        && (prepared.begin.is_empty() || prepared.build.iter().any(Vec::is_empty))
    {
        return Err("prepared: a command is empty".to_owned());
    }
    if let Some(libraries) = &language.libraries {
        let needs = libraries.needs.iter().filter_map(|pattern| Some(pattern.split_once(" | ")?.1));
        let keep = libraries.settings.values().map(|settings| settings.keep.as_str());
        for text in needs.chain(keep) {
            Regex::new(text).map_err(|error| format!("libraries: `{text}`: {error}"))?;
        }
    }
    language
        .variants
        .iter()
        .enumerate()
        .try_for_each(|(index, variant)| check_variant(index, variant))
}

fn check_variant(index: usize, variant: &Variant) -> Result<(), String> {
    if variant.run.is_empty() {
        return Err(format!("variants[{index}].run: a command is needed"));
    }
    let otherwise = variant.otherwise.iter().flatten();
    if variant.build.iter().chain(&variant.optional).chain(otherwise).any(Vec::is_empty) {
        return Err(format!("variants[{index}].build: a command is empty"));
    }
    let older = variant.programs.values().filter_map(|program| program.older.as_ref());
    let older = older.flat_map(|older| older.when.iter().chain(&older.unless));
    for pattern in variant.when.iter().chain(older) {
        if let Some(Err(error)) = pattern.split_once(" | ").map(|(_, text)| Regex::new(text)) {
            return Err(format!("variants[{index}]: `{pattern}`: {error}"));
        }
    }
    for (name, program) in &variant.programs {
        if program.find.is_empty() == program.at.is_none() {
            let path = format!("variants[{index}].programs.{name}");
            return Err(format!("{path}: exactly one of `find` and `at` is needed"));
        }
    }
    Ok(())
}
