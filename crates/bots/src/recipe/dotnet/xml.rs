//! The few things of a project file that matter, read without a schema.

/// How deep elements may be nested.
const DEEPEST: usize = 64;

/// An item: a source, a reference ...
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Item {
    pub(super) kind: String,
    pub(super) include: String,
    /// Where a reference is said to lie.
    pub(super) hint: Option<String>,
    /// A package's version.
    pub(super) version: String,
}

/// Items and properties, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct ProjectFile {
    pub(super) items: Vec<Item>,
    properties: Vec<(String, String)>,
}

impl ProjectFile {
    /// Reads a project file.
    ///
    /// # Errors
    ///
    /// Why the text is none.
    pub(in super::super) fn read(text: &str) -> Result<Self, String> {
        let mut reading = Reading { rest: text, ..Reading::default() };
        while let Some(tag) = reading.next_tag()? {
            reading.take(&tag)?;
        }
        match reading.open.last() {
            Some(open) => Err(format!("`<{}>` is never closed", open.name)),
            None => Ok(reading.file),
        }
    }

    /// Returns what the items of a kind include; several in one are separated by `;`.
    pub(in super::super) fn includes<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a str> {
        let items = self.items.iter().filter(move |item| item.kind == kind);
        items.flat_map(|item| item.include.split(';')).map(str::trim).filter(|one| !one.is_empty())
    }

    /// Returns the values of a property.
    pub(super) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.properties.iter().filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.trim())
    }
}

struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
    is_end: bool,
    is_empty: bool,
    /// What follows, up to the next tag.
    text: &'a str,
}

struct Open {
    name: String,
    is_left_out: bool,
}

#[derive(Default)]
struct Reading<'a> {
    rest: &'a str,
    open: Vec<Open>,
    item: Option<(usize, Item)>,
    file: ProjectFile,
}

impl<'a> Reading<'a> {
    fn next_tag(&mut self) -> Result<Option<Tag<'a>>, String> {
        loop {
            let Some((_, after)) = self.rest.split_once('<') else { return Ok(None) };
            let end = match after {
                _ if after.starts_with("!--") => "-->",
                _ if after.starts_with('?') => "?>",
                _ if after.starts_with('!') => ">",
                _ => break self.tag(after).map(Some),
            };
            let (_, rest) = after.split_once(end).ok_or("a comment never ends")?;
            self.rest = rest;
        }
    }

    fn tag(&mut self, after: &'a str) -> Result<Tag<'a>, String> {
        let mut quote = None;
        let end = after.find(|one: char| match (quote, one) {
            (Some(open), one) if one == open => {
                quote = None;
                false
            }
            (None, '"' | '\'') => {
                quote = Some(one);
                false
            }
            (None, '>') => true,
            _ => false,
        });
        let (inner, rest) = after.split_at(end.ok_or("a tag never ends")?);
        self.rest = &rest[1..];
        let text = self.rest.split('<').next().unwrap_or_default();
        let (is_end, inner) = (inner.starts_with('/'), inner.trim_start_matches('/'));
        let (is_empty, inner) = (inner.ends_with('/'), inner.trim_end_matches('/'));
        let (name, attributes) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
        Ok(Tag { name, attributes, is_end, is_empty, text })
    }

    fn take(&mut self, tag: &Tag<'_>) -> Result<(), String> {
        if tag.is_end {
            let open = self.open.pop().filter(|open| open.name == tag.name);
            open.ok_or_else(|| format!("`</{}>` closes nothing", tag.name))?;
            self.end_item();
            return Ok(());
        }
        self.begin(tag);
        if !tag.is_empty {
            if self.open.len() == DEEPEST {
                return Err("nested too deeply".to_owned());
            }
            let condition = attribute(tag.attributes, "Condition").unwrap_or_default();
            let parent = self.open.last().is_some_and(|open| open.is_left_out);
            let is_left_out =
                parent || (condition.contains("Debug") && !condition.contains("Release"));
            self.open.push(Open { name: tag.name.to_owned(), is_left_out });
        } else {
            self.end_item();
        }
        Ok(())
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        let Some(parent) = self.open.last().filter(|open| !open.is_left_out) else { return };
        match (parent.name.as_str(), &mut self.item) {
            ("ItemGroup", _) => {
                let include = attribute(tag.attributes, "Include").unwrap_or_default();
                let version = attribute(tag.attributes, "Version").unwrap_or_default();
                let item = Item { kind: tag.name.to_owned(), include, hint: None, version };
                self.item = Some((self.open.len(), item));
            }
            ("PropertyGroup", _) => {
                self.file.properties.push((tag.name.to_owned(), decoded(tag.text)));
            }
            (_, Some((_, item))) if tag.name == "HintPath" => {
                item.hint = Some(decoded(tag.text.trim()));
            }
            (_, Some((_, item))) if tag.name == "Version" => {
                item.version = decoded(tag.text.trim())
            }
            _ => {}
        }
    }

    /// Keeps the item once its element is closed.
    fn end_item(&mut self) {
        if let Some((_, item)) = self.item.take_if(|(depth, _)| *depth >= self.open.len()) {
            self.file.items.push(item);
        }
    }
}

/// Returns an attribute's value.
fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    while let Some((before, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let quote = after.chars().next().filter(|one| matches!(one, '"' | '\''))?;
        let (value, further) = after[1..].split_once(quote)?;
        if before.trim() == name {
            return Some(decoded(value));
        }
        rest = further;
    }
    None
}

fn decoded(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (name, meaning)| text.replace(name, meaning))
}
