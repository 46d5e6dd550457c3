//! Bouts of more than two.

use std::collections::BTreeMap;

use joust_standings::ratings::skill::{DRAWS, Parameters, Skill, SkillModel, after_bout};
use serde_json::Value;

use super::golden::{assert_near, cases, golden, number};

fn file() -> Value {
    golden("multiplayer", "multiplayer")
}

/// Returns a published model; `None` for those that look at a bout of many as bouts of two, which
/// Joust has not.
fn model(name: &Value) -> Option<SkillModel> {
    match name.as_str() {
        Some("plackett_luce") => Some(SkillModel::PlackettLuce),
        Some(
            "bradley_terry_full"
            | "bradley_terry_part"
            | "thurstone_mosteller_full"
            | "thurstone_mosteller_part",
        ) => None,
        _ => panic!("unknown model `{name}`"),
    }
}

fn parameters(of: &Value) -> Parameters {
    let [beta, kappa, tau] = ["beta", "kappa", "tau"].map(|name| number(&of[name]));
    Parameters { beta, kappa, tau }
}

fn skills(players: &Value) -> Vec<Skill> {
    let skill = |of: &Value| Skill { mu: number(&of["mu"]), sigma: number(&of["sigma"]) };
    cases(players).iter().map(skill).collect()
}

fn ranks(list: &Value) -> Vec<u8> {
    serde_json::from_value(list.clone()).expect("ranks")
}

fn check(what: &str, ours: &[Skill], published: &Value, tolerance: f64) {
    let published = cases(published);
    assert_eq!(ours.len(), published.len());
    for (ours, published) in ours.iter().zip(published) {
        assert_near(&format!("{what}, mu"), ours.mu, &published["mu"], tolerance);
        assert_near(&format!("{what}, sigma"), ours.sigma, &published["sigma"], tolerance);
    }
}

#[test]
fn every_single_bout_moves_skills_as_published() {
    let golden = file();
    let tolerance = number(&golden["tolerance"]["weng_lin_absolute"]);
    for case in cases(&golden["single_games"]) {
        let Some(model) = model(&case["model"]) else { continue };
        let what = format!("{} {} {}", case["model"], case["params"], case["case"]);
        let parameters =
            parameters(&golden["parameters"][case["params"].as_str().expect("a name")]);
        let players = skills(&case["players"]);
        let after = after_bout(model, &parameters, &players, &ranks(&case["ranks"]));
        check(&what, &after, &case["expect"], tolerance);
        for (after, published) in after.iter().zip(cases(&case["expect"])) {
            let ordinal = after.mu - 3.0 * after.sigma;
            assert_near(&what, ordinal, &published["ordinal_mu_minus_3_sigma"], 4.0 * tolerance);
        }
    }
}

#[test]
fn a_sequence_of_bouts_ends_as_published() {
    let golden = file();
    let tolerance = number(&golden["tolerance"]["weng_lin_absolute"]);
    for case in cases(&golden["sequences"]) {
        let Some(model) = model(&case["model"]) else { continue };
        let parameters =
            parameters(&golden["parameters"][case["params"].as_str().expect("a name")]);
        let mut skills: BTreeMap<&str, Skill> = BTreeMap::new();
        for game in cases(&case["games"]) {
            let seats: Vec<_> = cases(&game["seats"]).iter().filter_map(Value::as_str).collect();
            let before: Vec<_> =
                seats.iter().map(|seat| skills.get(seat).copied().unwrap_or_default()).collect();
            let after = after_bout(model, &parameters, &before, &ranks(&game["ranks"]));
            skills.extend(seats.into_iter().zip(after));
        }
        for (player, published) in case["expect_final"].as_object().expect("players") {
            let ours = skills[player.as_str()];
            assert_near(player, ours.mu, &published["mu"], tolerance);
            assert_near(player, ours.sigma, &published["sigma"], tolerance);
        }
    }
}

#[test]
fn true_skill_is_the_published_one() {
    let golden = file();
    let tolerance = number(&golden["tolerance"]["trueskill_absolute"]);
    let draws = |case: &&Value| (number(&case["draw_probability"]) - DRAWS).abs() < 1e-9;
    for case in cases(&golden["trueskill"]).iter().filter(draws) {
        let (beta, tau) = (number(&case["beta"]), number(&case["tau"]));
        let parameters = Parameters { beta, tau, ..Parameters::default() };
        let players = skills(&case["players"]);
        let after =
            after_bout(SkillModel::TrueSkill, &parameters, &players, &ranks(&case["ranks"]));
        check(&case["case"].to_string(), &after, &case["expect"], tolerance);
    }
}
