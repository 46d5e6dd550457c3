//! `bot fetch`: libraries from registries on this machine, and bots that play with them once those
//! are gone.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use joust_testkit::env::{Ran, TestEnv};
use serde_json::Value;

/// Registries that answer until they are dropped.
struct Registry {
    process: Child,
    port: u64,
    /// What each package manager knows its package by.
    hashes: Value,
}

impl Registry {
    fn start() -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/commands/registry.py");
        let started = Command::new("python3").arg(script).stdout(Stdio::piped()).spawn();
        let mut process = started.expect("Python can be started");
        let mut line = String::new();
        let said = process.stdout.as_mut().expect("a pipe");
        BufReader::new(said).read_line(&mut line).expect("it says where it is");
        let said: Value = serde_json::from_str(&line).expect("it is JSON");
        let port = said["port"].as_u64().expect("a port");
        Self { process, port, hashes: said["hashes"].clone() }
    }

    fn hash(&self, of: &str) -> &str {
        self.hashes[of].as_str().expect("a hash")
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// A folder with a Python bot that needs a library, and builds of its own.
fn with_bot(wanted: &str) -> TestEnv {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    env.write("bot/bot.yaml", "name: walker\nlanguage: python\nentry: main.py\n");
    env.write("bot/main.py", "from tinylib import WAY\nprint(WAY)\n");
    env.write("bot/requirements.txt", wanted);
    env
}

fn fetch(env: &TestEnv, bot: &str, port: u64) -> Ran {
    let mut command = env.command(["bot", "fetch", bot]);
    let base = format!("http://127.0.0.1:{port}");
    command
        .env("PIP_INDEX_URL", format!("{base}/simple/"))
        .env("PIP_RETRIES", "1")
        .env("NPM_CONFIG_REGISTRY", format!("{base}/"))
        .env("GOPROXY", &base)
        .env("GOSUMDB", "off");
    let output = command.output().expect("it can be started");
    Ran {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_bot_plays_with_what_was_fetched_when_the_registry_is_gone() {
    let env = with_bot("tinylib==1.0\n");
    let before = env.run(["bot", "check", "battlebots", "bot"]);
    let told = "what `requirements.txt` names was not fetched: `joust bot fetch";
    assert!(before.status != Some(0) && before.stderr.contains(told), "{}", before.stderr);
    let registry = Registry::start();
    let fetched = fetch(&env, "bot", registry.port).expect(0);
    assert!(fetched.stdout.contains("`walker`: tinylib 1.0\n"), "{}", fetched.stdout);
    drop(registry);
    env.run(["bot", "check", "battlebots", "bot"]).expect(0);
}

#[test]
fn a_registry_that_is_not_there_is_the_network_s_fault_and_one_without_the_name_is_not() {
    let env = with_bot("otherlib==1.0\n");
    let registry = Registry::start();
    let unknown = fetch(&env, "bot", registry.port).expect(1);
    assert!(unknown.stderr.contains("No matching distribution found for otherlib"), "{unknown:?}");
    let port = registry.port;
    drop(registry);
    let down = fetch(&env, "bot", port).expect(4);
    let told = "the network or the registry is at fault, no bot";
    assert!(down.stderr.contains(told), "{}", down.stderr);
}

/// A bot in a language, its list with a place for the hash, and what is said of both.
struct Listed {
    language: &'static str,
    /// The package manager, as the registry calls it.
    of: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// What is said where another file came.
    another: &'static str,
    /// What came.
    told: &'static str,
}

const LISTED: [Listed; 4] = [
    Listed {
        language: "javascript",
        of: "npm",
        files: &[
            ("main.js", "console.log(require('tinylib').WAY)\n"),
            ("package.json", r#"{"name": "bot", "dependencies": {"tinylib": "1.0.0"}}"#),
            (
                "package-lock.json",
                r#"{"name": "bot", "lockfileVersion": 3, "packages": {"": {"dependencies": {"tinylib": "1.0.0"}},
                "node_modules/tinylib": {"version": "1.0.0", "integrity": "HASH"}}}"#,
            ),
        ],
        another: "EINTEGRITY",
        told: "tinylib 1.0.0",
    },
    Listed {
        language: "rust",
        of: "cargo",
        files: &[
            ("src/main.rs", "fn main() { println!(\"{}\", tinylib::WAY) }\n"),
            (
                "Cargo.toml",
                "[package]\nname = \"bot\"\nversion = \"0.1.0\"\n[dependencies]\ntinylib = \"1\"\n",
            ),
            (
                "Cargo.lock",
                "version = 3\n[[package]]\nname = \"bot\"\nversion = \"0.1.0\"\ndependencies = [\"tinylib\"]\n\
                 [[package]]\nname = \"tinylib\"\nversion = \"1.0.0\"\nchecksum = \"HASH\"\n\
                 source = \"registry+https://github.com/rust-lang/crates.io-index\"\n",
            ),
        ],
        another: "checksum",
        told: "tinylib 1.0.0",
    },
    Listed {
        language: "go",
        of: "go",
        files: &[
            (
                "main.go",
                "package main\n\nimport \"tiny.example/lib\"\n\nfunc main() { println(lib.Way) }\n",
            ),
            ("go.mod", "module bot\n\ngo 1.18\n\nrequire tiny.example/lib v1.0.0\n"),
            ("go.sum", "tiny.example/lib v1.0.0 HASH\ntiny.example/lib v1.0.0/go.mod MODHASH\n"),
        ],
        another: "checksum mismatch",
        told: "tiny.example/lib v1.0.0",
    },
    Listed {
        language: "csharp",
        of: "nuget",
        files: &[
            ("Program.cs", "class Program { static void Main() {} }\n"),
            (
                "packages.lock.json",
                r#"{"version": 1, "dependencies": {"net8.0": {"Tiny.Lib":
                {"type": "Direct", "resolved": "1.0.0", "contentHash": "HASH"}}}}"#,
            ),
        ],
        another: "`tiny.lib` 1.0.0 has another content than the hash in the list says",
        told: "Tiny.Lib 1.0.0",
    },
];

