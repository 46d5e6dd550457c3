//! The native manifest: `bot.yaml` beside the source.
//!
//! Leniencies: a byte order mark; `build`, `run` and `args` as a text that is
//! split into words or as a list; `language` left out when `entry` ends in a
//! known extension.

use std::path::{Path, PathBuf};

use serde_yaml::Value;

use super::{Candidate, Command, Format, Manifest, split_words};
use crate::problem::{Problem, suggest};
use crate::{Languages, name};
use joust_config::{Unread, read_plain, yaml};

/// What a manifest may weigh.
const LARGEST: u64 = 64 << 10;

const KEYS: [&str; 10] =
    ["name", "author", "owner", "language", "entry", "build", "run", "args", "enabled", "example"];

/// What commands look like.
const COMMANDS: &str = "a command is a text, `make all`, or a list of words, `[make, all]`; \
    `build` may be a list of commands";

/// `bot.yaml`.
pub(super) struct BotYaml;

impl Format for BotYaml {
    fn form(&self) -> &'static str {
        "a folder with a `bot.yaml` (keys `name`, `language`, `entry`)"
    }

    fn is_for(&self, _: &str) -> bool {
        true
    }

    fn fits(&self, candidate: &Candidate<'_>) -> bool {
        candidate.path.join("bot.yaml").symlink_metadata().is_ok()
    }

    fn read(&self, candidate: &Candidate<'_>) -> Result<Manifest, Vec<Problem>> {
        let file = candidate.path.join("bot.yaml");
        let text = load(&file).map_err(|problem| vec![problem])?;
        let known = Known { languages: candidate.languages, given: candidate.language };
        parse(&file, &text, known)
    }
}

/// What is known before a manifest is read.
#[derive(Clone, Copy)]
struct Known<'a> {
    languages: &'a Languages,
    /// The bot's language, where the tournament says it.
    given: Option<&'a str>,
}

fn load(file: &Path) -> Result<String, Problem> {
    let unreadable = |error: std::io::Error| Problem::io(file, "read", &error);
    let metadata = file.symlink_metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        let problem = Problem::new(file, "not a plain file");
        return Err(problem.hint("neither a link nor a pipe is read"));
    }
    let bytes = read_plain(file, LARGEST).map_err(|unread| match unread {
        Unread::Io(error) => unreadable(error),
        Unread::TooLong(_) => Problem::new(file, format!("larger than {} KiB", LARGEST >> 10))
            .hint("a manifest is some lines of keys and values"),
        other => Problem::new(file, other.to_string()),
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let last = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let column = String::from_utf8_lossy(last).chars().count() + 1;
        let problem = Problem::new(file, "not UTF-8").at(Some((line, column)));
        problem.hint("save it with the encoding UTF-8")
    })
}

/// Reads the text of a manifest that lies at `file`.
fn parse(file: &Path, text: &str, known: Known<'_>) -> Result<Manifest, Vec<Problem>> {
    let text = &*yaml::plain_lines(text);
    if let Some((place, message, hint)) = yaml::obstacle(text).or_else(|| yaml::second(text)) {
        let problem = Problem::new(file, message).at(Some((place.line, place.column)));
        return Err(vec![problem.hint(hint)]);
    }
    let value: Value = serde_yaml::from_str(text).map_err(|error| vec![bad(file, text, &error)])?;
    let Value::Mapping(mapping) = value else {
        let problem = Problem::new(file, "expected keys and values").at(Some((1, 1)));
        return Err(vec![problem.hint("for instance `name: my bot`")]);
    };
    let Known { languages, given } = known;
    let problems = Vec::new();
    let mut reader = Reader { file: file.to_owned(), text, mapping, problems, language: given };
    reader.refuse_unknown_keys();
    let manifest = reader.manifest(languages);
    if reader.problems.is_empty() { Ok(manifest) } else { Err(reader.problems) }
}

fn bad(file: &Path, text: &str, error: &serde_yaml::Error) -> Problem {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    let place = error.location().map(|place| (place.line(), place.column()));
    let twice = message.split("duplicate entry with key \"").nth(1);
    let twice = twice.and_then(|rest| rest.split('"').next());
    let place = twice.and_then(|key| key_places(text, key).nth(1)).or(place);
    let hint = match twice {
        Some(_) => "delete one of the two",
        None => "check indentation, quotes and brackets on this line and the one before it",
    };
    Problem::new(file, message.replace('"', "`")).at(place.or(Some((1, 1)))).hint(hint)
}

