//! Reader of XML from strangers: project files of bots, and pictures of referees.
//!
//! The time of the parser is bounded before it starts: it compares each attribute of an element
//! with those before it, and copies the name spaces that hold around an element to each element
//! that declares one. A document type, and with it every entity of its own, is refused.

use roxmltree::{Document, ParsingOptions};

/// The most attributes of an element.
const MOST_ATTRIBUTES: usize = 256;
/// The most declarations of name spaces in a text.
const MOST_NAME_SPACES: usize = 256;

/// Parses a text with at most that many elements, texts and comments.
///
/// # Errors
///
/// The reason why the text is no XML, or more than is read.
pub fn parse_xml(text: &str, most_nodes: u32) -> Result<Document<'_>, String> {
    // The names of attributes stand as they are, and no value of one has a `<`.
    if text.matches("xmlns").count() > MOST_NAME_SPACES {
        return Err(format!("more than {MOST_NAME_SPACES} declarations of name spaces"));
    }
    if text.split('<').any(|tag| attributes(tag) > MOST_ATTRIBUTES) {
        return Err(format!("more than {MOST_ATTRIBUTES} attributes of an element"));
    }
    let options = ParsingOptions { nodes_limit: most_nodes, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| error.to_string())
}

/// Counts what looks like an attribute, up to the next element.
fn attributes(tag: &str) -> usize {
    let is_quoted = |at: usize| tag[at + 1..].trim_start().starts_with(['"', '\'']);
    tag.match_indices('=').filter(|(at, _)| is_quoted(*at)).count()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    const MANY: u32 = 1_000_000;

    fn attributes(count: usize, name: &str) -> String {
        (0..count).fold(String::new(), |mut text, number| {
            write!(text, " {name}{number:x} = 'x'").expect("a text takes all");
            text
        })
    }

    #[test]
    fn an_ordinary_text_is_read() {
        let text = format!(
            "<a xmlns='x' xmlns:b='y'{}><b:c d='1=\"2\"'>=</b:c><!-- ======= --></a>",
            attributes(200, "e")
        );
        let document = parse_xml(&text, MANY).expect("it is XML");
        assert_eq!(document.root_element().attributes().count(), 200);
    }

    #[test]
    fn name_spaces_that_would_be_copied_to_every_element_are_refused() {
        let declared = attributes(6000, "xmlns:a");
        let text = format!("<a {declared}>{}</a>", "<b xmlns:c='y'/>".repeat(9000));
        let why = parse_xml(&text, MANY).expect_err("it would take minutes");
        assert_eq!(why, "more than 256 declarations of name spaces");
    }

    #[test]
    fn attributes_that_would_be_compared_with_each_other_are_refused() {
        let text = format!("<a><b{}/></a>", attributes(300_000, "c"));
        let why = parse_xml(&text, MANY).expect_err("it would take minutes");
        assert_eq!(why, "more than 256 attributes of an element");
    }

    #[test]
    fn elements_may_lie_deep() {
        let text = "<a>".repeat(190_000) + &"</a>".repeat(190_000);
        assert!(parse_xml(&text, 200_000).is_ok());
    }
}
