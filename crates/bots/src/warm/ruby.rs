//! Ruby kept ready: its server, which files can be started by it, and what it loads first.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use super::{Language, requires};
use crate::PlacedBuild;

pub(super) const RUBY: Language = Language {
    id: "ruby",
    options: &["--disable=gems"],
    file: "server.rb",
    text: include_str!("server.rb"),
    variable: "RUBYOPT",
    // In `Warm::FOLDER`.
    value: "-r/etc/warm/server.rb",
    prefix: "RUBY",
    harmless: &[],
    folders: &["RUBYLIB"],
    refuses,
    words: |build| {
        let loaded = requires::of(&build.folder, build.script());
        std::iter::once(String::new()).chain(loaded).collect()
    },
};

/// How much of a first line is read.
const LONGEST_LINE: u64 = 4096;
/// Options of a first line that change nothing of what an interpreter loads at its start.
const HARMLESS: [&str; 2] = ["-w", "-W"];

/// Ruby obeys options in the first line of a file.
fn refuses(build: &PlacedBuild) -> Option<String> {
    let mut line = Vec::new();
    let file = File::open(build.folder.join(build.script())).ok()?;
    BufReader::new(file.take(LONGEST_LINE)).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(&line);
    let options = line.strip_prefix("#!")?.split_once("ruby").map(|(_, options)| options);
    let are_harmless = |options: &str| options.split_whitespace().all(|it| HARMLESS.contains(&it));
    let is_harmless = options.is_some_and(are_harmless);
    (!is_harmless).then(|| "its first line has options of the interpreter".to_owned())
}
