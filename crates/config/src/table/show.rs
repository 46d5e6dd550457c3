//! Values in force as YAML, in the order of their table.

use serde_yaml::{Mapping, Value};

use super::super::duration::show_duration;
use super::{Kind, Table};

impl<T> Table<T> {
    /// Returns every value with its key.
    pub(in super::super) fn show(&self, of: &T) -> Value {
        let shown = |key: &super::Key<T>| Some((key.name.into(), key.kind.show(of)?));
        Value::Mapping(self.keys.iter().filter_map(shown).collect::<Mapping>())
    }
}

impl<T> Kind<T> {
    fn show(&self, of: &T) -> Option<Value> {
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
