//! Two bots, bout by bout.

use joust_standings::ratings::{Estimate, NORMALISED_ELO, Outcomes, Z95};
use serde_json::Value;

use super::golden::{assert_near, assert_same, cases, count, golden, number};

fn outcomes(case: &Value) -> Outcomes {
    let [wins, draws, losses] = ["wins", "draws", "losses"].map(|name| count(&case[name]));
    Outcomes { wins, draws, losses }
}

/// The estimate's numbers by the names of the published ones.
pub(crate) fn named(estimate: &Estimate) -> Vec<(&'static str, Option<f64>)> {
    vec![
        ("score", Some(estimate.score)),
        ("score_stderr", Some(estimate.stderr)),
        ("elo", estimate.elo),
        ("elo_error_half_width", estimate.half_width),
        ("nelo", estimate.normalised),
        ("nelo_error_half_width", estimate.normalised_half_width),
    ]
}

pub(crate) fn check(id: &str, estimate: &Estimate, expect: &Value, tolerance: f64) {
    for (name, ours) in named(estimate) {
        assert_same(&format!("{id}, {name}"), ours, &expect[name], tolerance);
    }
    for (end, ours) in estimate.interval.into_iter().enumerate() {
        assert_same(&format!("{id}, end {end}"), ours, &expect["elo_ci95"][end], tolerance);
    }
}

#[test]
fn every_number_of_two_bots_is_the_published_one() {
    let golden = golden("pairwise_elo", "pairwise-elo");
    let tolerance = number(&golden["tolerance"]["absolute"]);
    assert_near("z", Z95, &golden["z"], 1e-15);
    assert_near("normalised Elo", NORMALISED_ELO, &golden["nelo_scale"], 1e-12);
    let all = cases(&golden["cases"]).iter().chain(cases(&golden["degenerate_cases"]));
    for case in all.filter(|case| case["id"] != "no-games") {
        let (id, expect) = (case["id"].as_str().expect("an id"), &case["expect"]);
        let outcomes = outcomes(case);
        let estimate = outcomes.estimate().expect("there are bouts");
        check(id, &estimate, expect, tolerance);
        let same = |name: &str, ours| {
            assert_same(&format!("{id}, {name}"), ours, &expect[name], tolerance)
        };
        same("variance_per_game", Some(estimate.variance));
        same("los_score_normal", estimate.superiority);
        same("los_wins_losses", outcomes.superiority_of_wins());
        same("draw_ratio", outcomes.draw_ratio());
    }
}

#[test]
fn without_bouts_there_is_no_number() {
    let none = Outcomes::default();
    assert_eq!(
        (none.estimate(), none.superiority_of_wins(), none.draw_ratio()),
        (None, None, None)
    );
}

#[test]
fn every_sample_has_a_text_with_a_meaning() {
    let text = |wins, draws, losses| {
        Outcomes { wins, draws, losses }.estimate().expect("there are bouts").text()
    };
    assert_eq!(text(136, 111, 96), "+40.7 Elo (95 %: +10.6 to +71.4), superior with 99.6 %");
    assert_eq!(text(2, 0, 1), "+120.4 Elo (95 %: above -325.3), superior with 73.0 %");
    assert_eq!(text(10, 0, 0), "no finite difference: won all 10 bouts (95 %: above +140 Elo)");
    assert_eq!(text(0, 0, 1), "no finite difference: lost all 1 bouts (95 %: below +636 Elo)");
    assert_eq!(text(0, 10, 0), "level in all 10 bouts, which does not say how surely");
}
