//! The real binary with real bots, command by command.

mod adapters;
mod bad_input;
mod bouts;
mod chain;
mod ci;
mod client_people;
mod clients;
mod connect_four;
mod dispute;
mod dungeon;
mod dungeon_terminal;
mod editors;
mod entry;
mod external;
mod external_breaches;
mod external_servers;
mod external_shards;
mod fetch;
mod follow;
mod fresh_runner;
mod game;
mod games_page;
mod grammar;
mod init;
mod interrupt;
mod invite;
mod live;
mod logs;
mod names;
mod numbers;
mod output;
mod people;
mod play;
mod random_output;
mod replays;
mod report;
mod report_stop;
mod run;
mod shards;
mod small_machine;
mod standings;
mod starters;
mod terminal;
mod text;
mod try_bot;
mod webhooks;
mod whole_database;
mod whole_match;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use joust_testkit::env::TestEnv;
use joust_testkit::league;

fn cache() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/joust-cache"))
}

/// Makes an empty folder.
fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_joust")).with_cache(cache())
}

/// Makes a folder with a tournament of three bots.
fn small() -> TestEnv {
    league::small(env!("CARGO_BIN_EXE_joust"), cache())
}

/// Changes the database `results.db` without Joust.
fn by_hand(env: &TestEnv, sql: &str) {
    let script = "import sqlite3, sys\n\
                  with sqlite3.connect('results.db') as d: d.executescript(sys.argv[1])";
    let status = Command::new("python3").args(["-c", script, sql]).current_dir(env.path()).status();
    assert!(status.expect("python runs").success());
}

/// Returns the ids that `joust bouts` lists.
fn listed(env: &TestEnv, arguments: &[&str]) -> Vec<String> {
    let ran = env.run(["bouts"].iter().chain(arguments)).expect(0);
    ran.stdout.lines().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect()
}

/// Runs git in `folder` without the user's configuration.
fn git(folder: &Path, words: &[&str]) -> String {
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgSign=false"];
    let output = Command::new("git")
        .args(who)
        .args(["-c", "protocol.file.allow=always"])
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git can be started");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs a command, writes `keys` to its standard input and closes it; returns its standard output.
fn at_the_keyboard(mut command: Command, keys: &[u8]) -> String {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut playing = command.spawn().expect("it can be started");
    let mut keyboard = playing.stdin.take().expect("a pipe");
    keyboard.write_all(keys).expect("it is read");
    drop(keyboard);
    let output = playing.wait_with_output().expect("it ends");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("it is text")
}
