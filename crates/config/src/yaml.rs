//! Reader of YAML: the one place that turns an external text into values.
//!
//! Size, depth, and number of values are bounded while the text is scanned, so that no text
//! takes long. An alias counts as all that it stands for. Duplicate keys are kept, because they
//! are reported; tags and a second document are refused.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_yaml::granit_parser::{
    ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Span, options,
};

use super::node::{MapEntry, Node, NodeValue, SourceLocation};

/// Largest text that is read, in bytes.
pub const LARGEST_FILE: u64 = 4 << 20;

/// Deepest nesting of lists and mappings.
const DEEPEST: usize = 64;

/// Values of a file; a list of ten thousand bots with a name each has fifty thousand.
const MOST_VALUES: usize = 500_000;

/// Bytes of a text that count as one value more.
const BYTES_PER_VALUE: usize = 64;

/// Returns the text without a byte order mark, with every line ended by `\n`.
pub fn plain_lines(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Reason for which a text is not read.
#[derive(Debug)]
pub struct YamlError {
    /// Place of the mistake.
    pub place: SourceLocation,
    /// The mistake.
    pub message: String,
    /// Advice; missing for a file without content.
    pub hint: Option<String>,
}

impl YamlError {
    fn new(
        place: SourceLocation,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Box<Self> {
        Box::new(Self { place, message: message.into(), hint: Some(hint.into()) })
    }

    fn malformed(place: SourceLocation, message: &str, hint: impl Into<String>) -> Box<Self> {
        Self::new(place, format!("malformed YAML: {message}"), hint)
    }
}

/// Reads a YAML document whose lines [`plain_lines`] returned.
///
/// # Errors
///
/// [`YamlError`] of the first thing that is not YAML, or is more than is read.
pub fn read(text: &str) -> Result<Node, Box<YamlError>> {
    if text.len() as u64 > LARGEST_FILE {
        let message = format!("the file is larger than {} KiB", LARGEST_FILE >> 10);
        return Err(YamlError::new(SourceLocation::START, message, "is it the right file?"));
    }
    if let Some(refusal) = forbidden_character(text) {
        return Err(refusal);
    }
    let limits = options! { flow_nesting_limit: DEEPEST, block_nesting_limit: DEEPEST };
    let mut tree = NodeBuilder::default();
    for event in Parser::new_from_str_with_options(text, limits) {
        let (event, span) = event.map_err(|error| syntax_error(text, &error))?;
        tree.add(event, span)?;
    }
    let empty = || {
        let message = "the file is empty".to_owned();
        Box::new(YamlError { place: SourceLocation::START, message, hint: None })
    };
    tree.root.ok_or_else(empty)
}

/// Reads a YAML document as a `T`.
///
/// # Errors
///
/// The first mistake, in words.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let root = read(&plain_lines(text)).map_err(|refusal| refusal.message)?;
    serde_json::from_value(root.to_json()).map_err(|error| error.to_string())
}

/// Returns the refusal of the first character that YAML allows nowhere.
fn forbidden_character(text: &str) -> Option<Box<YamlError>> {
    let is_forbidden = |character: &char| {
        !matches!(
            character,
            '\t' | '\n' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..
        )
    };
    let character = text.chars().find(is_forbidden)?;
    let place = SourceLocation::behind(&text[..text.find(character)?]);
    let (name, number) = (if character == '\0' { "a NUL" } else { "a control" }, character as u32);
    let message = format!("{name} character (U+{number:04X})");
    let hint = format!("delete it, or write it as `\\u{number:04x}` within double quotes");
    Some(YamlError::malformed(place, &message, hint))
}

fn syntax_error(text: &str, error: &ScanError) -> Box<YamlError> {
    let place = place_of(error.marker(), error.marker());
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return too_deep(place);
    }
    let message = error.info();
    // A scalar of several lines is refused where it begins, though a later line has the tab.
    let has_tab = |line: &&str| line[..line.len() - line.trim_start().len()].contains('\t');
    let mut lines = text.lines().zip(1..).skip(place.line.saturating_sub(1));
    match lines.find(|(line, _)| has_tab(line)).filter(|_| message.contains("tab")) {
        Some((_, line)) => {
            let hint = "indent with spaces; YAML takes no tabs there";
            YamlError::malformed(SourceLocation { line, column: 1, width: 1 }, &message, hint)
        }
        None => {
            let hint = "check indentation, quotes and brackets on this line and the one before it";
            YamlError::malformed(place, &message, hint)
        }
    }
}

