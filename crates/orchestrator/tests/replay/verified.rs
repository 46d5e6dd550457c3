//! Recorded bouts judged again: every decision of the referee in a turn's record is compared.

use joust_model::{Finite, NumberRecord, NumberSource, Round, StoredBout, TurnLog, TurnRecord};
use joust_orchestrator::dispute::verify;
use joust_referee::{Catalogue, Limit, Verdict};
use joust_testkit::game;

use crate::played::Played;

/// Returns the differences between turns; the test stops the bout before the game ends it.
fn differing_turns(stored: &StoredBout) -> Vec<String> {
    let found = verify(&Catalogue::built_in(), stored).expect("the logs are whole");
    let found = found.iter().map(ToString::to_string);
    found.filter(|difference| difference.starts_with("round ")).collect()
}

fn with_changed_turn(stored: &StoredBout, change: impl Fn(&mut TurnRecord)) -> StoredBout {
    let mut turns = TurnLog::read(&stored.result.turn_log).expect("the log is whole");
    change(&mut turns[3]);
    let mut log = TurnLog::default();
    turns.iter().for_each(|turn| log.push(turn));
    let mut changed = stored.clone();
    changed.result.turn_log = log.compress();
    changed
}

#[test]
fn every_game_s_turns_are_those_that_are_judged() {
    for kind in &Catalogue::built_in() {
        for rules in &kind.spec().rule_sets {
            let played = Played::of(kind, rules, 40);
            assert_eq!(differing_turns(&played.stored), [""; 0], "{} {rules}", kind.id());
        }
    }
}

#[test]
fn a_turn_that_says_something_else_is_named() {
    let kind = game("battlebots");
    let stored = Played::of(&kind, "documented", 4).stored;
    let round = with_changed_turn(&stored, |turn| turn.round = Round(2));
    let what = ["round 2, seat 1, round: recorded `3`, judged `2`"];
    assert_eq!(differing_turns(&round), what);
    let seat = with_changed_turn(&stored, |turn| turn.seat = 0);
    let what = ["round 2, seat 1, seat: recorded `0`, judged `1`"];
    assert_eq!(differing_turns(&seat), what);
    let action = with_changed_turn(&stored, |turn| turn.action = "P".to_owned());
    let [difference] = &differing_turns(&action)[..] else { panic!("one turn differs") };
    assert!(difference.starts_with("round 2, seat 1, action: recorded `P`"), "{difference}");
    let full = with_changed_turn(&stored, |turn| turn.verdict = Verdict::DiskLimit.code());
    let [verdict, limits] = &differing_turns(&full)[..] else { panic!("a false disk-limit") };
    assert!(verdict.starts_with("round 2, seat 1, verdict: recorded `disk-limit`"), "{verdict}");
    assert!(limits.starts_with("round 2, seat 1, limits: recorded `no limit"), "{limits}");
    let full = with_changed_turn(&stored, |turn| {
        turn.verdict = Verdict::DiskLimit.code();
        turn.limits_hit.insert(Limit::Disk);
    });
    let [verdict] = &differing_turns(&full)[..] else { panic!("a false disk-limit") };
    assert!(verdict.starts_with("round 2, seat 1, verdict: recorded `disk-limit`"), "{verdict}");
    let verdict = with_changed_turn(&stored, |turn| turn.verdict = 4);
    let [difference] = &differing_turns(&verdict)[..] else { panic!("one turn differs") };
    assert!(difference.starts_with("round 2, seat 1, verdict: recorded `timeout`"), "{difference}");
}

#[test]
fn a_number_that_the_referee_does_not_count_is_named() {
    let kind = game("battlebots");
    let mut stored = Played::of(&kind, "documented", 4).stored;
    let mut log = TurnLog::default();
    let turns = TurnLog::read(&stored.result.turn_log).expect("the log is whole");
    turns.iter().for_each(|turn| log.push(turn));
    let value = Finite::new(3.0).expect("it is finite");
    let number = |source| NumberRecord { round: 2, seat: 1, source, name: "hits".into(), value };
    // Numbers that a bot reported itself cannot be counted again.
    log.push_number(&number(NumberSource::Bot));
    log.push_number(&number(NumberSource::Referee));
    stored.result.turn_log = log.compress();
    let found = verify(&Catalogue::built_in(), &stored).expect("the logs are whole");
    let found = found.iter().map(ToString::to_string).filter(|one| one.contains("number"));
    let expected = [
        "after 2 rounds, number: recorded `hits of seat 1 is 3 after 2 rounds`, judged `no number`",
        "seat 1, numbers: recorded ``, judged `bot.hits 3 (3 to 3, mean 3, said 1 time), hits 3 \
         (3 to 3, mean 3, said 1 time)`",
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn what_a_seat_is_said_to_have_earned_is_what_its_turns_say() {
    let kind = game("battlebots");
    let mut stored = Played::of(&kind, "documented", 4).stored;
    let sums = |stored: &StoredBout| {
        let found = verify(&Catalogue::built_in(), stored).expect("the logs are whole");
        let found = found.iter().map(ToString::to_string);
        let of_seats = |one: &String| one.starts_with("seat ") && !one.contains("rank");
        found.filter(of_seats).filter(|one| !one.contains("score")).collect::<Vec<_>>()
    };
    assert_eq!(sums(&stored), [""; 0]);
    stored.result.seats[1].verdicts.add(Verdict::DiskLimit);
    stored.result.seats[0].limits_hit.insert(Limit::Memory);
    let expected = [
        "seat 0, limits: recorded `memory`, judged ``",
        "seat 1, turns `disk-limit`: recorded `1`, judged `0`",
    ];
    assert_eq!(sums(&stored), expected);
}
