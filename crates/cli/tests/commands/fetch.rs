//! `bot fetch`: libraries from registries on this machine, and bots that play with them once those
//! are gone.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use joust_testkit::env::{Ran, TestEnv};

/// Registries that answer until they are dropped.
struct Registry {
    process: Child,
    port: u16,
    /// What NuGet knows its package by.
    hash: String,
}

impl Registry {
    fn start() -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/commands/registry.py");
        let started = Command::new("python3").arg(script).stdout(Stdio::piped()).spawn();
        let mut process = started.expect("Python can be started");
        let mut line = String::new();
        let said = process.stdout.as_mut().expect("a pipe");
        BufReader::new(said).read_line(&mut line).expect("it says where it is");
        let (port, hash) = line.trim().split_once(' ').expect("a port and a hash");
        let (port, hash) = (port.parse().expect("a port"), hash.to_owned());
        Self { process, port, hash }
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

fn fetch(env: &TestEnv, bot: &str, port: u16) -> Ran {
    let mut command = env.command(["bot", "fetch", bot]);
    command.env("PIP_INDEX_URL", format!("http://127.0.0.1:{port}/simple/"));
    let output = command.env("PIP_RETRIES", "1").output().expect("it can be started");
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

#[test]
fn a_package_of_nuget_comes_when_it_has_the_hash_of_the_list() {
    let registry = Registry::start();
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    let source = format!("http://127.0.0.1:{}/v3/index.json", registry.port);
    env.write(
        ".nuget/NuGet/NuGet.Config",
        &format!("<configuration><packageSources><add key=\"here\" value=\"{source}\"/></packageSources></configuration>"),
    );
    env.write("bot/bot.yaml", "name: sharp\nlanguage: csharp\nentry: Program.cs\n");
    env.write("bot/Program.cs", "class Program { static void Main() {} }\n");
    let list = |hash: &str| {
        format!(
            "{{\"version\": 1, \"dependencies\": {{\"net8.0\": {{\"Tiny.Lib\": {{\"type\": \"Direct\", \
             \"resolved\": \"1.0.0\", \"contentHash\": \"{hash}\"}}}}}}}}"
        )
    };
    env.write("bot/packages.lock.json", &list(&registry.hash.replace(char::is_numeric, "x")));
    let other = fetch(&env, "bot", registry.port);
    if other.stderr.contains("mono") {
        return; // It is not on this machine.
    }
    let told = "`tiny.lib` 1.0.0 has another content than the hash in the list says";
    assert!(other.status == Some(1) && other.stderr.contains(told), "{}", other.stderr);
    env.write("bot/packages.lock.json", &list(&registry.hash));
    let fetched = fetch(&env, "bot", registry.port).expect(0);
    assert!(fetched.stdout.contains("`sharp`: Tiny.Lib 1.0.0\n"), "{}", fetched.stdout);
}
