//! The published numbers.
//!
//! `JOUST_CONFORMANCE` names another folder, which holds `ratings/`.

use std::path::PathBuf;

use serde_json::Value;

/// Reads `ratings/<name>.json`, whose format must be `ratings/<format>/1`.
pub(crate) fn golden(name: &str, format: &str) -> Value {
    let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let folder = std::env::var_os("JOUST_CONFORMANCE").map_or(own, PathBuf::from);
    let path = folder.join("ratings").join(name).with_extension("json");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read `{}`: {error}", path.display()));
    let golden: Value = serde_json::from_str(&text).expect("the file is JSON");
    assert_eq!(golden["format"], format!("ratings/{format}/1"));
    golden
}

/// Returns the cases of a list, of which there is at least one.
pub(crate) fn cases(list: &Value) -> &[Value] {
    let cases = list.as_array().expect("a list of cases");
    assert!(!cases.is_empty(), "a list has no cases");
    cases
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("`{value}` is no number"))
}

pub(crate) fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("`{value}` is no count"))
}

/// Fails unless `ours` is within `tolerance` of the published number.
pub(crate) fn assert_near(what: &str, ours: f64, published: &Value, tolerance: f64) {
    let published = number(published);
    let apart = (ours - published).abs();
    assert!(apart <= tolerance, "{what}: {ours}, published {published}");
}