fn too_deep(place: SourceLocation) -> Box<YamlError> {
    let hint = format!("close them; {DEEPEST} within one another are allowed");
    YamlError::malformed(place, "lists and mappings are nested too deeply", hint)
}

fn place_of(start: &Marker, end: &Marker) -> SourceLocation {
    let width = if start.line() == end.line() { end.col().saturating_sub(start.col()) } else { 1 };
    SourceLocation { line: start.line(), column: start.col() + 1, width: width.max(1) }
}

/// Value that is complete, with its bounds.
#[derive(Clone)]
struct BuiltNode {
    node: Node,
    /// Values in it, itself included; a long text counts as several.
    values: usize,
    /// Lists and mappings within one another.
    depth: usize,
}

/// List or mapping that is not closed yet.
struct OpenNode {
    place: SourceLocation,
    anchor: usize,
    is_map: bool,
    inside: Vec<Node>,
    values: usize,
    depth: usize,
}

/// Tree that grows with every event.
#[derive(Default)]
struct NodeBuilder {
    open: Vec<OpenNode>,
    anchors: BTreeMap<usize, BuiltNode>,
    root: Option<Node>,
    documents: usize,
    values: usize,
}

impl NodeBuilder {
    fn add(&mut self, event: Event<'_>, span: Span) -> Result<(), Box<YamlError>> {
        let place = place_of(&span.start, &span.end);
        match event {
            Event::DocumentStart(..) => self.start_document(place),
            Event::Scalar(text, style, anchor, None) => {
                let (value, values) = (scalar(&text, style), 1 + text.len() / BYTES_PER_VALUE);
                self.count(values, place)?;
                self.close(BuiltNode { node: Node { value, place }, values, depth: 0 }, anchor)
            }
            Event::SequenceStart(_, anchor, None) => self.open(place, anchor, false),
            Event::MappingStart(_, anchor, None) => self.open(place, anchor, true),
            Event::Scalar(_, _, _, Some(tag))
            | Event::SequenceStart(_, _, Some(tag))
            | Event::MappingStart(_, _, Some(tag)) => {
                let place = span.tag_span().map_or(place, |tag| place_of(&tag.start, &tag.end));
                let hint = "delete it; a text is written in quotes";
                Err(YamlError::malformed(place, &format!("the tag `{}`", tag.original()), hint))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else { return Ok(()) };
                let anchor = open.anchor;
                self.close(open.built(), anchor)
            }
            Event::Alias(anchor) => {
                let Some(anchored) = self.anchors.get(&anchor).cloned() else {
                    let hint = "write the value itself";
                    return Err(YamlError::malformed(place, "an alias within its own value", hint));
                };
                self.count(anchored.values, place)?;
                self.close(anchored, 0)
            }
            _ => Ok(()),
        }
    }

    fn start_document(&mut self, place: SourceLocation) -> Result<(), Box<YamlError>> {
        self.documents += 1;
        if self.documents == 1 {
            return Ok(());
        }
        let hint =
            "a file holds one: delete this line and what follows, or put it in a file of its own";
        Err(YamlError::malformed(place, "a second document begins here", hint))
    }

    fn open(
        &mut self,
        place: SourceLocation,
        anchor: usize,
        is_map: bool,
    ) -> Result<(), Box<YamlError>> {
        if self.open.len() >= DEEPEST {
            return Err(too_deep(place));
        }
        self.count(1, place)?;
        let inside = Vec::new();
        self.open.push(OpenNode { place, anchor, is_map, inside, values: 1, depth: 1 });
        Ok(())
    }

