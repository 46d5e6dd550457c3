//! Shape of a section as JSON Schema.

use serde_json::{Map, Value};

use super::super::shape::{described, duration, flag, integer, section_of, size, text, words};
use super::{Default, Kind, Table};

impl<T> Table<T> {
    /// Returns the schema of the section.
    pub(in super::super) fn schema(&self) -> Value {
        let property = |key: &super::Key<T>| {
            (key.name.to_owned(), described(key.kind.schema(), &key.description()))
        };
        section_of(self.keys.iter().map(property).collect::<Map<_, _>>())
    }

    /// Returns the schema of the section where it may not be left empty.
    pub(in super::super) fn schema_of_required(&self) -> Value {
        let is_required = |key: &&super::Key<T>| matches!(key.default, Default::Required(_));
        let required: Vec<_> = self.keys.iter().filter(is_required).map(|key| key.name).collect();
        let mut schema = self.schema();
        schema["type"] = "object".into();
        schema["required"] = required.into();
        schema
    }
}

impl<T> Kind<T> {
    fn schema(&self) -> Value {
        match self {
            Self::Duration(_) | Self::OptionalDuration(_) => duration(),
            Self::Size(_) | Self::Memory(_) => size(),
            Self::Count { range, .. } => integer((*range.start()).into(), (*range.end()).into()),
            Self::Flag(_) => flag(),
            Self::Text(_) => text(),
            Self::Word(known) => words((known.all)()),
            Self::Section(kind) => (kind.schema)(),
            Self::Own(kind) => (kind.schema)(),
        }
    }
}
