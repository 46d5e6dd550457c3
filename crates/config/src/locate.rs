//! Where every value stands in the text.

use std::collections::BTreeMap;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScanError, Span};

/// A stretch of one line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, counted in characters.
    pub column: usize,
    /// How many characters, at least 1.
    pub width: usize,
}

impl Place {
    /// The first character of a file.
    pub const START: Self = Self { line: 1, column: 1, width: 1 };

    fn of(span: Span) -> Self {
        let one_line = span.start.line() == span.end.line();
        let width = if one_line { span.end.col().saturating_sub(span.start.col()) } else { 1 };
        Self { line: span.start.line(), column: span.start.col() + 1, width: width.max(1) }
    }
}

/// The place of a value and, in the order of the text, of what is inside it:
/// the items of a list; key, value, key, value ... of a mapping.
#[derive(Clone, Debug)]
pub(super) struct Spot {
    pub(super) place: Place,
    pub(super) inside: Vec<Rc<Spot>>,
}

/// Returns the places of the first document in `text`; `None` when it has no
/// content.
pub(super) fn locate(text: &str) -> Result<Option<Rc<Spot>>, ScanError> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event?;
        builder.take(&event, span);
    }
    Ok(builder.root)
}

/// Returns where a second document begins, if one does.
pub(super) fn second_document(text: &str) -> Option<Place> {
    let events = Parser::new_from_str(text).map_while(Result::ok);
    let begins = events.filter(|(event, _)| matches!(event, Event::DocumentStart(_)));
    begins.map(|(_, span)| Place::of(span)).nth(1)
}

#[derive(Default)]
struct Builder {
    open: Vec<(Spot, usize)>,
    anchors: BTreeMap<usize, Rc<Spot>>,
    root: Option<Rc<Spot>>,
}

impl Builder {
    fn take(&mut self, event: &Event<'_>, span: Span) {
        let spot = Spot { place: Place::of(span), inside: Vec::new() };
        match event {
            Event::Scalar(_, _, anchor, _) => self.close(spot, *anchor),
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                self.open.push((spot, *anchor));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some((spot, anchor)) = self.open.pop() {
                    self.close(spot, anchor);
                }
            }
            Event::Alias(anchor) => {
                let anchored = self.anchors.get(anchor).cloned();
                self.add(anchored.unwrap_or_else(|| Rc::new(spot)));
            }
            _ => {}
        }
    }

    fn close(&mut self, spot: Spot, anchor: usize) {
        let spot = Rc::new(spot);
        self.anchors.insert(anchor, Rc::clone(&spot));
        self.add(spot);
    }

    fn add(&mut self, spot: Rc<Spot>) {
        match self.open.last_mut() {
            Some((parent, _)) => parent.inside.push(spot),
            None => _ = self.root.get_or_insert(spot),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(line: usize, column: usize, width: usize) -> Place {
        Place { line, column, width }
    }

    #[test]
    fn a_value_is_found_where_it_stands() {
        let root = locate("name: cup\nevents:\n  - game: x\n    bots: [a, \"b c\"]\n").unwrap();
        let root = root.unwrap();
        assert_eq!(root.inside[0].place, place(1, 1, 4));
        assert_eq!(root.inside[1].place, place(1, 7, 3));
        let event = &root.inside[3].inside[0];
        assert_eq!(event.inside[1].place, place(3, 11, 1));
        assert_eq!(event.inside[3].inside[1].place, place(4, 15, 5));
    }

    #[test]
    fn columns_count_characters() {
        let root = locate("é: ü").unwrap().unwrap();
        assert_eq!(root.inside[1].place, place(1, 4, 1));
    }

    #[test]
    fn nothing_has_no_place() {
        assert!(locate("# only a comment\n").unwrap().is_none());
    }
}
