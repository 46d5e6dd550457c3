//! `Cargo.lock` of Rust: crates of crates.io, each with its version and checksum.
//!
//! The crates of the bot itself, which have no source, are not fetched. Cargo is given a project of our own that asks
//! for each crate at its version.

use std::collections::HashSet;

use serde::Deserialize;
use toml::Spanned;

use super::places::Places;
use super::{List, Package, Wrong, is_name, is_version, short};

const AGAIN: &str = "`cargo generate-lockfile` writes one";
const NO_ADDRESS: &str = "take the crate from crates.io, or lay its source into the bot's folder";
/// What a crate of crates.io names as its source.
const CRATES_IO: [&str; 2] =
    ["registry+https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io/"];

#[derive(Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Crate>,
    /// Where releases before 1.53 kept checksums.
    #[serde(default)]
    metadata: Option<toml::Table>,
}

#[derive(Deserialize)]
struct Crate {
    name: Spanned<String>,
    version: String,
    source: Option<String>,
    checksum: Option<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

pub(super) fn read(text: &str) -> Result<List, Vec<Wrong>> {
    let places = Places::new(text);
    let lock: Lock = toml::from_str(text).map_err(|error| {
        let at = places.at(error.span().map_or(0, |span| span.start));
        vec![Wrong::new(at, format!("the list cannot be read: {}", short(error.message())), AGAIN)]
    })?;
    let old = |one: &Crate| {
        let source = one.source.as_deref()?;
        let key = format!("checksum {} {} ({source})", one.name.get_ref(), one.version);
        lock.metadata.as_ref()?.get(&key)?.as_str().map(str::to_owned)
    };
    let fetched: Vec<&Crate> = lock.package.iter().filter(|one| one.source.is_some()).collect();
    let (mut packages, mut wrong) = (Vec::new(), Vec::new());
    for one in &fetched {
        let hash = one.checksum.clone().or_else(|| old(one));
        match package(places.at(one.name.span().start), one, hash) {
            Ok(package) => packages.push(package),
            Err(one) => wrong.push(one),
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let own: HashSet<&str> = lock
        .package
        .iter()
        .filter(|one| one.source.is_none())
        .map(|one| one.name.get_ref().as_str())
        .collect();
    let needs = |one: &&Crate| {
        let is_fetched =
            |need: &&String| !need.split(' ').next().is_some_and(|name| own.contains(&name));
        one.dependencies.iter().filter(is_fetched).map(|need| without_source(need)).collect()
    };
    let needs: Vec<Vec<String>> = fetched.iter().map(needs).collect();
    let folder = [
        ("Cargo.toml".to_owned(), manifest(&packages)),
        ("Cargo.lock".to_owned(), clean_lock(&packages, &needs)),
        ("lib.rs".to_owned(), String::new()),
    ];
    Ok(List { packages, folder: folder.into() })
}

fn package(at: (usize, usize), one: &Crate, hash: Option<String>) -> Result<Package, Wrong> {
    let name = one.name.get_ref();
    let refuse = |message: String, hint| Err(Wrong::new(at, message, hint));
    let source = one.source.as_deref().unwrap_or_default();
    if !CRATES_IO.contains(&source) {
        let message = format!("`{}` comes from an address: `{}`", short(name), short(source));
        return refuse(message, NO_ADDRESS);
    }
    let are_plain = one.dependencies.iter().all(|need| {
        let mut words = need.split(' ');
        words.next().is_some_and(is_crate) && words.next().is_none_or(is_version)
    });
    if !is_crate(name) || !is_version(&one.version) || !are_plain {
        return refuse(format!("`{}` is not a crate with a version", short(name)), AGAIN);
    }
    let is_hash =
        |text: &String| text.len() == 64 && text.chars().all(|one| one.is_ascii_hexdigit());
    let Some(hash) = hash.filter(is_hash) else {
        return refuse(format!("`{name}` has no checksum"), AGAIN);
    };
    let version = Some(one.version.clone());
    Ok(Package { name: name.clone(), version, hash: Some(format!("sha256:{hash}")), place: at })
}

fn is_crate(name: &str) -> bool {
    is_name(name, "_-")
}

/// Returns what a lock says of a need, without where it comes from.
fn without_source(need: &str) -> String {
    need.split(" (").next().unwrap_or_default().to_owned()
}

fn version_of(package: &Package) -> &str {
    package.version.as_deref().unwrap_or_default()
}

fn manifest(packages: &[Package]) -> String {
    let head = "[package]\nname = \"joust-libraries\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
        [lib]\npath = \"lib.rs\"\n\n[dependencies]\n";
    let need = |(number, one): (usize, &Package)| {
        let (name, version) = (&one.name, version_of(one));
        format!(
            "p{number} = {{ package = \"{name}\", version = \"={version}\", default-features = false }}\n"
        )
    };
    packages.iter().enumerate().map(need).fold(head.to_owned(), |text, line| text + &line)
}

fn clean_lock(packages: &[Package], needs: &[Vec<String>]) -> String {
    let quoted = |needs: &[String]| -> String {
        needs.iter().map(|need| format!(" \"{need}\",\n")).collect()
    };
    let all: Vec<String> =
        packages.iter().map(|one| format!("{} {}", one.name, version_of(one))).collect();
    let mut text = format!(
        "version = 3\n\n[[package]]\nname = \"joust-libraries\"\nversion = \"0.0.0\"\ndependencies = [\n{}]\n",
        quoted(&all)
    );
    for (one, needs) in packages.iter().zip(needs) {
        let hash = one.hash.as_deref().unwrap_or_default().trim_start_matches("sha256:");
        text.push_str(&format!(
            "\n[[package]]\nname = \"{}\"\nversion = \"{}\"\nsource = \"{}\"\nchecksum = \"{hash}\"\n\
             dependencies = [\n{}]\n",
            one.name,
            version_of(one),
            CRATES_IO[0],
            quoted(needs)
        ));
    }
    text
}
