//! The settings of Coder One's original that concern people: new maps, pauses,
//! endless mode, and agents that are written while they play.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use joust_testkit::env::TestEnv;
use serde_json::Value;

use super::env;

/// Agent that does nothing for its first ten states, then walks: it remembers.
const LATE: &str = "class Agent:\n    seen = 0\n    def next_move(self, game_state, player_state):\n        \
                    self.seen += 1\n        return 'u' if self.seen > 10 else None\n";

fn says(word: &str) -> String {
    format!(
        "class Agent:\n    def next_move(self, game_state, player_state):\n        return '{word}'\n"
    )
}

fn folder() -> TestEnv {
    let env = env();
    env.write("idle.py", &says(""));
    env.write("late.py", LATE);
    env
}

/// A bout that is being played.
struct Playing {
    child: Child,
    keys: Option<ChildStdin>,
    says: Lines<BufReader<ChildStderr>>,
    shows: Option<ChildStdout>,
}

impl Playing {
    fn start(env: &TestEnv, arguments: &[&str]) -> Self {
        let play = ["play", "coderone-dungeon"].iter().chain(arguments);
        let mut child = env
            .command(play)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it can be started");
        let keys = child.stdin.take();
        let says = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let shows = child.stdout.take();
        Self { child, keys, says, shows }
    }

    /// Reads standard output in a thread, so that drawings do not block the program.
    fn drawn_aside(mut self) -> Self {
        let mut shown = self.shows.take().expect("nobody reads it yet");
        std::thread::spawn(move || std::io::copy(&mut shown, &mut std::io::sink()));
        self
    }

    /// Waits until it prints a text on standard error.
    fn until(&mut self, text: &str) {
        let mut all = String::new();
        for line in self.says.by_ref() {
            let line = line.expect("it is text");
            if line.contains(text) {
                return;
            }
            all.push_str(&line);
            all.push('\n');
        }
        panic!("never said `{text}`:\n{all}");
    }

    fn press(&mut self, keys: &str) {
        let pipe = self.keys.as_mut().expect("nobody has left");
        pipe.write_all(keys.as_bytes()).expect("it is read");
    }

    /// Presses Ctrl-C and returns the exit status.
    fn interrupt(mut self) -> Option<i32> {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(sent.expect("kill can be started").success());
        self.says.by_ref().for_each(drop);
        self.child.wait().expect("it can be waited for").code()
    }

    /// Leaves the keyboard and waits for the end.
    fn leave(mut self) {
        drop(self.keys.take());
        self.says.by_ref().for_each(drop);
        assert!(self.child.wait().expect("it can be waited for").success());
    }
}

/// Reads the bouts of a recording: seed, turns, whether it has a result.
fn recorded(env: &TestEnv) -> Vec<(u64, Vec<Value>, bool)> {
    let text = fs::read_to_string(env.path().join("r.jsonl")).expect("it is written");
    let mut bouts: Vec<(u64, Vec<Value>, bool)> = Vec::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        match (line["bout"]["seed"].as_u64(), bouts.last_mut()) {
            (Some(seed), _) => bouts.push((seed, Vec::new(), false)),
            (None, Some(bout)) if line["turn"].is_object() => bout.1.push(line["turn"].clone()),
            (None, Some(bout)) => bout.2 |= line["result"].is_object(),
            (None, None) => panic!("a recording begins with a bout: {text}"),
        }
    }
    bouts
}

fn actions(turns: &[Value], seat: u64) -> Vec<&str> {
    let own = turns.iter().filter(|turn| turn["seat"] == seat);
    own.filter_map(|turn| turn["action"].as_str()).filter(|action| !action.is_empty()).collect()
}

#[test]
fn r_begins_a_new_map_that_is_paused() {
    let env = folder();
    let arguments = ["--human", "idle.py", "--seed", "5", "--turn-log", "r.jsonl"];
    let options = ["-o", "max_iterations=20", "-o", "tick_ms=20"];
    let all: Vec<&str> = arguments.into_iter().chain(options).collect();
    let mut playing = Playing::start(&env, &all).drawn_aside();
    playing.press("r");
    playing.until("a new map: --seed 6");
    playing.until("paused");
    playing.press("w\nd");
    playing.leave();
    let bouts = recorded(&env);
    let ends: Vec<(u64, bool)> = bouts.iter().map(|(seed, _, is_over)| (*seed, *is_over)).collect();
    assert_eq!(ends, [(5, false), (6, true)]);
    // Keys are ignored while it is paused.
    assert_eq!(actions(&bouts[1].1, 1), ["d"]);
}

