//! Keys of a `tournament.yaml`: one row each.
//!
//! A new setting is a row here, or in the table of its section, and the field that carries it.
//! Reader, schema, `joust config show` and `joust config reference` follow.

use serde_json::json;

use super::defaults::DEFAULTS;
use super::entries::ENTRIES;
use super::events::{EVENT, read_events};
use super::games::{ExternalGame, read_game};
use super::node::Value;
use super::report::REPORT;
use super::section::Item;
use super::shape::{integer, list_of, text};
use super::site::SITE;
use super::table::{Key, Kind, OwnKind, SectionKind, Shown, Table, field, section};
use super::tournament::{SeedSource, Tournament};
use joust_model::{Seed, escaped};

/// The file.
pub(super) static TOURNAMENT: Table<Tournament> = Table {
    name: "tournament",
    keys: &[
        Key::new("name", NAME, "What people call it: a part of every bout's identity.")
            .in_help("Tournament"),
        Key::new(
            "seed",
            SEED,
            "Every bout's seed derives from it: a number, or `drawn`, which `joust run` draws when it \
             first plays, so that nobody knows it before.",
        )
        .is("0"),
        Key::new("database", DATABASE, "SQLite, relative to this file.")
            .text("results.db"),
        Key::new(
            "keep_sources",
            Kind::Flag(field!(Tournament, keep_sources)),
            "Whether the database keeps each bot's source, up to 8 MiB packed, so that a disputed \
             bout can be played again anywhere.",
        )
        .text("true"),
        Key::new(
            "report",
            section!(Tournament, REPORT, report),
            "What `joust report` makes public.",
        ),
        Key::new("site", section!(Tournament, SITE, site), "What the pages of `joust report` say."),
        Key::new(
            "games",
            GAMES,
            "Games of your own by their ids, `{ my-game: { referee: FOLDER } }`: the folder has the \
             game's `game.yaml`.",
        )
        .in_help("{}"),
        Key::new(
            "defaults",
            DEFAULTS_OF_EVENTS,
            "What holds for every event that does not say otherwise.",
        ),
        Key::new(
            "events",
            EVENTS,
            "The games of this tournament, each with its rules and bots.",
        )
        .required(
            "an event is a game with its bots: `joust config reference` has every key",
        ),
        Key::new(
            "entries",
            section!(Tournament, ENTRIES, entries),
            "Who may change which bots: what `joust ci` holds a change to.",
        ),
        Key::new("languages", LANGUAGES, "Languages to add or to change.")
            .example("{ lua: { title: Lua } }"),
    ],
};

/// Name of the tournament.
const NAME: Kind<Tournament> = Kind::Own(OwnKind {
    read: |item, to| read_name(item).map(|name| to.name = name).is_some(),
    show: |of| Some(of.name.as_str().into()),
    schema: text,
});

/// Word for a seed that a run draws.
const DRAWN: &str = "drawn";

/// The seed.
const SEED: Kind<Tournament> = Kind::Own(OwnKind {
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
const DATABASE: Kind<Tournament> = Kind::Own(OwnKind {
    read: |item, to| read_name(item).map(|name| to.database = to.folder.join(name)).is_some(),
    show: |of| {
        let database = of.database.strip_prefix(&of.folder).unwrap_or(&of.database);
        Some(database.to_string_lossy().as_ref().into())
    },
    schema: text,
});

/// Languages, which others read; their schema is put in its place later.
const LANGUAGES: Kind<Tournament> = Kind::Own(OwnKind {
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

/// The games of a tournament, by the ids under which they are played.
const GAMES: Kind<Tournament> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(section) = item.section() else { return false };
        for (entry, item) in section.all() {
            let folder = item.reading.games_folder().unwrap_or(&to.folder);
            let Some(brought) = read_game(entry, &item, folder) else {
                // An event of it need not be told that there is no such game.
                item.reading.leave_out(&entry.key);
                continue;
            };
            match item.reading.games().with(brought.game.clone()) {
                Ok(games) => {
                    item.reading.set_games(games.clone());
                    to.games = games;
                    to.external.push(brought);
                }
                Err(taken) => {
                    let hint = "give it another key: it is the game's id in every result";
                    let problem =
                        item.reading.source.error(entry.place, &item.path, taken.to_string());
                    item.reading.report(problem.with_hint(hint));
                }
            }
        }
        true
    },
    show: |of| {
        let shown = |game: &ExternalGame| {
            let folder = game.folder.strip_prefix(&of.folder).unwrap_or(&game.folder);
            (game.game.id().to_owned(), json!({ "referee": folder.to_string_lossy() }).into())
        };
        let games = of.external.iter().map(shown).collect();
        (!of.external.is_empty()).then_some(Shown::Map(games))
    },
    schema: || {
        let game = json!({
            "type": "object",
            "properties": { "referee": { "type": "string", "pattern": r"\S" } },
            "required": ["referee"],
            "additionalProperties": false,
        });
        json!({ "type": ["object", "null"], "additionalProperties": game })
    },
});

/// `defaults:`; what is in force shows in each event.
const DEFAULTS_OF_EVENTS: Kind<Tournament> = Kind::Section(SectionKind {
    read: |item, to, origins| DEFAULTS.read_item(item, &mut to.defaults, origins),
    set_defaults: |to| DEFAULTS.set_defaults(&mut to.defaults),
    show: |_| None,
    schema: || DEFAULTS.schema(),
    reference: |indent| DEFAULTS.reference(indent),
});

/// The list of events.
const EVENTS: Kind<Tournament> = Kind::Section(SectionKind {
    read: |item, to, origins| to.events = read_events(item, &to.defaults, origins),
    set_defaults: |_| {},
    show: |of| Some(Shown::List(of.events.iter().map(|event| EVENT.show(event)).collect())),
    schema: || list_of(EVENT.schema_of_required(), 1),
    reference: |indent| {
        let inner = EVENT.reference(&format!("{indent}  "));
        format!("{indent}-\n{inner}")
    },
});
