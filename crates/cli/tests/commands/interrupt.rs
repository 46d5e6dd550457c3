//! Ctrl-C, SIGTERM and SIGHUP: one of them stops cleanly and soon, whatever is under way; a
//! second one at once.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command};

use joust_testkit::env::TestEnv;
use joust_testkit::league::{bot, bout_ids};

use super::small;

fn interrupt(child: &Child) {
    send("-INT", child);
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill can be started").success());
}

/// Starts the binary, sends it Ctrl-C once it has printed `sign` on standard error, and returns the
/// exit status with the rest of its output.
fn interrupted(env: &TestEnv, arguments: &[&str], sign: &str) -> (Option<i32>, String) {
    ended_by("-INT", env.start(arguments), sign)
}

/// As [`interrupted`], by any signal.
fn ended_by(signal: &str, mut child: Child, sign: &str) -> (Option<i32>, String) {
    let mut said = BufReader::new(child.stderr.take().expect("standard error is a pipe"));
    let mut line = String::new();
    while !line.contains(sign) {
        line.clear();
        let count = said.read_line(&mut line).expect("it can be read");
        assert!(count > 0, "`{sign}` was never said");
    }
    send(signal, &child);
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("it can be read");
    (child.wait().expect("it can be waited for").code(), rest)
}

/// Makes a tournament with a bot whose build takes ten minutes, a different
/// one for every test.
fn with_endless_build(name: &str) -> TestEnv {
    let env = small();
    let manifest =
        format!("name: {name}\nlanguage: bash\nentry: main.sh\nbuild: [[bash, -c, sleep 600]]\n");
    env.write("bots/endless/bot.yaml", &manifest);
    env.write("bots/endless/main.sh", "echo N\n");
    env
}

#[test]
fn an_interrupted_build_ends_and_costs_no_bot_its_place() {
    let env = with_endless_build("builder");
    let (status, said) = interrupted(&env, &["run"], ": `builder`");
    assert_eq!(status, Some(130), "{said}");
    assert!(said.contains("run the same command to continue"), "{said}");
    assert!(!said.contains("not built"), "{said}");
    std::fs::remove_dir_all(env.path().join("bots/endless")).expect("it can be removed");
    env.run(["run"]).expect(0);
    assert_eq!(bout_ids(&env).len(), 6);
}

#[test]
fn an_interrupted_calibration_ends() {
    let env = small();
    let text = joust_testkit::league::SMALL.replace("runs: 2", "runs: 1000");
    env.write("tournament.yaml", &text);
    let (status, said) = interrupted(&env, &["run"], "calibrating bash");
    assert_eq!(status, Some(130), "{said}");
}

#[test]
fn an_interrupted_tournament_goes_on_where_it_was() {
    let env = small();
    bot(&env, "sleeper", "sleep 0.1; echo NO");
    let (status, said) = interrupted(&env, &["run"], "league: 12 bouts");
    assert_eq!(status, Some(130), "{said}");
    assert!(said.contains("have no result yet"), "{said}");
    env.run(["run"]).expect(0);
    assert_eq!(bout_ids(&env).len(), 12);
    env.run(["verify"]).expect(0);
}

#[test]
fn a_single_bout_is_interrupted_between_two_turns() {
    let env = small();
    bot(&env, "sleeper", "sleep 0.1; echo NO");
    let arguments = ["play", "battlebots", "bots/sleeper", "bots/walker", "-v"];
    let (status, said) = interrupted(&env, &arguments, "round 1");
    assert_eq!(status, Some(130), "{said}");
}

