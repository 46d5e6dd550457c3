//! A value with its type and its place in a file.

use serde::{Serialize, Serializer};

/// One value of a YAML file and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    /// The value.
    pub value: NodeValue,
    /// Place in the file.
    pub place: SourceLocation,
}

/// Type of a value.
#[derive(Clone, Debug)]
pub enum NodeValue {
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
    Map(Vec<MapEntry>),
}

/// One key of a mapping with its value.
#[derive(Clone, Debug)]
pub struct MapEntry {
    /// The key as text.
    pub key: String,
    /// Place of the key.
    pub place: SourceLocation,
    /// The value.
    pub node: Node,
}

impl Node {
    /// Returns whether there is nothing.
    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, NodeValue::Null)
    }

    /// Returns what the value is, for people: `a text`, `a list`, ...
    pub fn kind(&self) -> &'static str {
        match self.value {
            NodeValue::Null => "nothing",
            NodeValue::Bool(_) => "`true` or `false`",
            NodeValue::Int(_) => "a whole number",
            NodeValue::Float(_) => "a number with a fraction",
            NodeValue::Text(_) => "a text",
            NodeValue::List(_) => "a list",
            NodeValue::Map(_) => "a mapping",
        }
    }

    /// Returns the text, when this is one.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            NodeValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a key.
    pub(super) fn key_text(&self) -> String {
        match &self.value {
            NodeValue::Text(text) => text.clone(),
            NodeValue::Null => "null".to_owned(),
            NodeValue::Bool(value) => value.to_string(),
            NodeValue::Int(value) => value.to_string(),
            NodeValue::Float(value) => value.to_string(),
            NodeValue::List(_) => "[...]".to_owned(),
            NodeValue::Map(_) => "{...}".to_owned(),
        }
    }

    /// Returns the value under `key`, when this is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            NodeValue::Map(entries) => {
                entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node)
            }
            _ => None,
        }
    }

    /// Returns the item whose number, from 0, `number` is, when this is a list that has it.
    pub(super) fn item(&self, number: &str) -> Option<&Node> {
        match &self.value {
            NodeValue::List(items) => items.get(number.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// Returns the value without its places.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            NodeValue::Null => serde_json::Value::Null,
            NodeValue::Bool(value) => (*value).into(),
            NodeValue::Int(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => value.into(),
                (_, Ok(value)) => value.into(),
                _ => value.to_string().into(),
            },
            NodeValue::Float(value) => (*value).into(),
            NodeValue::Text(value) => value.as_str().into(),
            NodeValue::List(items) => items.iter().map(Self::to_json).collect(),
            NodeValue::Map(entries) => {
                entries.iter().map(|entry| (entry.key.clone(), entry.node.to_json())).collect()
            }
        }
    }
}

/// Keys stay in their order, and those with nothing behind them are left out.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            NodeValue::List(items) => serializer.collect_seq(items),
            NodeValue::Map(entries) => {
                let written = entries.iter().filter(|entry| !entry.node.is_null());
                serializer.collect_map(written.map(|entry| (&entry.key, &entry.node)))
            }
            _ => self.to_json().serialize(serializer),
        }
    }
}

/// A range of characters in one line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceLocation {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, counted in characters.
    pub column: usize,
    /// Characters, at least 1.
    pub width: usize,
}

impl SourceLocation {
    /// The first character of a file.
    pub const START: Self = Self { line: 1, column: 1, width: 1 };

    /// Returns the place behind the last character of `text`.
    pub fn behind(text: &str) -> Self {
        let last = text.rsplit('\n').next().unwrap_or_default();
        let line = text.matches('\n').count() + 1;
        Self { line, column: last.chars().count() + 1, width: 1 }
    }
}
