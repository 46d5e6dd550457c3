//! Project files of a local repository (`*.pom`): what they inherit from, depend on and manage.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use joust_config::read_plain;
use roxmltree::Node;

use crate::parse_xml;

/// Largest size of a project file, bytes.
const LARGEST: u64 = 4 << 20;
/// Largest number of elements, texts and comments in it.
const MOST_NODES: u32 = 200_000;
/// Longest chain of properties that stand for one another.
const DEEPEST: usize = 8;
/// Longest text after its properties are filled in, bytes.
const LONGEST: usize = 1000;

/// An artefact of a repository.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Artefact {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) version: String,
}

impl Artefact {
    /// Names an artefact; `None` where a part is no plain name, such as a range of versions.
    pub(super) fn new(group: &str, name: &str, version: &str) -> Option<Self> {
        let [group, name, version] = [group, name, version].map(|part| part.trim().to_owned());
        let is_plain = |part: &String| {
            let fits = |one: char| one.is_ascii_alphanumeric() || "._-+".contains(one);
            part.starts_with(|one: char| one.is_ascii_alphanumeric()) && part.chars().all(fits)
        };
        let all = [&group, &name, &version].into_iter().all(is_plain);
        (all && !group.contains("..")).then_some(Self { group, name, version })
    }

    /// Returns the artefact that a relocation names; parts that it leaves out stay as they are.
    fn moved_to(&self, to: &PomDependency) -> Option<Self> {
        let or =
            |text: &str, own: &str| if text.is_empty() { own.to_owned() } else { text.to_owned() };
        let version = to.version.as_deref().unwrap_or_default();
        Self::new(
            &or(&to.group, &self.group),
            &or(&to.name, &self.name),
            &or(version, &self.version),
        )
    }

    /// Returns the folder of a group, relative to the repository.
    pub(super) fn folder_of(group: &str) -> PathBuf {
        group.split('.').collect()
    }

    /// Returns its folder, relative to the repository.
    pub(super) fn folder(&self) -> PathBuf {
        Self::folder_of(&self.group).join(&self.name).join(&self.version)
    }

    /// Returns its project file, relative to the repository.
    pub(super) fn project_file(&self) -> PathBuf {
        self.folder().join(format!("{}-{}.pom", self.name, self.version))
    }
}

/// A dependency, or what is managed of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PomDependency {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) version: Option<String>,
    pub(super) is_optional: bool,
    scope: String,
}

impl PomDependency {
    fn of(entry: Node<'_, '_>) -> Self {
        let text = |name: &str| text_of(entry, name).unwrap_or_default().to_owned();
        Self {
            group: text("groupId"),
            name: text("artifactId"),
            version: text_of(entry, "version").map(str::to_owned),
            is_optional: text("optional") == "true",
            scope: text("scope"),
        }
    }

    /// Returns whether a program needs the dependency at run time.
    pub(super) fn is_used(&self) -> bool {
        matches!(self.scope.as_str(), "" | "compile" | "runtime")
    }

    /// Returns whether the versions it manages are imported.
    pub(super) fn is_import(&self) -> bool {
        self.scope == "import"
    }
}

/// Content of a project file; texts still have place-holders.
#[derive(Clone, Debug, Default)]
pub(super) struct Project {
    pub(super) parent: Option<Artefact>,
    pub(super) needs: Vec<PomDependency>,
    pub(super) manages: Vec<PomDependency>,
    /// Artefact that replaces it.
    pub(super) moved: Option<Artefact>,
    properties: BTreeMap<String, String>,
}

impl Project {
    /// Reads the project file of an artefact; `None` where it is missing or cannot be parsed.
    pub(super) fn read(path: &Path, artefact: &Artefact) -> Option<Self> {
        let text = String::from_utf8(read_plain(path, LARGEST).ok()?).ok()?;
        let document = parse_xml(&text, MOST_NODES).ok()?;
        Some(Self::of(document.root_element(), artefact))
    }

    fn of(root: Node<'_, '_>, artefact: &Artefact) -> Self {
        let list = |node: Option<Node<'_, '_>>| -> Vec<PomDependency> {
            let list = node.and_then(|one| child(one, "dependencies"));
            let entries = list.into_iter().flat_map(|one| one.children());
            entries
                .filter(|one| one.tag_name().name() == "dependency")
                .map(PomDependency::of)
                .collect()
        };
        let parent = child(root, "parent").map(PomDependency::of);
        let parent = parent
            .and_then(|one| Artefact::new(&one.group, &one.name, &one.version.unwrap_or_default()));
        let moved = child(root, "distributionManagement").and_then(|one| child(one, "relocation"));
        Self {
            needs: list(Some(root)),
            manages: list(child(root, "dependencyManagement")),
            moved: moved.and_then(|entry| artefact.moved_to(&PomDependency::of(entry))),
            properties: properties(root, artefact, parent.as_ref()),
            parent,
        }
    }

    /// Adds the values that the project inherits.
    pub(super) fn inherit(&mut self, from: &Self) {
        self.needs.extend(from.needs.iter().cloned());
        self.manages.extend(from.manages.iter().cloned());
        for (name, value) in &from.properties {
            self.properties.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }

    /// Fills in the place-holders of dependencies.
    pub(super) fn filled<'a>(
        &'a self,
        needs: &'a [PomDependency],
    ) -> impl Iterator<Item = PomDependency> + 'a {
        needs.iter().map(|need| PomDependency {
            group: self.text(&need.group),
            name: self.text(&need.name),
            version: need.version.as_ref().map(|version| self.text(version)),
            ..need.clone()
        })
    }

    /// Fills in the place-holders of a text; place-holders without a value stay.
    fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..DEEPEST {
            let Some((before, rest)) = text.split_once("${") else { break };
            let Some((name, after)) = rest.split_once('}') else { break };
            let Some(value) = self.properties.get(name) else { break };
            let filled = format!("{before}{value}{after}");
            if filled.len() > LONGEST {
                break;
            }
            text = filled;
        }
        text
    }
}

/// Returns what place-holders stand for.
fn properties(
    root: Node<'_, '_>,
    artefact: &Artefact,
    parent: Option<&Artefact>,
) -> BTreeMap<String, String> {
    let own = child(root, "properties").into_iter().flat_map(|one| one.children());
    let own = own
        .filter_map(|one| Some((one.tag_name().name().to_owned(), one.text()?.trim().to_owned())));
    let mut all: BTreeMap<String, String> = own.collect();
    let mut add = |prefix: &str, of: &Artefact| {
        let parts = [("groupId", &of.group), ("artifactId", &of.name), ("version", &of.version)];
        for (name, value) in parts {
            all.insert(format!("{prefix}{name}"), value.clone());
        }
    };
    // `pom.` and nothing were the prefixes of Maven 1 and 2.
    ["project.", "pom.", ""].into_iter().for_each(|prefix| add(prefix, artefact));
    if let Some(parent) = parent {
        ["project.parent.", "pom.parent.", "parent."]
            .into_iter()
            .for_each(|prefix| add(prefix, parent));
    }
    all
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|one| one.tag_name().name() == name)
}

fn text_of<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name)?.text().map(str::trim).filter(|text| !text.is_empty())
}
