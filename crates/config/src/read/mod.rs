//! Reading of a file's values with serde: every mistake is reported with its place.
//!
//! [`Cursor`] is the deserializer. Serde stops at the first mistake, so the entry with the mistake
//! is reported and marked, and the value is read again without that entry, until no mistake is
//! left. Each turn marks one entry more, so the turns are bounded by the entries of the file.

mod access;
mod cursor;
mod diagnostics;

use std::path::Path;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::derived_schema::schema_of;
use crate::node::Node;
use crate::problem::{Problem, SourceText};
use crate::rejection::Rejection;
use crate::yaml::{self, YamlError};
pub(super) use cursor::{ByKind, Cursor};
pub(super) use diagnostics::{Diagnostics, ValueError};

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
        match yaml::read(&text) {
            Ok(root) => Ok(Self { source, root }),
            Err(refusal) => {
                let YamlError { place, message, hint } = *refusal;
                let hint = hint.unwrap_or_else(|| least.to_owned());
                Err(vec![source.error(place, "", message).with_hint(hint)])
            }
        }
    }

    /// Makes the file of a text that another parser has read.
    pub fn new(source: SourceText, root: Node) -> Self {
        Self { source, root }
    }

    /// Reads the keys, without those that have a mistake, and returns all mistakes; `None` where
    /// nothing can be read.
    pub fn read<T: DeserializeOwned + JsonSchema>(&self) -> (Option<T>, Vec<Problem>) {
        self.read_with(schema_of::<T>, |file| file.read())
    }

    /// Reads the file with `read`, and returns all mistakes; `schema` returns the schema of its
    /// keys.
    pub(super) fn read_with<T>(
        &self,
        schema: fn() -> serde_json::Value,
        read: impl FnOnce(&Cursor<'_>) -> Option<T>,
    ) -> (Option<T>, Vec<Problem>) {
        let diagnostics = Diagnostics::new(&self.source, schema);
        let value = read(&Cursor::root(&diagnostics, &self.root));
        (value, diagnostics.into_problems())
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
