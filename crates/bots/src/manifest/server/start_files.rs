//! Files of other systems that start a server: `Procfile` of Heroku, `Dockerfile`, `.replit` and
//! `package.json`. They are read, never run.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::manifest::{Command, words};

/// Command of a file, and the steps of the build that it names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StartLine {
    /// The command: at least one word.
    pub(super) run: Command,
    /// Steps of the build.
    pub(super) build: Vec<Command>,
}

/// Returns the command of the process `web`.
pub(super) fn read_procfile(text: &str) -> Option<StartLine> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("web:"))?;
    Some(StartLine { run: words::line(line)?, build: Vec::new() })
}

/// Programs that compile what no project file of a language describes.
const COMPILERS: [&str; 8] = ["make", "cmake", "gcc", "g++", "cc", "c++", "clang", "clang++"];

/// Returns the last `ENTRYPOINT` with the last `CMD`, and the `RUN` lines that compile.
pub(super) fn read_dockerfile(text: &str) -> Option<StartLine> {
    let (mut entry_point, mut command, mut build) = (None, None, Vec::new());
    // Comments may stand between the lines of a continued command.
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let text = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    for line in text.lines() {
        let Some((instruction, rest)) = line.trim().split_once(char::is_whitespace) else {
            continue;
        };
        match instruction.to_ascii_uppercase().as_str() {
            "ENTRYPOINT" => entry_point = Some(words_of(rest)?),
            "CMD" => command = Some(words_of(rest)?),
            "RUN" => build.extend(rest.split("&&").filter_map(words::plain).filter(compiles)),
            _ => {}
        }
    }
    let run: Command = entry_point.into_iter().chain(command).flatten().collect();
    (!run.is_empty()).then_some(StartLine { run, build })
}

/// Reads a list of words in JSON, or a line.
fn words_of(text: &str) -> Option<Command> {
    match serde_json::from_str::<Vec<String>>(text) {
        Ok(list) => words::list(&list),
        Err(_) => words::line(text),
    }
}

fn compiles(command: &Command) -> bool {
    COMPILERS.contains(&command[0].as_str())
}

/// Returns the command of the key `run`, which stands before all sections.
pub(super) fn read_replit(text: &str) -> Option<StartLine> {
    let mut lines = text.lines().map(str::trim).take_while(|line| !line.starts_with('['));
    let value = lines.find_map(|line| line.strip_prefix("run")?.trim_start().strip_prefix('='))?;
    Some(StartLine { run: replit_command(value.trim())?, build: Vec::new() })
}

/// Reads a text or a list of texts, which TOML writes as JSON does.
fn replit_command(value: &str) -> Option<Command> {
    if let Ok(list) = serde_json::from_str::<Vec<String>>(value) {
        return words::list(&list);
    }
    words::line(&serde_json::from_str::<String>(value).ok()?)
}

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
pub(super) fn read_package(text: &str) -> Option<StartLine> {
    Some(StartLine { run: parse_package(text).command_of("start")?, build: Vec::new() })
}

