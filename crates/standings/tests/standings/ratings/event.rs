//! The ratings of an event.

use joust_model::BoutSummary;
use joust_standings::ratings::event::{EventRatings, Model};

use super::fixtures::{bout, event};
use super::reference::{rate, rate_by};

fn rated(bots: &[&str], bouts: &[BoutSummary]) -> EventRatings {
    rate(&event(bots, 2), bots, bouts)
}

fn elo(ratings: &EventRatings, bot: &str) -> f64 {
    ratings.of(bot).and_then(|row| row.rating).expect("it has a rating")
}

fn texts(ratings: &EventRatings) -> Vec<&str> {
    ratings.notes.iter().map(|note| note.text.as_str()).collect()
}

/// Mirror pairs of two in which the first of them wins each first bout, and each
/// third of the others.
fn pairs(bots: [&str; 2], pairs: u64, base: u32) -> Vec<BoutSummary> {
    let [one, other] = bots;
    let numbers = (0..pairs).flat_map(|pair| {
        let number = base + 2 * u32::try_from(pair).expect("few");
        let second = if pair % 3 == 0 { [(other, 2), (one, 1)] } else { [(other, 1), (one, 2)] };
        [bout(&[(one, 1), (other, 2)], number, pair), bout(&second, number + 1, pair)]
    });
    numbers.collect()
}

#[test]
fn an_event_of_two_seats_is_fitted_as_a_whole() {
    let bouts: Vec<_> = [pairs(["ada", "bix"], 30, 0), pairs(["bix", "cyd"], 30, 100)].concat();
    let ratings = rated(&["bix", "ada", "cyd"], &bouts);
    assert_eq!(ratings.model, Model::BradleyTerry);
    assert_eq!(
        ratings.rows.iter().map(|row| row.bot.as_str()).collect::<Vec<_>>(),
        ["bix", "ada", "cyd"]
    );
    assert!(elo(&ratings, "ada") > elo(&ratings, "bix"));
    assert!(elo(&ratings, "bix") > elo(&ratings, "cyd"));
    assert!(elo(&ratings, "bix").abs() < 1e-6, "it is in the middle");
    let row = ratings.of("ada").expect("a row");
    assert!(row.low < row.rating && row.rating < row.high);
    assert_eq!((row.bouts, texts(&ratings)), (60, vec![]));
}

#[test]
fn superiority_of_one_is_inferiority_of_the_other() {
    let bouts = pairs(["ada", "bix"], 30, 0);
    let ratings = rated(&["ada", "bix"], &bouts);
    let matrix = ratings.superiority_matrix(ratings.rows.len());
    let [one, other] = [matrix[0][1], matrix[1][0]].map(|value| value.expect("they met"));
    assert!((one + other - 1.0).abs() < 1e-12 && one > 0.95, "{one} {other}");
    assert_eq!([matrix[0][0], matrix[1][1]], [None, None]);
}

#[test]
fn one_bout_gives_finite_ratings_and_says_why() {
    let ratings = rated(&["ada", "bix"], &[bout(&[("ada", 1), ("bix", 2)], 0, 0)]);
    // One win and one virtual draw: three quarters of the points.
    assert!((elo(&ratings, "ada") - 95.424).abs() < 0.001);
    let row = ratings.of("ada").expect("a row");
    assert!(row.high.expect("an end") - row.low.expect("an end") > 500.0);
    assert_eq!(ratings.notes.len(), 2);
    assert_eq!(ratings.notes[0].bots, ["ada", "bix"]);
    assert!(texts(&ratings)[0].contains("one virtual draw"));
    assert!(texts(&ratings)[1].contains("few bouts so far"));
}

#[test]
fn all_draws_are_level_with_an_interval() {
    let bouts: Vec<_> =
        (0..20).map(|number| bout(&[("ada", 1), ("bix", 1)], number, number.into())).collect();
    let ratings = rated(&["ada", "bix"], &bouts);
    assert!(elo(&ratings, "ada").abs() < 1e-9);
    assert!(ratings.rows[0].se.expect("an error") > 10.0);
    assert!((ratings.superiority(0, 1).expect("they met") - 0.5).abs() < 1e-9);
    assert!(texts(&ratings).last().expect("a note").contains("none that differ"));
}

