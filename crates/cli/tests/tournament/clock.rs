//! X03: nothing depends on the time of day, so a clock that jumps changes no
//! result: the parts that can decide one cannot even read it.

use std::fs;
use std::path::{Path, PathBuf};

/// Functions and constants that read the time of day; nothing else does.
const READERS: [&str; 5] =
    ["SystemTime::now", "Timestamp::now", "Zoned::now", "UNIX_EPOCH", "CLOCK_REALTIME"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of ours").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn only_the_clock_reads_the_time_of_day() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("it is a member");
    let mut files = Vec::new();
    for member in fs::read_dir(crates).expect("the crates are there") {
        let member = member.expect("the folder can be read").path();
        let is_product = !member.ends_with("testkit") && !member.ends_with("fuzz");
        if is_product && member.join("src").exists() {
            sources(&member.join("src"), &mut files);
        }
    }
    assert!(files.len() > 100, "the sources were found");
    let mut seen = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("text");
        let name = file.strip_prefix(crates).expect("below").display().to_string();
        if READERS.iter().any(|reader| text.contains(reader)) {
            seen.push(name);
        }
    }
    seen.sort();
    // The clock itself, the age of half-made folders in the cache of builds, and which builds of a
    // worker's cache were used last.
    let readers = ["build/src/store/export.rs", "build/src/store/folder.rs", "model/src/clock.rs"];
    assert_eq!(seen, readers);
}
