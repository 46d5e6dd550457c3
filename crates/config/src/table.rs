//! Table of keys: what a row says of a key, and what follows from it.
//!
//! A row names a key and says its kind with bounds, its default, one line of help and the
//! field that carries it. The reader ([`read`]), `joust config show` ([`show`]), the schema
//! for editors ([`schema`]) and `joust config reference` ([`reference`]) go over the rows
//! and know no key themselves. The rows are in [`super::keys`].

mod read;
mod reference;
mod schema;
mod show;

use std::ops::RangeInclusive;
use std::time::Duration;

pub(super) use read::{Origin, Origins};
pub(super) use reference::page;
pub(super) use show::{Shown, word_of};

use super::section::Item;
use joust_model::Bytes;

/// The keys of a section, whose values a `T` carries.
pub(super) struct Table<T: 'static> {
    /// The section's name, by which [`Origins`] knows its keys.
    pub(super) name: &'static str,
    /// In the order in which they are read and shown.
    pub(super) keys: &'static [Key<T>],
}

/// A key of a section.
pub(super) struct Key<T: 'static> {
    pub(super) name: &'static str,
    pub(super) kind: Kind<T>,
    pub(super) default: Default<T>,
    /// One or two sentences, without the default.
    pub(super) help: &'static str,
    /// A value, as it is written in the file; for keys without a default.
    pub(super) example: &'static str,
}

/// Value of a key that is left out.
pub(super) enum Default<T: 'static> {
    /// This value, as it is written in the file.
    Is(&'static str),
    /// This text, as it is written in the file.
    Text(&'static str),
    /// This value, of which the help tells enough.
    InHelp(&'static str),
    /// Value that follows from other keys or the game, as the sentence says.
    Follows { sentence: &'static str, settle: fn(&mut T) },
    /// Nothing.
    Nothing,
    /// It may not be left out; the hint says what to write.
    Required(&'static str),
}

/// The way to a field.
pub(super) struct Field<T: 'static, V> {
    pub(super) get: fn(&T) -> &V,
    pub(super) get_mut: fn(&mut T) -> &mut V,
}

/// Type of a value, and the field that carries it.
pub(super) enum Kind<T: 'static> {
    /// A span of time above zero.
    Duration(Field<T, Duration>),
    /// A span of time above zero, or none.
    OptionalDuration(Field<T, Option<Duration>>),
    /// A number of bytes above zero.
    Size(Field<T, Bytes>),
    /// A number of bytes in which a program can be started.
    Memory(Field<T, Bytes>),
    /// A whole number within a range.
    Count { range: RangeInclusive<u32>, field: Field<T, u32> },
    /// `true` or `false`.
    Flag(Field<T, bool>),
    /// A text with something to see in it, or none.
    Text(Field<T, Option<String>>),
    /// One of a few words.
    Word(Words<T>),
    /// A section with keys of its own.
    Section(SectionKind<T>),
    /// Type of one key alone.
    Own(OwnKind<T>),
}

/// The words of a key; each is known by its number.
pub(super) struct Words<T: 'static> {
    /// Name of a word, in messages.
    pub(super) what: &'static str,
    pub(super) all: fn() -> Vec<&'static str>,
    pub(super) get: fn(&T) -> &'static str,
    pub(super) set: fn(&mut T, usize),
}

/// A table behind a field.
pub(super) struct SectionKind<T: 'static> {
    pub(super) read: fn(&Item<'_>, &mut T, &mut Origins),
    pub(super) set_defaults: fn(&mut T),
    pub(super) show: fn(&T) -> Option<Shown>,
    pub(super) schema: fn() -> serde_json::Value,
    pub(super) reference: fn(&str) -> String,
}

/// A kind of one key alone.
pub(super) struct OwnKind<T: 'static> {
    /// Reads a value; says whether it could be read.
    pub(super) read: fn(&Item<'_>, &mut T) -> bool,
    /// Returns what is in force; `None` is not shown.
    pub(super) show: fn(&T) -> Option<Shown>,
    pub(super) schema: fn() -> serde_json::Value,
}

impl<T> Key<T> {
    pub(super) const fn new(name: &'static str, kind: Kind<T>, help: &'static str) -> Self {
        Self { name, kind, default: Default::Nothing, help, example: "" }
    }

    /// Has this value unless another is written.
    pub(super) const fn is(mut self, default: &'static str) -> Self {
        self.default = Default::Is(default);
        self
    }

    /// Has this text unless another is written.
    pub(super) const fn text(mut self, default: &'static str) -> Self {
        self.default = Default::Text(default);
        self
    }

    /// Has this value unless another is written; the help tells it.
    pub(super) const fn in_help(mut self, default: &'static str) -> Self {
        self.default = Default::InHelp(default);
        self
    }

    /// Has what `settle` makes of the other keys, unless it is written.
    pub(super) const fn follows(mut self, sentence: &'static str, settle: fn(&mut T)) -> Self {
        self.default = Default::Follows { sentence, settle };
        self
    }

    /// Has to be written.
    pub(super) const fn required(mut self, hint: &'static str) -> Self {
        self.default = Default::Required(hint);
        self
    }

    /// Is written like this, for instance.
    pub(super) const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    /// Returns the default as it is written in the file.
    fn written_default(&self) -> Option<&'static str> {
        match self.default {
            Default::Is(text) | Default::Text(text) | Default::InHelp(text) => Some(text),
            Default::Follows { .. } | Default::Nothing | Default::Required(_) => None,
        }
    }

    /// Returns what people are told of it: help and default.
    pub(super) fn description(&self) -> String {
        match self.default {
            Default::Is(value) => format!("{} Default {value}.", self.help),
            Default::Text(value) => format!("{} Default `{value}`.", self.help),
            Default::Follows { sentence, .. } if !sentence.is_empty() => {
                format!("{} {sentence}", self.help)
            }
            _ => self.help.to_owned(),
        }
    }
}

/// A field of what carries the values of a table.
macro_rules! field {
    ($of:ty, $name:ident) => {{
        let field: $crate::table::Field<$of, _> =
            $crate::table::Field { get: |of| &of.$name, get_mut: |of| &mut of.$name };
        field
    }};
}

/// One of the words of a table of words, kept in a field.
macro_rules! word {
    ($of:ty, $what:literal, $words:expr, $name:ident) => {{
        let words: $crate::table::Words<$of> = $crate::table::Words {
            what: $what,
            all: || $words.iter().map(|(word, _)| *word).collect(),
            get: |of| $crate::table::word_of(&of.$name, &$words),
            set: |of, index| of.$name = $words[index].1,
        };
        $crate::table::Kind::Word(words)
    }};
}

/// A section whose values a field carries.
macro_rules! section {
    ($of:ty, $table:ident, $name:ident) => {{
        let kind: $crate::table::SectionKind<$of> = $crate::table::SectionKind {
            read: |item, to, origins| $table.read_item(item, &mut to.$name, origins),
            set_defaults: |to| $table.set_defaults(&mut to.$name),
            show: |of| Some($table.show(&of.$name)),
            schema: || $table.schema(),
            reference: |indent| $table.reference(indent),
        };
        $crate::table::Kind::Section(kind)
    }};
}

pub(super) use {field, section, word};
