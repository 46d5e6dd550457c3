//! `joust bouts`, and other commands that select a bout by bots' names.

use joust_testkit::env::TestEnv;
use joust_testkit::league::{bot, bout_ids};

use super::{listed, small};

/// A league in which one bot fails in every turn.
fn played() -> TestEnv {
    let env = small();
    bot(&env, "broken", "echo trouble >&2; exit 3");
    env.run(["run", "--quiet"]).expect(0);
    env
}

#[test]
fn bouts_are_listed_by_bot_outcome_fault_and_number() {
    let env = played();
    let all = listed(&env, &[]);
    assert_eq!(all.len(), 12);
    let mut known = bout_ids(&env);
    known.sort();
    let mut sorted = all.clone();
    sorted.sort();
    assert_eq!(sorted, known);
    assert_eq!(listed(&env, &["--bot", "walker"]).len(), 6);
    assert_eq!(listed(&env, &["--bot", "walker", "--against", "waiter"]).len(), 2);
    assert_eq!(listed(&env, &["walker", "waiter"]), listed(&env, &["waiter", "walker"]));
    assert_eq!(listed(&env, &["walker", "waiter", "--number", "2"]).len(), 1);
    let outcomes = ["--won", "--drawn", "--lost"];
    let of_one = |outcome| listed(&env, &["--bot", "shooter", outcome]).len();
    assert_eq!(outcomes.map(of_one).iter().sum::<usize>(), 6);
    assert_eq!(listed(&env, &["--faults"]), listed(&env, &["--bot", "broken"]));
    assert_eq!(listed(&env, &["--bot", "broken", "--faults", "exit-nonzero"]).len(), 6);
    assert_eq!(listed(&env, &["--faults", "crash"]).len(), 0);
    assert_eq!(listed(&env, &["--event", "league"]).len(), 12);
}

#[test]
fn bouts_are_listed_for_programs() {
    let env = played();
    let all = env.run(["bouts", "broken", "walker", "--format", "json"]).expect(0).json();
    let first = &all[0];
    assert_eq!(all.as_array().map(Vec::len), Some(2));
    assert_eq!((&first["event"], &first["number"]), (&"league".into(), &1.into()), "{first}");
    let faults = first["seats"].as_array().expect("seats").iter();
    let faults = faults.filter(|seat| seat["verdicts"]["exit-nonzero"].as_u64() > Some(0));
    assert_eq!(faults.count(), 1, "{first}");
    let csv = env.run(["bouts", "broken", "walker", "--format", "csv"]).expect(0);
    assert!(csv.stdout.starts_with("bout,event,match,number,"), "{}", csv.stdout);
    assert_eq!(csv.stdout.lines().count(), 5);
    let table = env.run(["standings", "--format", "json"]).expect(0).json();
    let cross = table[0]["cross"].as_array().expect("pairs");
    let named: usize =
        cross.iter().map(|pair| pair["bout_ids"].as_array().map_or(0, Vec::len)).sum();
    assert_eq!(named, 12);
}

#[test]
fn commands_take_the_names_of_bots() {
    let env = played();
    let [first, last] = &listed(&env, &["walker", "waiter"])[..] else { panic!("two bouts") };
    let is_shown = |arguments: &[&str], id: &str| {
        let ran = env.run(arguments).expect(0);
        assert!(ran.stdout.contains(id), "{arguments:?}: {}", ran.stdout);
    };
    is_shown(&["replay", "walker", "waiter", "--last"], last);
    is_shown(&["replay", "waiter", "walker", "--number", "1"], first);
    is_shown(&["history", "walker", "waiter", "--last"], last);
    is_shown(&["rerun", "walker", "waiter", "--last"], last);
    is_shown(&["verify", "walker", "waiter", "--format", "json"], first);
    let turn =
        ["bot", "turn", "bots/walker", "--bout", "walker", "waiter", "--last", "--round", "1"];
    assert_eq!(env.run(turn).expect(0).stdout, "E\n");
    let several = env.run(["replay", "walker", "waiter"]).expect(2);
    assert!(several.stderr.contains(first) && several.stderr.contains("--last"));
    let unknown = env.run(["replay", "walkre"]).expect(2);
    assert!(unknown.stderr.contains("there is no bot and no bout `walkre`"), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("walker"), "{}", unknown.stderr);
}

#[test]
fn a_replay_is_written_as_one_file_over_none_that_is_there() {
    let env = played();
    let id = listed(&env, &[]).remove(0);
    let file = format!("bout-{}.html", &id[..8]);
    let ran = env.run(["replay", &id, "--html"]).expect(0);
    assert_eq!(ran.stdout, format!("{file}\n"));
    let page = std::fs::read_to_string(env.path().join(&file)).expect("it was written");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains(&id), "{page}");
    for other in ["src=", "href=", "http://", "https://", "<!-- "] {
        let used = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!used.contains(other), "{other}");
    }
    let again = env.run(["replay", &id, "--html"]).expect(2);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
    env.run(["replay", &id, "--html=other.html"]).expect(0);
    env.run(["replay", &id, "--html", "--force"]).expect(0);
}

#[test]
fn a_check_says_why_a_bot_fails() {
    let env = small();
    bot(&env, "broken", "echo trouble >&2; exit 3");
    let ran = env.run(["bot", "check", "battlebots", "bots/broken"]).expect(1);
    for part in [
        "bout 1, round 1: exit-nonzero, it ended with status 3\n",
        "  standard error:\n    | trouble\n",
        "  it was shown the view:\n    | ....",
        "`joust docs limits`",
        " ms, slowest ",
    ] {
        assert!(ran.stdout.contains(part), "no {part:?}:\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("bots/README.md"), "{}", ran.stdout);
    bot(&env, "wordy", "echo 'fire at will'");
    let ran = env.run(["bot", "check", "battlebots", "bots/wordy"]).expect(1);
    assert!(ran.stdout.contains("fire at will"), "{}", ran.stdout);
}
