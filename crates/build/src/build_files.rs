//! Files in a bot's folder that explain a failed build: build files that its recipe does not use, and
//! scripts whose lines end with a carriage return before the line feed, as Windows writes it, which
//! breaks shells and the first line that names an interpreter.

use std::path::Path;

use joust_bots::manifest::Command;
use joust_config::read_start;
use joust_toolchain::BOT;

/// One kind of build file.
struct BuildFileKind {
    names: &'static [&'static str],
    /// Program of a command that uses it.
    program: &'static str,
    /// Text without which the file asks for nothing.
    needs: &'static str,
    /// File beside it by which it is used all the same.
    beside: &'static str,
    advice: &'static str,
}

const KINDS: [BuildFileKind; 3] = [
    BuildFileKind {
        names: &["Makefile", "makefile", "GNUmakefile"],
        program: "make",
        needs: "",
        beside: "",
        advice: "`build: make` and `run: ./PROGRAM` in bot.yaml use it",
    },
    BuildFileKind {
        names: &["CMakeLists.txt"],
        program: "cmake",
        needs: "",
        beside: "",
        advice: "`build: [cmake -S . -B out, cmake --build out]` and `run: out/PROGRAM` in bot.yaml use it",
    },
    BuildFileKind {
        names: &["package.json"],
        program: "npm",
        needs: "\"dependencies\"",
        beside: "package-lock.json",
        advice: "`npm install --package-lock-only` writes the lock file from which its dependencies are fetched (`joust bot fetch`)",
    },
];

/// Bytes of a file that are searched.
const SEARCHED: u64 = 256 << 10;

/// Returns a line for each build file at the top of the folder `root` that none of `commands` uses.
/// A script of the bot's own may use any of them.
pub(crate) fn unused<'a>(root: &Path, commands: impl Iterator<Item = &'a Command>) -> Vec<String> {
    let commands: Vec<&Command> = commands.collect();
    if commands.iter().filter_map(|words| words.first()).any(|program| program.starts_with(BOT)) {
        return Vec::new();
    }
    let programs: Vec<&str> =
        commands.into_iter().flatten().filter_map(|word| word.rsplit('/').next()).collect();
    let is_used =
        |kind: &BuildFileKind| programs.iter().any(|program| program.starts_with(kind.program));
    let is_listed =
        |kind: &BuildFileKind| !kind.beside.is_empty() && root.join(kind.beside).is_file();
    let unused = KINDS.iter().filter(|kind| !is_used(kind) && !is_listed(kind));
    let line = |kind: &BuildFileKind| {
        let name = kind.names.iter().find(|name| asks(&root.join(name), kind.needs))?;
        Some(format!("`{name}` is not used: {}", kind.advice))
    };
    unused.filter_map(line).collect()
}

/// Returns whether a plain file is at `path` and contains `needed`.
fn asks(path: &Path, needed: &str) -> bool {
    beginning(path).is_some_and(|start| String::from_utf8_lossy(&start).contains(needed))
}

/// Returns a message if the file `program` beneath `root` begins with `#!` and its first line ends
/// with CR LF, so that the kernel looks for an interpreter with a carriage return in its name.
pub(crate) fn broken_first_line(root: &Path, program: &str) -> Option<String> {
    let start = beginning(&root.join(program))?;
    let first = start.split(|byte| *byte == b'\n').next()?;
    (first.starts_with(b"#!") && first.ends_with(b"\r")).then(|| message(program))
}

/// Returns a message for the first word of a failed `command` that names a shell script beneath
/// `root` with CR LF in it.
pub(crate) fn shell_script_of_windows(root: &Path, command: &[String]) -> Option<String> {
    command.iter().find_map(|word| {
        let inside = word.strip_prefix(BOT).unwrap_or(word).trim_start_matches('/');
        let inside = inside.trim_start_matches("./");
        let start = beginning(&root.join(inside))?;
        let is_shell =
            [".sh", ".bash"].iter().any(|end| inside.ends_with(end)) || start.starts_with(b"#!");
        (is_shell && start.windows(2).any(|pair| pair == b"\r\n")).then(|| message(inside))
    })
}

/// Returns the first bytes of a plain file.
fn beginning(path: &Path) -> Option<Vec<u8>> {
    let is_plain = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    is_plain.then(|| read_start(path, SEARCHED).ok()).flatten()
}

fn message(script: &str) -> String {
    format!(
        "`{script}` has Windows line ends (CR LF), with which it cannot run; `sed -i 's/\\r$//' {script}` removes them"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(file: (&str, &str), command: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file.0), file.1).unwrap();
        let command: Command = command.iter().map(|word| (*word).to_owned()).collect();
        unused(folder.path(), [&command].into_iter())
    }

    #[test]
    fn build_files_that_no_command_uses_are_named_with_the_line_that_uses_them() {
        let make = lines(("Makefile", "all:"), &["/usr/bin/g++", "-o", "bot", "/bot/main.cpp"]);
        assert!(make[0].starts_with("`Makefile` is not used: `build: make`"), "{make:?}");
        let cmake = lines(("CMakeLists.txt", ""), &["/usr/bin/g++", "make.cpp"]);
        assert!(cmake[0].contains("cmake --build"), "{cmake:?}");
        let npm = lines(("package.json", "{ \"dependencies\": { \"a\": \"1\" } }"), &["node"]);
        assert!(npm[0].contains("--package-lock-only"), "{npm:?}");
    }

    #[test]
    fn used_build_files_and_a_package_without_dependencies_are_not_named() {
        assert!(lines(("Makefile", ""), &["/usr/bin/make", "all"]).is_empty());
        assert!(lines(("Makefile", ""), &["/bot/build.sh"]).is_empty());
        assert!(lines(("package.json", "{ \"type\": \"module\" }"), &["node"]).is_empty());
        assert!(
            lines(("package.json", "\"dependencies\""), &["node", "/usr/bin/npm", "ci"]).is_empty()
        );
    }

    fn with(name: &str, text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
        folder
    }

    #[test]
    fn an_interpreter_with_a_carriage_return_is_named() {
        let folder = with("run.sh", "#!/bin/sh\r\necho 1\r\n");
        let message = broken_first_line(folder.path(), "run.sh").unwrap();
        assert!(message.starts_with("`run.sh` has Windows line ends"), "{message}");
        assert_eq!(
            broken_first_line(with("run.sh", "#!/bin/sh\necho '\r'\r\n").path(), "run.sh"),
            None
        );
        assert_eq!(broken_first_line(with("run.py", "print(1)\r\n").path(), "run.py"), None);
    }

    #[test]
    fn a_shell_script_that_failed_is_named_and_a_python_source_is_not() {
        let command = |name: &str| ["/usr/bin/bash".to_owned(), "-n".to_owned(), name.to_owned()];
        let script = with("main.sh", "if true; then\r\necho 1\r\nfi\r\n");
        assert!(shell_script_of_windows(script.path(), &command("main.sh")).is_some());
        assert!(shell_script_of_windows(script.path(), &command("./main.sh")).is_some());
        let plain = with("main.sh", "echo 1\n");
        assert_eq!(shell_script_of_windows(plain.path(), &command("main.sh")), None);
        let python = with("main.py", "print(1)\r\n");
        assert_eq!(shell_script_of_windows(python.path(), &command("main.py")), None);
    }
}
