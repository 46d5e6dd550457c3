//! Whole tables of bouts of two.

use std::collections::BTreeMap;

use joust_tables::ratings::joint::{ELO, Fit, Meeting, PairModel, Results};
use joust_tables::ratings::{Outcomes, Pentanomial, Z95};
use serde_json::Value;

use super::golden::{assert_near, cases, count, golden, number};

const GOLDEN: (&str, &str) = ("bradley_terry", "bradley-terry");

/// A table of results with its players by place.
struct Table {
    players: BTreeMap<String, usize>,
    results: Results,
}

impl Table {
    fn of(players: &Value, results: &Value) -> Self {
        let names = cases(players).iter().map(|name| name.as_str().expect("a name").to_owned());
        let players: BTreeMap<_, _> = names.zip(0..).collect();
        let meetings = cases(results).iter().map(|result| {
            let bots = ["a", "b"].map(|side| players[result[side].as_str().expect("a player")]);
            let [wins, draws, losses] =
                ["wins", "draws", "losses"].map(|name| count(&result[name]));
            let singles = Outcomes { wins, draws, losses };
            Meeting { bots, singles, ..Meeting::default() }
        });
        let results = Results { bots: players.len(), meetings: meetings.collect() };
        Self { players, results }
    }

    fn published() -> (Self, Value) {
        let golden = golden(GOLDEN.0, GOLDEN.1);
        (Self::of(&golden["players"], &golden["results"]), golden)
    }

    fn place(&self, name: &Value) -> usize {
        self.players[name.as_str().expect("a player")]
    }

    /// Fails unless every player's number is the published one.
    fn check(&self, what: &str, published: &Value, tolerance: f64, ours: impl Fn(usize) -> f64) {
        assert_eq!(published.as_object().map(serde_json::Map::len), Some(self.players.len()));
        for (name, place) in &self.players {
            let of = &published[name];
            assert_near(&format!("{what} of {name}"), ours(*place), of, tolerance);
        }
    }
}

fn tolerances(golden: &Value) -> (f64, f64) {
    let tolerance = &golden["tolerance"];
    (number(&tolerance["elo_absolute"]), number(&tolerance["se_relative"]))
}

/// A relative tolerance of the largest number of an object of players.
fn relative(published: &Value, part: f64) -> f64 {
    let numbers = published.as_object().expect("players").values().map(number);
    part * numbers.fold(f64::INFINITY, f64::min)
}

#[test]
fn bradley_terry_is_the_published_one() {
    let (table, golden) = Table::published();
    let (elo, part) = tolerances(&golden);
    let expect = &golden["bradley_terry_draw_is_half"];
    let fit = Fit::of(PairModel::BradleyTerry, &table.results);
    table.check("Elo", &expect["elo"], elo, |bot| fit.elo[bot]);
    table.check("points", &expect["expected_points"], 1e-6, |bot| fit.expected_points()[bot]);
    let (model, robust) = (&fit.covariance.model, &fit.covariance.robust);
    let check = |name: &str, ours: &dyn Fn(usize) -> f64| {
        table.check(name, &expect[name], relative(&expect[name], part), ours);
    };
    check("se_model", &|bot| model.of(bot));
    check("se_robust", &|bot| robust.of(bot));
    check("ci95_half_width_model", &|bot| Z95 * model.of(bot));
    check("ci95_half_width_robust", &|bot| Z95 * robust.of(bot));
    for pair in cases(&expect["pair_difference"]) {
        let [one, other] = ["a", "b"].map(|side| table.place(&pair[side]));
        let difference = fit.difference(one, other).expect("they met");
        assert_near("difference", difference.elo, &pair["elo_diff"], elo);
        let near = |name: &str, ours: f64| {
            assert_near(name, ours, &pair[name], part * number(&pair[name]));
        };
        near("se_model", difference.se_model);
        near("se_robust", difference.se_robust);
        near("los_robust", difference.superiority(difference.se_robust));
    }
}

#[test]
fn ratings_can_be_told_from_one_bot() {
    let (table, golden) = Table::published();
    let fit = Fit::of(PairModel::BradleyTerry, &table.results);
    let anchored = fit.anchored(table.players["fig"], 1000.0);
    let expect = &golden["bradley_terry_anchored_fig_at_1000"];
    table.check("Elo", expect, tolerances(&golden).0, |bot| anchored[bot]);
}

