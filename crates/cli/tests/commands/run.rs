//! `joust run`: the main job with real bots, interrupted and resumed.

use std::fs;
use std::time::{Duration, Instant};

use joust_testkit::env::TestEnv;
use joust_testkit::league::{SMALL, bot, bout_ids};

use super::{env, small};

pub(super) fn contents(env: &TestEnv) -> serde_json::Value {
    let mut bouts: Vec<_> = bout_ids(env)
        .iter()
        .map(|id| {
            let mut bout = env.run(["replay", id, "--format", "json", "--turns"]).expect(0).json();
            without_times(&mut bout);
            bout
        })
        .collect();
    bouts.sort_by_key(|bout| bout["bout"].as_str().map(str::to_owned));
    serde_json::Value::Array(bouts)
}

/// Removes the values that differ between two plays of the same bout.
fn without_times(value: &mut serde_json::Value) {
    const TIMES: [&str; 12] = [
        "cpu_ms",
        "wall_ms",
        "stall_ms",
        "peak_memory_bytes",
        "cpu_us",
        "wall_us",
        "stall_us",
        "started_at",
        "took_ms",
        "calibration",
        "took_us",
        "machine",
    ];
    match value {
        serde_json::Value::Object(fields) => {
            fields.retain(|name, _| !TIMES.contains(&name.as_str()));
            fields.values_mut().for_each(without_times);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(without_times),
        _ => {}
    }
}

#[test]
fn a_tournament_plays_every_bout_and_prints_the_leaderboard() {
    let env = small();
    let ran = env.run(["run"]).expect(0);
    for name in ["shooter", "walker", "waiter"] {
        assert!(ran.stdout.contains(name), "{}", ran.stdout);
    }
    assert_eq!(bout_ids(&env).len(), 6, "three matches of two bouts");
}

#[test]
fn without_a_command_the_tournament_of_this_folder_is_run() {
    let env = small();
    env.run(Vec::<&str>::new()).expect(0);
    assert_eq!(bout_ids(&env).len(), 6);
}

#[test]
fn a_second_run_builds_and_plays_nothing() {
    let env = small();
    env.run(["run"]).expect(0);
    let before = contents(&env);
    let again = env.run(["run", "--dry-run"]).expect(0);
    assert!(again.stdout.contains("0 bouts to play"), "{}", again.stdout);
    env.run(["run"]).expect(0);
    assert_eq!(contents(&env), before);
}

#[test]
fn a_dry_run_tells_the_time_and_builds_and_measures_nothing() {
    let env = small();
    bot(&env, "torn", "if then");
    let dry = env.run(["run", "--dry-run"]).expect(0);
    assert!(dry.stdout.contains(" bouts to play; `joust run --budget 1m`"), "{}", dry.stdout);
    for word in ["building", "built", "calibrating"] {
        assert!(!dry.stderr.contains(word), "{}", dry.stderr);
    }
    let ran = env.run(["run"]).expect(0);
    for word in ["building 2 of 4: `torn`", "not built: torn", "calibrating"] {
        assert!(ran.stderr.contains(word), "{}", ran.stderr);
    }
    bot(&env, "walker", "echo S");
    let dry = env.run(["run", "--dry-run"]).expect(0);
    assert!(dry.stdout.contains(" bouts to play, about "), "{}", dry.stdout);
}

#[test]
fn a_dry_run_of_another_tournament_changes_no_standings() {
    let env = small();
    env.run(["run"]).expect(0);
    let file = env.path().join("tournament.yaml");
    let text = fs::read_to_string(&file).expect("it is there");
    let standings = || env.run(["standings", "--format", "json"]).expect(0).stdout;
    let before = standings();
    env.write("tournament.yaml", &text.replace("seed: 7", "seed: 9"));
    let dry = env.run(["run", "--dry-run"]).expect(0).stdout;
    assert!(dry.contains("6 bouts to play"), "{dry}");
    env.write("tournament.yaml", &text);
    assert_eq!(standings(), before);
}

#[test]
fn a_drawn_seed_is_drawn_once_and_pages_do_not_tell_it() {
    let env = small();
    let file = env.path().join("tournament.yaml");
    let text = fs::read_to_string(&file).expect("it is there");
    env.run(["run"]).expect(0);
    let seeds = || -> Vec<serde_json::Value> {
        let bouts = env.run(["bouts", "--format", "json"]).expect(0).json();
        let bouts = bouts.as_array().expect("a list").iter();
        bouts.map(|bout| bout["seed"].clone()).collect()
    };
    let written = seeds();
    env.write("tournament.yaml", &text.replace("seed: 7", "seed: drawn"));
    let dry = env.run(["run", "--dry-run"]).expect(0).stdout;
    assert!(dry.contains("6 bouts to play"), "{dry}");
    let sharded = env.run(["run", "--shard", "1/2"]).expect(2);
    assert!(sharded.stderr.contains("write a number"), "{}", sharded.stderr);
    env.run(["run"]).expect(0);
    let drawn = seeds();
    assert_eq!(drawn.len(), 6, "the bouts of before count no more");
    assert!(drawn.iter().all(|seed| !written.contains(seed)), "{drawn:?} {written:?}");
    let again = env.run(["run", "--dry-run"]).expect(0).stdout;
    assert!(again.contains("0 bouts to play"), "{again}");
    env.run(["run"]).expect(0);
    assert_eq!(seeds(), drawn);
    let shown = env.run(["config", "show"]).expect(0).stdout;
    assert!(shown.contains("seed: drawn"), "{shown}");
    env.run(["report", "--out", "site"]).expect(0);
    let page = fs::read_to_string(env.path().join("site/verify.html")).expect("a page");
    assert!(page.contains("drawn; it stays in the database"), "{page}");
    env.run(["verify"]).expect(0);
}

#[test]
fn who_was_not_built_or_only_failed_is_listed_once_at_the_end() {
    let env = small();
    bot(&env, "torn", "if then");
    bot(&env, "needy", "echo 'a library is missing' >&2; exit 3");
    bot(&env, "moody", "[ $RANDOM -gt 32767 ] || { echo 'never' >&2; echo NO; }");
    let ran = env.run(["run"]).expect(0);
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(all.matches("syntax error").count(), 1, "{all}");
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let [.., torn, needy, next] = lines[..] else { panic!("{}", ran.stderr) };
    assert!(next.starts_with("next: `joust bouts`"), "{next}");
    assert!(torn.starts_with("not built: torn: `"), "{torn}");
    assert!(torn.contains(" | ") && torn.contains("syntax error"), "{torn}");
    let log = torn.split("(the whole log: ").nth(1).and_then(|rest| rest.strip_suffix(')'));
    let log = std::fs::read_to_string(log.expect("a path")).expect("the log is there");
    assert!(log.contains("syntax error"), "{log}");
    assert!(needy.starts_with("failed in every turn of league: needy: "), "{needy}");
    assert!(needy.ends_with(" exit-nonzero: a library is missing"), "{needy}");
    // The leaderboard alone has the line, too.
    let standings = env.run(["standings"]).expect(0).stdout;
    assert_eq!(standings.matches("not built: torn: `").count(), 1, "{standings}");
    let check = ["bot", "check", "battlebots", "bots/needy", "-f", "tournament.yaml"];
    let check = env.run(check).expect(1).stdout;
    assert!(check.contains("failed in every turn: ") && check.contains(": a library"), "{check}");
    let json = ["bot", "check", "battlebots", "bots/moody", "-f", "tournament.yaml"];
    let json = env.run(json.into_iter().chain(["--format", "json"])).expect(0).json();
    assert_eq!(json["failed_in_every_turn"], false, "{json}");
}

#[test]
fn a_python_2_file_is_told_how_to_say_so() {
    let env = small();
    env.write("bots/old.py", "print 'N'\n");
    let ran = env.run(["run"]).expect(0);
    let line = ran.stderr.lines().find(|line| line.starts_with("not built: old: "));
    let line = line.unwrap_or_else(|| panic!("{}", ran.stderr));
    assert!(line.contains("`{ path: ..., language: python2 }`"), "{line}");
}

#[test]
fn what_keeps_a_strict_run_from_playing_is_told_with_its_reason() {
    let env = small();
    bot(&env, "torn", "if then");
    let ran = env.run(["run", "--strict"]).expect(1);
    assert_eq!(ran.stderr.matches("syntax error").count(), 1, "{}", ran.stderr);
    let lenient = env.run(["run"]).expect(0);
    assert_eq!(lenient.stderr.matches("syntax error").count(), 1, "{}", lenient.stderr);
}

#[test]
fn one_job_and_eight_jobs_give_the_same_contents() {
    let (one, eight) = (small(), small());
    one.run(["run", "--jobs", "1"]).expect(0);
    eight.run(["run", "--jobs", "8"]).expect(0);
    assert_eq!(contents(&one), contents(&eight));
}

#[test]
fn a_changed_bot_replays_only_its_own_bouts() {
    let env = small();
    env.run(["run"]).expect(0);
    bot(&env, "walker", "echo S");
    let estimate = env.run(["run", "--dry-run"]).expect(0);
    assert!(estimate.stdout.contains("4 bouts to play"), "{}", estimate.stdout);
    env.run(["run"]).expect(0);
    env.run(["verify"]).expect(0);
}

#[test]
fn kill_9_half_way_loses_and_doubles_nothing() {
    let (killed, whole) = (small(), small());
    for env in [&killed, &whole] {
        bot(env, "sleeper", "sleep 0.02; echo NO");
    }
    let mut child = killed.start(["run"]);
    let deadline = Instant::now() + Duration::from_secs(60);
    while !killed.path().join("results.db").exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    child.kill().expect("it can be killed");
    child.wait().expect("it can be waited for");
    killed.run(["run"]).expect(0);
    whole.run(["run"]).expect(0);
    assert_eq!(contents(&killed), contents(&whole));
}

#[test]
fn a_budget_that_is_used_up_ends_with_status_5_and_says_what_is_missing() {
    let env = small();
    let ran = env.run(["run", "--budget", "1ms"]).expect(5);
    assert!(ran.stderr.contains("6 of 6 bouts have no result yet"), "{}", ran.stderr);
    env.run(["run"]).expect(0);
}

#[test]
fn only_plays_the_matches_of_one_bot() {
    let env = small();
    env.run(["run", "--only", "walker"]).expect(0);
    assert_eq!(bout_ids(&env).len(), 4);
}

#[test]
fn a_bot_that_cannot_be_built_costs_its_place_not_the_tournament() {
    let env = small();
    bot(&env, "broken", "if then fi (");
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stderr.contains("broken"), "{}", ran.stderr);
    assert_eq!(bout_ids(&env).len(), 6);
    env.run(["run", "--strict", "--fresh"]).expect(1);
}

