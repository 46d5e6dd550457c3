//! A small event and its bouts.

use std::path::PathBuf;
use std::time::Duration;

use joust_model::{
    BotRow, BoutPlan, BoutResult, BuildHash, Calibration, Exit, GameOptions, LimitSet, Limits,
    Occupant, Round, Seat, SeatPlan, SeatResult, Seed, Setting, Tier, TurnLog, TurnRecord, Verdict,
    VerdictCounts,
};
use joust_store::{Access, CheckScope, EventSettings, Store};
use joust_testkit::fixtures;
use tempfile::TempDir;

/// The event of every test.
pub(crate) const EVENT: &str = "league";

/// A database in a folder of its own, which is removed when this value is dropped.
pub(crate) struct Fresh {
    pub(crate) store: Store,
    folder: TempDir,
}

impl Fresh {
    /// Makes a database with the event and three bots.
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        let store = Store::open(&path, Access::CreateOrOpen).await.expect("a database");
        store.put_event(&event()).await.expect("an event");
        let bots: Vec<_> = ["anna", "bert", "cleo"].iter().zip(0..).map(bot).collect();
        store.put_bots(EVENT, &bots).await.expect("a field");
        Self { store, folder }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("results.db")
    }
}

pub(crate) fn event() -> EventSettings {
    EventSettings { options: options(), bouts_per_match: 2, ..fixtures::event(EVENT) }
}

fn options() -> GameOptions {
    GameOptions([("rounds".to_owned(), Setting::Int(200))].into())
}

pub(crate) fn bot((name, registration): (&&str, u32)) -> BotRow {
    BotRow {
        name: (*name).to_owned(),
        author: "somebody".to_owned(),
        language: "python3".to_owned(),
        build: Some(build(name)),
        registration,
        ..BotRow::default()
    }
}

pub(crate) fn build(name: &str) -> BuildHash {
    BuildHash::of("test", &[name.as_bytes()])
}

/// The plan of bout `number` of match `match_number` between two bots.
pub(crate) fn plan(bots: [&str; 2], match_number: u64, number: u32) -> BoutPlan {
    let seat = |bot: &str| SeatPlan { bot: bot.to_owned(), occupant: Occupant::Build(build(bot)) };
    BoutPlan {
        bout: BoutPlan::id("cup", EVENT, &bots, number),
        event: EVENT.to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        referee: None,
        rules: "documented".to_owned(),
        options: options().into(),
        seed: Seed(u64::MAX - u64::from(number)),
        match_number,
        number,
        seats: bots.iter().copied().map(seat).collect(),
        limits: Limits::default().into(),
        clock: None,
    }
}

/// A result of `plan` in which the first seat wins.
pub(crate) fn result(plan: &BoutPlan) -> BoutResult {
    BoutResult {
        bout: plan.bout,
        key: plan.key(),
        ended: "knock-out".to_owned(),
        rounds: 17,
        state_hash: "ab".repeat(32),
        seats: plan.seats.iter().zip(1..).map(|(plan, rank)| seat(plan, rank)).collect(),
        tier: Tier::A,
        machine: "here".to_owned(),
        joust_version: "0.1.0".to_owned(),
        contended: false,
        oversubscribed: false,
        started_at: 1_790_000_000_000,
        took: Duration::from_millis(321),
        action_log: vec![1, 2, 3],
        turn_log: turn_log(5),
        ticks_late: 0,
    }
}

fn seat(plan: &SeatPlan, rank: u8) -> SeatResult {
    let mut verdicts = VerdictCounts::default();
    verdicts.add(Verdict::Ok);
    verdicts.add(Verdict::Crash);
    SeatResult {
        score: (-i64::from(rank)).into(),
        verdicts,
        limits_hit: LimitSet(3),
        cpu: Duration::from_nanos(123_456_789),
        wall: Duration::from_millis(200),
        stall: Duration::from_micros(7),
        peak_memory_bytes: 9 << 20,
        calibration: Calibration { language: "python3".to_owned(), runs: 10, ..Default::default() },
        ..fixtures::seat(plan, rank, 0)
    }
}

/// A log of one turn that took `wall_us`.
fn turn_log(wall_us: u64) -> Vec<u8> {
    let mut log = TurnLog::default();
    log.push(&TurnRecord {
        round: Round(0),
        seat: Seat(0).0,
        verdict: Verdict::Ok.code(),
        limits_hit: LimitSet::default(),
        wall_us,
        cpu_us: wall_us,
        cpu_partial: false,
        stall_us: 0,
        peak_memory_bytes: wall_us,
        exit: Exit::Status(0),
        action: "N".to_owned(),
        output: Vec::new(),
        stderr: Vec::new(),
        reason: String::new(),
    });
    log.compress()
}

/// A plan with its result.
pub(crate) fn played(bots: [&str; 2], match_number: u64, number: u32) -> (BoutPlan, BoutResult) {
    let plan = plan(bots, match_number, number);
    let result = result(&plan);
    (plan, result)
}

/// Compares all rows with the chain.
pub(crate) async fn verify(store: &Store) {
    store.integrity_check().await.expect("whole");
    let mut ledger = store.ledger().await.expect("read");
    let mut last = i64::MIN;
    loop {
        let page = store.bouts_after(last).await.expect("read");
        let Some(newest) = page.last() else { break };
        last = newest.number;
        for recorded in &page {
            assert_eq!(ledger.check(recorded), []);
        }
    }
    assert_eq!(store.close_ledger(ledger, CheckScope::Everything).await.expect("read"), []);
}