    /// Counts values, those that an anchor keeps for its aliases as well.
    fn count(&mut self, values: usize, place: SourceLocation) -> Result<(), Box<YamlError>> {
        self.values += values;
        if self.values <= MOST_VALUES {
            return Ok(());
        }
        let hint = "an alias counts as all that it stands for; is it the right file?";
        Err(YamlError::malformed(place, &format!("more than {MOST_VALUES} values"), hint))
    }

    /// Puts a complete value in the list or mapping that is open.
    fn close(&mut self, built: BuiltNode, anchor: usize) -> Result<(), Box<YamlError>> {
        if self.open.len() + built.depth > DEEPEST {
            return Err(too_deep(built.node.place));
        }
        if anchor != 0 {
            self.count(built.values, built.node.place)?;
            self.anchors.insert(anchor, built.clone());
        }
        match self.open.last_mut() {
            Some(parent) => {
                parent.values += built.values;
                parent.depth = parent.depth.max(built.depth + 1);
                parent.inside.push(built.node);
            }
            None => _ = self.root.get_or_insert(built.node),
        }
        Ok(())
    }
}

impl OpenNode {
    fn built(self) -> BuiltNode {
        let value = if self.is_map {
            NodeValue::Map(pairs(self.inside))
        } else {
            NodeValue::List(self.inside)
        };
        BuiltNode {
            node: Node { value, place: self.place },
            values: self.values,
            depth: self.depth,
        }
    }
}

/// Returns key, value, key, value ... as entries.
fn pairs(inside: Vec<Node>) -> Vec<MapEntry> {
    let mut inside = inside.into_iter();
    let pair = || {
        let (key, node) = (inside.next()?, inside.next()?);
        Some(MapEntry { key: key.key_text(), place: key.place, node })
    };
    std::iter::from_fn(pair).collect()
}

/// Returns the value of a text by the core schema of YAML 1.2.
fn scalar(text: &str, style: ScalarStyle) -> NodeValue {
    if style != ScalarStyle::Plain {
        return NodeValue::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeValue::Null,
        "true" | "True" | "TRUE" => NodeValue::Bool(true),
        "false" | "False" | "FALSE" => NodeValue::Bool(false),
        _ => integer(text)
            .map(NodeValue::Int)
            .or_else(|| float(text).map(NodeValue::Float))
            .unwrap_or_else(|| NodeValue::Text(text.to_owned())),
    }
}

/// Returns whether a text can be written without quotes, also within brackets.
fn is_plain_text(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._-/*=+ ".contains(c);
    text.starts_with(|c: char| c.is_alphanumeric())
        && text.chars().all(is_plain)
        && matches!(scalar(text, ScalarStyle::Plain), NodeValue::Text(_))
}

fn integer(text: &str) -> Option<i128> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (digits, radix) = match digits.split_at_checked(2) {
        Some(("0x", hex)) => (hex, 16),
        Some(("0o", octal)) => (octal, 8),
        // `007` is a text, as in version numbers.
        Some((start, _)) if start.starts_with('0') => return None,
        _ => (digits, 10),
    };
    let is_number = digits.starts_with(|c: char| c.is_digit(radix));
    let number = is_number.then(|| i128::from_str_radix(digits, radix).ok())??;
    Some(if text.starts_with('-') { -number } else { number })
}

fn float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" if text.starts_with('-') => return Some(f64::NEG_INFINITY),
        ".inf" | ".Inf" | ".INF" => return Some(f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        _ => {}
    }
    let has_zero_before = unsigned.len() > 1
        && unsigned.starts_with('0')
        && unsigned.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = unsigned.starts_with(|c: char| c == '.' || c.is_ascii_digit());
    if has_zero_before || !is_number { None } else { text.parse().ok() }
}

/// Writes a value on one line.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain_text(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) if !entries.is_empty() => {
            let key = |key: &String| flow(&Value::from(key.as_str()));
            let entries: Vec<String> = entries
                .iter()
                .map(|(name, value)| format!("{}: {}", key(name), flow(value)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        other => other.to_string(),
    }
}
