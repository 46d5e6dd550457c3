//! One entry of `events:`: what every game has, then what each game says about it.

use joust_referee::{GameKind, OptionKind, OptionSpec, OriginalName, default_options, registry};
use serde_json::{Map, Value, json};

use super::super::event::{CLOCKS, Dependencies, Examples, MOST_GROUPS, SEATS, TIE_BREAKS};
use super::super::read_event::MOST_BOUTS;
use super::sections::{build, calibration, limits};
use super::values::{count, described, flag, integer, list_of, section, section_of, text, words};

/// Where an id may end up: in names of files and folders.
const ID: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";

/// A date, a time and its zone.
const DEADLINE: &str =
    r"^[0-9]{4}-?[0-9]{2}-?[0-9]{2}[Tt ][0-9]{2}.*([Zz]|[+-][0-9]{2}(:?[0-9]{2})*)(\[.*\])?$";

pub(super) fn event() -> Value {
    let mut event = section_of(common());
    event["type"] = "object".into();
    event["required"] = json!(["game", "bots"]);
    let crowd = json!({
        "if": {
            "properties": { "players_per_match": { "type": "integer", "minimum": 3 } },
            "required": ["players_per_match"],
        },
        "then": { "properties": { "max_matches": integer(1, MOST_GROUPS) } },
    });
    let games = registry::ALL.iter().map(|game| only_of(*game)).chain([crowd]);
    event["allOf"] = games.collect();
    event
}

