//! A value with its type and its place.

use serde::{Serialize, Serializer};

use super::place::Place;

/// One value of a YAML file and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Place in the file.
    pub place: Place,
}

/// Type of a value.
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
    /// Place of the key.
    pub place: Place,
    /// The value.
    pub node: Node,
}

impl Node {
    /// Returns whether there is nothing.
    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
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

    /// Returns the text, when this is one.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a key.
    pub(super) fn key_text(&self) -> String {
        match &self.value {
            Value::Text(text) => text.clone(),
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            Value::List(_) => "[...]".to_owned(),
            Value::Map(_) => "{...}".to_owned(),
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
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Int(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => value.into(),
                (_, Ok(value)) => value.into(),
                _ => value.to_string().into(),
            },
            Value::Float(value) => (*value).into(),
            Value::Text(value) => value.as_str().into(),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(entries) => {
                entries.iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect()
            }
        }
    }
}

/// Keys stay in their order, and those with nothing behind them are left out.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::List(items) => serializer.collect_seq(items),
            Value::Map(entries) => {
                let written = entries.iter().filter(|entry| !entry.node.is_null());
                serializer.collect_map(written.map(|entry| (&entry.key, &entry.node)))
            }
            _ => self.to_json().serialize(serializer),
        }
    }
}