/// Waits until a process runs whose command line contains `name`.
fn wait_for_process(name: &str, child: &mut Child) {
    let is_it = |line: Vec<u8>| String::from_utf8_lossy(&line).contains(name);
    let is_there = || {
        let processes = std::fs::read_dir("/proc").expect("it can be read").flatten();
        processes.filter_map(|it| std::fs::read(it.path().join("cmdline")).ok()).any(is_it)
    };
    while !is_there() {
        assert!(child.try_wait().expect("it can be asked").is_none(), "`{name}` never ran");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn a_referee_that_never_answers_is_not_waited_for() {
    let env = small();
    let bots = ["bots/walker", "bots/walker"];
    for (number, words) in
        [&["game", "check"][..], &["game", "bench"], &["play"]].into_iter().enumerate()
    {
        let (folder, entry) = (format!("hangs-{number}/"), format!("hangs_at_{number}.py"));
        let game = format!(
            "entry: {entry}\nseats: {{ min: 2, max: 2 }}\nlimits: {{ start: 1h, step: 1h }}\n"
        );
        env.write(&format!("{folder}game.yaml"), &game);
        env.write(&format!("{folder}{entry}"), "import time\ntime.sleep(3600)\n");
        let bots = bots.iter().filter(|_| words == ["play"]);
        let mut child = env.start(words.iter().chain([&folder.as_str()]).chain(bots));
        wait_for_process(&entry, &mut child);
        send("-TERM", &child);
        let ended = child.wait_with_output().expect("it can be waited for");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(130), "{words:?}: {said}");
        assert!(!String::from_utf8_lossy(&ended.stdout).contains("FAILED"), "{words:?}");
    }
}

#[test]
fn a_second_interrupt_does_not_wait_for_the_turn() {
    let env = small();
    bot(&env, "sleeper", "sleep 600");
    let arguments =
        ["play", "battlebots", "bots/sleeper", "bots/walker", "--no-limit", "--log", "out"];
    let mut child = env.start(arguments);
    let view = env.path().join("out/round-001/seat-0/view.txt");
    while !view.exists() && child.try_wait().expect("it can be asked").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    interrupt(&child);
    let mut said = BufReader::new(child.stderr.take().expect("standard error is a pipe"));
    let mut line = String::new();
    while !line.contains("press Ctrl-C again") {
        line.clear();
        assert!(said.read_line(&mut line).expect("it can be read") > 0, "it was not heard");
    }
    interrupt(&child);
    assert_eq!(child.wait().expect("it can be waited for").code(), Some(130));
}

#[test]
fn a_polite_request_to_end_and_a_closed_terminal_stop_as_ctrl_c_does() {
    for (signal, name) in [("-TERM", "SIGTERM"), ("-HUP", "SIGHUP")] {
        let env = small();
        bot(&env, "sleeper", "sleep 0.1; echo NO");
        let mut child = env.start(["run"]);
        let mut table = child.stdout.take().expect("standard output is a pipe");
        let (status, said) = ended_by(signal, child, "league: 12 bouts");
        assert_eq!(status, Some(130), "{said}");
        assert!(said.contains(&format!("{name}: stopping after the turns under way")), "{said}");
        assert!(said.contains("interrupted; run the same command to continue"), "{said}");
        let mut shown = String::new();
        table.read_to_string(&mut shown).expect("it can be read");
        assert!(shown.contains("sleeper"), "{shown}");
        env.run(["run"]).expect(0);
        assert_eq!(bout_ids(&env).len(), 12);
        env.run(["verify"]).expect(0);
    }
}

#[test]
fn a_second_request_to_end_does_not_wait() {
    let env = small();
    bot(&env, "sleeper", "sleep 600");
    let bots = ["bots/sleeper", "bots/walker", "--no-limit"];
    let mut child = env.start(["play", "battlebots"].iter().chain(&bots).chain(&["--log", "out"]));
    let view = env.path().join("out/round-001/seat-0/view.txt");
    while !view.exists() && child.try_wait().expect("it can be asked").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    send("-TERM", &child);
    let mut said = BufReader::new(child.stderr.take().expect("standard error is a pipe"));
    let mut line = String::new();
    while !line.contains("a second signal") {
        line.clear();
        assert!(said.read_line(&mut line).expect("it can be read") > 0, "it was not heard");
    }
    send("-HUP", &child);
    assert_eq!(child.wait().expect("it can be waited for").code(), Some(130));
}

#[test]
fn a_run_without_a_terminal_to_lose_goes_on() {
    let env = small();
    bot(&env, "sleeper", "sleep 0.05; echo NO");
    let binary = env!("CARGO_BIN_EXE_joust");
    let child = Command::new("nohup")
        .args([binary, "run"])
        .current_dir(env.path())
        .env_clear()
        .envs(env.variables())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("nohup is here");
    let (status, said) = ended_by("-HUP", child, "league: 12 bouts");
    assert_eq!(status, Some(0), "{said}");
}
