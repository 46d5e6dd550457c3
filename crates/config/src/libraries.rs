//! `provides:` — libraries that the bots of an event, or the referee of a game, find.
//!
//! They are listed by name, or in a file of which pip's own form is read: a library on a
//! line, with the hashes of the files it may come in.

use std::collections::BTreeMap;

use serde_json::json;

use super::event::{Event, Provided};
use super::plain_file::read_plain;
use super::section::Item;
use super::table::{Kind, OwnKind};

/// The language of a bare list.
const LANGUAGE_OF_A_LIST: &str = "python";

/// Most libraries of one language.
const MOST_LIBRARIES: usize = 100;

/// Ending of a file that lists libraries.
const LIST_FILE: &str = ".txt";

/// Largest such file, in bytes.
const LARGEST_LIST: u64 = 1 << 20;

/// Option before each hash of a library.
const HASH: &str = " --hash=sha256:";

/// Those of an event's bots.
pub(super) const PROVIDES: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        event.provides = read_provides(item);
        true
    },
    show: |event| {
        let sets = event.provides.iter().map(|(id, set)| (id, &set.names));
        Some(json!(sets.collect::<BTreeMap<_, _>>()).into())
    },
    schema,
});

/// Names that a bot's own list may have.
pub(super) const ALLOWED: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        event.allow_libraries = read_allowed(item);
        true
    },
    show: |event| Some(json!(event.allow_libraries).into()),
    schema: || {
        let names = json!({ "type": "array", "items": { "type": "string" } });
        json!({ "type": ["object", "null"], "additionalProperties": names })
    },
});

fn read_allowed(item: &Item<'_>) -> BTreeMap<String, Vec<String>> {
    let Some(section) = item.section() else { return BTreeMap::new() };
    let languages = section.all().into_iter();
    let names =
        |item: &Item<'_>| Some(item.list()?.iter().filter_map(Item::text).collect::<Vec<String>>());
    languages.filter_map(|(entry, item)| Some((entry.key.clone(), names(&item)?))).collect()
}

/// Returns the schema of a list, which is Python's, or a list for each language.
pub(super) fn schema() -> serde_json::Value {
    let file = json!({ "type": "string", "pattern": r"\.txt$" });
    let names =
        json!({ "type": "array", "items": { "type": "string" }, "maxItems": MOST_LIBRARIES });
    let of_language = json!({ "anyOf": [file, names] });
    let by_language = json!({ "type": ["object", "null"], "additionalProperties": of_language });
    json!({ "anyOf": [file, names, by_language] })
}

/// Reads libraries by language.
pub(super) fn read_provides(item: &Item<'_>) -> BTreeMap<String, Provided> {
    if item.is_list() || list_file(item).is_some() {
        let provided = read_libraries(item);
        return provided.map(|one| (LANGUAGE_OF_A_LIST.to_owned(), one)).into_iter().collect();
    }
    let Some(section) = item.section() else { return BTreeMap::new() };
    let languages = section.all().into_iter();
    languages
        .filter_map(|(entry, item)| Some((entry.key.clone(), read_libraries(&item)?)))
        .collect()
}

fn read_libraries(item: &Item<'_>) -> Option<Provided> {
    let names: Vec<String> = match list_file(item) {
        Some(file) => read_list_file(item, file)?,
        None => item.list()?.iter().filter_map(read_library).collect(),
    };
    if names.len() > MOST_LIBRARIES {
        item.refuse(format!("more than {MOST_LIBRARIES} libraries"), None);
    }
    (!names.is_empty()).then_some(Provided { names, place: item.node.place })
}

/// A name becomes an argument of a package manager: it can be no option, path or address.
fn read_library(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    if is_library(&text) {
        return Some(text);
    }
    let hint = "a name, with a version where it matters: `numpy`, `scipy==1.16.0`".to_owned();
    item.refuse(format!("`{text}` is not the name of a library"), Some(hint));
    None
}

fn is_library(text: &str) -> bool {
    let mut parts = text.split(HASH);
    let name = parts.next().unwrap_or_default();
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "._-+[],=<>!~*".contains(one);
    let is_name = name.starts_with(|first: char| first.is_ascii_alphanumeric());
    let is_hash = |hash: &str| hash.len() == 64 && hash.chars().all(|one| one.is_ascii_hexdigit());
    is_name && name.len() <= 100 && name.chars().all(is_plain) && parts.all(is_hash)
}

/// Returns the name of the file that a text asks to be read.
fn list_file<'a>(item: &Item<'a>) -> Option<&'a str> {
    match &item.node.value {
        super::node::Value::Text(text) => Some(text.as_str()).filter(|it| it.ends_with(LIST_FILE)),
        _ => None,
    }
}

/// Reads a file with a library on each line.
fn read_list_file(item: &Item<'_>, file: &str) -> Option<Vec<String>> {
    let read =
        read_plain(&item.reading.folder.join(file), LARGEST_LIST).map_err(|why| why.to_string());
    let text = read
        .and_then(|bytes| String::from_utf8(bytes).map_err(|_| "the file is not UTF-8".to_owned()));
    let libraries = text.and_then(|text| libraries_of(&text));
    let refuse = |why: &String| item.refuse(format!("`{file}`: {why}"), None);
    libraries.inspect_err(refuse).ok()
}

/// Returns the libraries of a list: what stands on a line, or on several of which all but
/// the last end with `\`, up to a `#`.
fn libraries_of(text: &str) -> Result<Vec<String>, String> {
    let text = text.replace("\\\n", " ");
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let library = |line: String| match is_library(&line) {
        true => Ok(line),
        false => Err(format!("`{line:.80}` is not a library with its hashes")),
    };
    words.filter(|line| !line.is_empty()).map(library).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_a_library_on_a_line_with_hashes_and_comments() {
        let hash = "0123456789abcdef".repeat(4);
        let text = format!("# of a kind\nnumpy==2.4.6 \\\n    --hash=sha256:{hash}\n\nattrs\n");
        let expected = vec![format!("numpy==2.4.6 --hash=sha256:{hash}"), "attrs".to_owned()];
        assert_eq!(libraries_of(&text), Ok(expected));
    }

    #[test]
    fn a_line_of_a_list_is_no_option_path_or_address() {
        for wrong in ["-r other.txt", "--index-url x", "/etc", "x --hash=md5:00", "x @ https://x"] {
            let refused = libraries_of(wrong).expect_err(wrong);
            assert!(refused.contains("is not a library with its hashes"), "{refused}");
        }
    }
}
