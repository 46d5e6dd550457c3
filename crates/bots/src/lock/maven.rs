//! `pom.xml` of Maven: what a project depends on, and the plugins that build it.
//!
//! Maven has no lock: versions are exact, and files are checked against the registry's checksums. What runs, is configured or
//! depends on a profile is left out, because fetching needs names and versions alone. What the
//! project makes itself, its modules, nobody fetches.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use roxmltree::{Document, Node};

use super::places::Places;
use super::{List, Package, SourceTree, Texts, Wrong, is_name, is_version, read_text, short};

const NO_FORM: &str = "`mvn validate` says what Maven cannot read";
const NO_ADDRESS: &str = "which repository is asked is the organiser's decision: leave it out";
const NO_EXTENSION: &str = "extensions run while libraries are fetched: build without them";
const NO_CODE: &str = "they would run while libraries are fetched: leave them out";
/// The plugin that fetches libraries.
const FETCHER: &str = "<artifactId>maven-dependency-plugin</artifactId>";
const NO_VERSION: &str =
    "write one version, as `3.12.0`, or a property of this file that holds one";
/// Whose the plugins are that name no group.
const PLUGINS: &str = "org.apache.maven.plugins";
/// How often a property may stand for another.
const DEEPEST: usize = 8;
/// How many modules of a project are read.
const MOST_MODULES: usize = 100;

/// Returns the texts of a project's modules and of theirs; the project's own is `text`, and lies
/// in `folder`, which is empty or ends with `/`. What cannot be read is no module.
pub(super) fn modules(tree: &SourceTree, folder: &str, text: &str) -> Vec<String> {
    let mut seen: BTreeSet<String> = [format!("{folder}pom.xml")].into();
    let mut waiting = modules_of(tree, folder, text);
    let mut texts = Vec::new();
    while let Some(file) = waiting.pop() {
        if texts.len() == MOST_MODULES || !seen.insert(file.clone()) {
            continue;
        }
        let Ok(text) = read_text(&tree.root, &file) else { continue };
        let folder = file.rfind('/').map_or("", |at| &file[..=at]);
        waiting.extend(modules_of(tree, folder, &text));
        texts.push(text);
    }
    texts
}

/// Returns the project files that a project in `folder` names as its modules.
fn modules_of(tree: &SourceTree, folder: &str, text: &str) -> Vec<String> {
    let Ok(document) = Document::parse(text) else { return Vec::new() };
    let list = child(document.root_element(), "modules");
    let entries = list.into_iter().flat_map(|one| one.children());
    let entries = entries.filter(|one| one.tag_name().name() == "module");
    let named = entries.filter_map(|one| joined(folder, one.text()?.trim()));
    let file = |place: String| {
        let inside =
            if place.is_empty() { "pom.xml".to_owned() } else { format!("{place}/pom.xml") };
        [inside, place].into_iter().find(|file| tree.contains(file))
    };
    named.filter_map(file).collect()
}

