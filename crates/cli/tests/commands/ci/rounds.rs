//! Events in which not everybody meets everybody.

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
    assert_eq!(repository.report()["outcome"], "in-order");
    assert_eq!((&event["played"], &event["missing"]), (&json!(4), &json!(0)), "{event}");
    assert_eq!((&event["planned"]["bouts"], &event["left"]), (&json!(4), &json!(2)), "{event}");
    assert!(ran.stdout.contains("2 bouts between other bots have no result"), "{}", ran.stdout);
    assert_eq!(repository.of_bot("eve")["trial"]["bouts"], 4);
}
