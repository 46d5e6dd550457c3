//! Values of a `game.yaml` that no other file has.

use serde_json::json;

use super::super::libraries;
use super::super::node::{Node, Value};
use super::super::pattern::LONGEST_PATTERN;
use super::super::section::{Item, Section};
use super::super::shape::{duration, text};
use super::super::table::{Kind, OwnKind};
use super::file::{GameFile, Times};
use joust_referee::{AnswerForm, ChessClock, OptionKind, OptionSpec};

/// Abilities of a referee, in the protocol's words.
const ABILITIES: [&str; 4] = ["bouts", "rejudge", "scene", "numbers"];

/// `answer:`
pub(super) const ANSWER: Kind<GameFile> = Kind::Own(OwnKind {
    read: |item, to| {
        to.answer = read_answer(item);
        to.answer.is_some()
    },
    show: |_| None,
    schema: || {
        let form = |key: &str, of| json!({ "type": "object", "properties": { key: of }, "required": [key], "additionalProperties": false });
        let lines = json!({ "type": "integer", "minimum": 1, "maximum": 10_000 });
        let files = json!({ "type": "array", "items": text(), "minItems": 1, "maxItems": MOST_ANSWER_FILES });
        json!({ "anyOf": [form("lines", lines), form("until", text()), form("prefix", text()), form("files", files), { "type": "null" }] })
    },
});

fn read_answer(item: &Item<'_>) -> Option<AnswerForm> {
    let section = item.section()?;
    let lines = section.item("lines");
    let until = section.item("until");
    let prefix = section.item("prefix");
    let files = section.item("files");
    section.finish();
    match (lines, until, prefix, files) {
        (Some(lines), None, None, None) => {
            let lines = lines.count(&(1..=10_000))?;
            u16::try_from(lines).ok().map(AnswerForm::Lines)
        }
        (None, Some(until), None, None) => until.text().map(AnswerForm::Until),
        (None, None, Some(prefix), None) => prefix.text().map(AnswerForm::Prefix),
        (None, None, None, Some(files)) => answer_files(&files).map(AnswerForm::Files),
        _ => {
            let hint = "`{ lines: 1 }`, `{ until: go }`, `{ files: [move.txt] }` or `{ prefix: \"bestmove \" }`";
            item.refuse("an answer has one form", Some(hint.to_owned()));
            None
        }
    }
}

/// The most files of an answer.
const MOST_ANSWER_FILES: usize = 16;

/// Reads the names of files that a bot may leave.
fn answer_files(item: &Item<'_>) -> Option<Vec<String>> {
    let names: Vec<String> = item.list()?.iter().filter_map(Item::text).collect();
    let wrong = names.iter().find(|name| !is_file_name(name));
    match wrong {
        None if (1..=MOST_ANSWER_FILES).contains(&names.len()) => return Some(names),
        None => item.refuse(format!("1 to {MOST_ANSWER_FILES} files"), None),
        Some(name) => {
            let hint = "letters, digits, `.`, `-` and `_`, not beginning with `.`".to_owned();
            item.refuse(format!("`{name}` is no name of a file"), Some(hint));
        }
    }
    None
}

fn is_file_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    (1..=100).contains(&name.len()) && !name.starts_with('.') && name.chars().all(is_plain)
}

/// Those of a game's referee.
pub(super) const REFEREE_PROVIDES: Kind<GameFile> = Kind::Own(OwnKind {
    read: |item, game| {
        game.provides = libraries::read_provides(item);
        true
    },
    show: |_| None,
    schema: libraries::schema,
});

/// `clock:` of `times:`
pub(super) const CLOCK: Kind<Times> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(section) = item.section() else { return false };
        let base = section.item("base").and_then(|item| item.duration());
        if section.item("base").is_none() {
            section.missing("base", "what the clock shows at the start: `60s`");
        }
        let increment = section.item("increment").and_then(|item| item.duration());
        section.finish();
        let clock = |base| ChessClock { base, increment: increment.unwrap_or_default() };
        to.clock = base.map(clock);
        to.clock.is_some()
    },
    show: |_| None,
    schema: || {
        json!({
            "type": ["object", "null"],
            "properties": { "base": duration(), "increment": duration() },
            "required": ["base"],
            "additionalProperties": false,
        })
    },
});

/// `can:`
pub(super) const CAN: Kind<GameFile> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(items) = item.list() else { return false };
        let words = ABILITIES.map(|word| (word, word));
        let can = items.iter().filter_map(|item| item.word("ability", &words));
        to.can = can.map(str::to_owned).collect();
        true
    },
    show: |_| None,
    schema: || json!({ "type": ["array", "null"], "items": { "enum": ABILITIES } }),
});

