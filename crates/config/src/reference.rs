//! Reference of a `tournament.yaml`: every key with its help, and its default or an example.

use serde_json::Value as Json;

use super::derived_schema::schema_of;
use super::flow::flow;
use super::keys::bots::{BotEntry, Glob};
use super::keys::event::{DefaultsKeys, EventKeys};
use super::keys::tournament::TournamentKeys;
use super::node::{MapEntry, Node, NodeValue};
use super::yaml;

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
