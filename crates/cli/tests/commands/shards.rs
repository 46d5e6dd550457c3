//! `run --shard` and `merge`: a tournament played in parts is the tournament.

use std::fs;
use std::time::{Duration, Instant};

use joust_testkit::env::TestEnv;
use joust_testkit::league::{SMALL, bot, bout_ids};

use super::small;

/// A tournament file whose database is `name`.db.
fn file(env: &TestEnv, name: &str) -> String {
    let yaml = format!("{name}.yaml");
    env.write(&yaml, &SMALL.replace("results.db", &format!("{name}.db")));
    yaml
}

/// A tournament of five bots, with every shard of `count` played apart.
fn in_shards(count: u32) -> (TestEnv, Vec<String>) {
    let env = small();
    bot(&env, "runner", "echo SW");
    bot(&env, "miner", "echo 'L S'");
    let databases = (1..=count).map(|number| {
        let name = format!("shard-{number}");
        let yaml = file(&env, &name);
        env.run(["run", &yaml, "--shard", &format!("{number}/{count}")]).expect(0);
        format!("{name}.db")
    });
    let databases = databases.collect();
    (env, databases)
}

fn merge(env: &TestEnv, out: &str, inputs: &[String]) -> joust_testkit::env::Ran {
    env.run(["merge", out].into_iter().chain(inputs.iter().map(String::as_str)))
}

/// The standings in every format, but for the chain's head.
fn standings(env: &TestEnv, database: &str) -> Vec<String> {
    ["text", "markdown", "json", "csv"]
        .map(|format| {
            let ran = env.run(["standings", "--database", database, "--format", format]).expect(0);
            if format == "json" {
                let mut events = ran.json();
                for event in events.as_array_mut().expect("a list") {
                    let chain = event.as_object_mut().expect("an object").remove("chain");
                    assert!(chain.is_some_and(|chain| chain["hash"].is_string()), "{event}");
                }
                return events.to_string();
            }
            let lines = ran.stdout.lines().filter(|line| !line.starts_with("chain: "));
            lines.collect::<Vec<_>>().join("\n")
        })
        .to_vec()
}

#[test]
fn shards_joined_give_the_standings_of_one_run() {
    let (env, shards) = in_shards(3);
    let whole = file(&env, "whole");
    env.run(["run", &whole]).expect(0);
    merge(&env, "joined.db", &shards).expect(0);
    assert_eq!(standings(&env, "joined.db"), standings(&env, "whole.db"));
    let verified = env.run(["verify", "--database", "joined.db"]).expect(0);
    assert!(verified.stdout.contains("20 bouts agree"), "{}", verified.stdout);
    let joined = file(&env, "joined");
    let again = env.run(["run", &joined, "--dry-run"]).expect(0);
    assert!(again.stdout.contains("0 bouts to play"), "{}", again.stdout);
}

/// Runs a tournament's file, kills it again and again, at every stage, and continues it.
fn run_killed(env: &TestEnv, arguments: &[&str]) {
    for milliseconds in [50, 200, 400, 700, 1100] {
        let mut child = env.start(arguments);
        std::thread::sleep(Duration::from_millis(milliseconds));
        // It may have ended already.
        _ = child.kill();
        child.wait().expect("it can be waited for");
    }
    // On a busy machine a process that the killed run was just starting may hold its lock for
    // longer than the next run waits.
    let until = Instant::now() + Duration::from_secs(60);
    while Instant::now() < until && env.run(arguments).status == Some(3) {}
    env.run(arguments).expect(0);
}

