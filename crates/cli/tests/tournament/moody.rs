//! X05: a bot that acts differently each time is detected, and the recorded results stay valid.

use joust_testkit::league::{SMALL, bot};

use crate::league::{empty, results, shooter};

#[test]
fn a_bot_that_acts_by_the_time_is_not_reproducible_and_the_result_stands() {
    let env = empty();
    env.write("tournament.yaml", SMALL);
    shooter(&env, "ann");
    bot(&env, "moody", "case $(date +%N) in *[13579]) echo N;; *) echo S;; esac");
    env.run(["run"]).expect(0);
    let before = results(&env);
    let mut unlike = 0;
    for id in before.keys() {
        let again = env.run(["rerun", id]);
        if again.status == Some(1) {
            assert!(again.stdout.contains("not reproducible"), "{}", again.stdout);
            assert!(again.stdout.contains("moody"), "the bot is named: {}", again.stdout);
            unlike += 1;
        } else {
            again.expect(0);
        }
    }
    assert!(unlike > 0, "six coins of each bout fell the same way");
    env.run(["verify"]).expect(0);
    assert_eq!(results(&env), before);
}

#[test]
fn a_bot_that_acts_by_its_process_id_cannot_tell_a_rerun() {
    let env = empty();
    env.write("tournament.yaml", SMALL);
    shooter(&env, "ann");
    bot(
        &env,
        "numbered",
        "case $(($$ % 4)) in 0) echo N;; 1) echo S;; 2) echo W;; *) echo E;; esac",
    );
    env.run(["run"]).expect(0);
    for (id, bout) in results(&env) {
        let again = env.run(["rerun", &id, "--format", "json"]);
        assert!(matches!(again.status, Some(0 | 1)), "{}", again.stderr);
        assert_eq!(again.json()["recorded_state_hash"], bout["state_hash"]);
    }
    env.run(["verify"]).expect(0);
}
