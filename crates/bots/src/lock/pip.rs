//! `requirements.txt` of Python: a requirement on a line, with hashes or without.
//!
//! With hashes it is the whole list, and nothing else comes. Without any, what is newest when it is
//! fetched comes, with what that needs. Lenient: a byte order mark, comments, blank lines, lines that
//! go on after `\`, spaces anywhere but in names.

use std::sync::LazyLock;

use regex::Regex;

use super::{List, Package, Wrong, short};

const NO_ADDRESS: &str =
    "write a name of the organiser's registry, as `numpy==2.4.6`, or ship the library's files";
const NO_OPTION: &str =
    "leave the line out: which registry is asked, and how, is the organiser's decision";
const NEEDS_HASH: &str = "once one requirement has a hash, all need one: `pip-compile --generate-hashes` \
    or `uv pip compile --generate-hashes` writes them";
const NO_FORM: &str = "a name and perhaps versions: `numpy`, `scipy>=1.16,<2`";

/// A requirement: name, extras, versions, marker.
static REQUIREMENT: LazyLock<Regex> = LazyLock::new(|| {
    let version = r"(?:===|[=~!<>]=|<|>)\s*[A-Za-z0-9][A-Za-z0-9.*+!_-]*";
    let versions = format!(r"{version}(?:\s*,\s*{version})*");
    let text = format!(
        r#"^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(\[[A-Za-z0-9._,\s-]*\])?\s*({versions}|\(\s*{versions}\s*\))?\s*(;[A-Za-z0-9_.,'"<>=!~()\s-]+)?$"#
    );
    Regex::new(&text).expect("a pattern")
});

pub(super) fn read(text: &str) -> Result<List, Vec<Wrong>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut wrong = Vec::new();
    let mut found = Vec::new();
    for (line, text) in logical_lines(text) {
        match requirement(line, &text) {
            Ok(one) => found.push(one),
            Err(one) => wrong.push(one),
        }
    }
    if found.iter().any(|one| one.package.hash.is_some()) {
        let lacking = found.iter().filter(|one| one.package.hash.is_none());
        wrong.extend(lacking.map(|one| {
            let message = format!("`{}` has no hash", one.package.name);
            Wrong::new(one.package.place, message, NEEDS_HASH)
        }));
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let text: String = found.iter().map(|one| one.clean.clone() + "\n").collect();
    let packages = found.into_iter().map(|one| one.package).collect();
    Ok(List { packages, folder: [("requirements.txt".to_owned(), text)].into() })
}

struct Requirement {
    package: Package,
    /// The requirement as pip is given it.
    clean: String,
}

/// Returns what stands on lines, without comments, each with the number of its first.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (number, line) in text.lines().enumerate() {
        let is_comment = line.trim_start().starts_with('#');
        let line = if is_comment { "" } else { line.split(" #").next().unwrap_or_default() };
        let (line, goes_on) = match line.trim_end().strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        let (first, mut whole) = open.take().unwrap_or((number + 1, String::new()));
        whole.push(' ');
        whole.push_str(line);
        if goes_on {
            open = Some((first, whole));
        } else {
            all.push((first, whole));
        }
    }
    all.extend(open);
    let trimmed = all.into_iter().map(|(line, text)| (line, text.trim().to_owned()));
    trimmed.filter(|(_, text)| !text.is_empty()).collect()
}

fn requirement(line: usize, text: &str) -> Result<Requirement, Wrong> {
    let place = (line, 1);
    let mut parts = text.split(" --");
    let wanted = parts.next().unwrap_or_default().trim();
    if wanted.starts_with('-') {
        return Err(Wrong::new(place, format!("`{}` is an option", short(wanted)), NO_OPTION));
    }
    let Some(found) = REQUIREMENT.captures(wanted) else {
        return Err(match is_address(wanted) {
            true => Wrong::new(place, format!("`{}` is an address", short(wanted)), NO_ADDRESS),
            false => {
                Wrong::new(place, format!("`{}` is not a requirement", short(wanted)), NO_FORM)
            }
        });
    };
    let part = |number| found.get(number).map_or("", |part: regex::Match<'_>| part.as_str());
    let versions = part(3).replace(['(', ')'], "");
    let mut clean = format!("{}{}{versions} {}", part(1), part(2), part(4)).trim_end().to_owned();
    let mut hash = None;
    for option in parts.map(str::trim) {
        let digits = option.strip_prefix("hash=").or_else(|| option.strip_prefix("hash "));
        let Some(digits) = digits.map(str::trim).and_then(sha256) else {
            let message = format!("`--{}` is not `--hash=sha256:` and 64 digits", short(option));
            return Err(Wrong::new(place, message, NO_OPTION));
        };
        clean.push_str(&format!(" --hash=sha256:{digits}"));
        hash.get_or_insert_with(|| format!("sha256:{digits}"));
    }
    let exact = versions.strip_prefix("==").map(|one| one.trim().to_owned());
    let version = exact.filter(|one| !one.contains([',', '*']));
    Ok(Requirement { package: Package { name: part(1).to_owned(), version, hash, place }, clean })
}

fn is_address(text: &str) -> bool {
    let ends = [".whl", ".zip", ".tar.gz", ".tgz", ".txt"];
    text.contains(['@', '/', '\\']) || ends.iter().any(|end| text.ends_with(end))
}

fn sha256(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("sha256:")?;
    let is_hash = digits.len() == 64 && digits.chars().all(|one| one.is_ascii_hexdigit());
    is_hash.then_some(digits)
}
