//! From a text to values with types and places.

use super::locate::{Place, locate, second_document};
use super::node::Node;
use super::problem::{ConfigErrors, Problem, Source};
use super::raw::Raw;

/// Reads a YAML document: the types as serde sees them, and for every value its
/// place. Duplicate keys are kept; tags and a second document are refused. `least` tells
/// whoever wrote an empty file what such a file has.
///
/// # Errors
///
/// A [`ConfigErrors`] when the text is not YAML or has no content.
pub fn parse(text: &str, source: &Source, least: &str) -> Result<Node, ConfigErrors> {
    parse_one(text, source, least).map_err(|problem| ConfigErrors(vec![*problem]))
}

/// How deep brackets may be nested; a parser is busy for a minute with thousands.
const DEEPEST: usize = 100;

/// Returns the text without a byte order mark, with every line ended by `\n`.
#[must_use]
pub fn plain_lines(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns what no parser need be asked about, with its place, what it is and a hint: a
/// character that YAML does not allow, brackets nested too deeply, a second document.
#[must_use]
pub fn obstacle(text: &str) -> Option<(Place, String, String)> {
    let mut depth = 0_usize;
    for (line, content) in text.split('\n').enumerate() {
        for (column, character) in content.chars().enumerate() {
            let place = Place { line: line + 1, column: column + 1, width: 1 };
            match character {
                '[' | '{' => depth += 1,
                ']' | '}' => depth = depth.saturating_sub(1),
                _ if is_forbidden(character) => return Some(control(place, character)),
                _ => {}
            }
            if depth > DEEPEST {
                let hint = format!("close them; {DEEPEST} within one another are allowed");
                return Some((place, "brackets are nested too deeply".to_owned(), hint));
            }
        }
    }
    None
}

/// Returns where a second document begins, as [`obstacle`] does.
#[must_use]
pub fn second(text: &str) -> Option<(Place, String, String)> {
    let place = second_document(text)?;
    let hint =
        "a file holds one: delete this line and what follows, or put it in a file of its own";
    Some((place, "a second document begins here".to_owned(), hint.to_owned()))
}

/// Says whether YAML allows the character nowhere.
fn is_forbidden(character: char) -> bool {
    let is_allowed = matches!(
        character,
        '\t' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..
    );
    !is_allowed
}

fn control(place: Place, character: char) -> (Place, String, String) {
    let (name, number) = (if character == '\0' { "a NUL" } else { "a control" }, character as u32);
    (
        place,
        format!("{name} character (U+{number:04X})"),
        format!("delete it, or write it as `\\u{number:04x}` within double quotes"),
    )
}

fn parse_one(text: &str, source: &Source, least: &str) -> Result<Node, Box<Problem>> {
    let refused = |(place, message, hint): (Place, String, String)| {
        Box::new(source.error(place, "", format!("malformed YAML: {message}")).with_hint(hint))
    };
    if let Some(found) = obstacle(text).or_else(|| second(text)) {
        return Err(refused(found));
    }
    let raw = Raw::parse(text);
    let spot = locate(text);
    let problem = match (raw, spot) {
        (Ok(raw), Ok(Some(spot))) => return Ok(Node::join(raw, &spot)),
        (_, Ok(None)) => source.error(Place::START, "", "the file is empty").with_hint(least),
        (Err(error), _) => syntax_error(text, source, &error),
        (Ok(_), Err(error)) => scan_error(text, source, &error),
    };
    Err(Box::new(problem))
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn an_empty_file_is_told_what_such_a_file_has() {
        let source = Source::new(Path::new("game.yaml"), "# nothing\n");
        let refused = parse("# nothing\n", &source, "a game has an `id`").unwrap_err().to_string();
        assert!(refused.contains("the file is empty"), "{refused}");
        assert!(refused.contains("a game has an `id`"), "{refused}");
    }
}
