//! Tests of entry: examples that retire, one bot per owner, the deadline.

use joust_testkit::env::TestEnv;
use joust_testkit::league::{SMALL, bot, bout_ids};

use super::small;

/// Adds a line to the event's settings.
fn set(env: &TestEnv, setting: &str) {
    env.write("tournament.yaml", &SMALL.replace("bouts: 2", &format!("bouts: 2\n    {setting}")));
}

fn status_of(env: &TestEnv, bot: &str) -> (String, String) {
    let events = env.run(["standings", "--format", "json"]).expect(0).json();
    let rows = events[0]["rows"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["bot"] == bot).expect("the bot has its row");
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    (text("status"), text("reason"))
}

#[test]
fn examples_play_until_two_others_have_entered() {
    let env = small();
    set(&env, "examples: retire");
    for name in ["walker", "waiter"] {
        let manifest = format!("name: {name}\nlanguage: bash\nentry: main.sh\nexample: true\n");
        env.write(&format!("bots/{name}/bot.yaml"), &manifest);
    }
    env.run(["run"]).expect(0);
    assert_eq!(status_of(&env, "walker").0, "playing");
    bot(&env, "another", "echo W");
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stderr.contains("`walker` is an example and retires"), "{}", ran.stderr);
    assert!(status_of(&env, "walker").1.contains("retired"), "{:?}", status_of(&env, "walker"));
    assert_eq!(status_of(&env, "another").0, "playing");
}

#[test]
fn after_the_deadline_changes_are_listed_and_not_played() {
    let env = small();
    set(&env, "deadline: 2999-01-01T00:00:00Z");
    env.run(["run"]).expect(0);
    let before = bout_ids(&env);
    set(&env, "deadline: 2020-01-01T00:00:00Z");
    bot(&env, "walker", "echo S");
    bot(&env, "latecomer", "echo N");
    for _ in 0..2 {
        let ran = env.run(["run"]).expect(0);
        assert!(ran.stderr.contains("`walker` was changed after the deadline"), "{}", ran.stderr);
        assert!(ran.stderr.contains("`latecomer` entered after the deadline"), "{}", ran.stderr);
        assert!(ran.stdout.contains("latecomer"), "{}", ran.stdout);
        assert_eq!(bout_ids(&env), before);
    }
    let bout = env.run(["replay", &before[0], "--format", "json"]).expect(0).json();
    assert_eq!(bout["event"], "league");
    env.run(["verify"]).expect(0);
}

#[test]
fn a_bot_changed_after_the_deadline_whose_build_is_gone_never_plays() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    env.write("tournament.yaml", SMALL);
    for name in ["ann", "bob", "cid"] {
        bot(&env, name, "echo N");
    }
    env.run(["run"]).expect(0);
    set(&env, "deadline: 2020-01-01T00:00:00Z");
    bot(&env, "cid", "echo S");
    std::fs::remove_dir_all(env.path().join("cache/builds")).expect("builds can be removed");
    for _ in 0..2 {
        env.run(["run"]).expect(0);
        let (status, reason) = status_of(&env, "cid");
        assert!(status != "playing" && reason.contains("deadline"), "{status}: {reason}");
    }
}

#[test]
fn a_deadline_before_the_first_run_takes_the_bots_as_they_are() {
    let env = small();
    set(&env, "deadline: 2020-01-01T00:00:00Z");
    let ran = env.run(["run"]).expect(0);
    assert!(ran.stderr.contains("deadline has passed before the first run"), "{}", ran.stderr);
    assert_eq!(bout_ids(&env).len(), 6);
}
