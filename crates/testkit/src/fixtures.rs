//! Made-up events and results, for tests and benchmarks of what stores and shows them.

use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

use joust_model::{
    BoutPlan, BoutResult, BuildHash, Calibration, EventSettings, GameOptions, LimitSet, Limits,
    Mirror, Occupant, PlanKey, PlanKeys, ScheduleKind, SeatNumbers, SeatPlan, SeatResult, Seats,
    Seed, Shared, TieBreak, Tier, Verdict, VerdictCounts,
};

/// Returns the settings of an event of BattleBots: a round robin with one bout a match.
pub fn event(id: &str) -> EventSettings {
    EventSettings {
        id: id.to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        rules: "documented".to_owned(),
        options: GameOptions::default(),
        bouts_per_match: 1,
        bots_per_match: 2,
        schedule: ScheduleKind::RoundRobin,
        draw_seed: 0,
        unrepeatable: false,
        mirror: Mirror::Pairs,
        seats: Seats::Drawn,
        tie_breaks: TieBreak::ranking(TieBreak::MatchWins, &TieBreak::DEFAULT),
    }
}

/// Returns the result of a seat that answered `answers` times without a fault; its score is 10
/// minus its rank.
pub fn seat(plan: &SeatPlan, rank: u8, answers: u32) -> SeatResult {
    let mut verdicts = VerdictCounts::default();
    (0..answers).for_each(|_| verdicts.add(Verdict::Ok));
    SeatResult {
        bot: plan.bot.clone(),
        occupant: plan.occupant,
        rank,
        score: i64::from(10 - rank).into(),
        verdicts,
        limits_hit: LimitSet::default(),
        cpu: Duration::from_millis(20),
        wall: Duration::from_millis(22),
        stall: Duration::ZERO,
        peak_memory_bytes: 9_000_000,
        calibration: Calibration::default(),
        ticks_idle: 0,
        answers_late: 0,
        cold_starts: 0,
        numbers: SeatNumbers::default(),
    }
}

/// Returns the results of the seats of a plan, as [`seat`] has them, in the order of their ranks.
pub fn seats(plan: &BoutPlan, answers: u32) -> Vec<SeatResult> {
    plan.seats.iter().zip(1..).map(|(planned, rank)| seat(planned, rank, answers)).collect()
}

/// Returns the result of a bout of 20 rounds, without logs.
pub fn result(plan: &BoutPlan, key: PlanKey, seats: Vec<SeatResult>) -> BoutResult {
    BoutResult {
        bout: plan.bout,
        key,
        ended: "knock-out".to_owned(),
        rounds: 20,
        state_hash: "5e".repeat(32),
        seats,
        tier: Tier::A,
        machine: "made up".to_owned(),
        joust_version: env!("CARGO_PKG_VERSION").to_owned(),
        contended: false,
        oversubscribed: false,
        started_at: 1_790_000_000_000,
        took: Duration::from_millis(24),
        action_log: Vec::new(),
        turn_log: Vec::new(),
        ticks_late: 0,
    }
}

/// Options and limits that all bouts of an event share: plans of a tournament share them, too.
static SHARED: LazyLock<(Shared<GameOptions>, Shared<Limits>)> =
    LazyLock::new(|| (GameOptions::default().into(), Limits::default().into()));

/// Returns the plan's key. What all have is written once, as for a tournament's plans.
fn key(plan: &BoutPlan) -> PlanKey {
    static KEYS: OnceLock<PlanKeys> = OnceLock::new();
    let seats: Vec<String> = plan.seats.iter().map(PlanKeys::seat).collect();
    let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
    KEYS.get_or_init(|| PlanKeys::of(plan)).key(plan.seed, &seats)
}

/// Returns a bout of BattleBots of 20 rounds with its result, without logs: the first bot wins.
pub fn bout(event: &str, bots: [&str; 2], match_number: u64) -> (BoutPlan, BoutResult) {
    let seat = |name: &str| SeatPlan {
        bot: name.to_owned(),
        occupant: Occupant::Build(BuildHash::of("made-up", &[name.as_bytes()])),
    };
    let plan = BoutPlan {
        bout: BoutPlan::id("cup", event, &bots, 0),
        event: event.to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        referee: None,
        rules: "documented".to_owned(),
        options: SHARED.0.clone(),
        seed: Seed(match_number),
        match_number,
        number: 0,
        seats: bots.map(seat).into(),
        limits: SHARED.1.clone(),
        clock: None,
    };
    let result = result(&plan, key(&plan), seats(&plan, 20));
    (plan, result)
}

/// Returns bytes that are as hard to compress as a compressed log.
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let mut bytes: Vec<u8> = (0..length.div_ceil(8)).flat_map(|_| next()).collect();
    bytes.truncate(length);
    bytes
}
