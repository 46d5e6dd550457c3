//! Tests of output for programs: field names, formats, bytes.

use std::process::Command;

use joust_testkit::league::{SMALL, bot, bout_ids};
use serde_json::Value;

use super::{env, small};

/// Fails unless `object` has every one of `names`.
#[track_caller]
fn assert_fields(object: &Value, names: &[&str]) {
    let fields = object.as_object().expect("an object");
    let missing: Vec<_> = names.iter().filter(|name| !fields.contains_key(**name)).collect();
    assert!(missing.is_empty(), "{missing:?} are missing in {object}");
}

const BOUT: [&str; 10] =
    ["bout", "event", "game", "rules", "seed", "rounds", "ended", "state_hash", "tier", "seats"];

const SEAT: [&str; 10] = [
    "bot",
    "build",
    "rank",
    "score",
    "verdicts",
    "limits_hit",
    "cpu_ms",
    "wall_ms",
    "stall_ms",
    "peak_memory_bytes",
];

const TURN: [&str; 12] = [
    "round",
    "seat",
    "verdict",
    "limits_hit",
    "cpu_ms",
    "wall_ms",
    "stall_ms",
    "peak_memory_bytes",
    "exit",
    "action",
    "output",
    "stderr",
];

#[test]
fn a_bout_has_the_documented_fields_wherever_it_is_printed() {
    let env = small();
    env.run(["run"]).expect(0);
    let id = bout_ids(&env).remove(0);
    let replayed = env.run(["replay", &id, "--format", "json", "--turns"]).expect(0).json();
    let arguments = ["play", "battlebots", "bots/walker", "bots/waiter", "-o", "max_rounds=2"];
    let played = env.run(arguments.into_iter().chain(["--format", "json", "--turns"]));
    let checked = env.run(["bot", "check", "battlebots", "bots/walker", "--format", "json"]);
    let checked = checked.expect(0).json();
    assert_fields(&checked, &["bot", "ok", "turns", "verdicts", "bouts"]);
    for bout in [&replayed, &played.expect(0).json()] {
        assert_fields(bout, &BOUT);
        assert_fields(&bout["seats"][0], &SEAT);
        assert_fields(&bout["turns"][0], &TURN);
    }
    assert_fields(&checked["bouts"][0], &BOUT);
    assert!(checked["bouts"][0].get("turns").is_none(), "they were not asked for");
}

#[test]
fn every_report_for_programs_is_one_document() {
    let env = small();
    let second = SMALL.split_once("events:\n").expect("events").1.replace("id: league", "id: cup");
    env.write("tournament.yaml", &format!("{SMALL}{second}"));
    env.run(["run"]).expect(0);
    let id = bout_ids(&env).remove(0);
    let standings = env.run(["standings", "--format", "json"]).expect(0).json();
    let events: Vec<_> = standings.as_array().expect("a list").iter().collect();
    assert_eq!(events.len(), 2);
    assert_fields(events[0], &["event", "game", "rules", "rows", "cross", "bouts", "expected"]);
    let rerun = env.run(["rerun", &id, "--format", "json"]).expect(0).json();
    assert_fields(&rerun, &["bout", "reproduced", "divergence", "state_hash"]);
    let verified = env.run(["verify", "--format", "json"]).expect(0).json();
    assert_fields(&verified, &["sound", "unsound", "bouts"]);
    let arguments = ["calibrate", "--language", "bash", "--game", "battlebots"];
    let calibrated = env.run(arguments.into_iter().chain(["--format", "json"])).expect(0).json();
    assert!(calibrated.to_string().contains("\"bash\""), "{calibrated}");
}

#[test]
fn a_tool_that_is_missing_is_told_once_for_all_games() {
    let env = env();
    let event =
        |game: &str| format!("  - {{ game: {game}, bots: [bots], languages: {{ bash: '99' }} }}\n");
    let games = ["battlebots", "battleships-2017"];
    env.write("tournament.yaml", &format!("events:\n{}", games.map(event).concat()));
    let ran = env.run(["calibrate", "--language", "bash", "--game", games[0], "--game", games[1]]);
    let told = ran.expect(0).stderr;
    assert_eq!(told.matches("the event requires version 99").count(), 1, "{told}");
}

