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
    /// Hashes by which each package manager knows its package.
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

/// Fetches from `http://registry.test`, to which the organiser's proxy leads.
fn fetch(env: &TestEnv, bot: &str, port: u64) -> Ran {
    fetch_from(env, bot, &format!("http://127.0.0.1:{port}"), "http://registry.test")
}

fn fetch_from(env: &TestEnv, bot: &str, proxy: &str, base: &str) -> Ran {
    fetch_in("", env, bot, proxy, base)
}

/// As [`fetch_from`], in a tier of the sandbox, or in the best where that is empty.
fn fetch_in(tier: &str, env: &TestEnv, bot: &str, proxy: &str, base: &str) -> Ran {
    let mut command = env.command(["bot", "fetch", bot]);
    if !tier.is_empty() {
        command.env("JOUST_TIER", tier);
    }
    command
        .env("HTTP_PROXY", proxy)
        .env("PIP_INDEX_URL", format!("{base}/simple/"))
        .env("PIP_TRUSTED_HOST", "registry.test")
        .env("PIP_RETRIES", "0")
        .env("NPM_CONFIG_REGISTRY", format!("{base}/"))
        .env("GOPROXY", base)
        .env("GOSUMDB", "off");
    command.output().expect("it can be started").into()
}

#[test]
fn a_bot_plays_with_what_was_fetched_when_the_registry_is_gone() {
    let env = with_bot("tinylib==1.0\n");
    let before = env.run(["bot", "check", "battlebots", "bot"]);
    let told = "what `requirements.txt` names was not fetched: `joust bot fetch";
    assert!(before.status != Some(0) && before.stderr.contains(told), "{}", before.stderr);
    let registry = Registry::start();
    // An address of this machine is reached where the organiser names it.
    let base = format!("http://127.0.0.1:{}", registry.port);
    let fetched = fetch_from(&env, "bot", "", &base).expect(0);
    assert!(fetched.stdout.contains("`walker`: tinylib 1.0\n"), "{}", fetched.stdout);
    drop(registry);
    env.run(["bot", "check", "battlebots", "bot"]).expect(0);
}

