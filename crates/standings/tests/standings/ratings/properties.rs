//! Properties that hold for any results.

use joust_model::BoutSummary;
use joust_standings::ratings::Pentanomial;
use joust_standings::ratings::event::{EventRatings, Model};
use joust_standings::ratings::sprt::Sprt;
use proptest::prelude::*;

use super::fixtures::{bout, event};
use super::reference::rate_by;

const NAMES: [&str; 7] = ["ada", "bix", "cyd", "dov", "eel", "fig", "gnu"];

/// Bouts of any bots in any number, with any ranks; seeds collide.
fn any_bouts(seats: usize) -> impl Strategy<Value = Vec<BoutSummary>> {
    let order = Just((0..NAMES.len()).collect::<Vec<_>>()).prop_shuffle();
    let one = (order, prop::collection::vec(1..=4_u8, seats), 0..6_u64);
    prop::collection::vec(one, 0..40).prop_map(move |bouts| {
        let numbered = bouts.into_iter().zip(0..);
        numbered
            .map(|((order, ranks, seed), number)| {
                let seats: Vec<_> =
                    order.into_iter().map(|bot| NAMES[bot]).zip(ranks).take(seats).collect();
                bout(&seats, number, seed)
            })
            .collect()
    })
}

fn is_sound(ratings: &EventRatings) -> bool {
    let numbers = ratings.rows.iter().flat_map(|row| [row.rating, row.low, row.high, row.se]);
    let matrix = ratings.superiority_matrix(ratings.rows.len());
    let chances: Vec<_> = matrix.into_iter().flatten().flatten().collect();
    numbers.flatten().all(f64::is_finite)
        && chances.iter().all(|chance| (0.0..=1.0).contains(chance))
        && ratings.rows.iter().all(|row| row.rating.is_some() == (row.bouts > 0))
        && ratings.rows.iter().all(|row| row.se.is_none_or(|se| se > 0.0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn ratings_of_two_are_numbers_with_mean_zero_in_any_order(
        bouts in any_bouts(2),
        turn in 0..40_usize,
    ) {
        let info = event(&NAMES, 2);
        let ratings = rate_by(Model::BradleyTerry, &info, &NAMES, &bouts);
        prop_assert!(is_sound(&ratings), "{ratings:?}");
        let sum: f64 = ratings.rows.iter().filter_map(|row| row.rating).sum();
        prop_assert!(sum.abs() < 1e-6, "{sum}");
        let widest = ratings.rows.iter().filter_map(|row| row.rating?.abs().max(row.se?).into());
        prop_assert!(widest.fold(0.0, f64::max) < 5000.0, "{ratings:?}");
        let mut turned = bouts.clone();
        turned.reverse();
        turned.rotate_left(turn.min(bouts.len()));
        let again = rate_by(Model::BradleyTerry, &info, &NAMES, &turned);
        prop_assert_eq!(&again.rows, &ratings.rows);
        let mut names = NAMES;
        names.rotate_left(turn % NAMES.len());
        let others = rate_by(Model::BradleyTerry, &info, &names, &bouts);
        for row in &others.rows {
            prop_assert_eq!(Some(row), ratings.of(&row.bot));
        }
    }

    #[test]
    fn ratings_of_many_are_numbers_in_any_order(bouts in any_bouts(4), turn in 0..40_usize) {
        for model in Model::ALL.into_iter().filter(|model| matches!(model, Model::Skill(_))) {
            let info = event(&NAMES, 4);
            let ratings = rate_by(model, &info, &NAMES, &bouts);
            prop_assert!(is_sound(&ratings), "{ratings:?}");
            let mut turned = bouts.clone();
            turned.rotate_left(turn.min(bouts.len()));
            prop_assert_eq!(&rate_by(model, &info, &NAMES, &turned).rows, &ratings.rows);
        }
    }

    #[test]
    fn a_test_always_has_a_finite_ratio(
        classes in prop::array::uniform6(0..100_000_u64),
        low in -1000.0..999.0_f64,
        distance in 0.01..500.0_f64,
    ) {
        let [ll, ld, wl, dd, wd, ww] = classes;
        let pairs = Pentanomial { ll, ld, wl, dd, wd, ww };
        let test = Sprt::new([low, (low + distance).min(1000.0)], 0.05, 0.1).expect("a test");
        prop_assert!(test.judge(&pairs.classes()).llr.is_finite());
        let bouts = pairs.outcomes();
        let bouts = [bouts.losses, bouts.draws, bouts.wins];
        prop_assert!(test.judge(&bouts).llr.is_finite());
        if let Some(estimate) = test.estimate(&pairs.classes()) {
            let [low, high] = estimate.interval;
            prop_assert!([estimate.elo, low, high].into_iter().all(f64::is_finite));
            prop_assert!((0.0..=1.0).contains(&estimate.superiority));
        }
    }
}