/// Returns line and column of every place where `key` stands as a key.
fn key_places<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
    text.lines().enumerate().filter_map(move |(index, line)| {
        let column = line.find(key)?;
        let before = line[..column].trim_matches(['{', ',', '"', '\'', ' ', '?']);
        let after = line[column + key.len()..].trim_start_matches(['"', '\'', ' ']);
        let is_key = before.is_empty() && after.starts_with(':');
        is_key.then(|| (index + 1, line[..column].chars().count() + 1))
    })
}

struct Reader<'a> {
    file: PathBuf,
    text: &'a str,
    mapping: serde_yaml::Mapping,
    problems: Vec<Problem>,
    /// The language, where the tournament says it.
    language: Option<&'a str>,
}

impl Reader<'_> {
    fn complain(&mut self, key: &str, message: impl Into<String>) -> &mut Problem {
        let place = key_places(self.text, key).next();
        self.problems.push(Problem::new(&self.file, message).at(place));
        self.problems.last_mut().expect("one was pushed")
    }

    fn refuse_unknown_keys(&mut self) {
        let keys: Vec<Value> = self.mapping.keys().cloned().collect();
        for key in keys {
            let Value::String(key) = key else {
                let problem = Problem::new(&self.file, "a key is not a text").at(Some((1, 1)));
                self.problems.push(problem.hint(format!("known keys are {}", KEYS.join(", "))));
                continue;
            };
            if KEYS.contains(&key.as_str()) {
                continue;
            }
            let hint = match suggest(&key, KEYS.into_iter()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("known keys are {}", KEYS.join(", ")),
            };
            self.complain(&key, format!("unknown key `{key:.64}`")).hint = Some(hint);
        }
    }

    fn manifest(&mut self, languages: &Languages) -> Manifest {
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

    /// Says whether there is no such key, or nothing behind it.
    fn is_left_out(&self, key: &str) -> bool {
        self.mapping.get(key).is_none_or(Value::is_null)
    }

    fn name(&mut self) -> String {
        if self.is_left_out("name") {
            let problem = Problem::new(&self.file, "`name` is missing");
            self.problems.push(problem.hint("add a line such as `name: my bot`"));
            return String::new();
        }
        let Some(text) = self.text("name") else { return String::new() };
        name::normalise(&text).unwrap_or_else(|error| {
            self.complain("name", error.to_string()).hint =
                Some("a name has 1 to 64 letters, digits and signs that can be seen".to_owned());
            String::new()
        })
    }

    fn language(&mut self, entry: Option<&str>, languages: &Languages) -> String {
        if let Some(language) = self.text("language") {
            if languages.get(&language).is_none() {
                let hint = match languages.suggest(&language) {
                    Some(known) => format!("did you mean `{known}`?"),
                    None => "`joust doctor` lists the languages".to_owned(),
                };
                self.complain("language", format!("unknown language `{language:.64}`")).hint =
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
            None if !self.is_left_out("language") => String::new(),
            None => {
                let problem = Problem::new(&self.file, "`language` is missing");
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
            self.complain("entry", "`entry` leaves the bot's folder").hint =
                Some("name a file within it, such as `entry: main.py`".to_owned());
            return None;
        }
        Some(parts.join("/"))
    }

    fn build(&mut self) -> Option<Vec<Command>> {
        let value = self.mapping.get("build").filter(|value| !value.is_null())?.clone();
        let commands = match &value {
            Value::Sequence(items) => items.iter().map(words).collect(),
            one => words(one).map(|command| vec![command]),
        };
        match commands {
            Ok(commands) if commands.iter().all(|command| !command.is_empty()) => Some(commands),
            Ok(_) => self.refuse("build", "a command of `build` is empty", COMMANDS),
            Err(reason) => self.refuse("build", &reason, COMMANDS),
        }
    }

    fn command(&mut self, key: &str) -> Option<Command> {
        let value = self.mapping.get(key).filter(|value| !value.is_null())?;
        match words(value) {
            Ok(command) if command.is_empty() && key == "run" => {
                self.refuse(key, "`run` is empty", COMMANDS)
            }
            Ok(command) => Some(command),
            Err(reason) => self.refuse(key, &reason, COMMANDS),
        }
    }

    fn refuse<T>(&mut self, key: &str, reason: &str, hint: &str) -> Option<T> {
        self.complain(key, reason).hint = Some(hint.to_owned());
        None
    }

    fn text(&mut self, key: &str) -> Option<String> {
        match self.mapping.get(key)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(_) => {
                let hint = "write it in quotes: `\"...\"`";
                self.refuse(key, &format!("`{key}` is not a text"), hint)
            }
            _ => {
                let hint = format!("one text goes here: `{key}: ...`");
                self.refuse(key, &format!("`{key}` is not a text"), &hint)
            }
        }
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        match self.mapping.get(key)? {
            Value::Bool(flag) => Some(*flag),
            Value::Null => None,
            _ => {
                let hint = "write `true` or `false`, without quotes";
                self.refuse(key, &format!("`{key}` is neither `true` nor `false`"), hint)
            }
        }
    }
}

fn words(value: &Value) -> Result<Command, String> {
    let word = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err("expected a command: a text or a list of words".to_owned()),
    };
    let command = match value {
        Value::Sequence(items) => items.iter().map(word).collect(),
        one => word(one).and_then(|text| split_words(&text)),
    }?;
    if command.iter().any(|word| word.contains('\0')) {
        return Err("a word contains a NUL character".to_owned());
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Manifest, Vec<String>> {
        let known = Known { languages: &Languages::shipped(), given: None };
        parse(Path::new("bot.yaml"), text, known)
            .map_err(|problems| problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn every_key_is_read() {
        let manifest = read(
            "name: Ann\nauthor: A. Uthor\nowner: ann\nlanguage: c\nentry: src\\main.c\n\
             build: [make, [make, 'in stall']]\nrun: ./ann --fast\nargs: ['-v', 2]\nenabled: false\nexample: true\n",
        );
        let commands = |list: &[&[&str]]| -> Vec<Command> {
            list.iter().map(|words| words.iter().map(ToString::to_string).collect()).collect()
        };
        assert_eq!(
            manifest,
            Ok(Manifest {
                name: "Ann".to_owned(),
                author: Some("A. Uthor".to_owned()),
                owner: Some("ann".to_owned()),
                language: "c".to_owned(),
                entry: Some("src/main.c".to_owned()),
                beside: Vec::new(),
                build: Some(commands(&[&["make"], &["make", "in stall"]])),
                run: commands(&[&["./ann", "--fast"]]).pop(),
                args: commands(&[&["-v", "2"]]).remove(0),
                trailing: Vec::new(),
                enabled: false,
                example: true,
                project: None,
            })
        );
    }

    #[test]
    fn the_language_follows_from_the_entry() {
        let manifest = read("\u{feff}name: x\nentry: go.rb\n").unwrap();
        assert_eq!((manifest.language.as_str(), manifest.enabled), ("ruby", true));
    }

    #[test]
    fn all_problems_are_told_at_once_with_their_places() {
        let problems = read("nmae: x\nlanguage: pyton\nentry: ../x.py\nenabled: maybe\n");
        assert_eq!(
            problems.unwrap_err(),
            [
                "bot.yaml:1:1: unknown key `nmae` (did you mean `name`?)",
                "bot.yaml:3:1: `entry` leaves the bot's folder (name a file within it, such as `entry: main.py`)",
                "bot.yaml: `name` is missing (add a line such as `name: my bot`)",
                "bot.yaml:2:1: unknown language `pyton` (did you mean `python`?)",
                "bot.yaml:4:1: `enabled` is neither `true` nor `false` (write `true` or `false`, without quotes)",
            ]
        );
    }

    #[test]
    fn a_key_with_nothing_behind_it_counts_as_missing() {
        assert_eq!(
            read("name:\nlanguage: ~\n").unwrap_err(),
            [
                "bot.yaml: `name` is missing (add a line such as `name: my bot`)",
                "bot.yaml: `language` is missing (add a line such as `language: python`)",
            ]
        );
    }

    #[test]
    fn the_schema_for_editors_has_the_same_keys() {
        let schema = crate::schema::bot();
        let properties = schema["properties"].as_object().unwrap();
        let known: std::collections::BTreeSet<&str> = KEYS.into_iter().collect();
        assert_eq!(
            properties.keys().map(String::as_str).collect::<std::collections::BTreeSet<_>>(),
            known
        );
    }

    #[test]
    fn reader_and_cases_of_the_schema_agree() {
        let text = include_str!("../../../config/schemas/cases.yaml");
        let cases: Value = serde_yaml::from_str(text).unwrap();
        for (key, is_accepted) in [("accepted", true), ("refused", false)] {
            for case in cases["bot"][key].as_sequence().unwrap() {
                let result = read(case.as_str().unwrap());
                // A language that only a tournament knows.
                let unknown = |problems: &[String]| problems[0].contains("`mine-own`");
                let is_read = result.as_ref().map_or_else(|problems| unknown(problems), |_| true);
                assert_eq!(is_read, is_accepted, "{case:?}: {result:?}");
            }
        }
    }

    #[test]
    fn a_key_given_twice_is_refused_at_its_second_place() {
        let problems = read("name: x\nlanguage: c\nname: y\n").unwrap_err();
        let expected = "bot.yaml:3:1: duplicate entry with key `name` (delete one of the two)";
        assert_eq!(problems, [expected]);
    }

    #[test]
    fn a_name_with_an_invisible_character_is_refused_and_shown_escaped() {
        let problems = read("name: \"a\\u202eb\"\nlanguage: c\n").unwrap_err();
        let expected = "bot.yaml:1:1: the name has a character that cannot be seen: U+202E (";
        assert!(problems[0].starts_with(expected), "{problems:?}");
    }

    #[test]
    fn deep_nesting_is_refused_with_a_place() {
        let text = format!("name: {}", "[".repeat(60_000));
        let problems = read(&text).unwrap_err();
        let expected = "bot.yaml:1:107: brackets are nested too deeply (close them";
        assert!(problems[0].starts_with(expected), "{problems:?}");
        let problems = read(&format!("name: x\nauthor:\n {}x", "- ".repeat(30_000))).unwrap_err();
        assert!(problems[0].starts_with("bot.yaml:"), "{problems:?}");
    }

    #[test]
    fn an_absolute_entry_or_one_with_a_drive_is_refused() {
        for entry in ["/etc/passwd", "C:\\x.py", "\\\\host\\x.py", "a//b.py"] {
            let problems = read(&format!("name: x\nlanguage: c\nentry: '{entry}'\n"));
            let expected = "bot.yaml:3:1: `entry` leaves the bot's folder (";
            assert!(problems.unwrap_err()[0].starts_with(expected), "{entry}");
        }
    }

    /// Whatever stands where one value is wanted: every problem has its line and column, and
    /// says what to write.
    #[test]
    fn every_wrong_value_has_a_place_and_a_hint() {
        let keys = ["name", "author", "owner", "language", "entry", "build", "run", "args"];
        let flags = ["enabled", "example"];
        let values = [
            "1.0",
            "-5",
            "99999999999999999999999999",
            "",
            "''",
            "null",
            "[a, {b: c}]",
            "{a: b}",
            "!tag x",
            "&a b",
            "*none",
            "true",
            "'\u{7}'",
            "'a",
            "\"\\q\"",
            "[[",
            "'a\\0b'",
            "yes",
        ];
        for key in keys.into_iter().chain(flags) {
            for value in values {
                let text = format!("# first\n{key}: {value}\nx-unknown: 1\n");
                let Err(problems) = parse(
                    Path::new("bot.yaml"),
                    &text,
                    Known { languages: &Languages::shipped(), given: None },
                ) else {
                    panic!("{text}")
                };
                let of_line = problems.iter().filter(|one| !one.message.ends_with("is missing"));
                for problem in of_line {
                    assert!(problem.place.is_some(), "{text}: {problem}");
                }
                for problem in problems {
                    assert!(problem.hint.is_some(), "{text}: {problem}");
                }
            }
        }
    }

    #[test]
    fn control_characters_and_second_documents_have_their_place() {
        let cases = [
            ("name: x\nauthor: a\u{7}b\n", "bot.yaml:2:10: a control character (U+0007) ("),
            ("name: x\nauthor: a\0b\n", "bot.yaml:2:10: a NUL character (U+0000) ("),
            ("name: x\r\nlanguage: c\r\n---\r\na: b\r\n", "bot.yaml:3:1: a second document"),
            ("name: x\rlanguage: c\r---\ra: b\r", "bot.yaml:3:1: a second document"),
        ];
        for (text, expected) in cases {
            let problems = read(text).unwrap_err();
            assert!(problems[0].starts_with(expected), "{problems:?}");
        }
        assert!(read("---\nname: x\nlanguage: c\n").is_ok());
    }

    #[test]
    fn a_list_is_no_manifest() {
        let problems = read("- name: x\n").unwrap_err();
        assert!(problems[0].starts_with("bot.yaml:1:1: expected keys and values"));
    }
}