#[test]
fn davidson_is_the_published_one() {
    let (table, golden) = Table::published();
    let (elo, part) = tolerances(&golden);
    let expect = &golden["davidson"];
    let fit = Fit::of(PairModel::Davidson, &table.results);
    table.check("Elo", &expect["elo"], elo, |bot| fit.elo[bot]);
    let nu = fit.draws().expect("there are draws").exp();
    assert_near("nu", nu, &expect["nu"], 1e-6);
    assert_near("level", nu / (2.0 + nu), &expect["draw_probability_equal_players"], 1e-6);
    let se = fit.covariance.of_draws().expect("there are draws");
    assert_near("ln nu", se, &expect["log_nu_se"], part * se);
    assert_near("likelihood", fit.log_likelihood, &expect["log_likelihood"], 1e-6);
    let model = &fit.covariance.model;
    table.check("se", &expect["se"], relative(&expect["se"], part), |bot| model.of(bot));
    for pair in cases(&expect["pair_difference"]) {
        let [one, other] = ["a", "b"].map(|side| table.place(&pair[side]));
        let difference = fit.difference(one, other).expect("they met");
        assert_near("difference", difference.elo, &pair["elo_diff"], elo);
        assert_near("se", difference.se_model, &pair["se"], part * number(&pair["se"]));
        let superiority = difference.superiority(difference.se_model);
        assert_near("superiority", superiority, &pair["los"], part);
    }
    for pair in cases(&expect["example_probabilities"]) {
        let [one, other] = ["a", "b"].map(|side| table.place(&pair[side]));
        let chances = fit.probabilities(one, other);
        for (name, ours) in ["loss", "draw", "win"].into_iter().zip(chances) {
            assert_near(name, ours, &pair[name], 1e-6);
        }
    }
}

#[test]
fn rao_kupper_is_the_published_one() {
    let (table, golden) = Table::published();
    let (elo, _) = tolerances(&golden);
    let expect = &golden["rao_kupper"];
    let fit = Fit::of(PairModel::RaoKupper, &table.results);
    table.check("Elo", &expect["elo_unscaled"], elo, |bot| fit.elo[bot]);
    let width = fit.draws().expect("there are draws");
    assert_near("drawelo", width, &expect["drawelo"], elo);
    let odds = 10_f64.powf(-width / 400.0);
    let scale = 4.0 * odds / (1.0 + odds).powi(2);
    assert_near("scale", scale, &expect["scale"], 1e-6);
    table.check("scaled", &expect["elo_scaled"], elo, |bot| scale * fit.elo[bot]);
    // BayesElo rounds, and its intervals hold the other ratings still or not by turns.
    let prints = &expect["bayeselo_prints"]["prior_0"];
    table.check("printed", &prints["ratings"], 0.5, |bot| scale * fit.elo[bot]);
}

#[test]
fn in_a_gauntlet_each_distance_is_that_of_the_pair() {
    let golden = golden(GOLDEN.0, GOLDEN.1);
    let gauntlet = &golden["gauntlet"];
    let table = Table::of(&gauntlet["players"], &gauntlet["results"]);
    let fit = Fit::of(PairModel::BradleyTerry, &table.results);
    let (elo, _) = tolerances(&golden);
    let expect = &gauntlet["expect"];
    table.check("Elo", &expect["elo_mean_zero"], elo, |bot| fit.elo[bot]);
    let from_new = fit.anchored(table.players["new"], 0.0);
    table.check("from new", &expect["elo_relative_to_new"], elo, |bot| from_new[bot]);
    for meeting in &table.results.meetings {
        let pair = meeting.bouts().estimate().expect("bouts").elo.expect("not perfect");
        let difference = fit.difference(meeting.bots[0], meeting.bots[1]).expect("they met");
        assert!((difference.elo - pair).abs() < 1e-6);
    }
}

