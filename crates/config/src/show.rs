//! Effective configuration, every value written out, and the reference of a `tournament.yaml`: every
//! key with its help, and its default or an example.

use serde_json::Value as Json;

use super::derived_schema::schema_of;
use super::events::has_bots_that_stay;
use super::keys::event::{BotEntry, DefaultsKeys, EventId, EventKeys, Glob, RankKey};
use super::keys::schedule::Schedule;
use super::keys::tournament::{DrawnSeed, SeedNumber, SeedSetting, TournamentKeys};
use super::node::{MapEntry, Node, NodeValue};
use super::tournament::{Event, SeedSource, Tournament};
use super::values::Count;
use super::yaml::{self, flow};

/// Writes the effective configuration as YAML: read from the same folder it
/// gives the same tournament again.
pub fn show(tournament: &Tournament) -> String {
    let keys = TournamentKeys {
        seed: match tournament.seed_source {
            SeedSource::Written => SeedSetting::Number(SeedNumber(tournament.seed.0)),
            SeedSource::ToDraw | SeedSource::Drawn => SeedSetting::Text(DrawnSeed::Drawn),
        },
        defaults: None,
        events: tournament.events.iter().map(keys_of).collect(),
        ..tournament.keys.clone()
    };
    let all = serde_yaml::to_string(&keys).expect("plain values are YAML");
    // Keys with nothing behind them are left out, unless the text is too long to be read.
    match yaml::read(&all) {
        Ok(node) => serde_yaml::to_string(&node).expect("plain values are YAML"),
        Err(_) => all,
    }
}

/// Returns the keys of an event, including the values that the game and other keys determine.
fn keys_of(event: &Event) -> EventKeys {
    let spec = event.game.spec();
    EventKeys {
        id: Some(EventId(event.id.clone())),
        rules: Some(event.rules.clone()),
        options: event.options.clone(),
        clock: event.clock,
        pondering: Some(event.limits.pondering).filter(|_| spec.has_bots_that_wait()),
        programs: Some(event.limits.programs).filter(|_| has_bots_that_stay(spec)),
        bouts: Some(Count(event.bouts)),
        mirror: Some(event.mirror),
        players_per_match: Some(Count(event.players_per_match.into())),
        schedule: Some(Schedule(event.schedule.clone())),
        limits: (&event.limits).into(),
        rank_by: Some(RankKey(event.rank_by)),
        tie_breaks: Some(event.tie_breaks.clone()),
        ..event.keys.clone()
    }
}

/// Characters of a line of help at most.
const WIDTH: usize = 96;

/// Writes every key there is as YAML, with its purpose and its default or an example.
pub fn reference() -> String {
    let games = joust_referee::Catalogue::built_in();
    let event = EventKeys {
        game: games.ids().first().copied().unwrap_or_default().to_owned(),
        bots: vec![BotEntry::Text(Glob("bots/*".to_owned()))],
        ..EventKeys::default()
    };
    let keys = TournamentKeys {
        defaults: Some(DefaultsKeys::default()),
        events: vec![event],
        ..TournamentKeys::default()
    };
    let text = serde_yaml::to_string(&keys).expect("plain values are YAML");
    let node = yaml::read(&text).expect("the defaults are short");
    let head = "Every key of a tournament.yaml. What is written is the default; what stands behind \
                a `#` has none, or one that follows from other keys, and is an example.\n";
    format!("{}{}", comment(head, ""), section(&node, &schema_of::<TournamentKeys>(), ""))
}

/// Returns the lines of every key of a mapping.
fn section(node: &Node, schema: &Json, indent: &str) -> String {
    let NodeValue::Map(entries) = &node.value else { return String::new() };
    entries.iter().map(|entry| key(entry, &schema["properties"][&entry.key], indent)).collect()
}

fn key(entry: &MapEntry, schema: &Json, indent: &str) -> String {
    let MapEntry { key, node, .. } = entry;
    let help = comment(schema["description"].as_str().unwrap_or_default(), indent);
    let deeper = format!("{indent}  ");
    let example = schema["examples"].get(0).map(flow);
    let lines = match &node.value {
        NodeValue::Null => format!("# {key}: {}\n", example.unwrap_or_default()),
        NodeValue::Map(entries) if entries.is_empty() && example.is_some() => {
            format!("# {key}: {}\n", example.unwrap_or_default())
        }
        NodeValue::Map(_) if schema["properties"].is_object() => {
            format!("{key}:\n{}", section(node, schema, &deeper))
        }
        NodeValue::List(items) if schema["items"]["properties"].is_object() => {
            let item = |item| section(item, &schema["items"], &format!("{deeper}  "));
            format!("{key}:\n{deeper}-\n{}", items.iter().map(item).collect::<String>())
        }
        _ => format!("{key}: {}\n", flow(&node.to_json())),
    };
    format!("\n{help}{indent}{lines}")
}

/// Breaks a text into lines of a comment.
fn comment(text: &str, indent: &str) -> String {
    let options = textwrap::Options::new(WIDTH)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(text.trim_end(), options);
    lines.iter().map(|line| format!("{indent}# {line}\n")).collect()
}
