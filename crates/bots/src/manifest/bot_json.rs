//! `bot.json`, the manifest of the Entelect Challenges of 2016 and 2017, as
//! published.
//!
//! Leniencies: those of [`lenient_json`]; a byte order mark; bytes that are no
//! UTF-8 become U+FFFD; names of fields in any case; unknown fields; a bot type
//! by name in any case, by number, or by number as a text; single and doubled
//! backslashes as separators; `RunFile` and `ProjectLocation` in another case
//! where exactly one file is called so.
//!
//! Source: [`bot.json`](joust_referee::docs::bomberman_2016#botjson) of Bomberman,
//! [Manifest fields](joust_referee::docs::battleships_2017#manifest-fields) of Battleships.

mod paths;

use std::path::{Path, PathBuf};

use joust_config::{did_you_mean, read_start};

use super::lenient_json::{JsonMember, JsonValue, TextPosition, read_members};
use super::words::split_by;
use super::{Candidate, Format, Manifest, Project};
use crate::name;
use crate::problem::BotProblem;
use joust_model::author_without_address;

/// The file's name.
const FILE: &str = "bot.json";
/// Largest size of a manifest, bytes.
const LARGEST: u64 = 64 << 10;

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

/// `bot.json`.
pub(super) struct BotJson;

impl Format for BotJson {
    fn form(&self) -> &'static str {
        "a folder with a `bot.json` as in the Entelect Challenge (`NickName`, `BotType`, `ProjectLocation`, `RunFile`)"
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
        read(candidate, &text)
    }
}

