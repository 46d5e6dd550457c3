use std::collections::BTreeSet;

use super::*;

fn keys(schema: &Value) -> BTreeSet<String> {
    schema["properties"].as_object().expect("a mapping").keys().cloned().collect()
}

/// Returns the words in backticks after `lead`.
fn words_after(text: &str, lead: &str) -> BTreeSet<String> {
    let rest = text.split_once(lead).unwrap_or_else(|| panic!("no `{lead}` in {text}")).1;
    let rest = rest.split('`').skip(1).step_by(2);
    rest.map(ToOwned::to_owned).collect()
}

/// Returns what the languages' reader knows where `text` has the key `zz`.
fn known(text: &str) -> BTreeSet<String> {
    let extra = joust_config::yaml::from_str(text).expect("it is YAML");
    let error = Languages::with(&extra).expect_err("there is no such key")[0].to_string();
    words_after(&error, "expected one of")
}

#[test]
fn a_language_has_the_keys_its_reader_knows() {
    let new = &languages()["additionalProperties"];
    assert_eq!(keys(new), known("x: { zz: 1 }"));
    assert_eq!(keys(&languages()["properties"]["python"]), known("python: { zz: 1 }"));
    let variant = &new["properties"]["variants"]["items"];
    assert_eq!(keys(variant), known("x: { title: X, variants: [{ zz: 1 }] }"));
    let libraries = &new["properties"]["libraries"];
    assert_eq!(keys(libraries), known("x: { title: X, libraries: { zz: 1 }, variants: [] }"));
    let program = &variant["properties"]["programs"]["additionalProperties"];
    let text = "x: { title: X, variants: [{ programs: { a: { zz: 1 } } }] }";
    assert_eq!(keys(program), known(text));
}
