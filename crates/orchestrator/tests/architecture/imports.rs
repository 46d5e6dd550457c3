//! What a source file imports.

use std::collections::BTreeSet;
use std::path::Path;

use super::source::{code_of, is_word};

/// Returns the modules of the orchestrator that the file `path`, relative to
/// `src`, names after `crate::` or through enough `super::`, and the crates of
/// ours it uses.
pub(crate) fn imports(path: &Path, text: &str) -> BTreeSet<String> {
    let code = code_of(text);
    let mut found = BTreeSet::new();
    for after in places(&code, "crate::") {
        found.extend(first_names(after));
    }
    let to_root = "super::".repeat(depth(path));
    for after in places(&code, &to_root) {
        found.extend(
            first_names(after).into_iter().filter(|name| super::arrows::allowed(name).is_some()),
        );
    }
    for ours in ["sandbox", "referee"] {
        if places(&code, &format!("joust_{ours}")).next().is_some() {
            found.insert(ours.to_owned());
        }
    }
    found
}

/// Returns the code after each `prefix` that begins a path.
fn places<'a>(code: &'a str, prefix: &str) -> impl Iterator<Item = &'a str> {
    let starts_path = |at: usize| !code[..at].ends_with(|c| is_word(c) || c == ':');
    let length = prefix.len();
    let starts: Vec<usize> =
        code.match_indices(prefix).map(|(at, _)| at).filter(|at| starts_path(*at)).collect();
    starts.into_iter().map(move |at| &code[at + length..])
}

/// Returns the first name of a path, or of each path in braces.
fn first_names(after: &str) -> Vec<String> {
    let Some(group) = after.strip_prefix('{') else {
        let name: String = after.chars().take_while(|c| is_word(*c)).collect();
        return if name.is_empty() || name == "super" { Vec::new() } else { vec![name] };
    };
    let (mut names, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.extend(first_names(group[start..at].trim_start()));
                start = at + 1;
                if character == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

/// Returns how many `super` lead from a file to the root of the crate.
fn depth(path: &Path) -> usize {
    let parts = path.components().count();
    if path.ends_with("mod.rs") { parts - 1 } else { parts }
}

#[test]
fn every_way_to_name_a_module_is_seen() {
    let text = "use crate::model::Bytes;\nuse crate::{\n    store::{a, b}, clock,\n};\n\
                fn f() { crate::play::go(); joust_sandbox::run() }\n// crate::report\n\
                use super::super::bots::Bot;\nuse super::config;\n";
    let found: Vec<String> = imports(Path::new("ci/gate.rs"), text).into_iter().collect();
    assert_eq!(found, ["bots", "clock", "model", "play", "sandbox", "store"]);
}
