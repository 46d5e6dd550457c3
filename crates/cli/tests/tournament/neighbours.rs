//! X02: honest bots have the same results among hostile bots as among themselves.

use joust_testkit::league::bot;

use crate::league::{TIGHT, bare, configure, empty, hostile_bot, is_among, results, shooter};

const HONEST: [&str; 4] = ["ann", "bob", "cid", "dot"];

const HOSTILE: [&str; 20] = [
    "answer_and_fail",
    "burn",
    "change_session",
    "deep_tree",
    "dump_core",
    "exhaust_descriptors",
    "fill_disk",
    "flood_stdout",
    "fork_bomb",
    "fork_chain",
    "heap_bomb",
    "kill_everybody",
    "kill_parent",
    "leave_burner",
    "leave_daemon",
    "leave_zombies",
    "many_files",
    "memory_files",
    "sysv_segments",
    "thread_bomb",
];

fn honest_bots(env: &joust_testkit::env::TestEnv) {
    shooter(env, "ann");
    bot(env, "bob", "echo E");
    bot(env, "cid", "case $((JOUST_SEED % 3)) in 0) echo S;; 1) echo L W;; *) echo N;; esac");
    bot(env, "dot", "case \"$1\" in *'hp=9'*) echo W;; *) echo 'M S';; esac");
}

#[test]
#[ignore = "long: statistics of many bouts"]
fn honest_pairs_earn_the_same_among_twenty_hostile_bots() {
    let (alone, mixed) = (empty(), empty());
    for env in [&alone, &mixed] {
        configure(env, TIGHT, 1, 2);
        honest_bots(env);
    }
    for name in HOSTILE {
        hostile_bot(&mixed, name, "joust-x02", &[name]);
    }
    alone.run(["run"]).expect(0);
    let run = mixed.run(["run", "--strict"]).expect(0);
    assert!(!run.stderr.contains("played again"), "{}", run.stderr);

    let expected = results(&alone);
    let all = results(&mixed);
    assert_eq!((expected.len(), all.len()), (6, 276));
    let mut compared = 0;
    for (id, bout) in &expected {
        assert!(is_among(bout, &HONEST));
        let now = &all[id];
        // The machine was too busy twice in a row: the result is marked and proves nothing.
        if bout["contended"] == false && now["contended"] == false {
            assert_eq!(bare(bout.clone()), bare(now.clone()));
            compared += 1;
        }
    }
    assert!(compared >= 3, "only {compared} of 6 bouts could be compared");
}
