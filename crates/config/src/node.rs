//! A value with its type and its place.

use std::rc::Rc;

use super::locate::{Place, Spot};
use super::raw::Raw;

/// One value of a YAML file and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it stands.
    pub place: Place,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Value {
    /// Nothing.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// A number with a fraction.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the file, duplicate keys included.
    Map(Vec<Entry>),
}

/// One key of a mapping with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key as text.
    pub key: String,
    /// Where the key stands.
    pub place: Place,
    /// The value.
    pub node: Node,
}

impl Node {
    /// Joins types and places of the same text.
    pub(super) fn join(raw: Raw, spot: &Spot) -> Self {
        let place = spot.place;
        let value = match raw {
            Raw::Null => Value::Null,
            Raw::Bool(value) => Value::Bool(value),
            Raw::Int(value) => Value::Int(value),
            Raw::Float(value) => Value::Float(value),
            Raw::Text(value) => Value::Text(value),
            Raw::List(items) => Value::List(join_list(items, spot)),
            Raw::Map(entries) => Value::Map(join_map(entries, spot)),
        };
        Self { value, place }
    }

    /// Returns what the value is, for people: `a text`, `a list`, ...
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "`true` or `false`",
            Value::Int(_) => "a whole number",
            Value::Float(_) => "a number with a fraction",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// Returns the value under `key`, when this is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => {
                entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
            }
            _ => None,
        }
    }

    /// Returns the item whose number, from 0, `number` is, when this is a list that has it.
    pub(super) fn item(&self, number: &str) -> Option<&Node> {
        match &self.value {
            Value::List(items) => items.get(number.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// Returns the value without its places.
    #[must_use]
    pub fn to_yaml(&self) -> serde_yaml::Value {
        match &self.value {
            Value::Null => serde_yaml::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Int(value) => int_to_yaml(*value),
            Value::Float(value) => (*value).into(),
            Value::Text(value) => value.as_str().into(),
            Value::List(items) => items.iter().map(Self::to_yaml).collect::<Vec<_>>().into(),
            Value::Map(entries) => serde_yaml::Value::Mapping(
                entries
                    .iter()
                    .map(|entry| (entry.key.as_str().into(), entry.node.to_yaml()))
                    .collect(),
            ),
        }
    }
}

fn int_to_yaml(value: i128) -> serde_yaml::Value {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => value.into(),
        (_, Ok(value)) => value.into(),
        _ => value.to_string().into(),
    }
}

fn join_list(items: Vec<Raw>, spot: &Spot) -> Vec<Node> {
    let spots = fitting(spot, items.len());
    items.into_iter().zip(spots).map(|(item, spot)| Node::join(item, &spot)).collect()
}

fn join_map(entries: Vec<(Raw, Raw)>, spot: &Spot) -> Vec<Entry> {
    let spots = fitting(spot, entries.len() * 2);
    entries
        .into_iter()
        .zip(spots.chunks_exact(2))
        .map(|((key, value), spots)| Entry {
            key: key_text(key),
            place: spots[0].place,
            node: Node::join(value, &spots[1]),
        })
        .collect()
}

/// Returns the places inside `spot`; where the two parsers disagree about the
/// shape, the place of the whole has to do.
fn fitting(spot: &Spot, count: usize) -> Vec<Rc<Spot>> {
    if spot.inside.len() == count {
        return spot.inside.clone();
    }
    let whole = Rc::new(Spot { place: spot.place, inside: Vec::new() });
    vec![whole; count]
}

fn key_text(key: Raw) -> String {
    match key {
        Raw::Text(text) => text,
        Raw::Null => "null".to_owned(),
        Raw::Bool(value) => value.to_string(),
        Raw::Int(value) => value.to_string(),
        Raw::Float(value) => value.to_string(),
        Raw::List(_) => "[...]".to_owned(),
        Raw::Map(_) => "{...}".to_owned(),
    }
}
