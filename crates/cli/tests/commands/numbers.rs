//! Numbers that referees count and bots report: kept with every bout, judged again, searched and
//! drawn; and pictures that a referee draws itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use joust_testkit::env::TestEnv;
use joust_testkit::league::bout_ids;
use serde_json::Value;

use super::external::cup;
use super::listed;

/// A cup of two bots, one of which writes `#joust rest=…` for each answer.
fn played() -> TestEnv {
    let env = cup("well", "['bots/perfect.py', 'bots/one.sh']", 4);
    env.run(["run"]).expect(0);
    env
}

/// Returns the text of every page below a folder.
fn pages(folder: &Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            all += &pages(&path);
        } else if path.extension().is_some_and(|end| end == "html") {
            all += &fs::read_to_string(&path).expect("a page is text");
        }
    }
    all
}

#[test]
fn numbers_are_kept_turn_by_turn_and_judged_again() {
    let env = played();
    env.run(["verify"]).expect(0);
    let id = &bout_ids(&env)[0];
    let bout = env.run(["replay", id, "--format", "json", "--turns"]).expect(0).json();
    let seats = bout["seats"].as_array().expect("a list");
    let seat = seats.iter().position(|seat| seat["bot"] == "perfect").expect("it played");
    let numbers = &seats[seat]["numbers"];
    // The sum of both is the number of all stones.
    let taken = |seat: &Value| seat["numbers"]["taken"]["last"].as_u64().expect("it was counted");
    let stones = seats.iter().map(taken).sum::<u64>();
    assert!((21..=24).contains(&stones), "{bout}");
    assert_eq!(seats[0]["numbers"]["left"]["min"], 0, "{bout}");
    assert_eq!(seats[0]["numbers"]["left"]["max"], stones, "{bout}");
    assert_eq!(seats[1]["numbers"]["left"], Value::Null, "{bout}");
    // The bot has said its number once for each answer, and nothing else counts.
    assert_eq!(numbers["bot.rest"]["count"], seats[seat]["verdicts"]["ok"], "{bout}");
    assert_eq!(numbers["bot.nonsense"], Value::Null, "{bout}");
    let turns = bout["turns"].as_array().expect("a list").iter();
    let rounds = turns.filter(|turn| turn["seat"] == seat).map(|turn| turn["round"].to_string());
    let said = bout["numbers"].as_array().expect("a list").iter();
    let said = said.filter(|number| number["name"] == "bot.rest");
    let said: Vec<_> = said.map(|number| number["round"].to_string()).collect();
    assert_eq!(said, rounds.collect::<Vec<_>>(), "{bout}");
    let shown = env.run(["replay", id, "--delay", "0s"]).expect(0).stdout;
    assert!(shown.contains("numbers: "), "{shown}");
    assert!(shown.contains("bot.rest "), "{shown}");
    let again = env.run(["rerun", id, "--format", "json"]).expect(0).json();
    assert_eq!(again["same_numbers"], true, "{again}");
}

#[test]
fn bouts_are_found_by_their_numbers() {
    let env = played();
    let all: BTreeSet<_> = bout_ids(&env).into_iter().collect();
    let found = |arguments: &[&str]| listed(&env, arguments).into_iter().collect::<BTreeSet<_>>();
    assert_eq!(found(&["--where", "taken>0"]), all);
    assert_eq!(found(&["--where", "taken>1000"]), BTreeSet::new());
    let of_bot = ["--where", "bot.rest.max<=3", "--where", "bot.rest.min>=0"];
    assert_eq!(found(&of_bot), all);
    assert_eq!(found(&["--bot", "one", "--where", "bot.rest.max<=3"]), BTreeSet::new());
    // Only one seat receives the number of stones that are left.
    let both = ["--where", "left=0", "--where", "taken>0"];
    assert_eq!(found(&both), all);
    let wrong = env.run(["bouts", "--where", "taked<3"]).expect(2).stderr;
    assert!(wrong.contains("no bout has a number called `taked`"), "{wrong}");
    assert!(wrong.contains("numbers are called bot.rest, left, taken"), "{wrong}");
    let wrong = env.run(["bouts", "--where", "taken"]).expect(2).stderr;
    assert!(wrong.contains("it has none of `<`, `<=`, `>`, `>=`, `=`"), "{wrong}");
}

#[test]
fn numbers_are_drawn_under_a_replay_and_over_all_bouts() {
    let env = played();
    env.run(["report", "--out", "site"]).expect(0);
    let site = pages(&env.path().join("site"));
    assert_eq!(site.matches("class=\"chart course\"").count(), 4 * 3, "three numbers a bout");
    assert_eq!(site.matches("<table class=\"spread\">").count(), 3);
    assert!(site.contains("<code>bot.rest</code>, mean of each bout"));
    assert!(site.contains("<code>taken</code>, at the end of each bout"));
    let id = &bout_ids(&env)[0];
    env.run(["replay", id, "--html=alone.html"]).expect(0);
    let alone = fs::read_to_string(env.path().join("alone.html")).expect("it was written");
    assert_eq!(alone.matches("class=\"chart course\"").count(), 3);
}

#[test]
fn a_referee_s_own_picture_is_drawn_without_what_runs_in_it() {
    let env = cup("picture", "['bots/perfect.py', 'bots/one.sh']", 1);
    env.run(["run"]).expect(0);
    env.run(["verify"]).expect(0);
    let id = &bout_ids(&env)[0];
    let shown = env.run(["replay", id, "--delay", "0s"]).expect(0).stdout;
    assert!(shown.contains("the referee drew a picture"), "{shown}");
    env.run(["report", "--out", "site"]).expect(0);
}
