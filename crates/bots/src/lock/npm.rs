//! `package-lock.json` of npm 7 and later: each package with its version and integrity.
//!
//! Addresses of tarballs (`resolved`) are left out where they are those of a registry: the integrity says
//! what must come, the organiser says from where. What only developers need does not come.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::places::Places;
use super::{List, Package, Wrong, is_name, is_version, short};

const OLD: &str = "`npm install --package-lock-only` of npm 7 or later writes one with `packages`";
const NO_ADDRESS: &str = "take the package from the registry, or ship `node_modules`";
const NEEDS_HASH: &str = "`npm install --package-lock-only` writes it";
/// Lists of other packages, by name and versions.
const NEEDS: [&str; 3] = ["dependencies", "optionalDependencies", "peerDependencies"];
/// What else decides whether a package is laid down.
const KEPT: [&str; 9] =
    ["version", "integrity", "optional", "peer", "os", "cpu", "libc", "inBundle", "name"];

pub(super) fn read(text: &str) -> Result<List, Vec<Wrong>> {
    let lock: Value = serde_json::from_str(text).map_err(|error| {
        let at = (error.line().max(1), error.column().max(1));
        vec![Wrong::new(at, format!("the list cannot be read: {error}"), OLD)]
    })?;
    let Some(packages) = lock.get("packages").and_then(Value::as_object) else {
        return Err(vec![Wrong::new((1, 1), "the list has no `packages`", OLD)]);
    };
    let places = Places::new(text);
    let keys = places.keys("\"packages\"");
    let (list, clean, wrong) = (List::default(), Map::new(), Vec::new());
    let mut reading = Reading { places, keys, list, clean, wrong };
    for (path, entry) in packages {
        reading.entry(path, entry);
    }
    reading.finish()
}

struct Reading<'a> {
    places: Places<'a>,
    /// Where keys stand, as they are written.
    keys: HashMap<&'a str, usize>,
    list: List,
    clean: Map<String, Value>,
    wrong: Vec<Wrong>,
}

