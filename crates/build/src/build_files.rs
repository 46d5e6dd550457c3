//! Build files that lie in a bot's folder and that its recipe does not use.

use std::path::Path;

use joust_config::read_start;

use joust_bots::manifest::Command;
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

/// Bytes of a build file that are searched.
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
    let is_plain = path.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    let start = || read_start(path, SEARCHED).unwrap_or_default();
    is_plain && (needed.is_empty() || String::from_utf8_lossy(&start()).contains(needed))
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
}