/// Launchers hand each connection over, as seats of tier C have no network of their own.
#[test]
fn libraries_come_in_tier_c_and_play_in_it() {
    let env = with_bot("tinylib==1.0\n");
    let registry = Registry::start();
    let base = format!("http://127.0.0.1:{}", registry.port);
    let fetched = fetch_in("C", &env, "bot", "", &base).expect(0);
    assert!(fetched.stdout.contains("`walker`: tinylib 1.0\n"), "{}", fetched.stdout);
    drop(registry);
    let mut command = env.command(["bot", "check", "battlebots", "bot"]);
    let output = command.env("JOUST_TIER", "C").output().expect("it can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
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

#[test]
fn code_that_runs_while_libraries_are_fetched_gains_nothing() {
    let registry = Registry::start();
    let mut ran = 0;
    let separators = ["\r", "\u{b}", "\u{c}", "\u{85}", "\u{2028}"].map(|one| (one, ""));
    for (separator, tier) in separators.into_iter().chain([("\r", "C"), ("\u{c}", "C")]) {
        let line = format!("evilpkg ; python_version > '3'{separator}--no-binary=evilpkg\n");
        let env = with_bot(&line);
        env.write(".pypirc", "password = s3cr3t\n");
        env.write(".netrc", "machine registry.test login ada password s3cr3t\n");
        env.write(".config/pip/pip.conf", "[global]\nproxy = http://ada:s3cr3t@proxy.test\n");
        let base = "http://ada:s3cr3t@registry.test/private";
        let proxy = format!("http://ada:s3cr3t@127.0.0.1:{}", registry.port);
        let refused = fetch_in(tier, &env, "bot", &proxy, base).expect(1);
        assert!(!refused.stderr.contains("s3cr3t"), "{}", refused.stderr);
        if refused.stderr.contains("GAINED") {
            assert!(refused.stderr.contains("GAINED: []"), "{}", refused.stderr);
            ran += 1;
        }
    }
    assert!(ran > 0, "pip takes each of them for the end of a line");
}

#[test]
fn a_host_that_a_list_names_is_refused_and_told() {
    let env = with_bot("--index-url https://other.test/simple/\ntinylib\n");
    let registry = Registry::start();
    let refused = fetch(&env, "bot", registry.port).expect(1);
    let told =
        "it asked for `other.test:443`, a host that the organiser's configuration does not name";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
}

#[test]
fn a_password_of_an_index_stays_with_the_organiser() {
    let env = with_bot("tinylib==1.0\n");
    let registry = Registry::start();
    let proxy = format!("http://127.0.0.1:{}", registry.port);
    let base = "http://ada:s3cr3t@registry.test/private";
    let fetched = fetch_from(&env, "bot", &proxy, base).expect(0);
    assert!(fetched.stdout.contains("`walker`: tinylib 1.0\n"), "{}", fetched.stdout);
    let env = with_bot("tinylib==1.0\n");
    let base = "https://ada:s3cr3t@registry.test/private";
    let refused = fetch_from(&env, "bot", &proxy, base).expect(4);
    let told = "`PIP_INDEX_URL` names a password for `registry.test:443`";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
    assert!(!refused.stderr.contains("s3cr3t"), "{}", refused.stderr);
}

#[test]
fn an_open_build_has_the_organiser_s_proxy_and_registry_without_passwords() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    let manifest = "name: walker\nlanguage: python\nentry: main.py\nbuild: bash make.sh\nrun: python3 main.py\n";
    env.write("bot/bot.yaml", manifest);
    env.write("bot/main.py", "");
    env.write(
        "bot/make.sh",
        "echo \"has $HTTPS_PROXY $PIP_INDEX_URL\" >&2\ncat \"$PIP_CERT\" >&2\nexit 1\n",
    );
    env.write("own.pem", "certificate of the organiser\n");
    let event = "events:\n  - game: battlebots\n    bots: [bot]\n    build: { network: open }\n";
    env.write("tournament.yaml", &format!("name: t\n{event}"));
    let mut command = env.command(["bot", "check", "battlebots", "bot", "-f", "tournament.yaml"]);
    command
        .env("HTTPS_PROXY", "http://ada:s3cr3t@proxy.test:3128")
        .env("PIP_INDEX_URL", "https://ada:s3cr3t@pypi.test/simple/")
        .env("PIP_CERT", env.path().join("own.pem"));
    let output = command.output().expect("it can be started");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("has http://proxy.test:3128 https://pypi.test/simple/"), "{told}");
    assert!(told.contains("certificate of the organiser"), "{told}");
    assert!(!told.contains("s3cr3t"), "{told}");
}

#[test]
fn what_came_is_compared_with_what_an_event_allows() {
    let env = with_bot("tinylib==1.0\n");
    let event = "events:\n  - game: battlebots\n    bots: [bot]\n    allow_libraries: { python: [otherlib] }\n";
    env.write("tournament.yaml", &format!("name: t\n{event}"));
    let registry = Registry::start();
    let refused = fetch(&env, "-ftournament.yaml", registry.port).expect(1);
    let told = "it brings `tinylib 1.0`, which the event does not allow";
    assert!(refused.stderr.contains(told), "{}", refused.stderr);
    let allowed = event.replace("otherlib", "TinyLib");
    env.write("tournament.yaml", &format!("name: t\n{allowed}"));
    let fetched = fetch(&env, "-ftournament.yaml", registry.port).expect(0);
    assert!(fetched.stdout.contains("`walker`: tinylib 1.0\n"), "{}", fetched.stdout);
}