#[test]
fn a_perfect_score_is_fitted_with_one_virtual_draw_for_each_pair() {
    let golden = golden(GOLDEN.0, GOLDEN.1);
    let perfect = &golden["perfect_score"];
    let table = Table::of(&perfect["players"], &perfect["results"]);
    let made_finite = table.results.clone().made_finite();
    assert_eq!(made_finite, table.results.clone().with_virtual_draws());
    let fit = Fit::of(PairModel::BradleyTerry, &made_finite);
    let expect = &perfect["expect"]["with_one_virtual_draw_per_pair"]["elo_mean_zero"];
    table.check("Elo", expect, tolerances(&golden).0, |bot| fit.elo[bot]);
}

#[test]
fn results_that_have_a_finite_fit_are_left_alone() {
    let (table, _) = Table::published();
    assert_eq!(table.results.clone().made_finite(), table.results);
}

#[test]
fn a_mirror_pair_is_one_sample_of_the_robust_covariance() {
    let split = Meeting {
        bots: [0, 1],
        pairs: Pentanomial { wl: 30, ..Pentanomial::default() },
        ..Meeting::default()
    };
    let apart = Meeting { bots: [0, 1], singles: split.bouts(), ..Meeting::default() };
    let [paired, single] = [split, apart].map(|meeting| {
        Fit::of(PairModel::BradleyTerry, &Results { bots: 2, meetings: vec![meeting] })
    });
    assert_eq!(paired.elo, single.elo);
    // Thirty pairs that always split show no spread; sixty bouts as coins would.
    assert!(paired.covariance.robust.of(0) < 1e-9);
    let pairwise = ELO * (1.0_f64 / (60.0 * 0.25)).sqrt();
    let difference = single.difference(0, 1).expect("they met");
    assert!((difference.se_robust - pairwise).abs() < 1e-6);
    assert!((difference.se_model - pairwise).abs() < 1e-6);
}

/// Bots of different strength that all met twice; draws as luck has it.
fn league(bots: usize) -> Results {
    let mut lot = 1_u64;
    let mut draw = |share: u64| {
        lot = lot.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (lot >> 33) % share
    };
    let mut meetings = Vec::new();
    for one in 0..bots {
        for other in one + 1..bots {
            let mut singles = Outcomes::default();
            for _ in 0..2 {
                match draw(20) + (other - one) as u64 * 10 / bots as u64 {
                    0..=8 => singles.losses += 1,
                    9..=11 => singles.draws += 1,
                    _ => singles.wins += 1,
                }
            }
            meetings.push(Meeting { bots: [one, other], singles, ..Meeting::default() });
        }
    }
    Results { bots, meetings }
}

#[test]
fn in_a_large_league_every_bot_has_the_points_it_should_have() {
    let results = league(120);
    assert_eq!(results.clone().made_finite(), results);
    let mut points = vec![0.0; results.bots];
    for meeting in &results.meetings {
        let bouts = meeting.bouts();
        let halves = (2 * bouts.wins + bouts.draws) as f64 / 2.0;
        points[meeting.bots[0]] += halves;
        points[meeting.bots[1]] += bouts.bouts() as f64 - halves;
    }
    // Under Rao and Kupper's model draws are no half wins.
    for model in [PairModel::BradleyTerry, PairModel::Davidson] {
        let fit = Fit::of(model, &results);
        assert_eq!(fit.model, model);
        let sum: f64 = fit.elo.iter().sum();
        assert!(sum.abs() < 1e-6, "{sum}");
        for (expected, points) in fit.expected_points().iter().zip(&points) {
            assert!((expected - points).abs() < 1e-7, "{model:?}: {expected} and {points}");
        }
    }
}

#[test]
fn groups_that_never_met_are_told_apart_in_whatever_order_they_are_linked() {
    let meeting = |one: usize, other: usize| Meeting {
        bots: [one, other],
        singles: Outcomes { wins: 2, draws: 1, losses: 1 },
        ..Meeting::default()
    };
    let meetings = vec![meeting(3, 5), meeting(1, 6), meeting(0, 5), meeting(2, 6), meeting(1, 2)];
    let results = Results { bots: 8, meetings };
    assert_eq!(results.groups(), [vec![0, 3, 5], vec![1, 2, 6], vec![4], vec![7]]);
    let fit = Fit::of(PairModel::BradleyTerry, &results);
    assert!(fit.difference(0, 3).is_some() && fit.difference(0, 1).is_none());
    assert!(fit.difference(4, 7).is_none());
}
