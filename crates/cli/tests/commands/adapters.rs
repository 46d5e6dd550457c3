//! Adapters of `crates/gamekit/adapters`: games of other people's systems, played with the
//! real packages where these are small, and with programs of our own where they are not ours.

use std::fs;
use std::path::{Path, PathBuf};

use joust_testkit::env::TestEnv;

mod botzone;
mod bridge;
mod chess;
mod kaggle;
mod openspiel;

/// Returns the folder of an adapter.
fn adapter(family: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../gamekit/adapters").join(family)
}

/// Copies an adapter, without its games but for those named.
fn with_adapter(env: &TestEnv, family: &str) {
    copy(&adapter(family), &env.path().join(family));
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the adapter is there") {
        let entry = entry.expect("the folder can be read");
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).expect("a file can be copied")),
        }
    }
}

#[test]
fn every_adapter_in_python_has_the_kit_as_it_is() {
    let kit = fs::read_to_string(adapter("../kits/python/joust.py")).expect("the kit is there");
    let families = fs::read_dir(adapter("")).expect("the adapters are there");
    let copies = families.filter_map(|family| {
        let file = family.expect("the folder can be read").path().join("joust.py");
        fs::read_to_string(&file).ok().map(|text| (file, text))
    });
    for (file, text) in copies {
        assert!(text == kit, "`{}` is not the kit: copy it again", file.display());
    }
}
