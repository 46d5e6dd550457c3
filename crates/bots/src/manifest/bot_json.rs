//! `bot.json`, the manifest of the Entelect Challenges of 2016 and 2017, as
//! published.
//!
//! Leniencies: those of [`lenient_json`]; a byte order mark; bytes that are no
//! UTF-8 become U+FFFD; names of fields in any case; unknown fields; a bot type
//! by name in any case, by number, or by number as a text; a field that repeats
//! itself; `null` for an empty text; single and doubled backslashes as separators; `RunFile` and `ProjectLocation` in another case
//! where exactly one file is called so.
//!
//! Source: [`bot.json`](joust_referee::docs::bomberman_2016#botjson) of Bomberman,
//! [Manifest fields](joust_referee::docs::battleships_2017#manifest-fields) of Battleships.

#[cfg(test)]
mod tests;

use std::path::Path;

use joust_config::{
    KeyFile, MapEntry, Node, NodeValue, Problem, Rejection, SourceLocation, SourceText, Word,
    did_you_mean,
};
use joust_model::author_without_address;
use schemars::JsonSchema;
use serde::Deserialize;

use super::lenient_json::read_members;
use super::words::split_by;
use super::{Candidate, Format, Manifest, Project, read_manifest};
use crate::name;
use crate::problem::BotProblem;

/// The file's name.
const FILE: &str = "bot.json";

/// Bot types by number, with the language of each.
const TYPES: [(&str, &str); 11] = [
    ("CSharp", "csharp"),
    ("Java", "java"),
    ("JavaScript", "javascript"),
    ("CPlusPlus", "cpp"),
    ("Python2", "python2"),
    ("Python3", "python"),
    ("FSharp", "fsharp"),
    ("Golang", "go"),
    ("Rust", "rust"),
    ("Julia", "julia"),
    ("Scala", "scala"),
];

/// Types whose file to run is part of the source.
const INTERPRETED: [&str; 4] = ["JavaScript", "Python2", "Python3", "Julia"];
/// Types that are not given the arguments of the manifest.
const WITHOUT_ARGUMENTS: [&str; 2] = ["Golang", "Rust"];
/// Advice for a path that leads out of the bot's folder.
const INSIDE: &str = "write a path that lies in the bot's folder";

/// `bot.json`.
pub(super) const FORMAT: Format = Format {
    name: FILE,
    form: "a folder with a `bot.json` as in the Entelect Challenge (`NickName`, `BotType`, `ProjectLocation`, `RunFile`)",
    fits: |candidate| candidate.path.join(FILE).symlink_metadata().is_ok(),
    read: |candidate| {
        let bytes = read_manifest(&candidate.path.join(FILE)).map_err(|problem| vec![problem])?;
        read(candidate, &String::from_utf8_lossy(&bytes))
    },
};

/// Keys of the file.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "PascalCase")]
struct BotJsonKeys {
    author: String,
    email: String,
    nick_name: String,
    bot_type: Option<Word>,
    project_location: Option<String>,
    run_file: Option<String>,
    run_args: String,
}

/// Names of the keys.
const KEYS: [&str; 7] =
    ["Author", "Email", "NickName", "BotType", "ProjectLocation", "RunFile", "RunArgs"];

/// Reads the text of the manifest.
fn read(candidate: &Candidate<'_>, text: &str) -> Result<Manifest, Vec<BotProblem>> {
    let path = candidate.path.join(FILE);
    let text = text.trim_start_matches('\u{feff}');
    let source = SourceText::new(&path, text);
    let members = read_members(text)
        .map_err(|(place, message)| vec![source.error(place, "", message).into()])?;
    let value = NodeValue::Map(known_members(members));
    let file = KeyFile::new(source, Node { value, place: SourceLocation::START });
    let (keys, problems) = file.read();
    let mut reader = BotJsonReader { candidate, file, problems };
    let manifest = reader.manifest(keys.unwrap_or_default());
    match reader.problems.is_empty() {
        true => Ok(manifest),
        false => Err(reader.problems.into_iter().map(BotProblem::from).collect()),
    }
}

/// Returns the members with a known name, in its usual case. `null` is an empty text, and a member
/// may be repeated.
fn known_members(members: Vec<MapEntry>) -> Vec<MapEntry> {
    let mut known: Vec<MapEntry> = Vec::new();
    for MapEntry { key, place, node } in members {
        let Some(name) = KEYS.iter().find(|name| key.eq_ignore_ascii_case(name)) else { continue };
        let value = match node.value {
            NodeValue::Null => NodeValue::Text(String::new()),
            value => value,
        };
        let node = Node { value, place: node.place };
        let is_repeated = |one: &MapEntry| one.key == *name && one.node.to_json() == node.to_json();
        if !known.iter().any(is_repeated) {
            known.push(MapEntry { key: (*name).to_owned(), place, node });
        }
    }
    known
}

struct BotJsonReader<'a> {
    candidate: &'a Candidate<'a>,
    file: KeyFile,
    problems: Vec<Problem>,
}

