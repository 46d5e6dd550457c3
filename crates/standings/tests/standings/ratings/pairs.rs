//! Two bots, mirror pair by mirror pair.

use joust_model::{BoutPlan, BoutSummary, SeatSummary, Seed, VerdictCounts};
use joust_standings::ratings::Pentanomial;
use serde_json::Value;

use super::golden::{cases, count, golden};
use super::reference::{BoutOutcome, results_of};

pub(crate) fn pentanomial(case: &Value) -> Pentanomial {
    let [ll, ld, wl, dd, wd, ww] =
        ["ll", "ld", "wl", "dd", "wd", "ww"].map(|name| count(&case[name]));
    Pentanomial { ll, ld, wl, dd, wd, ww }
}

#[test]
fn every_number_of_pairs_is_the_published_one() {
    for case in cases(&golden("pentanomial", "pentanomial")["cases"]) {
        let (id, expect) = (case["id"].as_str().expect("an id"), &case["expect"]);
        let pairs = pentanomial(case);
        let (bouts, expected) = (pairs.outcomes(), |name: &str| count(&expect[name]));
        assert_eq!((pairs.pairs(), bouts.bouts()), (expected("pairs"), expected("games")));
        let split =
            ["wins", "draws", "losses"].map(|name| expected(&format!("{name}_if_split_known")));
        assert_eq!([bouts.wins, bouts.draws, bouts.losses], split, "{id}");
    }
}

/// Counts the pairs of two bots, from the side of the first.
fn count_pairs(bouts: &[BoutSummary], bots: [&str; 2]) -> Pentanomial {
    results_of(&bots, bouts).meetings[0].pairs
}

fn outcome(letter: &Value) -> BoutOutcome {
    match letter.as_str() {
        Some("W") => BoutOutcome::Win,
        Some("D") => BoutOutcome::Draw,
        Some("L") => BoutOutcome::Loss,
        _ => panic!("unknown result `{letter}`"),
    }
}

/// A bout that went like this for `own`, who sits in `seat`.
fn bout(own: &str, other: &str, seat: usize, seed: u64, outcome: BoutOutcome) -> BoutSummary {
    let mut seats = [(own, 3 - outcome.halves()), (other, 1 + outcome.halves())];
    seats.rotate_left(seat);
    let names = seats.map(|(bot, _)| bot);
    let number = u32::try_from(2 * seed).expect("a small seed") + u32::from(seat == 1);
    let seat = |(bot, rank): (&str, u8)| SeatSummary {
        bot: bot.into(),
        rank,
        score: 0.into(),
        verdicts: VerdictCounts::default().into(),
    };
    BoutSummary {
        bout: BoutPlan::id("cup", "league", &names, number),
        match_number: 0,
        number,
        seed: Seed(seed),
        rounds: 1,
        is_isolated: true,
        seats: seats.into_iter().map(seat).collect(),
    }
}

fn example() -> (Value, Vec<BoutSummary>) {
    let example = golden("pentanomial", "pentanomial")["pairing_example"].clone();
    let pairs = cases(&example["games_from_first_player_view"]).iter().zip(0..);
    let bouts = pairs.flat_map(|(pair, seed)| {
        [0, 1].map(|seat| bout("ada", "bix", seat, seed, outcome(&pair[seat])))
    });
    let bouts = bouts.collect();
    (example["expect"].clone(), bouts)
}

#[test]
fn pairs_are_counted_as_published_in_whatever_order_they_come() {
    let (expect, mut bouts) = example();
    for _ in 0..bouts.len() {
        bouts.rotate_left(7);
        bouts.swap(0, 1);
        let pairs = count_pairs(&bouts, ["ada", "bix"]);
        assert_eq!(pairs, pentanomial(&expect));
        let bouts = pairs.outcomes();
        let published = ["wins", "draws", "losses"].map(|name| count(&expect[name]));
        assert_eq!([bouts.wins, bouts.draws, bouts.losses], published);
    }
}

#[test]
fn seen_from_the_other_side_wins_are_losses() {
    let (_, bouts) = example();
    let [one, other] = [["ada", "bix"], ["bix", "ada"]].map(|bots| count_pairs(&bouts, bots));
    assert_eq!(
        [one.ll, one.ld, one.wl, one.dd, one.wd, one.ww],
        [other.ww, other.wd, other.wl, other.dd, other.ld, other.ll]
    );
}

#[test]
fn half_pairs_and_bouts_of_others_do_not_count() {
    let (_, mut bouts) = example();
    let whole = count_pairs(&bouts, ["ada", "bix"]);
    bouts.push(bout("ada", "bix", 0, 99, BoutOutcome::Win));
    bouts.push(bout("ada", "cyd", 0, 98, BoutOutcome::Win));
    bouts.push(bout("ada", "cyd", 1, 98, BoutOutcome::Win));
    assert_eq!(count_pairs(&bouts, ["ada", "bix"]), whole);
}
