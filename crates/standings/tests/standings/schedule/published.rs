//! Schedules against published tables.
//!
//! `JOUST_CONFORMANCE` names another folder with a `ratings/schedules.json`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use joust_standings::schedule::{FirstSeats, FreeForAll, Round, RoundRobin, Schedule, Seating};
use serde_json::Value;

fn golden() -> Value {
    let folder = std::env::var_os("JOUST_CONFORMANCE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden"),
        PathBuf::from,
    );
    let file = folder.join("ratings/schedules.json");
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let golden: Value = serde_json::from_str(&text).expect("the file is JSON");
    assert_eq!(golden["format"], "ratings/schedules/1");
    golden
}

/// Returns the table `name` for each number of bots.
fn tables(golden: &Value, name: &str) -> Vec<(usize, Value)> {
    let tables = golden[name].as_object().expect("tables by number of bots");
    assert!(!tables.is_empty());
    tables.iter().map(|(bots, table)| (bots.parse().unwrap(), table.clone())).collect()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a number")).unwrap()
}

/// Reads rounds, with bots numbered from 0.
fn rounds(rounds: &Value) -> Vec<Round> {
    let pair = |pair: &Value| [number(&pair[0]) - 1, number(&pair[1]) - 1];
    let round = |round: &Value| Round {
        matches: round["games"].as_array().unwrap().iter().map(pair).collect(),
        bye: (!round["bye"].is_null()).then(|| number(&round["bye"]) - 1),
    };
    rounds.as_array().expect("rounds").iter().map(round).collect()
}

#[test]
fn berger_tables_equal_the_published_ones() {
    for (bots, table) in tables(&golden(), "berger") {
        let schedule = RoundRobin::new(bots);
        let ours: Vec<Round> = schedule.rounds().collect();
        assert_eq!(ours, rounds(&table["rounds"]), "{bots} bots");
        assert_eq!(schedule.count(), table["games"].as_u64().unwrap());
    }
}

#[test]
fn berger_tables_balance_the_seats() {
    for (bots, table) in tables(&golden(), "berger") {
        let mut surplus = vec![0_i64; bots];
        for pair in RoundRobin::new(bots).matches() {
            surplus[pair[0]] += 1;
            surplus[pair[1]] -= 1;
        }
        for (bot, surplus) in surplus.into_iter().enumerate() {
            let expected = &table["home_minus_away"][(bot + 1).to_string()];
            assert_eq!(surplus, expected.as_i64().unwrap(), "{bots} bots, bot {}", bot + 1);
        }
    }
}

#[test]
fn sizes_equal_the_published_ones() {
    for size in golden()["sizes"].as_array().unwrap() {
        let bots = number(&size["n"]);
        let single = RoundRobin::new(bots);
        assert_eq!(single.round_count(), number(&size["rounds"]), "{bots} bots");
        assert_eq!(single.count(), size["games_single"].as_u64().unwrap(), "{bots} bots");
        assert_eq!(single.matches().count() as u64, single.count());
    }
}

#[test]
fn four_seat_matches_meet_the_published_counts() {
    for counts in golden()["free_for_all"]["counts"].as_array().unwrap() {
        let (bots, seats) = (number(&counts["bots"]), number(&counts["seats"]));
        let schedule = FreeForAll::new(bots, seats);
        assert_eq!(schedule.count(), counts["distinct_tables"].as_u64().unwrap());
        check_counts(counts, &all_bouts(&schedule, bots, seats));
    }
}

/// Returns the seats of every bout when a match has as many bouts as seats.
fn all_bouts(schedule: &FreeForAll, bots: usize, seats: usize) -> Vec<Vec<usize>> {
    let names: Vec<String> = (0..bots).map(|bot| format!("bot-{bot}")).collect();
    let seating = Seating {
        tournament_seed: joust_model::Seed(1),
        event: "league".to_owned(),
        bouts: u32::try_from(seats).unwrap(),
        mirror: true,
        first: FirstSeats::Match,
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let bouts = schedule.matches().flat_map(|group| seating.of_match(&names, &group).bouts());
    bouts.map(|bout| bout.order).collect()
}

fn check_counts(counts: &Value, bouts: &[Vec<usize>]) {
    let expected = |name: &str| number(&counts[name]);
    assert_eq!(bouts.len(), expected("matches_with_all_4_rotations"));
    let mut per_seat: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut meetings: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for order in bouts {
        for (seat, bot) in order.iter().enumerate() {
            *per_seat.entry((*bot, seat)).or_default() += 1;
            for other in order.iter().filter(|other| *other > bot) {
                *meetings.entry((*bot, *other)).or_default() += 1;
            }
        }
    }
    assert!(per_seat.values().all(|count| *count == expected("matches_per_bot_per_seat")));
    assert!(meetings.values().all(|count| *count == expected("meetings_per_pair")));
    let of_first = (0..expected("seats")).map(|seat| per_seat[&(0, seat)]);
    assert_eq!(of_first.sum::<usize>(), expected("matches_per_bot"));
}

#[test]
fn the_seats_of_a_match_turn_as_published() {
    let golden = golden();
    let published: Vec<Vec<usize>> =
        serde_json::from_value(golden["free_for_all"]["rotation_of_one_table"].clone()).unwrap();
    let ours = all_bouts(&FreeForAll::new(4, 4), 4, 4);
    let renumbered = |order: &Vec<usize>| -> Vec<usize> {
        order.iter().map(|bot| 1 + ours[0].iter().position(|first| first == bot).unwrap()).collect()
    };
    assert_eq!(ours.iter().map(renumbered).collect::<Vec<_>>(), published);
}
