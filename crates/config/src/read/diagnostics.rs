//! Problems that are found while a file is read.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{self, Expected, Unexpected};

use crate::node::Node;
use crate::problem::{Problem, Severity, SourceText};
use crate::rejection::Rejection;

/// Largest number of errors, and of warnings, that are reported for one file.
const MOST_PROBLEMS: usize = 200;

/// Largest number of values that are visited while one file is searched for mistakes.
const MOST_VISITS: usize = 5_000_000;

/// Most bytes of other files that one file names: it can name one file any number of times.
const MOST_BYTES: usize = 16 << 20;

/// Problems of one file and the entries that they are about.
pub(crate) struct Diagnostics<'a> {
    pub(crate) source: &'a SourceText,
    /// Returns the schema of the file, whose examples are advice for missing keys.
    schema: fn() -> serde_json::Value,
    problems: RefCell<Vec<Problem>>,
    /// Values with a mistake, by address; they are read as if they were left out.
    marked: RefCell<BTreeSet<*const Node>>,
    visits: RefCell<usize>,
    /// Bytes of other files that have been read for this one.
    bytes: Cell<usize>,
}

impl<'a> Diagnostics<'a> {
    pub(crate) fn new(source: &'a SourceText, schema: fn() -> serde_json::Value) -> Self {
        Self {
            source,
            schema,
            problems: RefCell::default(),
            marked: RefCell::default(),
            visits: RefCell::default(),
            bytes: Cell::default(),
        }
    }

    /// Adds a problem, unless there are as many of its kind as are reported.
    pub(crate) fn report(&self, problem: Problem) {
        if self.count(problem.severity) < MOST_PROBLEMS {
            self.problems.borrow_mut().push(problem);
        }
    }

    fn count(&self, severity: Severity) -> usize {
        self.problems.borrow().iter().filter(|problem| problem.severity == severity).count()
    }

    /// Marks a value as one with a mistake.
    pub(super) fn mark(&self, node: &Node) {
        self.marked.borrow_mut().insert(node);
    }

    /// Returns whether a value is to be read. Counts the visit.
    pub(super) fn is_readable(&self, node: &Node) -> bool {
        *self.visits.borrow_mut() += 1;
        !self.marked.borrow().contains(&std::ptr::from_ref(node))
    }

    /// Returns whether the search for mistakes has ended.
    pub(super) fn is_full(&self) -> bool {
        self.count(Severity::Error) >= MOST_PROBLEMS || *self.visits.borrow() >= MOST_VISITS
    }

    /// Counts bytes of another file, and returns whether all together are within bounds.
    pub(super) fn admits(&self, bytes: usize) -> bool {
        self.bytes.set(self.bytes.get().saturating_add(bytes));
        self.bytes.get() <= MOST_BYTES
    }

    /// Returns an example of the key of the section at `path`, or else of that section.
    pub(super) fn example(&self, path: &str, key: &str) -> Option<String> {
        let mut schema = &(self.schema)();
        let mut section = None;
        for name in path.split('.').filter(|name| !name.is_empty()) {
            let (name, is_item) =
                name.split_once('[').map_or((name, false), |(name, _)| (name, true));
            schema = property(schema, name)?;
            section = example_of(schema).map(|example| format!("{name}: {example}"));
            schema = if is_item { &schema["items"] } else { schema };
        }
        let own = property(schema, key).and_then(example_of);
        own.map(|example| format!("{key}: {example}")).or(section)
    }

    /// Returns all problems in the order of the file, each once: a mistake in
    /// `defaults:` is met by every event.
    pub(crate) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by_key(|problem| problem.place.map(|place| (place.line, place.column)));
        let mut kept: Vec<Problem> = Vec::new();
        for problem in problems {
            if !kept.contains(&problem) {
                kept.push(problem);
            }
        }
        kept
    }
}

/// Returns the schema of a key, also of one that only some forms of a value have.
fn property<'s>(schema: &'s serde_json::Value, key: &str) -> Option<&'s serde_json::Value> {
    let forms = ["anyOf", "oneOf"].into_iter().filter_map(|word| schema[word].as_array());
    let own = schema["properties"].get(key).or(schema.get("additionalProperties"));
    own.filter(|own| own.is_object())
        .or_else(|| forms.flatten().find_map(|form| property(form, key)))
}

fn example_of(schema: &serde_json::Value) -> Option<String> {
    schema["examples"].get(0).map(super::super::yaml::flow)
}

/// Mistake in a value.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ValueError {
    /// A check refuses the value.
    #[error("{0}")]
    Rejected(Rejection),
    /// The value has another type than the expected one.
    #[error("expected {0}")]
    WrongType(Rejection),
    /// The number is out of the range that the advice names.
    #[error("out of range\n{0}")]
    OutOfRange(String),
    /// A mapping lacks this key.
    #[error("missing key `{0}`")]
    MissingKey(&'static str),
    /// A mapping has a key that is none of these.
    #[error("unknown key")]
    UnknownKey(&'static [&'static str]),
    /// The mistake is reported and its entry is marked.
    #[error("reported")]
    Reported,
}

impl de::Error for ValueError {
    fn custom<T: fmt::Display>(text: T) -> Self {
        Self::Rejected(Rejection::from_display(&text))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::WrongType(Rejection::from_display(&expected))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::OutOfRange(expected.to_string())
    }

    fn missing_field(key: &'static str) -> Self {
        Self::MissingKey(key)
    }

    fn unknown_field(_: &str, known: &'static [&'static str]) -> Self {
        Self::UnknownKey(known)
    }
}