#[test]
fn a_language_without_toolchain_is_named_with_how_to_install_it() {
    let env = small();
    env.write("bots/exotic/bot.yaml", "name: exotic\nlanguage: julia\nentry: main.jl\n");
    env.write("bots/exotic/main.jl", "println(\"NO\")\n");
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stderr.contains("julia"), "{}", ran.stderr);
    assert_eq!(bout_ids(&env).len(), 6);
}

#[test]
fn a_closed_standard_output_does_not_stop_the_tournament() {
    let env = small();
    let mut child = env.start(["run"]);
    drop(child.stdout.take());
    let status = child.wait().expect("it can be waited for");
    assert_eq!(status.code(), Some(0));
    assert_eq!(bout_ids(&env).len(), 6);
}

#[test]
fn two_runs_on_one_database_do_not_meet() {
    let env = small();
    bot(&env, "sleeper", "sleep 0.05; echo NO");
    let mut first = env.start(["run"]);
    std::thread::sleep(Duration::from_millis(200));
    let second = env.run(["run"]);
    if first.try_wait().expect("it can be asked").is_none() {
        assert_eq!(second.status, Some(3), "{}", second.stderr);
    }
    first.wait().expect("it can be waited for");
}

#[test]
fn fresh_plays_everything_again_and_keeps_the_ids() {
    let env = small();
    env.run(["run"]).expect(0);
    let before = contents(&env);
    env.run(["run", "--fresh"]).expect(0);
    assert_eq!(contents(&env), before);
}

