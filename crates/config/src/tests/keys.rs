//! Tests of the table of keys, each over all keys at once.

use serde_json::{Value, json};

use super::super::{reference, show};
use super::{SMALL, accept, read};

/// The reference configuration at the top of the repository.
const SHIPPED: &str = include_str!("../../../../tournament.yaml");

/// Returns the keys of a section and of those in it, with their help.
fn keys(schema: &Value) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (key, value) in schema["properties"].as_object().into_iter().flatten() {
        all.push((key.clone(), value["description"].as_str().unwrap_or_default().to_owned()));
        all.extend(keys(value));
        all.extend(keys(&value["items"]));
    }
    all
}

fn all_keys() -> Vec<(String, String)> {
    let keys =
        keys(&super::super::schema::schema(json!({}), &joust_referee::Catalogue::built_in()));
    assert!(keys.len() > 60, "{}", keys.len());
    keys
}

/// Returns whether a line of `text` is about `key`, perhaps behind a `#`.
fn mentions(text: &str, key: &str) -> bool {
    let mut lines = text.lines().map(|line| line.trim_start_matches([' ', '#', '-']));
    lines.any(|line| line.starts_with(&format!("{key}:")))
}

#[test]
fn every_key_is_in_the_shipped_tournament_and_in_the_reference_and_has_help() {
    let reference = reference();
    for (key, help) in all_keys() {
        assert!(mentions(SHIPPED, &key), "tournament.yaml does not mention `{key}`");
        assert!(mentions(&reference, &key), "the reference does not mention `{key}`");
        assert!(help.ends_with('.'), "`{key}` has no help: {help:?}");
    }
}

#[test]
fn the_reference_is_a_tournament_that_has_every_default() {
    assert_eq!(show(&accept(&reference())), show(&accept(SMALL)));
}

/// A key that is left out of the reference has an example behind a `#`.
#[test]
fn every_example_of_the_reference_is_a_setting() {
    let reference = reference();
    let mut examples = 0;
    for (number, line) in reference.lines().enumerate() {
        let bare = line.trim_start();
        let Some(setting) = bare.strip_prefix("# ") else { continue };
        let key = setting.split_once(':').map_or("", |(key, _)| key);
        if !all_keys().iter().any(|(known, _)| known == key) {
            continue;
        }
        let indent = &line[..line.len() - bare.len()];
        let with = |game: &str| {
            let mut lines: Vec<String> = reference.lines().map(str::to_owned).collect();
            lines[number] = format!("{indent}{setting}");
            read(&lines.join("\n").replace("game: battlebots", &format!("game: {game}")))
        };
        let problems = ["battlebots", "uwcs-bomberman"].map(|game| with(game).err());
        assert!(problems.iter().any(Option::is_none), "{setting}: {problems:?}");
        examples += 1;
    }
    assert!(examples > 10, "{examples}");
}

#[test]
fn the_reference_looks_as_it_is_printed() {
    insta::assert_snapshot!(reference());
}
