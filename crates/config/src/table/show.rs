//! Values in force as YAML, in the order of their table.

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::super::duration::show_duration;
use super::{Kind, Table};

/// Value that is shown; keys stay in their order.
#[derive(Serialize)]
#[serde(untagged)]
pub(in super::super) enum Shown {
    /// Value without an order of keys.
    Plain(Value),
    /// List.
    List(Vec<Shown>),
    /// Mapping.
    #[serde(serialize_with = "as_map")]
    Map(Vec<(String, Shown)>),
}

fn as_map<S: Serializer>(pairs: &[(String, Shown)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

impl<V: Into<Value>> From<V> for Shown {
    fn from(value: V) -> Self {
        Self::Plain(value.into())
    }
}

impl<T> Table<T> {
    /// Returns every value with its key.
    pub(in super::super) fn show(&self, of: &T) -> Shown {
        let shown = |key: &super::Key<T>| Some((key.name.to_owned(), key.kind.show(of)?));
        Shown::Map(self.keys.iter().filter_map(shown).collect())
    }
}

impl<T> Kind<T> {
    fn show(&self, of: &T) -> Option<Shown> {
        Some(match self {
            Self::Duration(field) => show_duration(*(field.get)(of)).into(),
            Self::OptionalDuration(field) => show_duration((*(field.get)(of))?).into(),
            Self::Size(field) | Self::Memory(field) => (field.get)(of).to_string().into(),
            Self::Count { field, .. } => (*(field.get)(of)).into(),
            Self::Flag(field) => (*(field.get)(of)).into(),
            Self::Text(field) => (field.get)(of).as_deref()?.into(),
            Self::Word(words) => (words.get)(of).into(),
            Self::Section(kind) => return (kind.show)(of),
            Self::Own(kind) => return (kind.show)(of),
        })
    }
}

/// Returns the word of a value.
pub(in super::super) fn word_of<V: PartialEq>(
    value: &V,
    words: &[(&'static str, V)],
) -> &'static str {
    let found = words.iter().find(|(_, other)| other == value);
    found.expect("every value has its word").0
}