#[test]
fn an_empty_folder_is_told_what_is_missing() {
    let env = env();
    let ran = env.run(["run"]).expect(2);
    assert!(ran.stderr.contains("tournament.yaml"), "{}", ran.stderr);
}

#[test]
fn a_bot_whose_name_or_owner_is_taken_is_not_built_and_the_others_play() {
    let manifest = |name: &str, owner: &str| {
        format!("name: {name}\nlanguage: bash\nentry: main.sh\nowner: {owner}\n")
    };
    // Each beside `bot` of Alice and `carol`: an equal name, a look-alike, the same owner.
    let second = [
        (manifest("bot", "bob"), "the name `bot` is taken by `bots/alice/bot`"),
        (manifest("BOT", "bob"), "that one is called `bot`: case does not count"),
        (manifest("b\u{43e}t", "bob"), "that one is called `bot`: the two look alike"),
        (manifest("other", "Alice"), "`Alice` has entered `bot` already"),
    ];
    for (second, reason) in second {
        let env = env();
        let tournament = "seed: 1\ndefaults: { calibration: { runs: 2 } }\nevents:\n  - game: \
                          connect-four\n    bots: [bots/*/bot]\n    bouts: 2\n    one_per_owner: true\n";
        env.write("tournament.yaml", tournament);
        let all = [
            ("alice", manifest("bot", "alice")),
            ("bob", second),
            ("carol", manifest("carol", "carol")),
        ];
        for (folder, text) in all {
            env.write(&format!("bots/{folder}/bot/bot.yaml"), &text);
            env.write(&format!("bots/{folder}/bot/main.sh"), "echo 3\n");
        }
        let ran = env.run(["run"]).expect(0);
        assert!(ran.stderr.contains(reason), "{reason}: {}", ran.stderr);
        let standings = env.run(["standings", "--format", "json"]).expect(0).stdout;
        for name in ["\"bot\"", "\"carol\""] {
            assert!(standings.contains(name), "{name}: {standings}");
        }
        assert_eq!(bout_ids(&env).len(), 2, "the two others have met");
        assert!(standings.contains(&reason.replace('"', "\\\"")), "{standings}");
    }
}

