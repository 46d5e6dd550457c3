//! Project file of a C# project: its items and properties, read without a schema.
//!
//! The file is untrusted: size, elements and depth are bounded.

use roxmltree::Node;

use crate::parse_xml;

/// Largest size of a project file, bytes.
const MOST_BYTES: usize = 4 << 20;
/// Largest number of elements, texts and comments in it.
const MOST_NODES: u32 = 200_000;
/// Longest path, bytes: no longer one can be opened. A pattern is compared with every file.
const LONGEST_PATH: usize = 4096;
/// Deepest nesting of elements.
const DEEPEST: usize = 64;

/// An item: a source, a reference ...
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectItem {
    pub(super) kind: String,
    pub(super) include: String,
    /// Path that a reference gives.
    pub(super) hint: Option<String>,
    /// A package's version.
    pub(super) version: String,
    /// Path in the project of a file from elsewhere.
    pub(super) link: Option<String>,
    /// Name of a resource in the program.
    pub(super) logical_name: Option<String>,
}

/// Items and properties, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProjectFile {
    pub(super) items: Vec<ProjectItem>,
    properties: Vec<(String, String)>,
}

impl ProjectFile {
    /// Reads a project file.
    ///
    /// # Errors
    ///
    /// The reason why the text is no project file.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if text.len() > MOST_BYTES {
            return Err(format!("more than {} MiB", MOST_BYTES >> 20));
        }
        let document = parse_xml(text, MOST_NODES)?;
        let mut file = Self::default();
        file.take(document.root_element(), 1)?;
        Ok(file)
    }

    /// Takes what stands in an element, unless it holds for `Debug` alone.
    fn take(&mut self, element: Node<'_, '_>, depth: usize) -> Result<(), String> {
        if depth > DEEPEST {
            return Err("nested too deeply".to_owned());
        }
        if is_left_out(element) {
            return Ok(());
        }
        for child in element.children().filter(Node::is_element) {
            match element.tag_name().name() {
                "ItemGroup" => self.items.push(ProjectItem::of(child)),
                "PropertyGroup" => self.properties.push((name_of(child), text_of(child))),
                _ => {}
            }
            self.take(child, depth + 1)?;
        }
        Ok(())
    }

    /// Returns what the items of a kind include; several in one are separated by `;`.
    pub(crate) fn includes<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a str> {
        let items = self.items.iter().filter(move |item| item.kind == kind);
        items.flat_map(ProjectItem::includes)
    }

    /// Returns the values of a property.
    pub(super) fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.properties.iter().filter(move |(known, _)| known == name);
        named.map(|(_, value)| value.trim())
    }
}

impl ProjectItem {
    fn of(element: Node<'_, '_>) -> Self {
        let attribute = |name: &str| element.attribute(name).unwrap_or_default().to_owned();
        let is_out = is_left_out(element);
        let child = |name: &str| {
            let mut children = element.children().filter(|_| !is_out);
            let found = children.rfind(|child| child.tag_name().name() == name);
            found.map(|child| text_of(child).trim().to_owned())
        };
        let either =
            |name: &str| child(name).or_else(|| element.attribute(name).map(str::to_owned));
        Self {
            kind: name_of(element),
            include: attribute("Include"),
            hint: child("HintPath"),
            version: child("Version").unwrap_or_else(|| attribute("Version")),
            link: either("Link"),
            logical_name: either("LogicalName"),
        }
    }

    /// Returns what it includes; several are separated by `;`. Texts that are no paths are left out.
    pub(super) fn includes(&self) -> impl Iterator<Item = &str> {
        let all = self.include.split(';').map(str::trim);
        all.filter(|one| (1..=LONGEST_PATH).contains(&one.len()))
    }
}

/// Returns whether an element holds for `Debug` alone.
fn is_left_out(element: Node<'_, '_>) -> bool {
    let condition = element.attribute("Condition").unwrap_or_default();
    condition.contains("Debug") && !condition.contains("Release")
}

fn name_of(element: Node<'_, '_>) -> String {
    element.tag_name().name().to_owned()
}

fn text_of(element: Node<'_, '_>) -> String {
    element.text().unwrap_or_default().to_owned()
}
