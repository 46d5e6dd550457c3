//! A bout as one object.

use std::time::Duration;

use serde::Serialize;

use super::{limits, milliseconds, verdicts};
use joust_model::{
    ClockMode, Exit, GameOptions, LimitSet, MeasuredTurns, NumberRecord, Round, Score, SeatNumbers,
    SeatResult, StoredBout, Tier, TurnLog, TurnLogError, TurnRecord, VerdictCounts, escaped,
    escaped_bytes, plain_score,
};

/// Choice to list the turns of a bout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// Without.
    Hidden,
    /// With every turn.
    Shown,
}

/// A bout as programs read it.
#[derive(Clone, Debug, Serialize)]
pub struct Bout {
    /// The bout as it was planned.
    #[serde(flatten)]
    pub plan: PlannedBout,
    /// Rounds or ticks played.
    pub rounds: u32,
    /// Reason of its end, in the game's words.
    pub ended: String,
    /// SHA-256 of the final state.
    pub state_hash: String,
    /// Conditions under which it was played.
    #[serde(flatten)]
    pub conditions: BoutConditions,
    /// Each seat, in order.
    pub seats: Vec<BoutSeat>,
    /// Every number that was said in a turn, when turns are asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<BoutNumber>,
    /// Every turn, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<BoutTurn>>,
}

/// Plan of a bout.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedBout {
    /// Its id.
    pub bout: String,
    /// The event's id.
    pub event: String,
    /// The game's id.
    pub game: String,
    /// The rule set.
    pub rules: String,
    /// The game's options.
    pub options: GameOptions,
    /// The game's rules revision.
    pub revision: u32,
    /// The bout's seed.
    pub seed: u64,
    /// The match, counted from 0 in schedule order.
    pub match_number: u64,
    /// The bout's number within its match, from 0.
    pub number: u32,
}

/// Conditions under which a bout was played.
#[derive(Clone, Debug, Serialize)]
pub struct BoutConditions {
    /// The sandbox's tier, `A` to `D`.
    pub tier: Tier,
    /// The machine that played.
    pub machine: String,
    /// True if the machine was short of processors when that mattered: at a
    /// timeout, or on a clock.
    pub contended: bool,
    /// True if more bots were thinking than cores were set aside.
    pub oversubscribed: bool,
    /// Games on a clock: how it struck, `realtime`, `eager` or `lockstep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<&'static str>,
    /// Games on a clock: ticks that the machine was late for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticks_late: Option<u32>,
}

/// One seat of a bout.
#[derive(Clone, Debug, Serialize)]
pub struct BoutSeat {
    /// The bot.
    pub bot: String,
    /// The hash of the build that was run.
    pub build: String,
    /// 1 is best; equal ranks are a draw.
    pub rank: u8,
    /// The game's own points.
    #[serde(serialize_with = "plain_score")]
    pub score: Score,
    /// Count per verdict that was earned.
    #[serde(serialize_with = "verdicts")]
    pub verdicts: VerdictCounts,
    /// Names of the limits touched.
    #[serde(serialize_with = "limits")]
    pub limits_hit: LimitSet,
    /// Use of the machine in all turns.
    #[serde(flatten)]
    pub usage: Usage,
    /// Games on a clock: ticks that went by without an answer, which is legal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticks_idle: Option<u32>,
    /// Games on a clock: answers that came after their tick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers_late: Option<u32>,
    /// Bots that are kept warm: turns that started from nothing all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cold_starts: Option<u32>,
    /// Numbers counted for it, by name; `bot.` before those that its bot gave.
    #[serde(skip_serializing_if = "SeatNumbers::is_empty")]
    pub numbers: SeatNumbers,
}

/// Use of the machine by a bot.
#[derive(Clone, Debug, Serialize)]
pub struct Usage {
    /// Processor time, milliseconds.
    pub cpu_ms: Option<f64>,
    /// Wall clock, milliseconds; `null` where the game does not wait for the seat, such as a client
    /// in a game on a clock.
    pub wall_ms: Option<f64>,
    /// Time runnable without a processor, milliseconds.
    pub stall_ms: Option<f64>,
    /// Largest memory of a turn, bytes.
    pub peak_memory_bytes: Option<u64>,
}

/// A number that was said in a bout.
#[derive(Clone, Debug, Serialize)]
pub struct BoutNumber {
    /// The round after which it is known, 0 for the start; of a bot's, that of its answer.
    pub round: u32,
    /// The seat, from 0.
    pub seat: u8,
    /// Name of the number; `bot.` before one that a bot gave.
    pub name: String,
    /// Its value.
    pub value: f64,
}