#[test]
fn a_run_says_which_setting_takes_stored_bouts_out_of_the_count_before_it_plays() {
    let env = small();
    env.run(["run"]).expect(0);
    let renamed = SMALL.replace("name: Small", "name: Other");
    let other_option = SMALL.replace("max_rounds: 6", "max_rounds: 7");
    let limits = SMALL.replace("bouts: 2", "bouts: 2\n    limits: { descriptors: 200 }");
    let other_id = SMALL.replace("id: league", "id: cup");
    for (event, file, reason) in [
        ("league", &renamed, "the tournament's name is `Other`, and was `Small`"),
        ("league", &other_option, "option `max_rounds` is another"),
        ("league", &limits, "`limits` are others"),
        ("cup", &other_id, "the event's `id` is `cup`, and was `league`"),
    ] {
        assert_ne!(file, SMALL, "{reason}");
        env.write("tournament.yaml", file);
        let said = env.run(["run", "--dry-run"]).expect(0).stderr;
        let expected = format!(
            "{event}: 6 stored bouts do not count any more, because {reason}; put it back to have \
             them again"
        );
        let said: Vec<&str> = said.split_whitespace().collect();
        assert!(said.join(" ").contains(&expected), "{said:?}");
    }
    env.write("tournament.yaml", SMALL);
    let said = env.run(["run"]).expect(0);
    assert!(!said.stderr.contains("do not count"), "{}", said.stderr);
}
