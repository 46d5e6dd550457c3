//! Machines of workers that are not in order: clocks that are wrong, no sandbox, no room on the
//! disk.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use joust_testkit::league::bot;

use crate::lab::{Lab, Process};

/// A clock that is off, for a program that is started with it: nothing of Joust knows that this is
/// not the machine's.
const CLOCK: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *at) {
    int (*own)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int result = own(id, at);
    if (result == 0 && id == CLOCK_REALTIME) at->tv_sec += SECONDS;
    return result;
}
"#;

/// Makes a clock that is wrong by `seconds`.
fn clock(lab: &Lab, seconds: i32) -> PathBuf {
    lab.env.write("clock.c", CLOCK);
    let made = lab.env.path().join(format!("clock{seconds}.so"));
    let define = format!("-DSECONDS={seconds}");
    let mut gcc = Command::new("gcc");
    gcc.current_dir(lab.env.path()).args(["-shared", "-fPIC", "clock.c", &define, "-o"]);
    assert!(gcc.arg(&made).arg("-ldl").status().expect("gcc is here").success());
    made
}

/// Starts a command with a clock that is off.
fn start_with_clock(lab: &Lab, seconds: i32, words: &[&str]) -> Process {
    let mut command = lab.env.command(words);
    command.env("LD_PRELOAD", clock(lab, seconds));
    Process::start(command)
}

#[test]
fn workers_whose_clocks_are_an_hour_off_play_and_are_told_of() {
    let Some(lab) = Lab::new() else { return };
    let expected = lab.played_here();
    let worker = |name, seconds| {
        let words = ["worker", &lab.url, "--name", name, "--cores", "1", "--once"];
        start_with_clock(&lab, seconds, &words)
    };
    let (ahead, behind) = (worker("ahead", 3600), worker("behind", -3600));
    let said = lab.start_run().end().expect(0).stderr;
    for words in ["the clock of worker `ahead` is 3", "the clock of worker `behind` is 3"] {
        assert!(said.contains(words), "{said}");
    }
    assert!(said.contains(" s ahead: it plays") && said.contains(" s behind: it plays"), "{said}");
    assert!(!said.contains("handed out again"), "{said}");
    lab.expect_standings(&expected);
    ahead.end().expect(0);
    behind.end().expect(0);
}

#[test]
fn a_run_goes_on_after_the_clock_of_its_machine_was_put_back() {
    let Some(lab) = Lab::slow() else { return };
    let expected = lab.played_here();
    let worker = lab.worker("only", &[]);
    let mut killed = lab.start_run();
    lab.wait_for_bouts(2);
    killed.kill();
    let said = start_with_clock(&lab, -3600, &lab.run_words()).end().expect(0).stderr;
    assert!(said.contains("have a result already"), "{said}");
    assert!(said.contains("the clock of worker `only` is 3"), "{said}");
    lab.expect_standings(&expected);
    drop(worker);
}

#[test]
fn a_machine_without_a_sandbox_is_no_worker() {
    let Some(lab) = Lab::new() else { return };
    let words = format!("worker {} --name bare --cores 1 --once", lab.url);
    let Some(ran) = lab.env.run_without_sandbox(&words) else { return };
    let said = ran.expect(4).stderr;
    assert!(said.contains("cannot hold a bot in a sandbox"), "{said}");
    assert!(said.contains("hint: run as root"), "{said}");
    let expected = lab.played_here();
    let run = lab.start_run();
    let ran = lab.env.run_without_sandbox(&format!("{words} --unsafe")).expect("as before");
    let said = ran.expect(4).stderr;
    assert!(said.contains("is needed, tier D is here"), "{said}");
    assert!(said.contains("hint: `joust doctor` says"), "{said}");
    let own = lab.worker("own", &["--once"]);
    let run = run.end().expect(0).stderr;
    assert!(run.contains("worker `bare` cannot play: tier "), "{run}");
    lab.expect_standings(&expected);
    drop(own);
}

#[test]
fn a_worker_whose_disk_is_full_says_so_and_others_play() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let Some(lab) = Lab::new() else { return };
    let data = vec![b'x'; 1 << 20];
    bot(&lab.env, "walker", "echo E");
    fs::write(lab.env.path().join("bots/walker/data"), data).expect("it can be written");
    fs::create_dir(lab.env.path().join("disk")).expect("it can be made");
    let expected = lab.played_here();
    let run = lab.start_run();
    let script = format!(
        "mount -t tmpfs -o size=512k none disk || exit 125
         JOUST_CACHE=$PWD/disk exec {} worker {} --name small --cores 1 --once",
        env!("CARGO_BIN_EXE_joust"),
        lab.url
    );
    let mut small = Command::new("unshare");
    small.args(["--mount", "--propagation", "private", "sh", "-c", &script]);
    small.env_clear().envs(lab.env.variables()).current_dir(lab.env.path());
    let said = Process::start(small).end().expect(4).stderr;
    assert!(said.contains("No space left on device"), "{said}");
    assert!(said.contains("hint: make room on the disk of the worker's cache"), "{said}");
    let own = lab.worker("own", &["--once"]);
    let run = run.end().expect(0).stderr;
    assert!(run.contains("worker `small` cannot play: "), "{run}");
    lab.expect_standings(&expected);
    drop(own);
}