/// Joins a path to a folder of the source; `None` when it leaves the source.
fn joined(folder: &str, path: &str) -> Option<String> {
    let whole = format!("{folder}{}", path.replace('\\', "/"));
    let mut parts = Vec::new();
    for part in whole.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

pub(super) fn read(texts: Texts<'_>) -> Result<List, Vec<Wrong>> {
    let text = texts.list;
    let document = Document::parse(text).map_err(|error| {
        let at = (error.pos().row as usize, error.pos().col as usize);
        vec![Wrong::new(at, format!("the project cannot be read: {error}"), NO_FORM)]
    })?;
    let root = document.root_element();
    let properties = properties(root);
    let places = Places::new(text);
    let modules = texts.modules.iter().filter_map(|text| {
        let document = Document::parse(text).ok()?;
        name_of(document.root_element())
    });
    let own = modules.chain(name_of(root)).collect();
    let mut reading = Reading { places, properties, own, packages: Vec::new(), wrong: Vec::new() };
    reading.refuse_addresses(root);
    let parent = reading.coordinates(child(root, "parent"), "");
    let managed = child(root, "dependencyManagement").and_then(|one| child(one, "dependencies"));
    let managed = reading.all(managed, "dependency");
    let needed = reading.all(child(root, "dependencies"), "dependency");
    let build = child(root, "build");
    let plugins = reading.all(build.and_then(|one| child(one, "plugins")), "plugin");
    let managed_plugins = build.and_then(|one| child(one, "pluginManagement"));
    let managed_plugins = managed_plugins.and_then(|one| child(one, "plugins"));
    let managed_plugins = reading.all(managed_plugins, "plugin");
    if !reading.wrong.is_empty() {
        return Err(reading.wrong);
    }
    let project = format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n<modelVersion>4.0.0</modelVersion>\n\
         {}<groupId>joust</groupId><artifactId>libraries</artifactId><version>1</version>\n\
         <dependencyManagement><dependencies>\n{managed}</dependencies></dependencyManagement>\n\
         <dependencies>\n{needed}</dependencies>\n\
         <build><pluginManagement><plugins>\n{managed_plugins}</plugins></pluginManagement>\
         <plugins>\n{plugins}</plugins></build>\n</project>\n",
        parent.map(|one| format!("<parent>{one}<relativePath/></parent>\n")).unwrap_or_default(),
    );
    Ok(List { packages: reading.packages, folder: [("pom.xml".to_owned(), project)].into() })
}

fn child<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|one| one.tag_name().name() == name)
}

fn text_of<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name)?.text().map(str::trim).filter(|text| !text.is_empty())
}

/// Returns what the place-holders of a project stand for.
fn properties(root: Node<'_, '_>) -> BTreeMap<String, String> {
    let own = child(root, "properties").into_iter().flat_map(|one| one.children());
    let own = own
        .filter_map(|one| Some((one.tag_name().name().to_owned(), one.text()?.trim().to_owned())));
    let mut all: BTreeMap<String, String> = own.collect();
    let parent = child(root, "parent");
    for name in ["version", "groupId", "artifactId"] {
        let of_parent = parent.and_then(|one| text_of(one, name));
        if let Some(text) = of_parent {
            all.insert(format!("project.parent.{name}"), text.to_owned());
        }
        if let Some(text) = of_parent {
            all.entry(format!("parent.{name}")).or_insert_with(|| text.to_owned());
        }
        if let Some(text) = text_of(root, name).or(of_parent) {
            all.insert(format!("project.{name}"), text.to_owned());
            all.insert(format!("pom.{name}"), text.to_owned());
            // Without a word before it, a property of that name comes first.
            all.entry(name.to_owned()).or_insert_with(|| text.to_owned());
        }
    }
    all
}

/// Returns group and name of what a project makes; `None` where it does not say them.
fn name_of(root: Node<'_, '_>) -> Option<(String, String)> {
    let parent = child(root, "parent");
    let group = text_of(root, "groupId").or_else(|| text_of(parent?, "groupId"))?;
    let properties = properties(root);
    let name = filled(text_of(root, "artifactId")?, &properties)?;
    Some((filled(group, &properties)?, name))
}

/// Fills in properties; `None` when one is not known.
fn filled(text: &str, properties: &BTreeMap<String, String>) -> Option<String> {
    let mut text = text.to_owned();
    for _ in 0..DEEPEST {
        let Some((before, rest)) = text.split_once("${") else { return Some(text) };
        let (name, after) = rest.split_once('}')?;
        text = format!("{before}{}{after}", properties.get(name)?);
        if text.len() > 1000 {
            return None;
        }
    }
    (!text.contains("${")).then_some(text)
}

struct Reading<'a> {
    places: Places<'a>,
    properties: BTreeMap<String, String>,
    /// Group and name of what the project makes itself.
    own: BTreeSet<(String, String)>,
    packages: Vec<Package>,
    wrong: Vec<Wrong>,
}

