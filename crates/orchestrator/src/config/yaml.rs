//! From a text to values with types and places.

use super::locate::{Place, locate};
use super::node::Node;
use super::problem::{ConfigErrors, Problem, Source};
use super::raw::Raw;

/// Reads a YAML document: the types as serde sees them, and for every value its
/// place. Duplicate keys are kept; tags and a second document are refused.
///
/// # Errors
///
/// A [`ConfigErrors`] when the text is not YAML or has no content.
pub fn parse(text: &str, source: &Source) -> Result<Node, ConfigErrors> {
    parse_one(text, source).map_err(|problem| ConfigErrors(vec![*problem]))
}

fn parse_one(text: &str, source: &Source) -> Result<Node, Box<Problem>> {
    let raw = Raw::parse(text);
    let spot = locate(text);
    let problem = match (raw, spot) {
        (Ok(raw), Ok(Some(spot))) => return Ok(Node::join(raw, &spot)),
        (_, Ok(None)) if !text.contains('\0') => empty(source),
        (Err(error), _) => syntax_error(text, source, &error),
        (_, Ok(None)) => malformed(text, source, Place::START, "a NUL character"),
        (Ok(_), Err(error)) => scan_error(text, source, &error),
    };
    Err(Box::new(problem))
}

fn empty(source: &Source) -> Problem {
    source
        .error(Place::START, "", "the file is empty")
        .with_hint("a tournament has at least `events:` with one game and its bots")
}

fn scan_error(text: &str, source: &Source, error: &saphyr_parser::ScanError) -> Problem {
    let marker = error.marker();
    let place = Place { line: marker.line(), column: marker.col() + 1, width: 1 };
    malformed(text, source, place, error.info())
}

fn syntax_error(text: &str, source: &Source, error: &serde_yaml::Error) -> Problem {
    let place = match error.location() {
        Some(at) => Place { line: at.line(), column: at.column(), width: 1 },
        None => end_of(text),
    };
    let message = error.to_string();
    let bare = message.split(" at line ").next().unwrap_or(&message);
    malformed(text, source, place, bare)
}

fn malformed(text: &str, source: &Source, place: Place, message: &str) -> Problem {
    let line = text.lines().nth(place.line.saturating_sub(1)).unwrap_or_default();
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    let hint = match indent.contains('\t') {
        true => "indent with spaces; YAML takes no tabs there",
        false => "check indentation, quotes and brackets on this line and the one before it",
    };
    source.error(place, "", format!("malformed YAML: {message}")).with_hint(hint)
}

/// Returns the place of the last character of `text`.
pub(super) fn end_of(text: &str) -> Place {
    let line = text.lines().count().max(1);
    let column = text.lines().last().map_or(1, |line| line.chars().count() + 1);
    Place { line, column, width: 1 }
}