/// One turn of a bout.
#[derive(Clone, Debug, Serialize)]
pub struct BoutTurn {
    /// The round.
    pub round: Round,
    /// The seat, from 0.
    pub seat: u8,
    /// The verdict's name.
    pub verdict: &'static str,
    /// A reason beyond the verdict; empty for none.
    pub reason: String,
    /// Names of the limits touched.
    #[serde(serialize_with = "limits")]
    pub limits_hit: LimitSet,
    /// Use of the machine; but for the wall clock it is `null` for programs that stay after a
    /// turn, where it is known for the whole bout only.
    #[serde(flatten)]
    pub usage: Usage,
    /// End of the process: `{"status": 0}`, `{"signal": 9}`, `"killed"`, `"running"`
    /// (a bot that lives as long as its bout) or `{"not-started": 2}`.
    pub exit: Exit,
    /// The action in the game's words; empty for none.
    pub action: String,
    /// The first bytes of output unless they are the action, escaped.
    pub output: String,
    /// The last bytes of standard error, escaped.
    pub stderr: String,
}

/// Returns a stored bout as programs read it.
///
/// # Errors
///
/// [`TurnLogError`] when its turns are asked for and their log is damaged.
pub fn bout(stored: &StoredBout, turns: Turns) -> Result<Bout, TurnLogError> {
    let (plan, result) = (&stored.plan, &stored.result);
    let numbers = match turns {
        Turns::Hidden => Vec::new(),
        Turns::Shown => {
            let numbers = TurnLog::read_numbers(&result.turn_log)?;
            numbers.iter().map(BoutNumber::of).collect()
        }
    };
    let turns = match turns {
        Turns::Hidden => None,
        Turns::Shown => {
            let mut measured = MeasuredTurns::new(plan.clock);
            let turns = TurnLog::read(&result.turn_log)?.into_iter();
            Some(turns.map(|turn| BoutTurn::new(turn, plan.clock, &mut measured)).collect())
        }
    };
    Ok(Bout {
        plan: PlannedBout {
            bout: plan.bout.to_string(),
            event: plan.event.clone(),
            game: plan.game.clone(),
            rules: plan.rules.clone(),
            options: GameOptions::clone(&plan.options),
            revision: plan.revision,
            seed: plan.seed.0,
            match_number: plan.match_number,
            number: plan.number,
        },
        rounds: result.rounds,
        ended: result.ended.clone(),
        state_hash: result.state_hash.clone(),
        conditions: BoutConditions {
            tier: result.tier,
            machine: result.machine.clone(),
            contended: result.contended,
            oversubscribed: result.oversubscribed,
            clock: plan.clock.map(ClockMode::name),
            ticks_late: plan.clock.map(|_| result.ticks_late),
        },
        seats: result.seats.iter().map(|seat| BoutSeat::new(seat, plan.clock)).collect(),
        numbers,
        turns,
    })
}

/// Returns the wall time; on a clock the game waits neither for clients nor for agents that did not
/// answer.
fn waited(wall: Duration, clock: Option<ClockMode>) -> Option<f64> {
    let is_measured = clock.is_none() || !wall.is_zero();
    is_measured.then(|| milliseconds(wall))
}

impl BoutSeat {
    fn new(seat: &SeatResult, clock: Option<ClockMode>) -> Self {
        Self {
            bot: seat.bot.clone(),
            build: seat.occupant.identity().to_string(),
            rank: seat.rank,
            score: seat.score,
            verdicts: seat.verdicts,
            limits_hit: seat.limits_hit,
            usage: Usage {
                cpu_ms: Some(milliseconds(seat.cpu)),
                wall_ms: waited(seat.wall, clock),
                stall_ms: Some(milliseconds(seat.stall)),
                peak_memory_bytes: Some(seat.peak_memory_bytes),
            },
            ticks_idle: clock.map(|_| seat.ticks_idle),
            answers_late: clock.map(|_| seat.answers_late),
            cold_starts: Some(seat.cold_starts).filter(|turns| *turns > 0),
            numbers: seat.numbers.clone(),
        }
    }
}

impl BoutNumber {
    fn of(number: &NumberRecord) -> Self {
        let NumberRecord { seat, value, .. } = *number;
        Self { round: number.after(), seat, name: number.label(), value: value.get() }
    }
}

impl BoutTurn {
    /// Makes it of a record of a bout with that clock, whose earlier turns `measured` has seen.
    pub fn new(turn: TurnRecord, clock: Option<ClockMode>, measured: &mut MeasuredTurns) -> Self {
        let is_measured = measured.is_measured(&turn);
        Self {
            round: turn.round,
            seat: turn.seat,
            verdict: turn.verdict().name(),
            reason: escaped(&turn.reason),
            limits_hit: turn.limits_hit,
            usage: Usage {
                cpu_ms: is_measured.then(|| milliseconds(Duration::from_micros(turn.cpu_us))),
                wall_ms: waited(Duration::from_micros(turn.wall_us), clock),
                stall_ms: is_measured.then(|| milliseconds(Duration::from_micros(turn.stall_us))),
                peak_memory_bytes: is_measured.then_some(turn.peak_memory_bytes),
            },
            exit: turn.exit,
            action: escaped(&turn.action),
            output: escaped_bytes(&turn.output),
            stderr: escaped_bytes(&turn.stderr),
        }
    }
}
