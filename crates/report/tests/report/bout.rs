//! A bout as one JSON object.

use std::time::Duration;

use joust_model::{
    BoutPlan, BoutResult, BuildHash, Calibration, Exit, GameOptions, Limit, LimitSet, Limits,
    Occupant, Round, SeatPlan, SeatResult, Seed, StoredBout, Tier, TurnLog, TurnRecord, Verdict,
    VerdictCounts,
};
use joust_report::json::{Turns, bout, pretty};
use serde_json::json;

fn stored() -> StoredBout {
    let seat = SeatPlan { bot: "anna".to_owned(), occupant: Occupant::Build(BuildHash([1; 32])) };
    let plan = BoutPlan {
        bout: BoutPlan::id("cup", "league", &["anna"], 0),
        event: "league".to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        referee: None,
        rules: "documented".to_owned(),
        options: GameOptions::default().into(),
        seed: Seed(u64::MAX),
        match_number: 3,
        number: 1,
        seats: vec![seat],
        limits: Limits::default().into(),
        clock: None,
    };
    let result = BoutResult {
        bout: plan.bout,
        key: plan.key(),
        ended: "knock-out".to_owned(),
        rounds: 17,
        state_hash: "ab".repeat(32),
        seats: vec![played()],
        tier: Tier::A,
        machine: "here".to_owned(),
        joust_version: "0.1.0".to_owned(),
        contended: false,
        oversubscribed: false,
        started_at: 0,
        took: Duration::from_secs(1),
        action_log: Vec::new(),
        turn_log: log(&[turn()]),
        ticks_late: 0,
    };
    StoredBout { plan, result }
}

fn log(turns: &[TurnRecord]) -> Vec<u8> {
    let mut log = TurnLog::default();
    turns.iter().for_each(|turn| log.push(turn));
    log.compress()
}

fn played() -> SeatResult {
    let mut verdicts = VerdictCounts::default();
    [Verdict::Ok, Verdict::Ok, Verdict::Crash].into_iter().for_each(|one| verdicts.add(one));
    let mut limits = LimitSet::default();
    limits.insert(Limit::Processes);
    limits.insert(Limit::Wall);
    SeatResult {
        bot: "anna".to_owned(),
        occupant: Occupant::Build(BuildHash([1; 32])),
        rank: 1,
        score: (-3).into(),
        verdicts,
        limits_hit: limits,
        cpu: Duration::from_micros(123_456),
        wall: Duration::from_millis(200),
        stall: Duration::from_nanos(1_999),
        peak_memory_bytes: 4096,
        calibration: Calibration::default(),
        ticks_idle: 0,
        answers_late: 0,
        cold_starts: 0,
        numbers: joust_model::SeatNumbers::default(),
    }
}

fn turn() -> TurnRecord {
    TurnRecord {
        round: Round(16),
        seat: 0,
        verdict: Verdict::Crash.code(),
        limits_hit: LimitSet::default(),
        wall_us: 1_500,
        cpu_us: 700,
        cpu_partial: false,
        stall_us: 0,
        peak_memory_bytes: 4096,
        exit: Exit::Signal(11),
        action: String::new(),
        output: b"\x1b[31m\xff".to_vec(),
        stderr: b"oops\n".to_vec(),
        reason: String::new(),
    }
}

#[test]
fn a_bout_has_every_documented_field() {
    let object = bout(&stored(), Turns::Hidden).expect("a bout");
    let value = serde_json::to_value(&object).expect("plain data");
    let expected = json!({
        "bout": BoutPlan::id("cup", "league", &["anna"], 0).to_string(),
        "event": "league", "game": "battlebots", "rules": "documented", "options": {}, "revision": 1,
        "seed": u64::MAX, "match_number": 3, "number": 1, "rounds": 17, "ended": "knock-out",
        "state_hash": "ab".repeat(32), "tier": "A", "machine": "here",
        "contended": false, "oversubscribed": false,
        "seats": [{
            "bot": "anna", "build": "01".repeat(32), "rank": 1, "score": -3,
            "verdicts": {"crash": 1, "ok": 2}, "limits_hit": ["wall", "processes"],
            "cpu_ms": 123.456, "wall_ms": 200.0, "stall_ms": 0.001, "peak_memory_bytes": 4096,
        }],
    });
    assert_eq!(value, expected);
}

#[test]
fn turns_come_when_asked_for() {
    let object = bout(&stored(), Turns::Shown).expect("a bout");
    let value = serde_json::to_value(&object).expect("plain data");
    let expected = json!([{
        "round": 17, "seat": 0, "verdict": "crash", "reason": "", "limits_hit": [],
        "cpu_ms": 0.7, "wall_ms": 1.5, "stall_ms": 0.0, "peak_memory_bytes": 4096,
        "exit": {"signal": 11}, "action": "", "output": "\\u{1b}[31m\\xff", "stderr": "oops\\u{a}",
    }]);
    assert_eq!(value["turns"], expected);
}

#[test]
fn what_a_program_that_stays_used_in_a_turn_is_not_known() {
    let mut stored = stored();
    let asked = TurnRecord { exit: Exit::Running, cpu_us: 0, peak_memory_bytes: 0, ..turn() };
    stored.result.turn_log = log(&[asked, turn()]);
    let object = bout(&stored, Turns::Shown).expect("a bout");
    let value = serde_json::to_value(&object).expect("plain data");
    for turn in value["turns"].as_array().expect("two turns") {
        for name in ["cpu_ms", "stall_ms", "peak_memory_bytes"] {
            assert!(turn[name].is_null(), "{name}: {turn}");
        }
        assert_eq!(turn["wall_ms"], 1.5, "it was waited for");
    }
}

#[test]
fn a_bout_is_written_in_the_order_of_its_documentation() {
    let text = pretty(&bout(&stored(), Turns::Hidden).expect("a bout"));
    assert!(text.starts_with("{\n  \"bout\": \""), "{text}");
}

#[test]
fn a_damaged_turn_log_is_an_error_only_when_turns_are_asked_for() {
    let mut stored = stored();
    stored.result.turn_log = vec![1, 2, 3];
    assert!(bout(&stored, Turns::Shown).is_err());
    assert!(bout(&stored, Turns::Hidden).is_ok());
}