#[test]
fn the_classic_table_is_the_original_s() {
    let env = small();
    std::fs::remove_dir_all(env.path().join("bots")).expect("they can be removed");
    env.write("tournament.yaml", &SMALL.replace("max_rounds: 6", "max_rounds: 60"));
    // A bot that walks out of the diagonal, and one that shoots along it.
    bot(&env, "shooter", "echo 'B SE'");
    bot(&env, "target", "echo NO");
    env.run(["run"]).expect(0);
    let table = env.run(["standings", "--format", "classic"]).expect(0).stdout;
    let expected = "shooter vs target\n0 1 \n\nResults:\nBot\tMatches\tBouts\nshooter\t1\t1\n\
                    target\t0\t0\n";
    assert_eq!(table, expected);
}

#[test]
fn listed_seats_and_the_classic_table_follow_the_list() {
    let env = small();
    let listed = |bots: &str| {
        let file = SMALL.replace("bots/*", bots).replace("bouts: 2", "bouts: 3\n    seats: listed");
        env.write("tournament.yaml", &file);
        env.run(["run"]).expect(0);
        env.run(["standings", "--format", "classic"]).expect(0).stdout
    };
    let table = listed("bots/walker, bots/shooter");
    assert!(table.starts_with("walker vs shooter\n0 1 2 \n\nResults:"), "{table}");
    // Whoever enters later has the place that the list says, and the others' bouts stand.
    let table = listed("bots/waiter, bots/*");
    let matches = "waiter vs shooter\n0 1 2 \nwaiter vs walker\n0 1 2 \nshooter vs walker\n";
    assert!(table.starts_with(matches), "{table}");
    for id in bout_ids(&env) {
        let bout = env.run(["replay", &id, "--format", "json"]).expect(0).json();
        let seats = [0, 1].map(|seat| bout["seats"][seat]["bot"].as_str().unwrap_or_default());
        let order = ["waiter", "shooter", "walker"];
        let places = seats.map(|bot| order.iter().position(|one| *one == bot));
        assert!(places[0] < places[1], "{seats:?}");
    }
}

#[test]
fn a_game_whose_original_printed_no_table_has_no_classic_one() {
    let env = small();
    let other = "  - game: bomberman-2016\n    bots: [none/*]\n";
    env.write("none/a/bot.json", "{");
    env.write("tournament.yaml", &format!("{SMALL}{other}"));
    let says = |arguments: &[&str]| {
        let refused = env.run(arguments).expect(2).stderr;
        assert!(refused.contains("`bomberman-2016` has no classic table"), "{refused}");
        assert!(refused.contains("events of `battlebots`, which `--event` picks"), "{refused}");
    };
    // Before anything is built.
    says(&["run", "--format", "classic"]);
    assert!(!env.path().join("results.db").exists());
    env.run(["run"]).expect(0);
    says(&["standings", "--format", "classic"]);
    let table = env.run(["standings", "--format", "classic", "--event", "league"]).expect(0);
    assert!(table.stdout.contains("\nResults:\nBot\t"), "{}", table.stdout);
}

#[test]
fn the_debugger_command_shows_the_bot_the_same_bytes() {
    let env = small();
    bot(&env, "echo", "printf '%s' \"$1\" | od -An -c >&2; echo N");
    env.run(["run", "--only", "echo"]).expect(0);
    let id = bout_ids(&env).remove(0);
    let turn = ["bot", "turn", "bots/echo", "--bout", &id, "--round", "2", "--quiet"];
    let inside = env.run(turn).expect(0);
    let command = env.run(turn.into_iter().chain(["--debugger"])).expect(0).stdout;
    let outside = Command::new("sh").args(["-c", &command]).output().expect("a shell");
    assert_eq!(String::from_utf8_lossy(&outside.stdout), inside.stdout);
    let shown = inside.stderr.replace("stderr| ", "");
    assert!(shown.contains("\\n") && shown.len() > 400, "{shown}");
    assert_eq!(String::from_utf8_lossy(&outside.stderr), shown);
}

#[test]
fn a_single_source_file_is_a_bot() {
    let env = small();
    env.write("alone.sh", "echo E\n");
    let arguments = ["play", "battlebots", "alone.sh", "bots/waiter", "-o", "max_rounds=1"];
    let bout = env.run(arguments.into_iter().chain(["--format", "json"])).expect(0).json();
    assert_eq!(bout["seats"][0]["bot"], "alone");
}

#[test]
fn completions_are_there_for_every_shell() {
    let env = small();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = env.run(["completions", shell]).expect(0).stdout;
        assert!(script.contains("standings") && script.contains("disqualify"), "{shell}");
    }
}