/// `files:`
pub(super) const FILES: Kind<GameFile> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(items) = item.list() else { return false };
        to.files = items.iter().filter_map(Item::text).collect();
        if to.files.iter().any(|pattern| pattern.len() > LONGEST_PATTERN) {
            item.refuse(format!("a pattern has at most {LONGEST_PATTERN} bytes"), None);
            to.files.clear();
        }
        true
    },
    show: |_| None,
    schema: || json!({ "type": ["array", "null"], "items": { "type": "string" } }),
});

/// `options:`, in words of JSON Schema.
pub(super) const OPTIONS: Kind<GameFile> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(section) = item.section() else { return false };
        let options = section.all().into_iter();
        to.options = options
            .filter_map(|(entry, item)| {
                let section = item.section()?;
                let option = read_option(&entry.key, &item, &section);
                section.finish();
                option
            })
            .collect();
        true
    },
    show: |_| None,
    schema: || {
        let option = json!({
            "type": "object",
            "properties": {
                "type": { "enum": ["boolean", "integer", "string"] },
                "description": { "type": "string" },
                "minimum": { "type": "integer" },
                "maximum": { "type": "integer" },
                "enum": { "type": "array", "minItems": 1 },
                "default": {},
            },
            "additionalProperties": false,
        });
        json!({ "type": ["object", "null"], "additionalProperties": option })
    },
});

fn read_option(name: &str, item: &Item<'_>, section: &Section<'_>) -> Option<OptionSpec> {
    let help = section.item("description").and_then(|item| item.text()).unwrap_or_default();
    let kind = section.item("type").and_then(|item| {
        item.word("type", &["boolean", "integer", "string"].map(|word| (word, word)))
    });
    let bound = |key| section.item(key).and_then(|item| whole(&item));
    let (min, max) = (bound("minimum"), bound("maximum"));
    let words = section.item("enum");
    let default = section.item("default");
    if let (Some(least), Some(most), Some(item)) = (min, max, section.item("minimum"))
        && least > most
    {
        let hint = format!("the maximum is {most}: `minimum: {most}, maximum: {least}`");
        item.refuse(format!("the minimum {least} is above the maximum"), Some(hint));
        return None;
    }
    let kind = match (words, kind) {
        (Some(words), _) => OptionKind::OneOf(words_of(&words, default.as_ref())?),
        (None, Some("boolean")) => {
            OptionKind::Bool(default.and_then(|item| item.flag()).unwrap_or(false))
        }
        (None, Some("integer")) => {
            let (min, max) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
            match default {
                None => {
                    let hint = "`default: 7` says what it is where no event does: the referee is \
                                told every option";
                    item.refuse("the option has no default", Some(hint.to_owned()));
                    return None;
                }
                Some(default) => {
                    let value = whole(&default)?;
                    if !(min..=max).contains(&value) {
                        let hint = format!("it can be {min} to {max}");
                        default.refuse("the default is out of range", Some(hint));
                    }
                    OptionKind::Int { min, max, default: value }
                }
            }
        }
        _ => {
            let hint = "`{ type: integer, minimum: 3, maximum: 20, default: 7 }`, `{ type: boolean }` \
                        or `{ enum: [small, large] }`";
            item.refuse(
                "an option is an integer, a boolean or one of some words",
                Some(hint.to_owned()),
            );
            return None;
        }
    };
    Some(OptionSpec { name: name.to_owned(), kind, help })
}

fn whole(item: &Item<'_>) -> Option<i64> {
    match item.node.value {
        Value::Int(number) if i64::try_from(number).is_ok() => i64::try_from(number).ok(),
        Value::Int(_) => {
            let hint = format!("it can be {} to {}", i64::MIN, i64::MAX);
            item.refuse("the number is out of range", Some(hint));
            None
        }
        _ => {
            item.refuse("expected a whole number", None);
            None
        }
    }
}

/// Returns the words of an option, the default first.
fn words_of(item: &Item<'_>, default: Option<&Item<'_>>) -> Option<Vec<String>> {
    let word = |node: &Node| match &node.value {
        Value::Text(text) => Some(text.clone()),
        Value::Int(number) => Some(number.to_string()),
        _ => None,
    };
    let items = item.list()?;
    let mut words: Vec<String> = items.iter().filter_map(|item| word(item.node)).collect();
    if words.is_empty() || words.len() != items.len() {
        item.refuse("expected some words", Some("for instance `[small, large]`".to_owned()));
        return None;
    }
    if let Some(default) = default {
        let place = word(default.node).and_then(|one| words.iter().position(|known| *known == one));
        match place {
            Some(place) => words[..=place].rotate_right(1),
            None => default.refuse("the default is none of the words", None),
        }
    }
    Some(words)
}
