//! A value of a file with its path: the deserializer of serde, and the place of later checks.

use std::collections::{BTreeMap, BTreeSet};

use serde::de::{DeserializeOwned, Deserializer, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use super::super::node::{MapEntry, Node, NodeValue};
use super::super::problem::{Problem, SourceText};
use super::super::rejection::Rejection;
use super::access::{ListReader, MapReader, VariantReader};
use super::{Diagnostics, ValueError};
use crate::node::SourceLocation;
use crate::rejection::did_you_mean;

/// Key of a mapping that names the variant of an enum.
pub(super) const TAG: &str = "kind";

/// Variants of an enum that is chosen by the type of the value.
const SHAPES: [&str; 4] = ["text", "number", "list", "mapping"];

/// Enum that is written as a mapping whose key [`TAG`] names the variant.
#[derive(Deserialize)]
pub(crate) struct ByKind<T>(pub(crate) T);

/// Name of [`ByKind`] that serde passes to the deserializer.
const BY_KIND: &str = "ByKind";

/// One value with its path.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    pub(crate) node: &'a Node,
    /// Path: `events[1].limits.cpu`; empty for the whole file.
    pub(crate) path: String,
    pub(super) diagnostics: &'a Diagnostics<'a>,
    /// Section whose keys count where `node` has none, with its path.
    base: Option<(&'a Node, String)>,
    /// True for a value of [`ByKind`].
    is_by_kind: bool,
}

impl<'a> Cursor<'a> {
    /// Makes the cursor of a whole file.
    pub(crate) fn root(diagnostics: &'a Diagnostics<'a>, node: &'a Node) -> Self {
        Self { node, path: String::new(), diagnostics, base: None, is_by_kind: false }
    }

    /// Uses another section's keys where this one lacks them, also within sections that both have.
    pub(crate) fn over(self, base: Option<Self>) -> Self {
        Self { base: base.map(|base| (base.node, base.path)), ..self }
    }

    /// Makes the cursor of another value of the file.
    pub(crate) fn at(&self, node: &'a Node, path: String) -> Self {
        Self { node, path, diagnostics: self.diagnostics, base: None, is_by_kind: false }
    }

    /// Reads the value, and reports its mistakes: entries with a mistake count as left out. `None`
    /// when nothing can be read.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        loop {
            match T::deserialize(self.clone()) {
                Ok(value) => return Some(value),
                Err(ValueError::Reported) if !self.diagnostics.is_full() => {}
                Err(ValueError::Reported) => return None,
                Err(error) => {
                    self.report_error(error);
                    return None;
                }
            }
        }
    }

    /// Returns the value under a key, here or in the section below; `None` for a key without a
    /// value.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let own = self.node.get(key).map(|node| self.at(node, join(&self.path, key)));
        let base = self.base_of(key);
        match own.filter(|own| !own.node.is_null()) {
            Some(own) => Some(own.over(base)),
            None => base.filter(|base| !base.node.is_null()),
        }
    }

    /// Returns the value at a path of keys.
    pub(crate) fn find(&self, keys: &[&str]) -> Option<Self> {
        keys.iter().try_fold(self.clone(), |cursor, key| cursor.get(key))
    }

    fn base_of(&self, key: &str) -> Option<Self> {
        let (base, path) = self.base.as_ref()?;
        base.get(key).map(|node| self.at(node, join(path, key)))
    }

    /// Returns the items of a list.
    pub(crate) fn items(&self) -> Vec<Self> {
        let NodeValue::List(items) = &self.node.value else { return Vec::new() };
        let item = |(index, node)| self.at(node, format!("{}[{index}]", self.path));
        items.iter().enumerate().map(item).collect()
    }

    /// Returns the entries of a mapping that can be read. Reports those that are given twice, and
    /// those that are none of the `known` ones.
    pub(crate) fn entries(&self, known: Option<&[&str]>) -> Vec<(&'a MapEntry, Self)> {
        let NodeValue::Map(entries) = &self.node.value else { return Vec::new() };
        let mut seen: BTreeMap<&str, &MapEntry> = BTreeMap::new();
        let mut kept = Vec::new();
        for entry in entries.iter().filter(|entry| self.diagnostics.is_readable(&entry.node)) {
            if let Some(first) = seen.get(entry.key.as_str()) {
                self.report_duplicate(entry, first);
                continue;
            }
            seen.insert(&entry.key, entry);
            match known {
                Some(known) if !known.contains(&&*entry.key) => self.report_unknown(entry, known),
                _ => {
                    let base = self.base_of(&entry.key);
                    let inner = self.at(&entry.node, join(&self.path, &entry.key)).over(base);
                    kept.push((entry, inner));
                }
            }
        }
        kept
    }

    /// Returns the entries that the section below adds.
    fn inherited(&self, own: &[(&'a MapEntry, Self)], known: &[&str]) -> Vec<(&'a MapEntry, Self)> {
        let Some((base, path)) = &self.base else { return Vec::new() };
        let is_new = |(entry, _): &(&MapEntry, Self)| {
            known.contains(&&*entry.key) && own.iter().all(|(one, _)| one.key != entry.key)
        };
        let mut entries = self.at(base, path.clone()).entries(None);
        entries.retain(is_new);
        entries
    }

    /// Returns the entries of a section with these keys; another type and other keys are reported.
    pub(crate) fn read_section(&self, known: &[&str]) -> Vec<(&'a MapEntry, Self)> {
        let entries = self.section(known).map_err(|error| self.report_error(error));
        entries.unwrap_or_default()
    }

    /// Returns the entries of a mapping with any keys; another type is reported.
    pub(crate) fn read_mapping(&self) -> Vec<(&'a MapEntry, Self)> {
        let is_mapping = self.mapping().map_err(|error| self.report_error(error)).is_ok();
        if is_mapping { self.entries(None) } else { Vec::new() }
    }

    /// Reports a warning: a value that is accepted but probably not meant.
    pub(crate) fn warn(&self, rejection: Rejection) {
        self.report(self.problem(self.node.place, rejection).as_warning());
    }

    /// Reports a mistake in this value.
    pub(crate) fn refuse(&self, rejection: Rejection) {
        self.report(self.problem(self.node.place, rejection));
    }

    /// Reports a mistake in the value of a key that is written.
    pub(crate) fn refuse_at(&self, key: &str, message: impl Into<String>, hint: impl Into<String>) {
        if let Some(written) = self.get(key) {
            written.refuse(Rejection::new(message, hint));
        }
    }

    /// Reports a mistake in the key of this value.
    pub(crate) fn refuse_key(&self, entry: &MapEntry, rejection: Rejection) {
        self.report(self.problem(entry.place, rejection));
    }

    fn problem(&self, place: SourceLocation, rejection: Rejection) -> Problem {
        let Rejection { message, hint } = rejection;
        self.diagnostics.source.error(place, &self.path, message).with_hint_if(hint)
    }

    /// Reports a problem of another file, or of another place in this one.
    pub(crate) fn report(&self, problem: Problem) {
        self.diagnostics.report(problem);
    }

    /// Reports that a key is missing.
    pub(crate) fn refuse_missing(&self, key: &str, hint: &str) {
        self.refuse(Rejection::new(format!("missing key `{key}`"), hint));
    }

    /// Reports texts that a list has twice.
    pub(crate) fn refuse_repeated(&self, message: fn(&str) -> String) {
        let mut seen = BTreeSet::new();
        for item in self.items() {
            let NodeValue::Text(text) = &item.node.value else { continue };
            if !seen.insert(text) {
                item.refuse(Rejection::new(message(text), "delete one of the two"));
            }
        }
    }

    fn report_duplicate(&self, entry: &MapEntry, first: &MapEntry) {
        let message = format!("`{}` is given twice, first on line {}", entry.key, first.place.line);
        self.refuse_key(entry, Rejection::new(message, "delete one of the two"));
        self.diagnostics.mark(&entry.node);
    }

    pub(super) fn report_unknown(&self, entry: &MapEntry, known: &[&str]) {
        self.diagnostics.mark(&entry.node);
        if self.diagnostics.is_full() {
            return;
        }
        let message = format!("unknown key `{}`", entry.key);
        let problem = self.diagnostics.source.error(entry.place, &self.path, message);
        self.diagnostics.report(match entry.key.as_str() {
            "<<" => problem.with_hint("merge keys are not understood; use `defaults:`"),
            "webhooks" => without_value(problem, entry),
            _ => problem.with_hint(did_you_mean(&entry.key, known, "keys here are")),
        });
    }

    /// Reports a mistake in the value of an entry or in its key, and marks the entry.
    pub(super) fn report_error(&self, error: ValueError) -> ValueError {
        match error {
            ValueError::Reported => return error,
            ValueError::Rejected(rejection) => self.refuse(rejection),
            ValueError::WrongType(Rejection { message: expected, hint }) => {
                let message = format!("expected {expected}, found {}", self.shown());
                self.refuse(Rejection { message, hint });
            }
            ValueError::OutOfRange(hint) => {
                self.refuse(Rejection::new(format!("`{}` is out of range", self.written()), hint));
            }
            // The value of a key that is there has been refused.
            ValueError::MissingKey(key) if self.get(key).is_some() => {}
            ValueError::MissingKey(key) => {
                let example = self.diagnostics.example(&self.path, key);
                let hint = example.map_or_else(
                    || "`joust config reference` has every key".to_owned(),
                    |example| format!("for instance `{example}`"),
                );
                self.refuse_missing(key, &hint);
            }
            ValueError::UnknownKey(_) => self.refuse(Rejection::bare("unknown key")),
        }
        self.diagnostics.mark(self.node);
        ValueError::Reported
    }

    /// Counts bytes of another file that this one names, and returns whether so many are read.
    pub(crate) fn admits(&self, bytes: usize) -> bool {
        self.diagnostics.admits(bytes)
    }

    /// Returns the text of the file.
    pub(crate) fn source(&self) -> &'a SourceText {
        self.diagnostics.source
    }

    /// Returns the value as it is written in the file.
    pub(crate) fn written(&self) -> String {
        self.diagnostics.source.text_at(self.node.place)
    }

    fn shown(&self) -> String {
        match &self.node.value {
            NodeValue::Bool(value) => format!("`{value}`"),
            NodeValue::Int(value) => format!("the number `{}`", self.number(value)),
            NodeValue::Float(value) => format!("the number `{}`", self.number(value)),
            NodeValue::Text(text) => format!("the text `{text}`"),
            _ => self.node.kind().to_owned(),
        }
    }

    /// Returns a number as it is written; an alias is written by its name.
    fn number(&self, value: &dyn std::fmt::Display) -> String {
        let written = self.written();
        let is_number = written.starts_with(|c: char| "+-.".contains(c) || c.is_ascii_digit());
        if is_number && written.len() <= 64 { written } else { value.to_string() }
    }

    fn text(&self) -> Result<&'a str, ValueError> {
        let hint = match &self.node.value {
            NodeValue::Text(text) => return Ok(text),
            NodeValue::Int(_) | NodeValue::Float(_) | NodeValue::Bool(_) => {
                "write it in quotes: `\"...\"`"
            }
            _ => "one text goes here, such as `\"...\"`",
        };
        Err(ValueError::WrongType(Rejection::new("a text", hint)))
    }

    fn list(&self) -> Result<ListReader<'a>, ValueError> {
        let hint = match self.node.value {
            NodeValue::List(_) => return Ok(ListReader::new(self.items())),
            NodeValue::Text(_) => "write it in brackets: `[...]`",
            _ => "write a list in brackets, `[a, b]`, or one item per line after `- `",
        };
        Err(ValueError::WrongType(Rejection::new("a list", hint)))
    }

    fn mapping(&self) -> Result<(), ValueError> {
        let hint = "put the keys below it, each on a line, indented: `key: value`";
        match self.node.value {
            NodeValue::Map(_) => Ok(()),
            _ => Err(ValueError::WrongType(Rejection::new("a mapping of keys and values", hint))),
        }
    }

    /// Returns the keys of a section; one with nothing behind it counts as left out.
    pub(super) fn section(&self, known: &[&str]) -> Result<Vec<(&'a MapEntry, Self)>, ValueError> {
        self.mapping()?;
        let mut entries = self.entries(Some(known));
        entries.retain(|(_, value)| !value.node.is_null());
        let inherited = self.inherited(&entries, known);
        entries.extend(inherited.into_iter().filter(|(_, value)| !value.node.is_null()));
        Ok(entries)
    }

    /// Returns the one of the words that this text is.
    fn choose_word(
        &self,
        name: &str,
        words: &'static [&'static str],
    ) -> Result<&'static str, ValueError> {
        let text = self.text()?;
        let unknown = || {
            let hint = did_you_mean(text, words, "it is one of");
            ValueError::Rejected(Rejection::new(format!("unknown {name} `{text}`"), hint))
        };
        words.iter().copied().find(|word| *word == text).ok_or_else(unknown)
    }

    /// Returns the variant for the value's type, or else the first one, which refuses the value.
    fn choose_variant(&self, variants: &'static [&'static str]) -> &'static str {
        let shape = match self.node.value {
            NodeValue::Text(_) => "text",
            NodeValue::Int(_) | NodeValue::Float(_) => "number",
            NodeValue::List(_) => "list",
            NodeValue::Map(_) => "mapping",
            NodeValue::Null | NodeValue::Bool(_) => "",
        };
        variants.iter().copied().find(|variant| *variant == shape).unwrap_or(variants[0])
    }
}