/// Returns a hash of the same form that nothing has.
fn of_nothing(hash: &str) -> String {
    let start = hash.find(['-', ':']).map_or(0, |at| at + 1);
    let (form, digits) = hash.split_at(start);
    format!("{form}{}", digits.replace(|one: char| one.is_ascii_digit(), "0").replace('a', "b"))
}

#[test]
fn packages_of_four_languages_come_when_they_have_the_hash_of_the_list() {
    let registry = Registry::start();
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    let base = format!("http://127.0.0.1:{}", registry.port);
    env.write(
        ".nuget/NuGet/NuGet.Config",
        &format!("<configuration><packageSources><add key=\"here\" value=\"{base}/v3/index.json\"/></packageSources></configuration>"),
    );
    env.write(
        ".cargo/config.toml",
        &format!("[source.crates-io]\nreplace-with = \"here\"\n[source.here]\nregistry = \"sparse+{base}/index/\"\n"),
    );
    for Listed { language, of, files, another, told } in &LISTED {
        let write = |hash: &str| {
            env.write(
                &format!("{of}/bot.yaml"),
                &format!("name: {of}-bot\nlanguage: {language}\n"),
            );
            for (name, text) in *files {
                let text =
                    text.replace("MODHASH", registry.hashes["go.mod"].as_str().expect("a hash"));
                env.write(&format!("{of}/{name}"), &text.replace("HASH", hash));
            }
        };
        write(&of_nothing(registry.hash(of)));
        let other = fetch(&env, of, registry.port);
        if other.stderr.contains("install it with") {
            continue;
        }
        assert!(
            other.status == Some(1) && other.stderr.contains(another),
            "{of}: {}",
            other.stderr
        );
        write(registry.hash(of));
        let fetched = fetch(&env, of, registry.port).expect(0);
        assert_eq!(fetched.stdout, format!("`{of}-bot`: {told}\n"));
    }
    drop(registry);
    env.run(["bot", "check", "battlebots", "npm"]).expect(0);
}
