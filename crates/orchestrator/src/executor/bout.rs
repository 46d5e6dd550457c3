//! Plays one plan in the calling thread.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;

use super::{Equipment, Failure};
use crate::bots::{self, Build};
use crate::channel::{self, Channel, ChannelError, Limiting, Opening};
use crate::model::{BoutPlan, BoutResult, Calibration, SeatResult};
use crate::play::{PlayError, Played, Table, Watcher, kind_of, play};

/// How a bout is played, beside its plan.
pub struct Manner<'a> {
    /// The processors of this bout's bots.
    pub cores: &'a [usize],
    /// Whether limits on time hold.
    pub limiting: Limiting,
    /// Who looks on.
    pub watcher: &'a mut dyn Watcher,
    /// Whether more bots think than cores were set aside.
    pub oversubscribed: bool,
}

/// Seats whose occupant is there already, for instance a person.
pub type Occupied = BTreeMap<usize, Box<dyn Channel>>;

/// Plays `plan` in this thread.
///
/// # Errors
///
/// [`Failure`] when the machine failed or the run is being stopped.
pub fn play_plan(
    equipment: &Equipment,
    plan: &BoutPlan,
    manner: Manner<'_>,
) -> Result<BoutResult, Failure> {
    play_plan_with(equipment, plan, manner, Occupied::new())
}

/// Plays `plan` in this thread, where some seats are `occupied` already.
///
/// # Errors
///
/// [`Failure`] when the machine failed or the run is being stopped.
pub fn play_plan_with(
    equipment: &Equipment,
    plan: &BoutPlan,
    manner: Manner<'_>,
    occupied: Occupied,
) -> Result<BoutResult, Failure> {
    let started_at = equipment.clock.now();
    let mut seats = open_seats(equipment, plan, &manner, occupied)?;
    let patient = patient(plan, manner.limiting);
    let table = Table {
        plan: patient.as_ref().unwrap_or(plan),
        channels: &mut seats,
        watcher: manner.watcher,
        cancel: &equipment.cancel,
    };
    let played = play(table);
    let closed = close_seats(seats);
    let played = played.map_err(failure)?;
    closed.map_err(|error| Failure::Infrastructure(chain(&error)))?;
    let mut result = result(equipment, plan, &played);
    result.started_at = started_at;
    result.oversubscribed = manner.oversubscribed;
    Ok(result)
}

/// Returns the plan without its wall budget where time is not limited.
fn patient(plan: &BoutPlan, limiting: Limiting) -> Option<BoutPlan> {
    if limiting == Limiting::Configured {
        return None;
    }
    let mut patient = plan.clone();
    patient.limits.bout = Duration::MAX;
    Some(patient)
}

fn open_seats(
    equipment: &Equipment,
    plan: &BoutPlan,
    manner: &Manner<'_>,
    mut occupied: Occupied,
) -> Result<Vec<Box<dyn Channel>>, Failure> {
    let channel = kind_of(plan).map_err(failure)?.channel();
    let open = |seat: usize| {
        if let Some(occupant) = occupied.remove(&seat) {
            return Ok(occupant);
        }
        let opening = opening_of_seat(equipment, plan, manner, seat)?;
        channel::open(channel, opening).map_err(|error| Failure::Infrastructure(chain(&error)))
    };
    (0..plan.seats.len()).map(open).collect()
}

fn opening_of_seat(
    equipment: &Equipment,
    plan: &BoutPlan,
    manner: &Manner<'_>,
    seat: usize,
) -> Result<Opening, Failure> {
    let hash = plan.seats[seat].build;
    let build = equipment
        .builds
        .get(&hash)
        .ok_or_else(|| Failure::Infrastructure(format!("build {hash} is not here")))?;
    if !build.folder.is_dir() {
        let (bot, folder) = (&plan.seats[seat].bot, build.folder.display());
        let text =
            format!("the build of `{bot}` is gone from `{folder}`; a new run builds it again");
        return Err(Failure::Infrastructure(text));
    }
    Ok(opening(equipment, plan, (manner.cores, manner.limiting), (seat, build)))
}

/// Returns what `build` needs to play in a seat of `plan`.
pub(crate) fn opening(
    equipment: &Equipment,
    plan: &BoutPlan,
    (cores, limiting): (&[usize], Limiting),
    (seat, build): (usize, &Build),
) -> Opening {
    Opening {
        host: equipment.host.clone(),
        spec: bots::seat_spec(build, &plan.limits, cores, plan.seat_seed(seat)),
        command: build.command.clone(),
        trailing: build.trailing.clone(),
        folder: bots::BOT.into(),
        seat: u8::try_from(seat).unwrap_or(u8::MAX),
        limits: plan.limits.clone(),
        calibration: equipment.calibration(&build.language, &plan.game),
        limiting,
    }
}

fn close_seats(seats: Vec<Box<dyn Channel>>) -> Result<(), ChannelError> {
    let closed: Vec<_> = seats.into_iter().map(Channel::close).collect();
    closed.into_iter().collect()
}

fn result(equipment: &Equipment, plan: &BoutPlan, played: &Played) -> BoutResult {
    let seats = (0..plan.seats.len()).map(|seat| seat_result(equipment, plan, played, seat));
    BoutResult {
        bout: plan.bout,
        key: plan.key(),
        ended: played.outcome.ended.to_owned(),
        rounds: played.outcome.rounds,
        state_hash: played.state_hash.to_string(),
        seats: seats.collect(),
        tier: equipment.host.tier().to_string(),
        machine: equipment.machine.clone(),
        joust_version: env!("CARGO_PKG_VERSION").to_owned(),
        contended: played.ledger.contended,
        oversubscribed: false,
        started_at: 0,
        took: played.took,
        action_log: played.ledger.action_log(),
        turn_log: played.ledger.turn_log(),
        ticks_late: played.ledger.ticks_late,
    }
}

fn seat_result(equipment: &Equipment, plan: &BoutPlan, played: &Played, seat: usize) -> SeatResult {
    let planned = &plan.seats[seat];
    let ledger = &played.ledger.seats[seat];
    let outcome = played.outcome.seats.0[seat];
    let calibration =
        equipment.builds.get(&planned.build).map_or_else(Calibration::default, |build| {
            equipment.calibration(&build.language, &plan.game)
        });
    SeatResult {
        bot: planned.bot.clone(),
        build: planned.build,
        rank: outcome.rank,
        score: outcome.score,
        verdicts: ledger.verdicts,
        limits_hit: ledger.limits_hit.0,
        cpu: ledger.used.cpu,
        wall: ledger.used.wall,
        stall: ledger.used.stall,
        peak_memory_bytes: ledger.used.peak_memory_bytes,
        calibration,
        ticks_idle: ledger.ticks_idle,
        answers_late: ledger.answers_late,
    }
}

fn failure(error: PlayError) -> Failure {
    match error {
        PlayError::Cancelled => Failure::Cancelled,
        other => Failure::Infrastructure(chain(&other)),
    }
}

/// Returns an error with its causes, outermost first.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}
