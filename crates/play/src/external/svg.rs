//! Sanitiser of a referee's SVG: removes everything that runs, loads or refers to other files.
//!
//! Only the elements and attributes of two lists are kept: shapes, texts, groups, gradients and
//! clips. Other elements are removed with their contents. A value may only refer to another part of
//! the same picture, as `url(#name)`. `use` is not listed, because nested ones can make a picture
//! exponentially large.

use joust_toolchain::parse_xml;
use roxmltree::{Attribute, Node, NodeType};

/// The XML namespace of SVG.
const NAMESPACE: &str = "http://www.w3.org/2000/svg";

/// The longest picture, bytes.
const LONGEST: usize = 256 * 1024;

/// The most nodes of a picture, including texts and comments.
const MOST_NODES: u32 = 20_000;

/// The deepest nesting of nodes.
const DEEPEST: usize = 32;

/// The elements that are kept, one a line.
const ELEMENTS: &str = include_str!("svg_elements.txt");

/// The attributes that are kept, one a line.
const ATTRIBUTES: &str = include_str!("svg_attributes.txt");

/// Functions that a value may contain, in lower case.
const FUNCTIONS: [&str; 10] =
    ["hsl", "hsla", "matrix", "rgb", "rgba", "rotate", "scale", "skewx", "skewy", "translate"];

/// Reason why a picture is not drawn at all.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SvgError {
    #[error("it has {0} bytes, and {LONGEST} are allowed")]
    TooLong(usize),
    #[error("it is no XML: {0}")]
    NotXml(String),
    #[error("it does not begin with `svg`")]
    NotSvg,
}

/// Returns a sanitised copy of a referee's picture.
pub(super) fn sanitised(svg: &str) -> Result<String, SvgError> {
    if svg.len() > LONGEST {
        return Err(SvgError::TooLong(svg.len()));
    }
    let document = parse_xml(svg, MOST_NODES).map_err(SvgError::NotXml)?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" || !is_ours(&root) {
        return Err(SvgError::NotSvg);
    }
    let mut out = String::with_capacity(svg.len());
    write(&root, 0, &mut out);
    Ok(out)
}

/// Returns whether a node is a listed element of SVG; elements without a namespace count as SVG.
fn is_ours(node: &Node<'_, '_>) -> bool {
    let tag = node.tag_name();
    tag.namespace().is_none_or(|space| space == NAMESPACE)
        && ELEMENTS.lines().any(|kept| kept == tag.name())
}

fn write(node: &Node<'_, '_>, depth: usize, out: &mut String) {
    let name = node.tag_name().name();
    out.push('<');
    out.push_str(name);
    if depth == 0 {
        push_attribute("xmlns", NAMESPACE, out);
    }
    for attribute in node.attributes().filter(is_harmless) {
        push_attribute(attribute.name(), attribute.value(), out);
    }
    out.push('>');
    for child in node.children() {
        match child.node_type() {
            NodeType::Text => push_escaped(child.text().unwrap_or_default(), out),
            NodeType::Element if is_ours(&child) && depth < DEEPEST => {
                write(&child, depth + 1, out);
            }
            _ => {}
        }
    }
    out.push_str("</");
    out.push_str(name);
    out.push('>');
}

fn is_harmless(attribute: &Attribute<'_, '_>) -> bool {
    attribute.namespace().is_none()
        && ATTRIBUTES.lines().any(|kept| kept == attribute.name())
        && refers_nowhere_else(attribute.value())
}

/// Returns whether a value has no external reference. Backslashes are refused, because in CSS they
/// can encode any character.
fn refers_nowhere_else(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    if let Some(name) = value.strip_prefix("url(#").and_then(|rest| rest.strip_suffix(')')) {
        return name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    }
    let calls_known = |before: &str| FUNCTIONS.iter().any(|name| before.ends_with(name));
    !["\\", "/*", ":", "@"].iter().any(|sign| value.contains(sign))
        && value.match_indices('(').all(|(at, _)| calls_known(value[..at].trim_end()))
}

fn push_attribute(name: &str, value: &str, out: &mut String) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    push_escaped(value, out);
    out.push('"');
}

fn push_escaped(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ if character.is_control() => out.push(' '),
            _ => out.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">"#;

    /// Returns what is left of the inside of a picture.
    fn left(inside: &str) -> String {
        let made = sanitised(&format!("{HEAD}{inside}</svg>")).expect("it is a picture");
        let made = made.strip_prefix(HEAD).expect("its head stays");
        made.strip_suffix("</svg>").expect("it ends").to_owned()
    }

    #[test]
    fn shapes_texts_and_gradients_stay() {
        let inside = r##"<defs><linearGradient id="g"><stop offset="0" stop-color="#fff"></stop></linearGradient></defs><g transform="translate(1 2)"><rect fill="url(#g)" width="3" height="3"></rect><text x="1">a &amp; b</text></g>"##;
        assert_eq!(left(inside), inside);
    }

    #[test]
    fn what_runs_or_loads_goes_with_all_that_is_in_it() {
        for inside in [
            "<script>alert(1)</script>",
            "<style>@import 'x'</style>",
            "<foreignObject><g><body/></g></foreignObject>",
            "<image href='https://example.org/a.png'/>",
            "<a href='javascript:alert(1)'><text>x</text></a>",
            "<use href='#g'/>",
            "<animate attributeName='href' to='javascript:0'/>",
            "<set attributeName='onload' to='x'/>",
            "<x:rect xmlns:x='https://example.org/'/>",
            "<!-- <script> --><?xml-stylesheet href='x'?>",
        ] {
            assert_eq!(left(inside), "", "{inside}");
        }
    }

    #[test]
    fn attributes_that_run_or_refer_elsewhere_go() {
        for attribute in [
            "onclick='x'",
            "style='fill: url(https://example.org)'",
            "fill='url(https://example.org/#g)'",
            r"fill='u\72l(x)'",
            "fill='URL(x)'",
            "fill='ur/**/l(x)'",
            "clip-path='url(#a) url(b)'",
            "href='#a'",
            "xmlns:l='http://www.w3.org/1999/xlink' l:href='x'",
            "class='x'",
        ] {
            assert_eq!(left(&format!("<path {attribute} d='M0 0'/>")), r#"<path d="M0 0"></path>"#);
        }
    }

    #[test]
    fn texts_cannot_leave_their_place() {
        let inside = r#"<text fill="&quot;&gt;&lt;script&gt;">&lt;script&gt;</text>"#;
        assert_eq!(left(inside), inside);
    }

    #[test]
    fn what_is_no_picture_or_too_large_says_why() {
        let why = |svg: &str| sanitised(svg).expect_err("it is none").to_string();
        assert!(why("<svg").starts_with("it is no XML: "));
        assert!(why("<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>").starts_with("it is no XML: "));
        assert_eq!(why("<html/>"), "it does not begin with `svg`");
        assert_eq!(why(&" ".repeat(300_000)), "it has 300000 bytes, and 262144 are allowed");
        assert!(why(&format!("<svg>{}</svg>", "<g/>".repeat(30_000))).contains("nodes limit"));
        let spaces: String = (0..300).map(|number| format!(" xmlns:a{number}='x'")).collect();
        let spaces = why(&format!("<svg{spaces}>{}</svg>", "<g xmlns:b='y'/>".repeat(9000)));
        assert_eq!(spaces, "it is no XML: more than 256 declarations of name spaces");
    }

    #[test]
    fn what_lies_too_deep_is_left_out() {
        let deep = "<g>".repeat(9_000) + &"</g>".repeat(9_000);
        assert_eq!(left(&deep).matches("<g>").count(), DEEPEST);
    }
}