#[test]
#[ignore = "long: tests of shards show its parts"]
fn jobs_kills_shards_and_the_order_of_merging_never_change_a_table() {
    let (env, mut shards) = in_shards(3);
    let whole = file(&env, "whole");
    env.run(["run", &whole, "--jobs", "1"]).expect(0);
    let expected = standings(&env, "whole.db");
    let two = file(&env, "two");
    env.run(["run", &two, "--jobs", "2"]).expect(0);
    assert_eq!(standings(&env, "two.db"), expected, "two jobs");
    let killed = file(&env, "killed");
    run_killed(&env, &["run", &killed]);
    assert_eq!(standings(&env, "killed.db"), expected, "killed and gone on with");
    let again = file(&env, "again");
    run_killed(&env, &["run", &again, "--shard", "2/3", "--jobs", "2"]);
    shards[1] = "again.db".to_owned();
    for turn in 0..3 {
        shards.rotate_left(1);
        let out = format!("joined-{turn}.db");
        merge(&env, &out, &shards).expect(0);
        assert_eq!(standings(&env, &out), expected, "{shards:?}");
    }
    shards.reverse();
    merge(&env, "half.db", &shards[..2]).expect(0);
    merge(&env, "rest.db", &["half.db".to_owned(), shards[2].clone()]).expect(0);
    assert_eq!(standings(&env, "rest.db"), expected, "a merge of a merge");
    let ran = env.run(["verify", "--database", "rest.db"]).expect(0);
    assert!(ran.stdout.contains("20 bouts agree"), "{}", ran.stdout);
}

#[test]
fn a_shard_plays_its_part_and_says_what_others_have() {
    let (env, _) = in_shards(2);
    let count = |name: &str| {
        let ran = env.run(["verify", "--format", "json", "--database", name]).expect(0).json();
        ran["sound"].as_u64().expect("a number")
    };
    assert_eq!(count("shard-1.db") + count("shard-2.db"), 20);
    assert!((8..=12).contains(&count("shard-1.db")));
    let again = env.run(["run", "shard-1.yaml", "--shard", "1/2"]).expect(0);
    assert!(again.stderr.contains("bouts of other shards have no result here"), "{}", again.stderr);
    let dry = env.run(["run", "shard-1.yaml", "--shard", "1/2", "--dry-run"]).expect(0);
    assert!(dry.stdout.contains("0 bouts to play"), "{}", dry.stdout);
    env.run(["run", "--shard", "3/2"]).expect(2);
}

#[test]
fn joining_twice_or_with_a_copy_changes_nothing() {
    let (env, mut shards) = in_shards(2);
    merge(&env, "joined.db", &shards).expect(0);
    let before = standings(&env, "joined.db");
    fs::copy(env.path().join("shard-1.db"), env.path().join("copy.db")).expect("copied");
    shards.push("copy.db".to_owned());
    let again = merge(&env, "joined.db", &shards).expect(0);
    assert!(again.stdout.contains("20 bouts: 0 added"), "{}", again.stdout);
    assert_eq!(standings(&env, "joined.db"), before);
    merge(&env, "joined.db", &["joined.db".to_owned()]).expect(2);
}

#[test]
fn shards_that_began_as_a_copy_are_joined_into_the_old_database() {
    let env = small();
    env.run(["run"]).expect(0);
    bot(&env, "walker", "echo S");
    for number in ["1", "2"] {
        let name = format!("shard-{number}");
        fs::copy(env.path().join("results.db"), env.path().join(format!("{name}.db")))
            .expect("copied");
        let yaml = file(&env, &name);
        env.run(["run", &yaml, "--shard", &format!("{number}/2")]).expect(0);
    }
    let shards = ["shard-1.db", "shard-2.db"].map(str::to_owned);
    merge(&env, "new.db", &shards).expect(0);
    let merged = merge(&env, "results.db", &shards).expect(0);
    assert!(merged.stdout.contains("0 added, 4 replaced by newer results"), "{}", merged.stdout);
    let whole = file(&env, "whole");
    env.run(["run", &whole]).expect(0);
    assert_eq!(standings(&env, "results.db"), standings(&env, "whole.db"));
    assert_eq!(standings(&env, "new.db"), standings(&env, "whole.db"));
    for database in ["results.db", "new.db"] {
        env.run(["verify", "--database", database]).expect(0);
    }
    let replaced = bout_ids(&env).into_iter().filter(|id| {
        env.run(["history", id]).expect(0).stdout.contains("replaced, the result before")
    });
    assert_eq!(replaced.count(), 4, "the old results are kept");
}

