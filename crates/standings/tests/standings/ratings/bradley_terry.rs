//! Bradley-Terry ratings of whole tables.

use std::collections::BTreeMap;

use joust_standings::ratings::bradley_terry::{ELO, Fit, Meeting, Results};
use joust_standings::ratings::{Outcomes, Pentanomial, Z95, score_of_elo};
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

/// Returns the points that each bot should have by its rating.
fn expected_points(fit: &Fit, results: &Results) -> Vec<f64> {
    let mut points = vec![0.0; results.bots];
    for meeting in &results.meetings {
        let [one, other] = meeting.bots;
        let bouts = meeting.bouts().bouts() as f64;
        let share = score_of_elo(fit.elo[one] - fit.elo[other]);
        points[one] += bouts * share;
        points[other] += bouts * (1.0 - share);
    }
    points
}

/// Returns the points that each bot has.
fn real_points(results: &Results) -> Vec<f64> {
    let mut points = vec![0.0; results.bots];
    for meeting in &results.meetings {
        let bouts = meeting.bouts();
        let halves = (2 * bouts.wins + bouts.draws) as f64 / 2.0;
        points[meeting.bots[0]] += halves;
        points[meeting.bots[1]] += bouts.bouts() as f64 - halves;
    }
    points
}

/// Returns the ratings moved so that one bot has a given one.
fn anchored(fit: &Fit, bot: usize, at: f64) -> Vec<f64> {
    fit.elo.iter().map(|elo| elo - fit.elo[bot] + at).collect()
}

#[test]
fn bradley_terry_is_the_published_one() {
    let (table, golden) = Table::published();
    let (elo, part) = tolerances(&golden);
    let expect = &golden["bradley_terry_draw_is_half"];
    let fit = Fit::of(&table.results);
    let expected = expected_points(&fit, &table.results);
    table.check("Elo", &expect["elo"], elo, |bot| fit.elo[bot]);
    table.check("points", &expect["expected_points"], 1e-6, |bot| expected[bot]);
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
    let fit = Fit::of(&table.results);
    let anchored = anchored(&fit, table.players["fig"], 1000.0);
    let expect = &golden["bradley_terry_anchored_fig_at_1000"];
    table.check("Elo", expect, tolerances(&golden).0, |bot| anchored[bot]);
}

#[test]
fn in_a_gauntlet_each_distance_is_that_of_the_pair() {
    let golden = golden(GOLDEN.0, GOLDEN.1);
    let gauntlet = &golden["gauntlet"];
    let table = Table::of(&gauntlet["players"], &gauntlet["results"]);
    let fit = Fit::of(&table.results);
    let (elo, _) = tolerances(&golden);
    let expect = &gauntlet["expect"];
    table.check("Elo", &expect["elo_mean_zero"], elo, |bot| fit.elo[bot]);
    let from_new = anchored(&fit, table.players["new"], 0.0);
    table.check("from new", &expect["elo_relative_to_new"], elo, |bot| from_new[bot]);
    for meeting in &table.results.meetings {
        let bouts = meeting.bouts();
        let score = (bouts.wins as f64 + bouts.draws as f64 / 2.0) / bouts.bouts() as f64;
        let pair = -400.0 * (1.0 / score - 1.0).log10();
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
    let mut with_draws = table.results.clone();
    with_draws.meetings.iter_mut().for_each(|meeting| meeting.virtual_draws = 1.0);
    assert_eq!(made_finite, with_draws);
    let fit = Fit::of(&made_finite);
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
    let [paired, single] =
        [split, apart].map(|meeting| Fit::of(&Results { bots: 2, meetings: vec![meeting] }));
    assert_eq!(paired.elo, single.elo);
    // Thirty pairs that always split show no spread; sixty bouts as coins would.
    assert!(paired.covariance.robust.of(0) < 1e-9);
    let pairwise = ELO * (1.0_f64 / (60.0 * 0.25)).sqrt();
    let difference = single.difference(0, 1).expect("they met");
    assert!((difference.se_robust - pairwise).abs() < 1e-6);
    assert!((difference.se_model - pairwise).abs() < 1e-6);
}

/// Numbers in a fixed order that look drawn by lot.
struct Lot(u64);

impl Lot {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Returns what pairs of bots of different strength did in some bouts; draws as luck has it.
fn league(bots: usize, pairs: impl IntoIterator<Item = [usize; 2]>, bouts: usize) -> Results {
    let mut lot = Lot(1);
    let mut meetings = Vec::new();
    for [one, other] in pairs.into_iter().map(|[one, other]| [one.min(other), one.max(other)]) {
        let mut singles = Outcomes::default();
        for _ in 0..bouts {
            match lot.below(20) + (other - one) as u64 * 10 / bots as u64 {
                0..=8 => singles.losses += 1,
                9..=11 => singles.draws += 1,
                _ => singles.wins += 1,
            }
        }
        meetings.push(Meeting { bots: [one, other], singles, ..Meeting::default() });
    }
    Results { bots, meetings }.made_finite()
}

fn everybody(bots: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..bots).flat_map(move |one| (one + 1..bots).map(move |other| [one, other]))
}

/// Bots that each meet the bots some places further.
fn ring(bots: usize, distances: &[usize]) -> impl Iterator<Item = [usize; 2]> {
    (0..bots).flat_map(move |bot| distances.iter().map(move |far| [bot, (bot + far) % bots]))
}

/// Fails unless every bot's expected points are its real ones, which is where the likelihood is
/// highest, and the mean is zero.
fn assert_converged(results: &Results) -> Fit {
    let fit = Fit::of(results);
    let sum: f64 = fit.elo.iter().sum();
    assert!(sum.abs() < 1e-6, "{sum}");
    let pairs = expected_points(&fit, results).into_iter().zip(real_points(results));
    let apart = pairs.map(|(expected, points)| (expected - points).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-7, "{} bots are {apart} points off", results.bots);
    fit
}

#[test]
fn every_bot_of_a_league_has_the_points_it_should_have() {
    assert_converged(&league(120, everybody(120), 2));
}

#[test]
fn bots_of_a_long_chain_have_the_points_they_should_have() {
    assert_converged(&league(1200, ring(1200, &[1, 2]), 20));
}

#[test]
fn a_field_of_ten_thousand_with_few_meetings_converges() {
    let distances = [1, 47, 331, 1009, 2503, 4211];
    let results = league(10_000, ring(10_000, &distances), 20);
    let fit = assert_converged(&results);
    assert!(fit.covariance.is_diagonal());
    let (model, robust) = (&fit.covariance.model, &fit.covariance.robust);
    for bot in 0..results.bots {
        // Twelve opponents, twenty bouts against each, every one a quarter of a bout's variance
        // at most.
        assert!(model.of(bot) > ELO * (1.0_f64 / (240.0 * 0.25)).sqrt() - 1e-9);
        assert!((10.0..40.0).contains(&robust.of(bot)), "{}", robust.of(bot));
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
    let fit = Fit::of(&results);
    assert!(fit.difference(0, 3).is_some() && fit.difference(0, 1).is_none());
    assert!(fit.difference(4, 7).is_none());
}
