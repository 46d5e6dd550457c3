//! `package.json`: its scripts.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::start::StartLine;
use super::words;
use crate::manifest::Command;

/// Number of scripts that may name one another.
const MOST_STEPS: usize = 4;

/// Folder with the programs of packages, once these are installed.
pub(super) const PROGRAMS: &str = "./node_modules/.bin/";

/// Program that runs them.
pub(super) const INTERPRETER: &str = "node";

/// Scripts of a package by name, and the packages that it needs.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Package {
    scripts: BTreeMap<String, String>,
    dependencies: BTreeMap<String, String>,
    dev_dependencies: BTreeMap<String, String>,
}

/// Returns the command of the script `start`.
pub(super) fn read(text: &str) -> Option<StartLine> {
    Some(StartLine { run: parse(text).command_of("start")?, build: Vec::new() })
}

/// Reads the scripts; none of a text that is not a package.
pub(super) fn parse(text: &str) -> Package {
    serde_json::from_str(text).unwrap_or_default()
}

impl Package {
    /// Replaces the call of a script, such as `npm start` or `yarn run server`, by the command of
    /// the script, and the name of a package's program by its place.
    pub(super) fn expand(&self, mut command: Command) -> Command {
        for _ in 0..MOST_STEPS {
            match script_of(&command).and_then(|name| self.command_of(name)) {
                Some(script) => command = script,
                None => break,
            }
        }
        if let Some(program) = command.first_mut().filter(|program| self.has_package(program)) {
            program.insert_str(0, PROGRAMS);
        }
        command
    }

    /// Returns the last command of a script: those before it are part of the build.
    fn command_of(&self, script: &str) -> Option<Command> {
        words::line(self.scripts.get(script)?.rsplit("&&").next()?)
    }

    fn has_package(&self, name: &str) -> bool {
        self.dependencies.contains_key(name) || self.dev_dependencies.contains_key(name)
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
    fn the_last_command_of_a_script_starts_the_server() {
        let text = r#"{"scripts": {"start": "tsc && node ./build/index.js"}}"#;
        assert_eq!(read(text).unwrap().run, ["node", "./build/index.js"]);
    }

    #[test]
    fn programs_of_packages_lie_beside_them() {
        let text =
            r#"{"scripts": {"start": "ts-node a.ts"}, "devDependencies": {"ts-node": "^10"}}"#;
        let command = parse(text).expand(read(text).unwrap().run);
        assert_eq!(command, ["./node_modules/.bin/ts-node", "a.ts"]);
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
