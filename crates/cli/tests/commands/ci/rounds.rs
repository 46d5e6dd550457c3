//! Events in which not every pair of bots meets.

use serde_json::json;

use super::{Repository, TOURNAMENT};

#[test]
fn a_change_to_a_swiss_event_plays_its_bot_and_names_what_it_moved() {
    let schedule = "bouts: 2\n    schedule: { kind: swiss, rounds: 2 }\n";
    let swiss = TOURNAMENT.replace("bouts: 2\n", schedule);
    let repository = Repository::made(&swiss, |repository| {
        for (name, way) in [("ann", "B SE"), ("bob", "E"), ("cid", "NO"), ("dan", "W")] {
            repository.bot(name, &format!("echo {way}"));
        }
    });
    std::fs::remove_dir_all(repository.path("bots/dan")).unwrap();
    repository.bot("eve", "echo S");
    repository.commit("one goes, another comes");
    let ran = repository.ci(&[]).expect(0);
    let event = repository.event();
    assert_eq!(repository.report()["outcome"], "ok");
    assert_eq!((&event["played"], &event["missing"]), (&json!(4), &json!(0)), "{event}");
    assert_eq!((&event["planned"]["bouts"], &event["left"]), (&json!(4), &json!(2)), "{event}");
    assert!(ran.stdout.contains("2 bouts between other bots have no result"), "{}", ran.stdout);
    assert_eq!(repository.of_bot("eve")["trial"]["bouts"], 4);
}

/// An event, and the expected result of a bot that replaces one of four.
struct Case {
    schedule: &'static str,
    /// Bouts of the newcomer.
    played: u64,
    /// Bouts between others that the change has moved.
    left: u64,
}

const CASES: [Case; 4] = [
    Case { schedule: "kind: round-robin", played: 6, left: 0 },
    Case { schedule: "kind: partial, matches_per_bot: 2", played: 4, left: 0 },
    Case { schedule: "kind: gauntlet, bots: [ann]", played: 2, left: 0 },
    Case { schedule: "kind: divisions, size: 2, rounds: 2", played: 2, left: 2 },
];

#[test]
fn a_newcomer_plays_whom_each_schedule_gives_it_and_nobody_else_does() {
    let mut tournament = TOURNAMENT[..TOURNAMENT.find("events:").expect("events")].to_owned();
    tournament += "events:\n";
    for (number, case) in CASES.iter().enumerate() {
        tournament += &format!(
            "  - {{ id: e{number}, game: battlebots, bots: [bots/*], bouts: 2, options: {{ max_rounds: 3 }}, \
             schedule: {{ {} }} }}\n",
            case.schedule
        );
    }
    let repository = Repository::made(&tournament, |repository| {
        for (name, way) in [("ann", "B SE"), ("bob", "E"), ("cid", "NO"), ("dan", "W")] {
            repository.bot(name, &format!("echo {way}"));
        }
    });
    std::fs::remove_dir_all(repository.path("bots/dan")).unwrap();
    repository.bot("eve", "echo S");
    repository.commit("one goes, another comes");
    repository.ci(&[]).expect(0);
    let report = repository.report();
    for (number, Case { schedule, played, left }) in CASES.iter().enumerate() {
        let event = &report["events"][number];
        assert_eq!(event["played"], json!(played), "{schedule}: {event}");
        assert_eq!((&event["left"], &event["missing"]), (&json!(left), &json!(0)), "{schedule}");
        let bots = event["bots"].as_array().expect("a list of bots");
        let eve = bots.iter().find(|bot| bot["bot"] == "eve").expect("she came");
        assert_eq!(eve["trial"]["bouts"], json!(played), "{schedule}: {eve}");
    }
}
