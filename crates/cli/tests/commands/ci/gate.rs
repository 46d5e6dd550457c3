//! Is a bot stronger than the version it replaces?

use serde_json::{Value, json};

use super::Repository;

/// Shoots where the other one mostly is: never loses, and wins now and then.
const SHOOTER: &str = "echo B SE";

/// A branch on which `bob` was `before` and is `now`.
fn changed(before: &str, now: &str) -> Repository {
    let repository = Repository::new();
    repository.git(["checkout", "--quiet", "main"]);
    repository.bot("bob", before);
    repository.commit("as it was");
    repository.git(["checkout", "--quiet", "-B", "pr"]);
    repository.bot("bob", now);
    repository.commit("as it is");
    repository
}

fn gate(repository: &Repository) -> Value {
    repository.report()["gates"][0].clone()
}

#[test]
fn a_version_that_only_breaks_off_is_weaker() {
    let repository = changed(SHOOTER, "echo NO");
    let ran = repository.ci(&["--gate", "--gate-h1", "200", "--event", "league"]).expect(7);
    let gate = gate(&repository);
    assert_eq!(gate["answer"], "weaker", "{gate}\n{}", ran.stdout);
    assert!(ran.stdout.contains("**no**, it is not stronger than the version it replaces (H0, 0 normalised Elo, accepted)"), "{}", ran.stdout);
    assert!(gate["llr"].as_f64().unwrap() <= gate["bounds"][0].as_f64().unwrap(), "{gate}");
}

#[test]
fn a_version_that_wins_is_stronger_and_its_bouts_can_be_checked() {
    let repository = changed("echo NO", SHOOTER);
    let more = ["--gate", "--gate-h1", "200", "--gate-pairs", "40"];
    let ran = repository.ci(&more).expect(0);
    let first = gate(&repository);
    assert_eq!(first["answer"], "stronger", "{first}\n{}", ran.stdout);
    let recorded = first["recorded"].as_u64().unwrap();
    assert!(recorded < 80, "it stops early: {first}");
    let verified =
        repository.env.run(["verify", "--database", "joust-ci/gate.db", "--format", "json"]);
    let bouts = verified.expect(0).json()["bouts"].as_array().unwrap().len() as u64;
    assert_eq!(bouts, recorded);
    // None of its bouts are in the league, and a second run uses the record.
    let table = repository.env.run(["standings"]).expect(0).stdout;
    assert!(!table.contains("(base)") && !table.contains("gate"), "{table}");
    let ran = repository.ci(&more).expect(0);
    assert_eq!(gate(&repository), first);
    assert!(!ran.stderr.contains("gate-league-bob") || ran.stderr.contains("nothing to play"));
}

#[test]
#[ignore = "long: statistics of many bouts"]
fn versions_that_play_the_same_are_not_told_apart_in_a_few_pairs() {
    let repository = changed("echo E", "echo E  # the same");
    let ran = repository.ci(&["--gate", "--gate-pairs", "2", "--gate-h1", "10"]).expect(9);
    let gate = gate(&repository);
    assert_eq!((&gate["answer"], &gate["recorded"]), (&json!("undecided"), &json!(4)));
    assert!(ran.stdout.contains("(between 0 and 10)"), "{}", ran.stdout);
}

#[test]
fn a_budget_that_is_used_up_leaves_no_bot_unnamed_and_the_same_command_goes_on() {
    let repository = changed(SHOOTER, "echo NO");
    repository.bot("cid", "echo S");
    repository.commit("two at once");
    repository.ci(&[]).expect(0);
    let more = ["--gate", "--gate-h1", "200", "--gate-pairs", "8"];
    let ran = repository.ci(&[&more[..], &["--budget", "1ms"]].concat()).expect(5);
    let gates = repository.report()["gates"].as_array().unwrap().clone();
    let told = gates.iter().map(|gate| (gate["bot"].as_str(), gate["answer"].as_str()));
    let expected = ["bob", "cid"].map(|bot| (Some(bot), Some("unfinished")));
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert!(ran.stdout.contains("**not decided yet**: the budget was used up; run the same command to continue (between 0 and 200)"), "{}", ran.stdout);
    repository.ci(&more).expect(7);
    assert_eq!(gate(&repository)["answer"], "weaker");
}

#[test]
fn a_version_that_could_not_be_built_is_no_opponent() {
    let repository = changed("if this is no bash", "echo E");
    repository.ci(&["--gate"]).expect(0);
    let gate = gate(&repository);
    assert_eq!(gate["answer"], "not-asked");
    assert_eq!(gate["reason"], "the version it replaces cannot be built");
}

#[test]
fn a_test_that_makes_no_sense_is_refused() {
    let repository = Repository::new();
    let ran = repository.ci(&["--gate", "--gate-h0", "50", "--gate-h1", "0"]).expect(2);
    assert!(
        ran.stderr.contains("the Elo of H1, `0`, is not above that of H0, `50`"),
        "{}",
        ran.stderr
    );
    repository.env.run(["ci", "--base-database", "base.db", "--gate"]).expect(2);
    for far in ["1001", "nan", "inf"] {
        let ran = repository.ci(&["--gate", "--gate-h1", far]).expect(2);
        assert!(ran.stderr.contains("is not between -1000 and 1000 Elo"), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: `--gate-h0` and"), "{}", ran.stderr);
    }
    let ran = repository.ci(&["--gate", "--gate-alpha", "0.7"]).expect(2);
    assert!(ran.stderr.starts_with("error: error rate `0.7` is not between"), "{}", ran.stderr);
}

#[test]
#[ignore = "long: statistics of many bouts"]
fn differences_of_a_thousand_are_told_apart_the_right_way() {
    let (weak, strong) = ("echo NO", SHOOTER);
    for (before, now, status, answer) in
        [(weak, strong, 0, "stronger"), (strong, weak, 7, "weaker")]
    {
        let repository = changed(before, now);
        let more = ["--gate", "--gate-h0", "-1000", "--gate-h1", "1000", "--gate-pairs", "8"];
        let ran = repository.ci(&more).expect(status);
        assert_eq!(gate(&repository)["answer"], answer, "{}", ran.stdout);
    }
}