/// Removes the value of the key from a problem: it is a secret that lets anybody post as the
/// organiser.
fn without_value(mut problem: Problem, entry: &MapEntry) -> Problem {
    let until = entry.place.column.saturating_sub(1) + entry.key.chars().count();
    problem.line = problem.line.chars().take(until).chain(": …".chars()).collect::<String>().into();
    problem.with_hint(
        "addresses of webhooks are secrets and stand in no file of a repository: use the variable \
         `JOUST_WEBHOOKS` or `joust run --webhooks FILE`",
    )
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

impl<'de> Deserializer<'de> for Cursor<'_> {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match &self.node.value {
            NodeValue::Null => visitor.visit_unit(),
            NodeValue::Bool(value) => visitor.visit_bool(*value),
            NodeValue::Int(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (_, Ok(value)) => visitor.visit_u64(value),
                (Ok(value), _) => visitor.visit_i64(value),
                _ => visitor.visit_i128(*value),
            },
            NodeValue::Float(value) => visitor.visit_f64(*value),
            NodeValue::Text(text) => visitor.visit_str(text),
            NodeValue::List(_) => visitor.visit_seq(self.list()?),
            NodeValue::Map(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        if self.node.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self.node.value {
            NodeValue::Bool(value) => visitor.visit_bool(value),
            _ => Err(ValueError::WrongType(Rejection::new(
                "`true` or `false`",
                "write `true` or `false`, without quotes",
            ))),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_str(self.text()?)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_seq(self.list()?)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        self.mapping()?;
        let entries = self.entries(None);
        visitor.visit_map(MapReader::new(self, entries))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        let entries = self.section(keys)?;
        visitor.visit_map(MapReader::new(self, entries))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        if name == BY_KIND {
            self.mapping()?;
        }
        visitor.visit_newtype_struct(Self { is_by_kind: name == BY_KIND, ..self })
    }

    /// Chooses the variant by the value's type where the variants are [`SHAPES`], by the key
    /// [`TAG`] of a value of [`ByKind`], or else by the text.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        let word = match &self.node.value {
            _ if variants.iter().all(|variant| SHAPES.contains(variant)) => {
                self.choose_variant(variants)
            }
            NodeValue::Map(_) if self.is_by_kind => {
                let tag = self.get(TAG).ok_or(ValueError::MissingKey(TAG))?;
                if !self.diagnostics.is_readable(tag.node) {
                    return Err(ValueError::MissingKey(TAG));
                }
                tag.choose_word(name, variants).map_err(|error| tag.report_error(error))?
            }
            _ => self.choose_word(name, variants)?,
        };
        visitor.visit_enum(VariantReader { word, content: self })
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple
        tuple_struct identifier
    }
}
