//! Kits: for each language the file that speaks the protocol, and a game that already
//! plays, for authors to begin from.

/// A language that there is a kit for.
#[derive(Clone, Copy, Debug)]
pub struct Kit {
    /// The language's id.
    pub language: &'static str,
    /// The main file.
    pub entry: &'static str,
    /// Value of `can` in its `game.yaml`; nothing for a bot.
    pub can: &'static str,
    /// Value of `files` in its `game.yaml`; nothing for a bot.
    pub source: &'static str,
    /// Names and texts of the files.
    pub files: &'static [(&'static str, &'static str)],
}

/// The id of the game in the kits; a copy needs another.
pub const KIT_GAME: &str = "connect-four-kit";

/// The rules of the game in the kits.
pub const KIT_RULES: &str = include_str!("../kits/rules.md");

/// A file of a kit.
macro_rules! file {
    ($folder:literal, $name:literal) => {
        ($name, include_str!(concat!("../kits/", $folder, "/", $name)))
    };
}

/// Every kit.
pub const KITS: &[Kit] = &[
    Kit {
        language: "python",
        entry: "connect_four.py",
        can: "bouts, rejudge, numbers",
        source: "'*.py'",
        files: &[file!("python", "joust.py"), file!("python", "connect_four.py")],
    },
    Kit {
        language: "javascript",
        entry: "connect_four.js",
        can: "bouts, rejudge",
        source: "'*.js'",
        files: &[file!("javascript", "joust.js"), file!("javascript", "connect_four.js")],
    },
    Kit {
        language: "go",
        entry: "connect_four.go",
        can: "bouts, rejudge",
        source: "'*.go'",
        files: &[file!("go", "joust.go"), file!("go", "connect_four.go")],
    },
    Kit {
        language: "java",
        entry: "ConnectFour.java",
        can: "bouts, rejudge",
        source: "'*.java'",
        files: &[file!("java", "Joust.java"), file!("java", "ConnectFour.java")],
    },
    Kit {
        language: "rust",
        entry: "connect_four.rs",
        can: "bouts, rejudge",
        source: "'*.rs'",
        files: &[file!("rust", "joust.rs"), file!("rust", "connect_four.rs")],
    },
    Kit {
        language: "cpp",
        entry: "connect_four.cpp",
        can: "bouts, rejudge",
        source: "'*.cpp', '*.hpp'",
        files: &[file!("cpp", "joust.hpp"), file!("cpp", "connect_four.cpp")],
    },
];

/// Bots that play the game of the kits.
pub const STARTER_BOTS: &[Kit] = &[
    Kit {
        language: "python",
        entry: "main.py",
        can: "",
        source: "",
        files: &[file!("bots/python", "main.py")],
    },
    Kit {
        language: "javascript",
        entry: "main.js",
        can: "",
        source: "",
        files: &[file!("bots/javascript", "main.js")],
    },
    Kit {
        language: "bash",
        entry: "main.sh",
        can: "",
        source: "",
        files: &[file!("bots/bash", "main.sh")],
    },
];