fn common() -> Map<String, Value> {
    let games = registry::ALL.iter().map(|game| Value::from(game.id()));
    let names = |table: &[&'static str]| words(table.iter().copied());
    let clocks: Vec<&str> = CLOCKS.iter().map(|(word, _)| *word).collect();
    let seats: Vec<&str> = SEATS.iter().map(|(word, _)| *word).collect();
    let examples: Vec<&str> = Examples::WORDS.iter().map(|(word, _)| *word).collect();
    let dependencies: Vec<&str> = Dependencies::WORDS.iter().map(|(word, _)| *word).collect();
    let keys = [
        (
            "id",
            json!({ "type": ["string", "null"], "pattern": ID }),
            "Unique in this file. Default: the game's id.",
        ),
        ("game", json!({ "enum": games.collect::<Vec<_>>() }), "Which game is played."),
        (
            "rules",
            json!({ "type": ["string", "null"] }),
            "The game's rule set. Default: its first.",
        ),
        ("options", json!({ "type": ["object", "null"] }), "What can be changed about the game."),
        (
            "bots",
            list_of(pattern(), 1),
            "Folders, single source files, archives; globs, relative to this file.",
        ),
        (
            "bouts",
            count(MOST_BOUTS),
            "Bouts per match. Default 5; of more than two players as many as there are seats.",
        ),
        (
            "mirror",
            flag(),
            "Every other bout repeats the one before it, seats exchanged. Default true; with \
             `seats: listed` false.",
        ),
        (
            "seats",
            names(&seats),
            "Who sits first: `drawn` (by lot from the seed, the default) or `listed`: who is \
             earlier in `bots`.",
        ),
        ("clock", names(&clocks), "Games on a clock: how it ticks. Default `eager`."),
        (
            "players_per_match",
            json!({ "type": ["integer", "null"] }),
            "Bots in a match. Default 2.",
        ),
        (
            "max_matches",
            integer(1, u64::MAX),
            "Stop the schedule after so many matches. Default: all of two, 500 of more.",
        ),
        ("limits", limits(), "What one bot may use."),
        ("build", build(), "What the build of one bot may use."),
        ("calibration", calibration(), "How languages are measured."),
        (
            "examples",
            names(&examples),
            "`retire`: bots with `example: true` play only until two others have entered.",
        ),
        (
            "one_per_owner",
            flag(),
            "Whether two bots with the same owner are refused. Default false.",
        ),
        (
            "deadline",
            json!({ "type": ["string", "null"], "pattern": DEADLINE }),
            "Bots changed later are listed, not played, for instance `2026-12-01T18:00:00Z`.",
        ),
        ("tie_breaks", tie_breaks(), "What separates bots that are level, in this order."),
        ("languages", versions(), "Versions a bot must be built with, by language."),
        (
            "dependencies",
            names(&dependencies),
            "`forbidden`: a bot that brings dependencies is not built.",
        ),
        (
            "provides",
            provides(),
            "Libraries that bots find, of Python or by language: `[numpy, scipy==1.16.0]`.",
        ),
    ];
    keys.into_iter().map(|(key, value, text)| (key.to_owned(), described(value, text))).collect()
}

fn pattern() -> Value {
    let mut glob = text();
    glob["type"] = "string".into();
    let keys = [
        ("path", described(glob.clone(), "A folder, a single source file or an archive.")),
        ("name", described(text(), "What the bot is called here.")),
        ("language", described(text(), "The id of its language.")),
    ];
    let mut entry = section(keys);
    entry["type"] = "object".into();
    entry["required"] = json!(["path"]);
    json!({ "anyOf": [glob, entry] })
}

fn tie_breaks() -> Value {
    let known: Vec<&str> = TIE_BREAKS.iter().map(|(word, _)| *word).collect();
    json!({ "type": ["array", "null"], "items": { "enum": known }, "uniqueItems": true })
}

fn provides() -> Value {
    let names = json!({ "type": "array", "items": { "type": "string" }, "maxItems": 100 });
    let by_language = json!({ "type": ["object", "null"], "additionalProperties": names });
    json!({ "anyOf": [names, by_language] })
}

fn versions() -> Value {
    json!({ "type": ["object", "null"], "additionalProperties": { "type": "string" } })
}

/// What holds for events of one game.
fn only_of(game: &dyn GameKind) -> Value {
    let (fewest, most) = game.seats();
    let mut then = json!({
        "rules": words(game.rule_sets().iter().copied()),
        "options": options(game),
        "players_per_match": integer(fewest.max(2).into(), most.into()),
    });
    if game.clock(&default_options(game.options())).is_none() {
        then["clock"] = json!({ "type": "null" });
        then["limits"] = json!({ "properties": { "cpu_bout": { "type": "null" } } });
    }
    json!({
        "if": { "properties": { "game": { "const": game.id() } }, "required": ["game"] },
        "then": { "properties": then },
    })
}

fn options(game: &dyn GameKind) -> Value {
    let known = game.options();
    if known.is_empty() {
        return section([]);
    }
    let option = |spec: &OptionSpec| (spec.name.to_owned(), described(option(spec), spec.help));
    let original = |name: &OriginalName| {
        let text = format!("what the original calls `{}`, in its unit", name.option);
        (name.name.to_owned(), described(json!({ "type": ["number", "string", "null"] }), &text))
    };
    let originals = game.original_names().iter().map(original);
    section_of(known.iter().map(option).chain(originals).collect())
}

fn option(spec: &OptionSpec) -> Value {
    match spec.kind {
        OptionKind::Bool(default) => json!({ "type": ["boolean", "null"], "default": default }),
        OptionKind::Int { min, max, default } => {
            json!({ "type": ["integer", "null"], "minimum": min, "maximum": max, "default": default })
        }
        OptionKind::OptionalInt { min, max } => {
            json!({ "type": ["integer", "null"], "minimum": min, "maximum": max })
        }
        OptionKind::OneOf(known) => one_of(known),
        OptionKind::HostName(default) => json!({
            "type": ["string", "null"],
            "pattern": "^[A-Za-z0-9][A-Za-z0-9.-]*$",
            "maxLength": 253,
            "default": default,
        }),
    }
}

/// A whole number spelled like one of the words is that word.
fn one_of(known: &[&str]) -> Value {
    let numbers = known.iter().filter_map(|word| word.parse::<i64>().ok()).map(Value::from);
    let all = known.iter().map(|word| Value::from(*word)).chain(numbers).chain([Value::Null]);
    json!({ "enum": all.collect::<Vec<_>>(), "default": known.first() })
}
