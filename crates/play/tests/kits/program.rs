//! Program of a kit: built with the tools of its language, spoken to over pipes. It is a
//! file of this repository, so it is run as it is.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use tempfile::TempDir;

/// A language of the kits.
pub(crate) struct Kit {
    /// Its folder.
    pub(crate) language: &'static str,
    /// The program without which it cannot be tried.
    pub(crate) tool: &'static str,
    /// Builds it, in the build's folder; `KIT` is where the kit lies.
    build: &'static [&'static str],
    /// Runs it.
    run: &'static [&'static str],
}

pub(crate) const KITS: &[Kit] = &[
    Kit {
        language: "python",
        tool: "python3",
        build: &[],
        run: &["python3", "KIT/connect_four.py"],
    },
    Kit { language: "javascript", tool: "node", build: &[], run: &["node", "KIT/connect_four.js"] },
    Kit {
        language: "go",
        tool: "go",
        build: &["go", "build", "-o", "referee", "KIT/joust.go", "KIT/connect_four.go"],
        run: &["./referee"],
    },
    Kit {
        language: "java",
        tool: "javac",
        build: &["javac", "-d", ".", "KIT/Joust.java", "KIT/ConnectFour.java"],
        run: &["java", "-XX:+UseSerialGC", "ConnectFour"],
    },
    Kit {
        language: "rust",
        tool: "rustc",
        build: &["rustc", "--edition=2021", "-O", "-o", "referee", "KIT/connect_four.rs"],
        run: &["./referee"],
    },
    Kit {
        language: "cpp",
        tool: "g++",
        build: &[
            "g++",
            "-std=c++17",
            "-O1",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-o",
            "referee",
            "KIT/connect_four.cpp",
        ],
        run: &["./referee"],
    },
];

/// A running program.
pub(crate) struct Program {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    _folder: TempDir,
}

impl Kit {
    /// Builds and starts it; `None` without the language's tool.
    pub(crate) fn start(&self) -> Option<Program> {
        let folder = tempfile::tempdir().expect("there is room");
        let is_there = Command::new(self.tool).arg("-v").output().is_ok();
        if !is_there {
            return None;
        }
        if !self.build.is_empty() {
            let built =
                self.command(self.build, folder.path()).output().expect("the tool is there");
            assert!(built.status.success(), "{}: {built:?}", self.language);
        }
        let mut command = self.command(self.run, folder.path());
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.expect("it was built");
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().expect("it is piped"));
        Some(Program { child, to, from, _folder: folder })
    }

    fn command(&self, words: &[&str], folder: &Path) -> Command {
        let kits = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gamekit/kits");
        let kit: PathBuf = kits.join(self.language);
        let place = |word: &&str| word.replace("KIT", kit.to_str().expect("the path is UTF-8"));
        let words: Vec<String> = words.iter().map(place).collect();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(folder);
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-cache");
        command.env("GO111MODULE", "off").env("GOCACHE", cache);
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }
}

impl Program {
    pub(crate) fn say(&mut self, line: &str) {
        let to = self.to.as_mut().expect("it was not ended");
        to.write_all(line.as_bytes()).expect("it reads");
    }

    pub(crate) fn line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.from.read_until(b'\n', &mut line).expect("it writes");
        assert_eq!(line.pop(), Some(b'\n'), "the referee ended");
        line
    }

    /// Ends its input, at which it ends in order.
    pub(crate) fn end(&mut self) {
        self.to = None;
        let status = self.child.wait().expect("it was started");
        assert!(status.success(), "{status}");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