impl BotJsonReader<'_> {
    fn refuse(&mut self, key: &str, message: impl Into<String>, hint: &str) {
        self.problems.push(self.file.error_at(key, Rejection::new(message, hint)));
    }

    fn manifest(&mut self, keys: BotJsonKeys) -> Manifest {
        let name = self.name(&keys);
        let (bot_type, language) = self.bot_type(keys.bot_type).unwrap_or_default();
        let folder = self.path("ProjectLocation", keys.project_location);
        let run_file = self.path("RunFile", keys.run_file);
        let is_interpreted = INTERPRETED.contains(&bot_type);
        if let Some(run_file) = &run_file {
            let is_there = self.candidate.path.join(run_file).is_file();
            let hint = "name the file that is run, from the bot's folder";
            if run_file.is_empty() {
                self.refuse("RunFile", "it names no file", hint);
            } else if is_interpreted && !is_there {
                self.refuse("RunFile", format!("`{run_file:.200}` is not there"), hint);
            }
        }
        let takes_arguments = !WITHOUT_ARGUMENTS.contains(&bot_type);
        let run_file = run_file.unwrap_or_default();
        Manifest {
            name,
            author: Some(keys.author).filter(|author| !author.is_empty()),
            language: language.to_owned(),
            entry: is_interpreted.then(|| run_file.clone()),
            trailing: if takes_arguments { split_arguments(&keys.run_args) } else { Vec::new() },
            enabled: true,
            project: Some(Project {
                folder: folder.unwrap_or_default(),
                run_file,
                bot_type: bot_type.to_owned(),
            }),
            ..Manifest::default()
        }
    }

    /// Returns the nickname; without one the first of author, email (up to the `@`)
    /// and the name of the folder or archive that has something to be seen.
    fn name(&mut self, keys: &BotJsonKeys) -> String {
        let folder = self.candidate.name().unwrap_or_default();
        let email = keys.email.split('@').next().unwrap_or_default();
        let author = author_without_address(&keys.author).unwrap_or_default();
        let mut given = [&keys.nick_name, &*author, email, folder].into_iter();
        let given = given.find(|text| !text.trim().is_empty());
        name::nickname(given.unwrap_or_default()).unwrap_or_else(|error| {
            self.refuse("NickName", error.to_string(), "give it another name");
            String::new()
        })
    }

    fn bot_type(&mut self, given: Option<Word>) -> Option<(&'static str, &'static str)> {
        let wanted = self.candidate.language;
        if let Some(found) = TYPES.iter().find(|(_, language)| wanted == Some(*language)) {
            return Some(*found);
        }
        let Some(Word(word)) = given else { return Some(TYPES[0]) };
        let word = word.trim();
        let by_number = word.parse().ok().and_then(|number: usize| TYPES.get(number));
        let by_name = || TYPES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        let found = by_number.or_else(by_name);
        if found.is_none() {
            let hint = did_you_mean(word, &TYPES.map(|(name, _)| name), "known types are");
            self.refuse("BotType", format!("unknown type `{word:.64}`"), &hint);
        }
        found.copied()
    }

    /// Returns a path within the submission, which has to be given.
    fn path(&mut self, key: &str, given: Option<String>) -> Option<String> {
        let Some(text) = given else {
            if !self.file.has(key) {
                let hint = format!("add a line such as `\"{key}\": \"\"`");
                self.refuse(key, format!("missing key `{key}`"), &hint);
            }
            return None;
        };
        let path = plain(&text).and_then(|path| find(self.candidate.path, &path));
        path.map_err(|reason| self.refuse(key, format!("`{text:.200}` {reason}"), INSIDE)).ok()
    }
}

/// Splits at white space; double quotes keep words together, and one that is
/// never closed reaches to the end.
fn split_arguments(text: &str) -> Vec<String> {
    split_by(&text.replace('\0', ""), &['"']).0
}

/// Returns `text` as a relative path with `/` and nothing superfluous; empty
/// for the submission itself.
///
/// # Errors
///
/// The reason why it leaves the submission, as a text that follows the field's name.
fn plain(text: &str) -> Result<String, &'static str> {
    let text = text.trim().replace('\\', "/");
    if text.starts_with('/') {
        return Err("is an absolute path");
    }
    if text.contains(':') {
        return Err("names a drive");
    }
    if text.chars().any(char::is_control) {
        return Err("holds a control character");
    }
    let parts: Vec<&str> =
        text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.contains(&"..") {
        return Err("leaves the bot's folder");
    }
    Ok(parts.join("/"))
}

/// Returns the path as it is spelled in `folder`: a missing part is replaced by the only one that
/// differs in case. A part without such an equal stays as it is, because a build may make it.
///
/// # Errors
///
/// The reason why it leaves the submission: it passes a link that leads outside.
fn find(folder: &Path, path: &str) -> Result<String, &'static str> {
    let mut found: Vec<String> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let here = folder.join(found.join("/"));
        let is_there = here.join(part).symlink_metadata().is_ok();
        found.push(if is_there { part.to_owned() } else { in_another_case(&here, part) });
    }
    let found = found.join("/");
    let (Ok(root), Ok(real)) = (folder.canonicalize(), folder.join(&found).canonicalize()) else {
        return Ok(found);
    };
    if real.starts_with(root) {
        Ok(found)
    } else {
        Err("passes a link that leaves the bot's folder")
    }
}

fn in_another_case(folder: &Path, name: &str) -> String {
    let lower = name.to_lowercase();
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut same = names.filter(|other| other.to_lowercase() == lower);
    match (same.next(), same.next()) {
        (Some(only), None) => only,
        _ => name.to_owned(),
    }
}
