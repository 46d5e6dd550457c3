//! Ruby kept ready: its server, which files can be started by it, and what it loads first.

use std::io::{BufRead, BufReader, Read};

use joust_config::open_plain;

use super::{WarmLanguage, requires};
use crate::placed::PlacedBuild;

pub(super) const RUBY: WarmLanguage = WarmLanguage {
    id: "ruby",
    options: &["--disable=gems"],
    file: "server.rb",
    text: include_str!("server.rb"),
    variable: "RUBYOPT",
    // In `WarmServer::FOLDER`.
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

/// Longest first line that is read, bytes.
const LONGEST_LINE: u64 = 4096;
/// Options of a first line that change nothing of what an interpreter loads at its start.
const HARMLESS: [&str; 2] = ["-w", "-W"];

/// The versions whose next step after opening a file can be caught, as they name themselves.
const KNOWN: [&str; 4] = ["3.0.", "3.1.", "3.2.", "3.3."];

fn refuses(build: &PlacedBuild) -> Option<String> {
    refuses_version(&build.toolchain).or_else(|| refuses_line(build))
}

fn refuses_version(toolchain: &str) -> Option<String> {
    let version = toolchain.split_whitespace().skip_while(|word| *word != "ruby").nth(1)?;
    let is_known = KNOWN.iter().any(|known| version.starts_with(known));
    (!is_known).then(|| "only Ruby 3.0 to 3.3 can be kept warm".to_owned())
}

/// Ruby obeys options in the first line of a file.
fn refuses_line(build: &PlacedBuild) -> Option<String> {
    let mut line = Vec::new();
    let file = open_plain(&build.folder.join(build.script())).ok()?;
    BufReader::new(file.take(LONGEST_LINE)).read_until(b'\n', &mut line).ok()?;
    let line = String::from_utf8_lossy(&line);
    let options = line.strip_prefix("#!")?.split_once("ruby").map(|(_, options)| options);
    let are_harmless = |options: &str| options.split_whitespace().all(|it| HARMLESS.contains(&it));
    let is_harmless = options.is_some_and(are_harmless);
    (!is_harmless).then(|| "its first line has options of the interpreter".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ruby_whose_next_step_cannot_be_caught_is_cold() {
        assert_eq!(refuses_version("ruby 3.1.7p261 (2025-03-26 revision 0a3704f218)"), None);
        for other in ["ruby 3.4.1 (2024-12-25)", "ruby 2.7.8p225", "ruby 3.10.0"] {
            assert!(refuses_version(other).is_some(), "{other}");
        }
    }
}