#[test]
fn without_bouts_there_is_no_rating() {
    let ratings = rated(&["ada", "bix"], &[]);
    assert!(ratings.rows.iter().all(|row| row.rating.is_none() && row.se.is_none()));
    assert_eq!(texts(&ratings), ["no rating without a bout"]);
    assert_eq!(ratings.superiority(0, 1), None);
}

#[test]
fn groups_that_never_met_are_not_compared() {
    let bouts = [pairs(["ada", "bix"], 12, 0), pairs(["cyd", "dov"], 12, 100)].concat();
    let ratings = rated(&["ada", "bix", "cyd", "dov"], &bouts);
    assert!((elo(&ratings, "ada") + elo(&ratings, "bix")).abs() < 1e-6);
    assert!((elo(&ratings, "cyd") + elo(&ratings, "dov")).abs() < 1e-6);
    assert_eq!(ratings.superiority(0, 2), None);
    assert!(ratings.superiority(0, 1).is_some());
    assert!(texts(&ratings)[0].contains("2 groups that never met"));
}

#[test]
fn only_the_group_without_a_finite_fit_is_given_draws() {
    let mut bouts = pairs(["ada", "bix"], 12, 0);
    let alone = elo(&rated(&["ada", "bix"], &bouts), "ada");
    bouts.push(bout(&[("cyd", 1), ("dov", 2)], 100, 0));
    let ratings = rated(&["ada", "bix", "cyd", "dov"], &bouts);
    assert!((elo(&ratings, "ada") - alone).abs() < 1e-9);
    assert_eq!(ratings.notes[0].bots, ["cyd", "dov"]);
}

#[test]
fn the_last_bout_of_an_odd_match_counts_as_a_sample_of_its_own() {
    let mut bouts = pairs(["ada", "bix"], 12, 0);
    let even = rated(&["ada", "bix"], &bouts);
    bouts.push(bout(&[("bix", 1), ("ada", 2)], 100, 77));
    let odd = rated(&["ada", "bix"], &bouts);
    assert_eq!(odd.rows[0].bouts, even.rows[0].bouts + 1);
    assert!(elo(&odd, "bix") > elo(&even, "bix"));
}

#[test]
fn bouts_of_bots_that_do_not_play_do_not_count() {
    let mut bouts = pairs(["ada", "bix"], 12, 0);
    let alone = rated(&["ada", "bix"], &bouts);
    bouts.extend(pairs(["gone", "bix"], 12, 100));
    let ratings = rated(&["ada", "bix"], &bouts);
    assert_eq!(ratings.rows, alone.rows);
}

#[test]
fn more_than_two_seats_are_rated_by_plackett_luce_in_schedule_order() {
    let names = ["ada", "bix", "cyd", "dov"];
    let ranks = [[1, 2, 3, 4], [2, 1, 3, 4], [1, 3, 2, 4]];
    let bouts: Vec<_> = ranks
        .iter()
        .zip(0..)
        .map(|(ranks, number)| {
            let seats: Vec<_> = names.into_iter().zip(*ranks).collect();
            bout(&seats, number, number.into())
        })
        .collect();
    let info = event(&names, 4);
    let ratings = rate(&info, &names, &bouts);
    assert_eq!(ratings.model.name(), "plackett-luce");
    let order: Vec<_> = ratings.rows.iter().map(|row| row.rating).collect();
    assert!(order.is_sorted_by(|one, other| one > other), "{order:?}");
    let mut shuffled = bouts.clone();
    shuffled.reverse();
    assert_eq!(rate(&info, &names, &shuffled).rows, ratings.rows);
    let asked = rate_by(Model::BradleyTerry, &info, &names, &bouts);
    assert_eq!(asked.rows, ratings.rows);
    assert_eq!(texts(&asked), ["bradley-terry is for two seats; this is plackett-luce"]);
}

#[test]
fn every_model_is_found_by_its_name() {
    for model in Model::ALL {
        assert_eq!(Model::from_name(model.name()), Some(model));
    }
}
