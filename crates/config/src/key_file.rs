//! File of keys that is no tournament and no game, such as a `bot.yaml`.

use std::path::Path;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::derived_schema::schema_of;
use super::node::Node;
use super::problem::{Problem, SourceText};
use super::read::{Cursor, Diagnostics};
use super::rejection::Rejection;
use super::yaml;

/// File of keys, parsed.
pub struct KeyFile {
    source: SourceText,
    root: Node,
}

impl KeyFile {
    /// Parses the text of the file at `path`; `least` is advice for an empty one.
    ///
    /// # Errors
    ///
    /// The reason for which it is no YAML.
    pub fn parse(text: &str, path: &Path, least: &str) -> Result<Self, Vec<Problem>> {
        let text = yaml::plain_lines(text);
        let source = SourceText::new(path, &text);
        let root = yaml::parse(&text, &source, least).map_err(|errors| errors.0)?;
        Ok(Self { source, root })
    }

    /// Reads the keys, without those that have a mistake, and returns all mistakes; `None` where
    /// nothing can be read.
    pub fn read<T: DeserializeOwned + JsonSchema>(&self) -> (Option<T>, Vec<Problem>) {
        let diagnostics = Diagnostics::new(&self.source, schema_of::<T>);
        let keys = Cursor::root(&diagnostics, &self.root).read();
        (keys, diagnostics.into_problems())
    }

    /// Returns whether a value is written for a key.
    pub fn has(&self, key: &str) -> bool {
        self.root.get(key).is_some_and(|node| !node.is_null())
    }

    /// Makes an error at the value of a key, or at the whole file where the key is missing.
    pub fn error_at(&self, key: &str, rejection: Rejection) -> Problem {
        let node = self.root.get(key);
        let (place, at) = node.map_or((self.root.place, ""), |node| (node.place, key));
        self.source.error(place, at, rejection.message).with_hint_if(rejection.hint)
    }
}