fn load(file: &Path) -> Result<String, BotProblem> {
    let unreadable = |error: std::io::Error| BotProblem::io(file, "read", &error);
    if !file.symlink_metadata().map_err(unreadable)?.is_file() {
        return Err(BotProblem::new(file, "not a plain file"));
    }
    let bytes = read_start(file, LARGEST + 1).map_err(|unread| unreadable(unread.into()))?;
    if bytes.len() as u64 > LARGEST {
        let message = format!("larger than {} KiB", LARGEST >> 10);
        return Err(BotProblem::new(file, message).at(Some((1, 1))));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads the text of the manifest.
fn read(candidate: &Candidate<'_>, text: &str) -> Result<Manifest, Vec<BotProblem>> {
    let file = candidate.path.join(FILE);
    let members = read_members(text.trim_start_matches('\u{feff}'))
        .map_err(|(place, message)| vec![BotProblem::new(&file, message).at(Some(place))])?;
    let mut reader = BotJsonReader { candidate, file, members, problems: Vec::new() };
    reader.refuse_contradictions();
    let manifest = reader.manifest();
    if reader.problems.is_empty() { Ok(manifest) } else { Err(reader.problems) }
}

struct BotJsonReader<'a> {
    candidate: &'a Candidate<'a>,
    file: PathBuf,
    members: Vec<JsonMember>,
    problems: Vec<BotProblem>,
}

impl BotJsonReader<'_> {
    fn report(
        &mut self,
        place: Option<TextPosition>,
        message: impl Into<String>,
    ) -> &mut BotProblem {
        self.problems.push(BotProblem::new(&self.file, message).at(place));
        self.problems.last_mut().expect("one was pushed")
    }

    /// Refuses a field that is given twice with different values.
    fn refuse_contradictions(&mut self) {
        let known =
            ["Author", "Email", "NickName", "BotType", "ProjectLocation", "RunFile", "RunArgs"];
        for field in known {
            let given = self.members.iter().filter(|one| one.name.eq_ignore_ascii_case(field));
            let given: Vec<&JsonMember> = given.collect();
            let other = given.iter().find(|one| one.value != given[0].value);
            if let Some(place) = other.map(|one| one.name_place) {
                self.report(Some(place), format!("`{field}` is given twice with different values"));
            }
        }
    }

    fn member(&self, field: &str) -> Option<JsonMember> {
        self.members.iter().find(|one| one.name.eq_ignore_ascii_case(field)).cloned()
    }

    /// Returns a text; empty when the field is missing or null.
    fn text(&mut self, field: &str) -> String {
        match self.member(field) {
            None | Some(JsonMember { value: JsonValue::Null, .. }) => String::new(),
            Some(JsonMember { value: JsonValue::Text(text), .. }) => text,
            Some(JsonMember { value, place, .. }) => {
                let kind = value.kind();
                self.report(Some(place), format!("`{field}` is {kind}, not a text"));
                String::new()
            }
        }
    }

    fn manifest(&mut self) -> Manifest {
        let (author, email) = (self.text("Author"), self.text("Email"));
        let kind = self.bot_type();
        let folder = self.path("ProjectLocation");
        let run_file = self.path("RunFile");
        let (bot_type, language) = kind.unwrap_or_default();
        let is_interpreted = INTERPRETED.contains(&bot_type);
        if run_file.as_deref() == Some("") {
            let place = self.member("RunFile").map(|member| member.place);
            self.report(place, "`RunFile` names no file");
        } else if let Some(run_file) = run_file.as_ref().filter(|_| is_interpreted)
            && !self.candidate.path.join(run_file).is_file()
        {
            let place = self.member("RunFile").map(|member| member.place);
            self.report(place, format!("`RunFile` is not there: `{run_file:.200}`"));
        }
        let arguments = self.text("RunArgs");
        let takes_arguments = !WITHOUT_ARGUMENTS.contains(&bot_type);
        let run_file = run_file.unwrap_or_default();
        Manifest {
            name: self.name(&author, &email),
            author: Some(author).filter(|author| !author.is_empty()),
            language: language.to_owned(),
            entry: is_interpreted.then(|| run_file.clone()),
            trailing: if takes_arguments { split_arguments(&arguments) } else { Vec::new() },
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
    fn name(&mut self, author: &str, email: &str) -> String {
        let nickname = self.text("NickName");
        let folder = self.candidate.name().unwrap_or_default();
        let email = email.split('@').next().unwrap_or_default();
        let author = author_without_address(author).unwrap_or_default();
        let given =
            [&nickname, &*author, email, folder].into_iter().find(|text| !text.trim().is_empty());
        let place = self.member("NickName").map(|member| member.place);
        match name::nickname(given.unwrap_or_default()) {
            Ok(name) => name,
            Err(error) => {
                self.report(place, error.to_string());
                String::new()
            }
        }
    }

    fn bot_type(&mut self) -> Option<(&'static str, &'static str)> {
        let wanted = self.candidate.language;
        if let Some(found) = TYPES.iter().find(|(_, language)| wanted == Some(*language)) {
            return Some(*found);
        }
        let Some(JsonMember { value, place, .. }) = self.member("BotType") else {
            return Some(TYPES[0]);
        };
        let word = match value {
            JsonValue::Text(text) | JsonValue::Number(text) => text,
            other => {
                let kind = other.kind();
                self.report(Some(place), format!("`BotType` is {kind}, not a bot type"));
                return None;
            }
        };
        let word = word.trim();
        let by_number = word.parse().ok().and_then(|number: usize| TYPES.get(number));
        let by_name = || TYPES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        if let Some(found) = by_number.or_else(by_name) {
            return Some(*found);
        }
        let hint = did_you_mean(word, &TYPES.map(|(name, _)| name), "known types are");
        self.report(Some(place), format!("unknown BotType `{word:.64}`")).hint = Some(hint);
        None
    }

    /// Returns a path within the submission, which has to be given.
    fn path(&mut self, field: &str) -> Option<String> {
        let Some(member) = self.member(field) else {
            let hint = format!("add a line such as `\"{field}\": \"\"`");
            self.report(None, format!("`{field}` is missing")).hint = Some(hint);
            return None;
        };
        let text = self.text(field);
        match paths::plain(&text).and_then(|path| paths::find(self.candidate.path, &path)) {
            Ok(path) => Some(path),
            Err(reason) => {
                self.report(Some(member.place), format!("`{field}` {reason}"));
                None
            }
        }
    }
}

/// Splits at white space; double quotes keep words together, and one that is
/// never closed reaches to the end.
fn split_arguments(text: &str) -> Vec<String> {
    split_by(&text.replace('\0', ""), &['"']).0
}

#[cfg(test)]
mod tests;