#[test]
fn a_bout_begins_paused_when_asked_to() {
    let env = folder();
    let arguments = ["--human", "idle.py", "--start-paused", "--turn-log", "r.jsonl"];
    let options = ["-o", "max_iterations=10", "-o", "tick_step=0.02"];
    let all: Vec<&str> = arguments.into_iter().chain(options).collect();
    let mut playing = Playing::start(&env, &all).drawn_aside();
    playing.until("paused");
    playing.press("a\nw");
    playing.leave();
    let bouts = recorded(&env);
    assert_eq!((bouts.len(), actions(&bouts[0].1, 1)), (1, vec!["u"]));
}

#[test]
fn a_bout_can_be_stepped_through_tick_by_tick() {
    let env = folder();
    let arguments = ["idle.py", "late.py", "--show", "--single-step", "-o", "max_iterations=3"];
    let mut playing = Playing::start(&env, &arguments).drawn_aside();
    // Five ticks, and nothing to wait for after the last.
    for _ in 0..4 {
        playing.until("paused");
        playing.press("\n");
    }
    assert!(!playing.says.by_ref().any(|line| line.is_ok_and(|line| line.contains("paused"))));
    playing.leave();
}

#[test]
fn the_last_picture_stays_for_as_long_as_it_is_wanted() {
    let env = folder();
    let arguments = ["idle.py", "late.py", "--show", "-o", "max_iterations=3"];
    let mut playing = Playing::start(&env, &[&arguments[..], &["--wait-end", "1h"]].concat());
    let shows = BufReader::new(playing.shows.take().expect("nobody reads it yet"));
    let mut shows = shows.lines().map(|line| line.expect("it is text"));
    assert!(shows.any(|line| line.contains("tick 5")));
    // Ctrl-C ends the wait; the bout has been played.
    assert_eq!(playing.interrupt(), Some(0));
    assert!(shows.any(|line| line.starts_with("bout ")));
}

#[test]
fn endless_bouts_follow_one_another_with_the_same_agents() {
    let env = folder();
    let arguments = [
        "late.py",
        "idle.py",
        "--endless",
        "--turn-log",
        "r.jsonl",
        "--seed",
        "3",
        "--record",
        "r.txt",
    ];
    let options = ["-o", "max_iterations=5"];
    let all: Vec<&str> = arguments.into_iter().chain(options).collect();
    let mut playing = Playing::start(&env, &all);
    let shows = BufReader::new(playing.shows.take().expect("nobody reads it yet"));
    let headlines = shows.lines().filter(|line| {
        line.as_ref().is_ok_and(|line| line.starts_with("bout ") && line.contains("seed"))
    });
    assert_eq!(headlines.take(3).count(), 3);
    assert_eq!(playing.interrupt(), Some(0));
    let bouts = recorded(&env);
    let seeds: Vec<u64> = bouts[..3].iter().map(|(seed, ..)| *seed).collect();
    assert_eq!(seeds, [3, 4, 5]);
    assert!(bouts[..3].iter().all(|(_, turns, is_over)| *is_over && turns.len() == 14));
    // It saw six or seven states of the first bout and remembers them in the second.
    assert_eq!(actions(&bouts[0].1, 0), [""; 0]);
    assert!(!actions(&bouts[1].1, 0).is_empty());
    assert_eq!(actions(&bouts[2].1, 0), ["u"; 6]);
    let recording = fs::read_to_string(env.path().join("r.txt")).expect("it is written");
    let count = |word: &str| recording.lines().filter(|line| line.contains(word)).count();
    assert!(count("0: add_player ") == 2 && count("0: map ") >= 3, "{recording}");
}

#[test]
fn a_bout_begins_again_when_the_source_of_an_agent_changes() {
    let env = folder();
    env.write("editor.py", "import no_such_module_anywhere\n");
    let arguments = ["editor.py", "idle.py", "--reload", "-v", "--clock", "realtime"];
    let options = ["-o", "max_iterations=0", "-o", "tick_ms=20"];
    let all: Vec<&str> = arguments.into_iter().chain(options).collect();
    let mut playing = Playing::start(&env, &all);
    // The first fault of an agent is reported.
    playing.until("No module named 'no_such_module_anywhere'");
    for word in ["u", "d"] {
        env.write("editor.py", &says(word));
        playing.until("`editor.py` has changed: the bout begins again");
        playing.until(&format!("round 2  editor: {word}"));
    }
    env.write("editor.py", "import no_such_module_anywhere\n");
    playing.until("`editor.py` has changed: the bout begins again");
    playing.until("No module named 'no_such_module_anywhere'");
    assert_eq!(playing.interrupt(), Some(130));
}
