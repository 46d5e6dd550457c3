//! X06: a bot that tries to break its sandbox when it loses, loses.

use std::fs;
use std::process::Command;

use joust_testkit::env::TestEnv;
use serde_json::Value;

use crate::killed::{processes_of, wait_until};
use crate::league::{TIGHT, configure, empty, hostile_bot, results, shooter};

/// Attempts of a bot that has been hit: everything that might take its
/// supervisor, its scratch or its clock away.
const TRIES: [&str; 9] = [
    "stop_parent 1",
    "kill_parent 1",
    "kill_everybody",
    "trace_others",
    "fork_bomb",
    "many_files",
    "memory_files",
    "control_files",
    "leave_mounts",
];

#[test]
fn a_bot_that_breaks_its_sandbox_when_hit_loses_its_bout() {
    let env = empty();
    configure(&env, TIGHT, 2, 12);
    shooter(&env, "winner");
    for (number, attempt) in TRIES.iter().enumerate() {
        sore_loser(&env, &format!("loser-{number}"), attempt);
    }
    let run = env.run(["run", "--strict", "--only", "winner"]).expect(0);
    assert!(!run.stderr.contains("infrastructure"), "{}", run.stderr);
    let bouts = results(&env);
    assert_eq!(bouts.len(), 2 * TRIES.len());
    for bout in bouts.values() {
        let [winner, loser] = seats(bout);
        assert_eq!(winner["rank"], 1, "{bout:#}");
        assert_eq!(loser["rank"], 2, "{bout:#}");
        assert_eq!(winner["verdicts"], verdicts_ok(winner), "{bout:#}");
        assert!(loser["verdicts"].get("infrastructure-error").is_none(), "{bout:#}");
    }
}

/// A bot cannot signal its supervisor: such a signal came from another process on this machine.
#[test]
fn a_supervisor_that_somebody_outside_killed_costs_its_bot_nothing() {
    let run = format!("joust-x06-{}", std::process::id());
    let env = empty();
    configure(&env, "cpu: 1s, turn: 10s, kill: 10s", 1, 3);
    shooter(&env, "winner");
    hostile_bot(&env, "lonely", &run, &["nap_and_answer 1000"]);
    let child = env.start(["run", "--strict"]);
    wait_until("the bot has started", || !processes_of(&run).is_empty());
    let bot = processes_of(&run)[0];
    let supervisor = ancestor_below(bot, child.id()).expect("it descends from joust");
    let killed = Command::new("kill").args(["-9", &supervisor.to_string()]).status();
    assert!(killed.expect("kill is here").success());
    let output = child.wait_with_output().expect("it can be waited for");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(said.matches("voided: ").count(), 1, "{said}");
    let bouts = results(&env);
    let bout = bouts.values().next().expect("one bout");
    let [_, lonely] = seats(bout);
    assert_eq!(lonely["verdicts"], serde_json::json!({ "ok": 3 }), "{bout:#}");
}

/// The process between `ancestor` and `process` that `ancestor` started.
fn ancestor_below(mut process: u32, ancestor: u32) -> Option<u32> {
    loop {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        let parent: u32 = fields.split_whitespace().nth(1)?.parse().ok()?;
        match parent {
            0 => return None,
            found if found == ancestor => return Some(process),
            other => process = other,
        }
    }
}

/// Writes a bot that does nothing until it is hit, and then tries `attempt`.
fn sore_loser(env: &TestEnv, name: &str, attempt: &str) {
    hostile_bot(env, name, "joust-x06", &["only_answer"]);
    let source = format!(
        "export SCRATCH=/scratch PROGRAM=\"${{0%/*}}\" RUN=joust-x06\n\
         case \"$1\" in *'Y hp=10'*) echo NO; exit;; esac\n\
         exec \"$PROGRAM/hostile\" {attempt} \"$1\"\n"
    );
    env.write(&format!("bots/{name}/main.sh"), &source);
}

/// The winner's seat, then the loser's.
fn seats(bout: &Value) -> [&Value; 2] {
    let seats = bout["seats"].as_array().expect("two seats");
    if seats[0]["bot"] == "winner" { [&seats[0], &seats[1]] } else { [&seats[1], &seats[0]] }
}

/// All of a seat's turns were in order.
fn verdicts_ok(seat: &Value) -> Value {
    serde_json::json!({ "ok": seat["verdicts"]["ok"] })
}
