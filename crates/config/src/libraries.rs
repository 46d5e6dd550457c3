//! `provides:` — libraries that the bots of an event find.

use std::collections::BTreeMap;

use serde_json::json;
use serde_yaml::Value;

use super::event::{Event, Provided};
use super::section::Item;
use super::table::{Kind, OwnKind};

/// The language of a bare list.
const LANGUAGE_OF_A_LIST: &str = "python";

/// Most libraries of one language.
const MOST_LIBRARIES: usize = 100;

/// A list, which is Python's, or a list for each language.
pub(super) const PROVIDES: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        event.provides = read_provides(item);
        true
    },
    show: |event| {
        let sets = event.provides.iter();
        let sets = sets.map(|(id, set)| (id.as_str().into(), set.names.clone().into()));
        Some(Value::Mapping(sets.collect()))
    },
    schema: || {
        let names =
            json!({ "type": "array", "items": { "type": "string" }, "maxItems": MOST_LIBRARIES });
        let by_language = json!({ "type": ["object", "null"], "additionalProperties": names });
        json!({ "anyOf": [names, by_language] })
    },
});

fn read_provides(item: &Item<'_>) -> BTreeMap<String, Provided> {
    if item.is_list() {
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
    let items = item.list()?;
    if items.len() > MOST_LIBRARIES {
        item.refuse(format!("more than {MOST_LIBRARIES} libraries"), None);
    }
    let names: Vec<String> = items.iter().filter_map(read_library).collect();
    (!names.is_empty()).then_some(Provided { names, place: item.node.place })
}

/// A name becomes an argument of a package manager: it can be no option, path or address.
fn read_library(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "._-+[],=<>!~*".contains(one);
    let is_name = text.starts_with(|first: char| first.is_ascii_alphanumeric());
    if is_name && text.len() <= 100 && text.chars().all(is_plain) {
        return Some(text);
    }
    let hint = "a name, with a version where it matters: `numpy`, `scipy==1.16.0`".to_owned();
    item.refuse(format!("`{text}` is not the name of a library"), Some(hint));
    None
}