/// A package of npm that calls itself as one that the event allows, under its own name, under
/// another and by its address.
#[test]
fn a_package_is_called_as_the_registry_was_asked_for_it() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    let event = "events:\n  - game: battlebots\n    bots: [bot]\n    allow_libraries: { javascript: [tinylib] }\n";
    env.write("tournament.yaml", &format!("name: t\n{event}"));
    env.write("bot/bot.yaml", "name: walker\nlanguage: javascript\n");
    env.write("bot/main.js", "console.log(require('tinylib').WAY)\n");
    let registry = Registry::start();
    let address = "http://registry.test/other/-/other-1.0.0.tgz";
    let fetched = |name: &str, wanted: &str, entry: &str| {
        let dependencies = format!(r#""dependencies": {{"{name}": "{wanted}"}}"#);
        env.write("bot/package.json", &format!(r#"{{"name": "bot", {dependencies}}}"#));
        let list = format!(
            r#"{{"name": "bot", "lockfileVersion": 3, "packages": {{"": {{{dependencies}}},
            "node_modules/{name}": {{"version": "1.0.0", {entry}}}}}}}"#
        );
        env.write("bot/package-lock.json", &list);
        fetch(&env, "-ftournament.yaml", registry.port)
    };
    let resolved = format!(r#""resolved": "{address}""#);
    let known = fetched("tinylib", "1.0.0", &resolved);
    if known.stderr.contains("install it with") {
        return;
    }
    assert_eq!(known.expect(0).stdout, "`walker`: tinylib 1.0.0\n");
    let hash = format!(r#"{resolved}, "integrity": "{}""#, registry.hash("other"));
    let other = fetched("tinylib", "1.0.0", &hash).expect(1).stderr;
    assert!(other.contains("EINTEGRITY"), "{other}");
    let scoped = "@own_node_modules/tinylib";
    let scoped_address: &str = &format!("http://registry.test/{scoped}/-/tinylib-1.0.0.tgz");
    for (name, wanted, entry, called) in [
        ("other", "1.0.0", &hash, "other"),
        (scoped, "1.0.0", &hash, scoped),
        ("tinylib", scoped_address, &hash, scoped_address),
        ("tinylib", "npm:other@1.0.0", &format!(r#""name": "other", {hash}"#), "other"),
        ("tinylib", address, &hash, address),
    ] {
        let refused = fetched(name, wanted, entry).expect(1).stderr;
        let told = format!("it brings `{called} 1.0.0`, which the event does not allow");
        assert!(refused.contains(&told), "{refused}");
    }
}

#[test]
fn a_bot_without_a_list_is_told_the_command_that_writes_it() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    for (language, file, text, told) in [
        (
            "rust",
            "Cargo.toml",
            "[package]\nname = \"bot\"\n[dependencies]\nrand = \"0.8\"\n",
            ["it names `rand`, and there is no `Cargo.lock`", "`cargo generate-lockfile`"],
        ),
        (
            "javascript",
            "package.json",
            "{ \"dependencies\": { \"left-pad\": \"1.3.0\" } }",
            [
                "`left-pad`, and there is no `package-lock.json`",
                "`npm install --package-lock-only`",
            ],
        ),
        (
            "go",
            "go.mod",
            "module bot\n\ngo 1.21\n\nrequire a.example/b v1.0.0\n",
            ["it names `a.example/b`, and there is no `go.sum`", "`go mod tidy`"],
        ),
    ] {
        env.write(&format!("{language}/bot.yaml"), &format!("name: it\nlanguage: {language}\n"));
        env.write(&format!("{language}/{file}"), text);
        let ran = env.run(["bot", "fetch", language]).expect(1);
        for told in told.into_iter().chain([file]) {
            assert!(ran.stderr.contains(told), "{language}: {}", ran.stderr);
        }
    }
}

/// A bot in a language, its list with a place for the hash, and the expected messages.
struct Listed {
    language: &'static str,
    /// The package manager, as the registry calls it.
    of: &'static str,
    files: &'static [(&'static str, &'static str)],
    /// Words of the message when another file came.
    another: &'static str,
    /// Name and version of the package that came.
    told: &'static str,
}

const LISTED: [Listed; 3] = [
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
];

/// Maven's own parts come from the repository of this machine, served on the loopback.
#[test]
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
fn what_a_project_of_maven_depends_on_comes_when_it_has_its_checksum() {
    let home = std::env::var("HOME").unwrap_or_default();
    let plugin = ".m2/repository/org/apache/maven/plugins/maven-dependency-plugin/3.6.1";
    if !std::path::Path::new(&home).join(plugin).is_dir() {
        println!("skipped: `scripts/install-tools` fills the repository of Maven");
        return;
    }
    let registry = Registry::start();
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    let mirror =
        "<mirror><id>here</id><mirrorOf>*</mirrorOf><url>http://registry.test/maven</url></mirror>";
    env.write(".m2/settings.xml", &format!("<settings><mirrors>{mirror}</mirrors></settings>"));
    // What a project sets for the plugin that lists its dependencies hides none of them.
    let hides = "<properties><excludeGroupIds>tiny.example</excludeGroupIds></properties><build><plugins><plugin>\
                 <artifactId>maven-dependency-plugin</artifactId><configuration><skip>true</skip></configuration>\
                 </plugin></plugins></build>";
    // Tests are skipped in the build, and so where dependencies are listed.
    let profile = "<profiles><profile><id>built</id><activation><property><name>skipTests</name></property></activation>";
    let profiled = format!("</profile></profiles>{hides}");
    // In tier C the launcher makes the hundreds of connections.
    for (bot, library, before, after, tier) in [
        ("plain", "tinylib", "", "", "C"),
        ("hiding", "tinylib", profile, &profiled, ""),
        ("bad", "badlib", "", "", ""),
    ] {
        let dependency = format!(
            "<dependency><groupId>tiny.example</groupId><artifactId>{library}</artifactId><version>1.0</version></dependency>"
        );
        let pom = format!(
            "<project><modelVersion>4.0.0</modelVersion><groupId>a.example</groupId><artifactId>bot</artifactId>\
             <version>1</version>{before}<dependencies>{dependency}</dependencies>{after}</project>"
        );
        env.write(&format!("{bot}/bot.yaml"), &format!("name: {bot}-bot\nlanguage: java\n"));
        env.write(&format!("{bot}/pom.xml"), &pom);
        env.write(
            &format!("{bot}/src/main/java/Main.java"),
            "public class Main { public static void main(String[] words) {} }\n",
        );
        let proxy = format!("http://127.0.0.1:{}", registry.port);
        let fetched = fetch_in(tier, &env, bot, &proxy, "http://registry.test");
        if library == "tinylib" {
            let expected = format!("`{bot}-bot`: tiny.example:tinylib 1.0\n");
            assert_eq!(fetched.expect(0).stdout, expected);
        } else {
            let told = fetched.expect(1).stderr;
            assert!(told.contains("Checksum validation failed"), "{told}");
        }
    }
}

/// Returns a hash of the same form that nothing has.
fn of_nothing(hash: &str) -> String {
    let start = hash.find(['-', ':']).map_or(0, |at| at + 1);
    let (form, digits) = hash.split_at(start);
    format!("{form}{}", digits.replace(|one: char| one.is_ascii_digit(), "0").replace('a', "b"))
}

#[test]
fn packages_of_three_languages_come_when_they_have_the_hash_of_the_list() {
    fetch_packages("");
}

#[test]
fn packages_of_three_languages_come_in_tier_c() {
    fetch_packages("C");
}

/// Fetches the packages in a tier of the sandbox, once with a wrong hash and once with theirs.
fn fetch_packages(tier: &str) {
    let registry = Registry::start();
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    env.write(
        ".cargo/config.toml",
        "[source.crates-io]\nreplace-with = \"here\"\n[source.here]\nregistry = \"sparse+http://registry.test/index/\"\n",
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
        let proxy = format!("http://127.0.0.1:{}", registry.port);
        let fetch = || fetch_in(tier, &env, of, &proxy, "http://registry.test");
        let other = fetch();
        if other.stderr.contains("install it with") {
            continue;
        }
        assert!(
            other.status == Some(1) && other.stderr.contains(another),
            "{of}: {}",
            other.stderr
        );
        write(registry.hash(of));
        let fetched = fetch().expect(0);
        assert_eq!(fetched.stdout, format!("`{of}-bot`: {told}\n"));
    }
    drop(registry);
    if tier.is_empty() {
        env.run(["bot", "check", "battlebots", "npm"]).expect(0);
    }
}
