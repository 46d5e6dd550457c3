//! Events and results that nobody played, for tests and benchmarks of what keeps and tells them.

use std::time::Duration;

use joust_model::{
    Calibration, EventSettings, GameOptions, LimitSet, Mirror, ScheduleKind, SeatNumbers, SeatPlan,
    SeatResult, Seats, TieBreak, Verdict, VerdictCounts,
};

/// Returns the settings of an event of BattleBots: everybody against everybody, one bout a match.
#[must_use]
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
        tie_breaks: TieBreak::DEFAULT.to_vec(),
    }
}

/// Returns the result of a seat that answered so many times without a fault; its score is 10
/// less its rank.
#[must_use]
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
