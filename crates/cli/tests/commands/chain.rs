//! The chain, the audit trail and reruns: the means of settling a dispute.

use joust_testkit::env::TestEnv;
use joust_testkit::league::{bot, bout_ids};
use serde_json::Value;

use super::{by_hand, small};

fn head(env: &TestEnv) -> String {
    let standings = env.run(["standings", "--format", "json"]).expect(0).json();
    standings[0]["chain"]["hash"].as_str().expect("a hash").to_owned()
}

#[test]
fn the_head_is_printed_with_the_leaderboard() {
    let env = small();
    let ran = env.run(["run"]).expect(0);
    let head = head(&env);
    assert_eq!(head.len(), 64);
    assert!(!ran.stdout.contains("chain: ") && ran.stderr.contains("next: "), "{}", ran.stderr);
    let table = env.run(["standings"]).expect(0);
    let last = table.stdout.lines().last().expect("a line");
    assert!(last.starts_with("chain: ") && last.ends_with(&head), "{last}");
    let markdown = env.run(["standings", "--format", "markdown"]).expect(0);
    assert!(markdown.stdout.contains(&format!("head `{head}`")), "{}", markdown.stdout);
    let csv = env.run(["standings", "--format", "csv"]).expect(0);
    assert!(!csv.stdout.contains(&head));
}

#[test]
fn an_old_head_says_what_was_recorded_since_and_finds_a_change() {
    let env = small();
    env.run(["run"]).expect(0);
    let old = head(&env);
    let same = env.run(["verify", "--head", &old]).expect(0);
    assert!(same.stdout.contains("since then nothing was recorded"), "{}", same.stdout);
    let id = bout_ids(&env).remove(0);
    env.run(["rerun", &id, "--amend", "--reason", "the power failed"]).expect(0);
    env.run(["bot", "withdraw", "walker", "--reason", "asked for it"]).expect(0);
    let since = env.run(["verify", "--head", &old[..10]]).expect(0);
    assert!(since.stdout.contains("1 result, 2 history lines, 1 decision"), "{}", since.stdout);
    assert!(since.stdout.contains(&format!("history {id}")), "{}", since.stdout);
    let json = env.run(["verify", "--head", &old, "--format", "json"]).expect(0).json();
    assert_eq!(json["since"]["recorded"].as_array().map(Vec::len), Some(4));
    let lost = env.run(["verify", "--head", &"ab".repeat(32)]).expect(1);
    assert!(lost.stdout.contains("is not in the chain"), "{}", lost.stdout);
    env.run(["verify", "--head", "no hash"]).expect(2);
}

#[test]
fn what_was_changed_by_hand_is_named_by_verify() {
    let env = small();
    env.run(["run"]).expect(0);
    let id = bout_ids(&env).remove(2);
    let number = i64::from_be_bytes(u64::from_str_radix(&id, 16).expect("a number").to_be_bytes());
    by_hand(&env, &format!("UPDATE bouts SET counts = 0 WHERE id = {number}"));
    by_hand(&env, "UPDATE bots SET entered = 0 WHERE name = 'walker'");
    let found = env.run(["verify"]).expect(1);
    assert!(found.stdout.contains(&format!("bout {id}")), "{}", found.stdout);
    assert!(found.stdout.contains("`counts` was changed"), "{}", found.stdout);
    assert!(found.stdout.contains("the bots of event `league`: changed"), "{}", found.stdout);
    assert!(
        found.stdout.contains("5 bouts agree with their record, 1 does not"),
        "{}",
        found.stdout
    );
    let one = env.run(["verify", &id]).expect(1);
    assert!(one.stdout.contains("`counts` was changed"), "{}", one.stdout);
}

#[test]
fn the_whole_database_is_verified_the_same_with_one_job_and_with_several() {
    let env = small();
    env.run(["run"]).expect(0);
    by_hand(&env, "UPDATE seats SET score_millionths = score_millionths + 1 WHERE seat = 0");
    let one = env.run(["verify", "--jobs", "1"]).expect(1);
    let several = env.run(["verify", "--jobs", "4"]).expect(1);
    assert_eq!(one.stdout, several.stdout);
    assert!(one.stdout.contains("seat 0, score: recorded"), "{}", one.stdout);
    // No database takes it, and none is made for it.
    let refused = env.run(["merge", "joined.db", "results.db"]);
    assert_ne!(refused.status, Some(0), "{}", refused.stderr);
    assert!(!env.path().join("joined.db").exists(), "{}", refused.stderr);
}

