//! Ratings from totals: those of the bouts.

use joust_model::{BoutSummary, Decision, EventInfo, Mirror, Seed};
use joust_standings::ratings::Totals;
use joust_standings::ratings::event::{Model, rate_totals};
use joust_testkit::seeded_rng::SeededRng;

use super::fixtures::{bout, decide, event};
use crate::ratings::reference::rate_by;

const BOTS: [&str; 5] = ["dora", "anna", "emil", "cleo", "bert"];

/// Mirror pairs of every pair of bots; some bouts are missing.
fn bouts(chance: &mut SeededRng) -> Vec<BoutSummary> {
    let mut bouts = Vec::new();
    for (place, one) in BOTS.iter().enumerate() {
        for (other, opponent) in BOTS.iter().enumerate().skip(place + 1) {
            for number in 0..7_u32 {
                let seats = if number % 2 == 0 { [*one, *opponent] } else { [*opponent, *one] };
                let rank = |chance: &mut SeededRng| if chance.next_permille(500) { 1 } else { 2 };
                let mut played = bout(seats, [rank(chance), rank(chance)], number);
                played.seed = Seed(((place * 10 + other) as u64) << 8 | u64::from(number / 2));
                played.is_isolated = chance.next_permille(800);
                bouts.extend(chance.next_permille(800).then_some(played));
            }
        }
    }
    bouts
}

fn added_up(bouts: &[BoutSummary]) -> Totals {
    let mut totals = Totals::new(Mirror::Pairs);
    bouts.iter().for_each(|bout| totals.add(bout));
    totals
}

fn assert_same(event: &EventInfo, bouts: &[BoutSummary], totals: &Totals) {
    let by_bouts = rate_by(Model::BradleyTerry, event, &BOTS, bouts);
    let by_totals = rate_totals(&BOTS, totals);
    assert_eq!(by_bouts.rows, by_totals.rows);
    assert_eq!(by_bouts.notes, by_totals.notes);
}

#[test]
fn ratings_from_totals_are_those_from_bouts() {
    for seed in 0..20 {
        let mut chance = SeededRng(seed);
        let (mut event, bouts) = (event(&BOTS, 7), bouts(&mut chance));
        assert_same(&event, &bouts, &added_up(&bouts));
        decide(&mut event, "cleo", Decision::Withdrawn);
        assert_same(&event, &bouts, &added_up(&bouts));
    }
}

#[test]
fn the_order_of_bouts_does_not_change_ratings_from_totals() {
    for seed in 0..20 {
        let mut chance = SeededRng(seed);
        let (event, mut bouts) = (event(&BOTS, 7), bouts(&mut chance));
        let mut shuffled = Vec::new();
        while !bouts.is_empty() {
            let place = usize::try_from(chance.below(bouts.len() as u64)).expect("it is small");
            shuffled.push(bouts.swap_remove(place));
        }
        assert_same(&event, &shuffled, &added_up(&shuffled));
    }
}
