//! `package.json`: its scripts.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::start::StartLine;
use super::words;
use crate::manifest::Command;

/// Number of scripts that may name one another.
const MOST_STEPS: usize = 4;

/// Scripts of a package by name.
#[derive(Default, Deserialize)]
pub(super) struct Package {
    #[serde(default)]
    scripts: BTreeMap<String, String>,
}

/// Returns the command of the script `start`.
pub(super) fn read(text: &str) -> Option<StartLine> {
    let start = words::plain(parse(text).scripts.get("start")?)?;
    Some(StartLine { run: start, build: Vec::new() })
}

/// Reads the scripts; none of a text that is not a package.
pub(super) fn parse(text: &str) -> Package {
    serde_json::from_str(text).unwrap_or_default()
}

impl Package {
    /// Replaces the call of a script, such as `npm start` or `yarn run server`, by the command of
    /// the script.
    pub(super) fn expand(&self, mut command: Command) -> Command {
        for _ in 0..MOST_STEPS {
            let script = script_of(&command).and_then(|name| self.scripts.get(name));
            match script.and_then(|line| words::plain(line)) {
                Some(script) => command = script,
                None => break,
            }
        }
        command
    }
}

/// Returns the name of the script that a command of a package manager calls.
fn script_of(command: &[String]) -> Option<&str> {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    match words[..] {
        ["npm" | "pnpm" | "yarn" | "bun", "run" | "run-script", name] => Some(name),
        ["npm" | "pnpm" | "yarn" | "bun", name] => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_scripts_stand_for_their_commands() {
        let text = r#"{"scripts": {"start": "npm run serve", "serve": "node ./build/index.js"}}"#;
        let package = parse(text);
        let command = |line: &str| package.expand(words::plain(line).unwrap()).join(" ");
        assert_eq!(command("npm start"), "node ./build/index.js");
        assert_eq!(command("pnpm run serve"), "node ./build/index.js");
        assert_eq!(command("npm run none"), "npm run none");
        assert_eq!(read(text).unwrap().run, ["npm", "run", "serve"]);
    }

    #[test]
    fn a_script_that_calls_itself_ends() {
        let package = parse(r#"{"scripts": {"start": "npm start"}}"#);
        assert_eq!(package.expand(words::plain("npm start").unwrap()), ["npm", "start"]);
    }

    #[test]
    fn what_is_no_package_has_no_scripts() {
        for text in ["", "[]", "{\"scripts\": 3}", "{\"scripts\": {\"start\": []}}", "\u{0}"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read(&"[".repeat(60_000)), None);
    }
}