#[test]
fn the_history_of_a_bout_has_everything_that_happened_to_it() {
    let env = small();
    env.run(["run"]).expect(0);
    let id = bout_ids(&env).remove(0);
    let plain = env.run(["history", &id[..8]]).expect(0);
    assert!(plain.stdout.starts_with(&format!("bout {id} of league")), "{}", plain.stdout);
    assert_eq!(plain.stdout.matches("  result\n").count(), 1, "{}", plain.stdout);
    let ran = env.run(["rerun", &id, "--builds", "nowhere"]).expect(2);
    assert!(ran.stderr.contains("`nowhere` is no folder of builds"), "{}", ran.stderr);
    env.run(["rerun", &id]).expect(0);
    env.run(["rerun", &id, "--amend", "--reason", "the power\nfailed \u{1b}[31m"]).expect(0);
    env.run(["bot", "disqualify", "walker", "--reason", "copied"]).expect(0);
    let json = env.run(["history", &id, "--format", "json"]).expect(0).json();
    let changes: Vec<_> =
        json["history"].as_array().expect("a list").iter().map(|row| &row["change"]).collect();
    assert_eq!(changes, ["rerun", "rerun", "amended"]);
    assert_eq!(json["history"][2]["superseded"]["bout"], *id);
    assert_eq!(json["history"][2]["reason"], "the power\nfailed \u{1b}[31m");
    assert_eq!(json["result"]["bout"], *id);
    let text = env.run(["history", &id]).expect(0).stdout;
    for part in [
        "amended, the result before is superseded: the power",
        "| failed",
        "which stands",
        "rerun: reproduced",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
    env.run(["history", "ffffffffffffffff"]).expect(2);
    env.run(["verify"]).expect(0);
}

#[test]
fn reruns_are_counted() {
    let env = small();
    bot(&env, "dice", "moves=(N E S W NE SE SW NW); echo ${moves[RANDOM % 8]}");
    env.run(["run", "--only", "dice"]).expect(0);
    env.run(["run"]).expect(0);
    let bouts = env.run(["verify", "--format", "json"]).expect(0).json();
    let ids = bouts["bouts"].as_array().expect("a list").iter().map(|bout| bout["bout"].clone());
    let (mut steady, mut moody) = (None, None);
    for id in ids.map(|id| id.as_str().expect("an id").to_owned()) {
        let bout = env.run(["replay", &id, "--format", "json"]).expect(0).json();
        let seats = bout["seats"].as_array().expect("seats").clone();
        let has_dice = seats.iter().any(|seat| seat["bot"] == "dice");
        if has_dice { moody = Some(id) } else { steady = Some(id) }
    }
    let rerun = |id: Option<String>, status: i32| -> Value {
        let id = id.expect("there is one");
        env.run(["rerun", &id, "--times", "4", "--format", "json"]).expect(status).json()
    };
    let same = rerun(steady, 0);
    assert_eq!((&same["times"], &same["reproduced_times"]), (&4.into(), &4.into()));
    assert_eq!(same["outcomes"].as_array().map(Vec::len), Some(1));
    let other = rerun(moody, 1);
    assert_eq!(other["times"], 4);
    assert!(other["reproduced_times"].as_u64() < Some(4), "{other}");
    let counted: u64 = other["outcomes"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|o| o["times"].as_u64())
        .sum();
    assert_eq!(counted, 4, "{other}");
}

#[test]
fn an_amended_result_moves_the_standings() {
    let env = small();
    bot(&env, "dice", "if [ $((RANDOM % 2)) = 0 ]; then echo 'B NW'; else echo NO; fi");
    env.run(["run"]).expect(0);
    let id = bout_ids(&env).remove(0);
    let before = env.run(["history", &id, "--format", "json"]).expect(0).json();
    let amended = env.run(["rerun", &id, "--amend", "--reason", "checked"]);
    assert!(matches!(amended.status, Some(0 | 1)), "{}", amended.stderr);
    let after = env.run(["history", &id, "--format", "json"]).expect(0).json();
    let old = &after["history"].as_array().expect("a list").last().expect("a line")["superseded"];
    assert_eq!(old["state_hash"], before["result"]["state_hash"], "the old result is kept");
    let shown = env.run(["replay", &id, "--format", "json"]).expect(0).json();
    assert_eq!(shown["state_hash"], after["result"]["state_hash"], "the new one stands");
    env.run(["verify"]).expect(0);
}
