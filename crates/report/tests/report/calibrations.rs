//! Measurements of do-nothing bots.

use std::time::Duration;

use joust_model::Calibration;
use joust_report::{TextStyle, calibrations, json};

fn measured() -> [Calibration; 1] {
    [Calibration {
        language: "python3".to_owned(),
        game: "battlebots".to_owned(),
        runs: 10,
        cpu: Duration::from_micros(20_125),
        wall: Duration::from_micros(21_250),
        spread: Duration::from_nanos(1_500_499),
        measured_at: 1_790_000_000_000,
        machine: "here".to_owned(),
    }]
}

#[test]
fn a_table_shows_medians_and_spread_in_milliseconds() {
    insta::assert_snapshot!(calibrations(&measured(), TextStyle::default()), @r#"
    ┌────────────┬──────────┬──────┬────────┬─────────┬───────────┬──────────────────────┐
    │ game       ┆ language ┆ runs ┆ cpu ms ┆ wall ms ┆ spread ms ┆ measured             │
    ╞════════════╪══════════╪══════╪════════╪═════════╪═══════════╪══════════════════════╡
    │ battlebots ┆ python3  ┆   10 ┆ 20.125 ┆  21.250 ┆     1.500 ┆ 2026-09-21 14:13 UTC │
    └────────────┴──────────┴──────┴────────┴─────────┴───────────┴──────────────────────┘
    "#);
}

#[test]
fn json_has_every_documented_field() {
    let text = json::calibrations(&measured());
    let value: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let expected = serde_json::json!([{
        "game": "battlebots", "language": "python3", "machine": "here", "runs": 10,
        "cpu_ms": 20.125, "wall_ms": 21.25, "spread_ms": 1.5, "measured_at": 1_790_000_000_000_i64,
    }]);
    assert_eq!(value, expected);
}