impl Reading<'_> {
    fn refuse(&mut self, path: &str, message: String, hint: &'static str) {
        let at = self.place(path);
        self.wrong.push(Wrong::new(at, message, hint));
    }

    /// Returns where an entry stands: keys are written as JSON writes them.
    fn place(&self, path: &str) -> (usize, usize) {
        let key = Value::from(path).to_string();
        let beginning = self.keys.get("\"packages\"").copied().unwrap_or_default();
        self.places.at(self.keys.get(key.as_str()).copied().unwrap_or(beginning))
    }

    fn entry(&mut self, path: &str, entry: &Value) {
        let Some(entry) = entry.as_object() else {
            return self.refuse(path, format!("`{}` is not a package", short(path)), OLD);
        };
        let is = |flag: &str| entry.get(flag).and_then(Value::as_bool) == Some(true);
        if is("dev") {
            return;
        }
        if let Some(wrong) = self.unclean_need(entry) {
            return self.refuse(path, wrong, NO_ADDRESS);
        }
        let clean = match path.is_empty() {
            true => Some(Map::new()),
            false => self.package(path, entry),
        };
        let Some(mut clean) = clean else { return };
        for list in NEEDS.iter().filter(|list| entry.contains_key(**list)) {
            clean.insert((*list).to_owned(), entry[*list].clone());
        }
        self.clean.insert(path.to_owned(), Value::Object(clean));
    }

    /// Takes a package; `None` when it is refused.
    fn package(&mut self, path: &str, entry: &Map<String, Value>) -> Option<Map<String, Value>> {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let own = path.rsplit_once("node_modules/").filter(|_| is_path(path)).map(|(_, name)| name);
        let Some(name) = own.map(|own| text("name").unwrap_or(own)).filter(|name| is_package(name))
        else {
            let message = format!("`{}` is no package of a registry", short(path));
            self.refuse(path, message, NO_ADDRESS);
            return None;
        };
        let resolved = text("resolved").unwrap_or_default();
        let Some(version) = text("version").filter(|version| is_version(version)) else {
            let instead = text("version").unwrap_or(resolved);
            let message =
                format!("`{name}` has no version of a registry, but `{}`", short(instead));
            self.refuse(path, message, NO_ADDRESS);
            return None;
        };
        if !resolved.is_empty() && !is_of_registry(resolved, name, version) {
            let message = format!("`{name}` comes from an address: `{}`", short(resolved));
            self.refuse(path, message, NO_ADDRESS);
            return None;
        }
        let hash = text("integrity").filter(|hash| is_integrity(hash)).map(str::to_owned);
        let is_bundled = entry.get("inBundle").and_then(Value::as_bool) == Some(true);
        if hash.is_none() && !is_bundled {
            self.refuse(path, format!("`{name}` has no `integrity`"), NEEDS_HASH);
            return None;
        }
        let place = self.place(path);
        let (name, version) = (name.to_owned(), Some(version.to_owned()));
        self.list.packages.push(Package { name, version, hash, place });
        let kept =
            KEPT.iter().filter_map(|key| Some(((*key).to_owned(), entry.get(*key)?.clone())));
        // Names of systems have no such character; names and hashes were looked at.
        let is_plain = |(key, value): &(String, Value)| {
            matches!(key.as_str(), "name" | "integrity") || !value.to_string().contains('/')
        };
        Some(kept.filter(is_plain).collect())
    }

    /// Returns what is wrong with what a package needs: it is no name with versions.
    fn unclean_need(&self, entry: &Map<String, Value>) -> Option<String> {
        let lists = NEEDS.iter().filter_map(|list| entry.get(*list)?.as_object());
        let mut needs = lists.flatten();
        let (name, versions) = needs.find(|(name, versions)| {
            !is_package(name) || !versions.as_str().is_some_and(are_versions)
        })?;
        Some(format!(
            "`{}` is asked for at an address: `{}`",
            short(name),
            short(&versions.to_string())
        ))
    }

    fn finish(mut self) -> Result<List, Vec<Wrong>> {
        if !self.wrong.is_empty() {
            return Err(self.wrong);
        }
        let root = self.clean.get("").cloned().unwrap_or_else(|| json!({}));
        let named = |mut value: Value| {
            value["name"] = "libraries".into();
            value["version"] = "1.0.0".into();
            value
        };
        let package = named(root.clone());
        self.clean.insert(String::new(), named(root));
        let mut lock = named(json!({ "lockfileVersion": 3, "requires": true }));
        lock["packages"] = Value::Object(self.clean);
        let folder = [("package.json", package), ("package-lock.json", lock)];
        let folder = folder.map(|(name, value)| (name.to_owned(), value.to_string()));
        Ok(List { folder: folder.into(), ..self.list })
    }
}

/// Says whether a place is one in folders of packages: `node_modules/a/node_modules/@b/c`.
fn is_path(path: &str) -> bool {
    let Some(path) = path.strip_prefix("node_modules/") else { return false };
    path.split("/node_modules/").all(is_package)
}

fn is_package(name: &str) -> bool {
    let (scope, name) = match name.strip_prefix('@').map(|name| name.split_once('/')) {
        Some(Some((scope, name))) => (scope, name),
        Some(None) => return false,
        None => ("x", name),
    };
    let is_plain = |part: &str| is_name(part, "._-~") && part != "node_modules";
    is_plain(scope) && is_plain(name)
}

/// Says whether a text asks for versions, perhaps of a package under another name, and for
/// no address.
fn are_versions(text: &str) -> bool {
    let versions = match text.strip_prefix("npm:").map(|name| name.rsplit_once('@')) {
        Some(Some((name, versions))) if is_package(name) => versions,
        Some(_) => return text.strip_prefix("npm:").is_some_and(is_package),
        None => text,
    };
    versions.chars().all(|one| one.is_ascii_alphanumeric() || "._+-^~<>=|*, ".contains(one))
}

/// Says whether an address is that of a package in a registry, whichever that is.
fn is_of_registry(resolved: &str, name: &str, version: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    let address = resolved.split(['#', '?']).next().unwrap_or_default();
    address.starts_with("https://") && address.ends_with(&format!("/{name}/-/{last}-{version}.tgz"))
}

fn is_integrity(text: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "+/= -".contains(one);
    text.len() < 1000 && text.starts_with("sha") && text.chars().all(is_plain)
}
