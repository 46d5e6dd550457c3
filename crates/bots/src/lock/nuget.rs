//! `packages.lock.json` of NuGet: each package with its version and the hash of its content.
//!
//! What is fetched is listed in `packages.txt`, a package on a line. Projects of the bot itself are not fetched.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::places::Places;
use super::{List, Package, Wrong, is_name, is_version, short};

const AGAIN: &str = "`dotnet restore --use-lock-file` writes one";

pub(super) fn read(text: &str) -> Result<List, Vec<Wrong>> {
    let lock: Value = serde_json::from_str(text).map_err(|error| {
        let at = (error.line().max(1), error.column().max(1));
        vec![Wrong::new(at, format!("the list cannot be read: {error}"), AGAIN)]
    })?;
    let Some(frameworks) = lock.get("dependencies").and_then(Value::as_object) else {
        return Err(vec![Wrong::new((1, 1), "the list has no `dependencies`", AGAIN)]);
    };
    let places = Places::new(text);
    let keys = places.keys("\"dependencies\"");
    let at = |name: &str| place(&places, &keys, name);
    let entries = frameworks.values().filter_map(Value::as_object).flatten();
    let (mut packages, mut wrong) = (BTreeMap::new(), Vec::new());
    for (name, entry) in entries {
        if entry.get("type").and_then(Value::as_str) == Some("Project") {
            continue;
        }
        match package(at(name), name, entry) {
            Ok(one) => drop(packages.insert((name.to_lowercase(), one.version.clone()), one)),
            Err(one) => wrong.push(one),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let packages: Vec<Package> = packages.into_values().collect();
    let line = |one: &Package| {
        let part = |text: &Option<String>| text.clone().unwrap_or_default();
        let hash = part(&one.hash);
        format!("{} {} {}\n", one.name, part(&one.version), hash.trim_start_matches("sha512-"))
    };
    let text = packages.iter().map(line).collect();
    Ok(List { packages, folder: [("packages.txt".to_owned(), text)].into() })
}

/// Returns where a package stands first.
fn place(places: &Places<'_>, keys: &HashMap<&str, usize>, name: &str) -> (usize, usize) {
    let key = Value::from(name).to_string();
    places.at(keys.get(key.as_str()).copied().unwrap_or_default())
}

fn package(at: (usize, usize), name: &str, entry: &Value) -> Result<Package, Wrong> {
    let value = |key: &str| entry.get(key).and_then(Value::as_str);
    let version = value("resolved").filter(|version| is_version(version) && is_name(name, "._-"));
    let Some(version) = version else {
        return Err(Wrong::new(at, format!("`{}` has no version", short(name)), AGAIN));
    };
    let is_hash = |hash: &&str| {
        let is_plain = |one: char| one.is_ascii_alphanumeric() || "+/=".contains(one);
        hash.len() == 88 && hash.chars().all(is_plain)
    };
    let Some(hash) = value("contentHash").filter(is_hash) else {
        return Err(Wrong::new(at, format!("`{name}` has no `contentHash`"), AGAIN));
    };
    let (name, version) = (name.to_owned(), Some(version.to_owned()));
    Ok(Package { name, version, hash: Some(format!("sha512-{hash}")), place: at })
}