#[test]
fn different_results_of_one_bout_are_refused_and_named() {
    let env = small();
    bot(&env, "dice", "moves=(N E S W NE SE SW NW); echo ${moves[RANDOM % 8]}");
    for name in ["one", "two"] {
        let yaml = file(&env, name);
        env.run(["run", &yaml]).expect(0);
    }
    let inputs = ["one.db", "two.db"].map(str::to_owned);
    let refused = merge(&env, "joined.db", &inputs).expect(1);
    assert!(refused.stderr.contains("have different results"), "{}", refused.stderr);
    assert!(refused.stderr.contains("dice"), "{}", refused.stderr);
    assert!(refused.stderr.contains("saw it go differently"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("shooter vs walker"), "{}", refused.stderr);
    assert!(!env.path().join("joined.db").exists(), "nothing was written");
}

#[test]
fn other_tournaments_and_other_bots_are_refused_with_what_differs() {
    let env = small();
    let one = file(&env, "one");
    env.run(["run", &one]).expect(0);
    env.write("two.yaml", &SMALL.replace("results.db", "two.db").replace("seed: 7", "seed: 8"));
    env.run(["run", "two.yaml"]).expect(0);
    let refused = merge(&env, "joined.db", &["one.db".to_owned(), "two.db".to_owned()]).expect(1);
    assert!(refused.stderr.contains("different tournaments"), "{}", refused.stderr);
    assert!(refused.stderr.contains("seed 8"), "{}", refused.stderr);
    bot(&env, "walker", "echo S");
    let three = file(&env, "three");
    env.run(["run", &three]).expect(0);
    let refused = merge(&env, "joined.db", &["one.db".to_owned(), "three.db".to_owned()]).expect(1);
    assert!(refused.stderr.contains("bot `walker` is build"), "{}", refused.stderr);
    env.write("four.yaml", &SMALL.replace("results.db", "four.db").replace("bouts: 2", "bouts: 4"));
    env.run(["run", "four.yaml"]).expect(0);
    let refused =
        merge(&env, "joined.db", &["three.db".to_owned(), "four.db".to_owned()]).expect(1);
    assert!(refused.stderr.contains("`bouts_per_match` is 2 in one and 4"), "{}", refused.stderr);
}

#[test]
fn decisions_are_joined_when_one_list_continues_the_other() {
    let (env, shards) = in_shards(2);
    let decide = |database: &str, verb: &str| {
        let words = ["bot", verb, "walker", "--reason", "copied", "--database", database];
        env.run(words).expect(0);
    };
    decide("shard-1.db", "disqualify");
    merge(&env, "joined.db", &shards).expect(0);
    let table = env.run(["standings", "--database", "joined.db"]).expect(0);
    assert!(table.stdout.contains("copied"), "{}", table.stdout);
    decide("shard-2.db", "withdraw");
    let refused = merge(&env, "other.db", &shards).expect(1);
    assert!(refused.stderr.contains("different decisions"), "{}", refused.stderr);
}

#[test]
fn a_merge_that_is_killed_loses_nothing() {
    let (env, shards) = in_shards(2);
    let arguments = || ["merge", "joined.db"].into_iter().chain(shards.iter().map(String::as_str));
    for milliseconds in [1, 3, 6, 10, 15, 20, 30, 40, 60] {
        let mut child = env.start(arguments());
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().expect("it can be killed");
        child.wait().expect("it can be waited for");
    }
    env.run(arguments()).expect(0);
    env.run(["verify", "--database", "joined.db"]).expect(0);
    merge(&env, "fresh.db", &shards).expect(0);
    assert_eq!(standings(&env, "joined.db"), standings(&env, "fresh.db"));
}