/// Reads the scripts; none of a text that is not a package.
pub(super) fn parse_package(text: &str) -> Package {
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
    fn the_process_web_is_the_server() {
        let line =
            read_procfile("release: ./migrate\r\nweb: java -DPORT=$PORT -jar a.jar\r\n").unwrap();
        assert_eq!(line.run, ["java", "-DPORT=$PORT", "-jar", "a.jar"]);
        assert_eq!(read_procfile("worker: ./work\n"), None);
    }

    #[test]
    fn the_last_command_counts_as_list_and_as_line() {
        let list =
            read_dockerfile("FROM a\nCMD sleep 1\ncmd [ \"python\", \"main.py\" ]\n").unwrap();
        assert_eq!(list.run, ["python", "main.py"]);
        let line = read_dockerfile("CMD exec gunicorn --bind :$PORT \\\n  main:app").unwrap();
        assert_eq!(line.run, ["gunicorn", "--bind", ":$PORT", "main:app"]);
        let commented = read_dockerfile("CMD python \\\r\n  # the port\r\n  main.py").unwrap();
        assert_eq!(commented.run, ["python", "main.py"]);
        let both = read_dockerfile("ENTRYPOINT [\"node\"]\nCMD [\"index.js\"]\n").unwrap();
        assert_eq!(both.run, ["node", "index.js"]);
    }

    #[test]
    fn steps_that_compile_are_the_build() {
        let text = "RUN apt-get install g++ && cmake -B out . && make -C out\nCMD ./out/snake\n";
        let line = read_dockerfile(text).unwrap();
        assert_eq!(line.build, [vec!["cmake", "-B", "out", "."], vec!["make", "-C", "out"]]);
    }

    #[test]
    fn lines_of_several_commands_are_none() {
        for text in
            ["CMD cd a && ./b", "CMD [\"sh\", \"-c\", \"a; b\"]", "RUN make", "CMD", "CMD []"]
        {
            assert_eq!(read_dockerfile(text), None, "{text}");
        }
        let simple = read_dockerfile("ENTRYPOINT [\"sh\", \"-c\", \"node a.js\"]").unwrap();
        assert_eq!(simple.run, ["node", "a.js"]);
        assert_eq!(read_dockerfile("CMD [").unwrap().run, ["["]);
    }

    #[test]
    fn the_key_run_is_a_text_or_a_list() {
        let text =
            read_replit("language = \"python3\"\nrun = \"python server.py\"\n[nix]\n").unwrap();
        assert_eq!(text.run, ["python", "server.py"]);
        assert_eq!(read_replit("run=[\"node\", \"a b.js\"]").unwrap().run, ["node", "a b.js"]);
    }

    #[test]
    fn a_key_of_a_section_is_not_read() {
        assert_eq!(read_replit("[deployment]\nrun = \"python server.py\"\n"), None);
        assert_eq!(read_replit("runner = \"a\"\nrun = 3\n"), None);
    }

    #[test]
    fn calls_of_scripts_stand_for_their_commands() {
        let text = r#"{"scripts": {"start": "npm run serve", "serve": "node ./build/index.js"}}"#;
        let package = parse_package(text);
        let command = |line: &str| package.expand(words::plain(line).unwrap()).join(" ");
        assert_eq!(command("npm start"), "node ./build/index.js");
        assert_eq!(command("pnpm run serve"), "node ./build/index.js");
        assert_eq!(command("npm run none"), "npm run none");
        assert_eq!(read_package(text).unwrap().run, ["npm", "run", "serve"]);
    }

    #[test]
    fn the_last_command_of_a_script_starts_the_server() {
        let text = r#"{"scripts": {"start": "tsc && node ./build/index.js"}}"#;
        assert_eq!(read_package(text).unwrap().run, ["node", "./build/index.js"]);
    }

    #[test]
    fn programs_of_packages_lie_beside_them() {
        let text =
            r#"{"scripts": {"start": "ts-node a.ts"}, "devDependencies": {"ts-node": "^10"}}"#;
        let command = parse_package(text).expand(read_package(text).unwrap().run);
        assert_eq!(command, ["./node_modules/.bin/ts-node", "a.ts"]);
    }

    #[test]
    fn a_script_that_calls_itself_ends() {
        let package = parse_package(r#"{"scripts": {"start": "npm start"}}"#);
        assert_eq!(package.expand(words::plain("npm start").unwrap()), ["npm", "start"]);
    }

    #[test]
    fn what_is_no_package_has_no_scripts() {
        for text in ["", "[]", "{\"scripts\": 3}", "{\"scripts\": {\"start\": []}}", "\u{0}"] {
            assert_eq!(read_package(text), None, "{text}");
        }
        assert_eq!(read_package(&"[".repeat(60_000)), None);
    }
}
