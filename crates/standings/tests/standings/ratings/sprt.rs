//! The sequential test.

use joust_standings::ratings::Pentanomial;
use joust_standings::ratings::sprt::{SequentialTest, Sprt, SprtDecision, SprtError};
use serde_json::Value;

use super::golden::{assert_near, cases, count, golden, number};
use super::pairs::pentanomial;

/// The published cases in normalised Elo, which is the unit of our tests.
fn normalised(list: &Value) -> impl Iterator<Item = &Value> {
    cases(list).iter().filter(|case| case["model"] == "normalized")
}

fn sprt(case: &Value) -> Sprt {
    let elo = [number(&case["elo0"]), number(&case["elo1"])];
    let [alpha, beta] = ["alpha", "beta"].map(|name| number(&case[name]));
    Sprt::new(elo, alpha, beta).expect("a published test")
}

fn sample(case: &Value) -> Vec<u64> {
    if case["kind"] == "pentanomial" {
        return pentanomial(case).classes().to_vec();
    }
    ["losses", "draws", "wins"].map(|name| count(&case[name])).to_vec()
}

fn finding(name: &Value) -> SprtDecision {
    match name.as_str() {
        Some("H0") => SprtDecision::H0,
        Some("H1") => SprtDecision::H1,
        Some("continue") => SprtDecision::Undecided,
        _ => panic!("unknown state `{name}`"),
    }
}

#[test]
fn every_ratio_bound_and_decision_is_the_published_one() {
    let golden = golden("sprt", "sprt");
    let [absolute, relative] =
        ["llr_absolute", "llr_relative"].map(|name| number(&golden["tolerance"][name]));
    for case in normalised(&golden["cases"]) {
        let (id, expect) = (case["id"].as_str().expect("an id"), &case["expect"]);
        let judgement = sprt(case).judge(&sample(case));
        let tolerance = absolute.max(relative * number(&expect["llr"]).abs());
        assert_near(id, judgement.llr, &expect["llr"], tolerance);
        assert_near(id, judgement.bounds.lower, &expect["lower_bound"], absolute);
        assert_near(id, judgement.bounds.upper, &expect["upper_bound"], absolute);
        assert_eq!(judgement.finding, finding(&expect["state"]), "{id}");
    }
}

#[test]
fn a_test_stops_after_the_published_pair() {
    let golden = golden("sprt", "sprt");
    let tolerance = number(&golden["sequential"]["tolerance"]);
    for case in normalised(&golden["sequential"]["cases"]) {
        let expect = &case["expect"];
        let mut running = SequentialTest::new(sprt(case), 4);
        for class in case["outcomes"].as_str().expect("outcomes").chars() {
            running.add(class.to_digit(5).expect("a class of a pair") as usize);
        }
        let judgement = running.judgement();
        assert_near("LLR", judgement.llr, &expect["llr_at_stop"], tolerance);
        assert_eq!(judgement.finding, finding(&expect["decision"]));
        let stopped = expect["stopped_after_pairs"].as_u64();
        let outcomes = case["outcomes"].as_str().map(|all| all.len() as u64);
        assert_eq!(Some(running.outcomes()), stopped.or(outcomes));
    }
}

#[test]
fn the_difference_after_a_test_is_the_published_one() {
    let golden = golden("sprt", "sprt");
    let after = &golden["elo_estimate_after_sprt"];
    let tolerance = number(&after["tolerance"]);
    for case in normalised(&after["cases"]) {
        let expect = &case["expect"];
        let [ll, ld, wl, wd, ww] = [0, 1, 2, 3, 4].map(|class| count(&case["pentanomial"][class]));
        let pairs = Pentanomial { ll, ld, wl, dd: 0, wd, ww };
        let test = sprt(case);
        let estimate = test.estimate(&pairs.classes()).expect("there are pairs");
        assert_near("Elo", estimate.elo, &expect["elo_median_unbiased"], tolerance);
        assert_near("low", estimate.interval[0], &expect["ci95"][0], tolerance);
        assert_near("high", estimate.interval[1], &expect["ci95"][1], tolerance);
        assert_near("superiority", estimate.superiority, &expect["los"], tolerance);
        let llr = test.judge(&pairs.classes()).llr;
        assert_near("LLR", llr, &expect["llr"], tolerance);
    }
}

#[test]
fn far_hypotheses_are_weighed_as_near_ones() {
    let pairs = Pentanomial { wd: 3, ..Pentanomial::default() };
    let llr = |elo| {
        let test = Sprt::new(elo, 0.05, 0.05).expect("a test");
        test.judge(&pairs.classes()).llr
    };
    // Three pairs of three quarters speak for any lead, the more the greater it is.
    let leads = [50.0, 200.0, 240.0, 400.0, 800.0].map(|lead| llr([0.0, lead]));
    assert!(leads.is_sorted() && leads[0] > 0.0, "{leads:?}");
    let back = llr([-400.0, 400.0]) - llr([-400.0, 0.0]) - llr([0.0, 400.0]);
    assert!(back.abs() < 1e-6, "{back}");
}

#[test]
fn a_stopped_test_stays_stopped() {
    let test = Sprt::new([0.0, 50.0], 0.05, 0.05).expect("a test");
    let mut running = SequentialTest::new(test, 4);
    while running.judgement().finding == SprtDecision::Undecided {
        running.add(3);
    }
    let (counts, judgement) = (running.counts().to_vec(), running.judgement());
    running.add(0);
    assert_eq!((running.counts(), running.judgement()), (&counts[..], judgement));
    assert_eq!(judgement.finding, SprtDecision::H1);
}

#[test]
fn a_test_without_bouts_is_undecided_at_zero() {
    let test = Sprt::new([0.0, 5.0], 0.05, 0.05).expect("a test");
    let judgement = test.judge(&[0; 3]);
    assert_eq!((judgement.llr, judgement.finding), (0.0, SprtDecision::Undecided));
    assert_eq!(test.estimate(&[0; 5]), None);
}

#[test]
fn hypotheses_and_rates_that_make_no_test_are_refused() {
    let new = |elo, alpha, beta| Sprt::new(elo, alpha, beta).unwrap_err();
    assert_eq!(new([5.0, 5.0], 0.05, 0.05), SprtError::Order(5.0, 5.0));
    assert_eq!(new([0.0, 5.0], 0.0, 0.05), SprtError::Rate(0.0));
    assert_eq!(new([0.0, 5.0], 0.05, 0.5), SprtError::Rate(0.5));
    assert!(matches!(new([f64::NAN, 5.0], 0.05, 0.05), SprtError::Elo(_)));
    assert_eq!(new([0.0, 5.0], 0.0, 0.05).to_string(), "error rate `0` is not between 0 and 0.5");
}