impl Reading<'_> {
    fn refuse(&mut self, node: Node<'_, '_>, message: String, hint: &'static str) {
        let at = self.places.at(node.range().start);
        self.wrong.push(Wrong::new(at, message, hint));
    }

    fn refuse_addresses(&mut self, root: Node<'_, '_>) {
        for node in root.descendants().filter(Node::is_element) {
            let name = node.tag_name().name();
            let holds = |what: &str| node.children().any(|one| one.tag_name().name() == what);
            if matches!(name, "repositories" | "pluginRepositories")
                && (holds("repository") || holds("pluginRepository"))
            {
                self.refuse(node, format!("`<{name}>` names addresses"), NO_ADDRESS);
            } else if name == "systemPath" {
                self.refuse(
                    node,
                    "`<systemPath>` names a file of the machine".to_owned(),
                    NO_ADDRESS,
                );
            } else if name == "extensions" && holds("extension") {
                self.refuse(node, "`<extensions>` cannot be fetched".to_owned(), NO_EXTENSION);
            }
        }
    }

    fn all(&mut self, list: Option<Node<'_, '_>>, kind: &str) -> String {
        let mut text = String::new();
        let entries = list.into_iter().flat_map(|one| one.children());
        for entry in entries.filter(|one| one.tag_name().name() == kind) {
            let group = if kind == "plugin" { PLUGINS } else { "" };
            let Some(coordinates) = self.coordinates(Some(entry), group) else { continue };
            let brings = child(entry, "dependencies").filter(|_| coordinates.contains(FETCHER));
            if let Some(brings) = brings {
                self.refuse(
                    brings,
                    "`<dependencies>` of the plugin that fetches".to_owned(),
                    NO_CODE,
                );
            }
            let own =
                self.all(child(entry, "dependencies").filter(|_| kind == "plugin"), "dependency");
            let own =
                if own.is_empty() { own } else { format!("<dependencies>{own}</dependencies>") };
            let _ = writeln!(text, "<{kind}>{coordinates}{own}</{kind}>");
        }
        text
    }

    /// Reads the coordinates of an entry and returns them clean; `None` for what is wrong and for
    /// what the project makes itself.
    fn coordinates(&mut self, entry: Option<Node<'_, '_>>, usual_group: &str) -> Option<String> {
        let entry = entry?;
        let value = |name: &str| text_of(entry, name).map(|text| filled(text, &self.properties));
        let group = value("groupId").unwrap_or_else(|| Some(usual_group.to_owned()));
        let artifact = value("artifactId").flatten();
        let (group, artifact) = (group.unwrap_or_default(), artifact.unwrap_or_default());
        let is_plain = |text: &str| is_name(text, "._-");
        if !is_plain(&group) || !is_plain(&artifact) {
            let message =
                format!("`{}:{}` is no name of an artefact", short(&group), short(&artifact));
            self.refuse(entry, message, NO_FORM);
            return None;
        }
        if self.own.contains(&(group.clone(), artifact.clone())) {
            return None;
        }
        let version = match value("version") {
            None => None,
            Some(Some(version)) if is_version(&version) && !is_moving(&version) => Some(version),
            Some(_) => {
                let written = text_of(entry, "version").unwrap_or_default();
                let message = format!("`{artifact}`: `{}` is not one version", short(written));
                self.refuse(entry, message, NO_VERSION);
                return None;
            }
        };
        let mut clean = format!("<groupId>{group}</groupId><artifactId>{artifact}</artifactId>");
        if let Some(version) = &version {
            let _ = write!(clean, "<version>{version}</version>");
        }
        for name in ["type", "classifier", "scope"] {
            if let Some(text) = value(name).flatten().filter(|text| is_plain(text)) {
                let _ = write!(clean, "<{name}>{text}</{name}>");
            }
        }
        let (name, place) = (format!("{group}:{artifact}"), self.places.at(entry.range().start));
        self.packages.push(Package { name, version, hash: None, place });
        Some(clean)
    }
}

/// Says whether a version is another one tomorrow.
fn is_moving(version: &str) -> bool {
    version == "LATEST" || version == "RELEASE" || version.ends_with("-SNAPSHOT")
}
