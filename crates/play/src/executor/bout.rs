//! Playing of one bout in the calling thread.

use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;

use super::{Equipment, Failure};
use crate::channel::live::{LiveChannel, server_names};
use crate::channel::{self, Channel, ChannelError, LimitMode, Opening, open_live};
use crate::{
    BoutObserver, ClockBout, PlayError, Played, Processors, TurnBout, game_of, play, play_live,
};
use joust_build::{PlacedBuild, seat_spec};
use joust_model::clock;
use joust_model::panics::catch_panic;
use joust_model::{
    BoutPlan, BoutResult, Calibration, ClockMode, Occupant, ProgramLifetime, SeatNumbers,
    SeatResult, Tier, recorded_inputs,
};
use joust_referee::{Game, Thinking};
use joust_sandbox::ColdCost;
use joust_toolchain::BOT;

/// Options for playing a bout, beside its plan.
pub struct PlayOptions<'a> {
    /// The processors for this bout's bots.
    pub cores: &'a [usize],
    /// Mode of the time limits.
    pub limit_mode: LimitMode,
    /// Observer of the bout.
    pub observer: &'a mut dyn BoutObserver,
    /// True if more bots think than there are cores for them.
    pub oversubscribed: bool,
    /// Games with a clock: the action log of an earlier play, whose answers are each taken in the
    /// same tick again.
    pub recorded: Option<&'a [u8]>,
}

impl<'a> PlayOptions<'a> {
    /// Makes options with the configured limits and with `cores`, which are reserved for the bots
    /// of this bout.
    pub fn new(cores: &'a [usize], observer: &'a mut dyn BoutObserver) -> Self {
        let limit_mode = LimitMode::Configured;
        Self { cores, limit_mode, observer, oversubscribed: false, recorded: None }
    }
}

/// Seats with an occupant that exists before the bout, such as a person. In a bout with a clock,
/// numbers above those of its seats belong to onlookers.
pub type Occupied = BTreeMap<usize, SeatedChannel>;

/// Channel to an occupant that exists before the bout.
pub enum SeatedChannel {
    /// Occupant of a turn-based game.
    Asked(Box<dyn Channel>),
    /// Occupant of a game with a clock.
    OnTheClock(Box<dyn LiveChannel>),
}

/// Plays `plan` in this thread.
///
/// # Errors
///
/// [`Failure`] when the machine failed or the run is being stopped.
pub fn play_plan(
    equipment: &Equipment,
    plan: &BoutPlan,
    options: PlayOptions<'_>,
) -> Result<BoutResult, Failure> {
    play_plan_with(equipment, plan, options, Occupied::new())
}

/// Plays `plan` in this thread, with the occupants in `occupied` in their seats.
///
/// # Errors
///
/// [`Failure`] when the machine failed or the run is being stopped.
pub fn play_plan_with(
    equipment: &Equipment,
    plan: &BoutPlan,
    options: PlayOptions<'_>,
    occupied: Occupied,
) -> Result<BoutResult, Failure> {
    let started_at = clock::now();
    let is_crowded = plan.clock == Some(ClockMode::Realtime)
        && processors(plan, options.cores) == Processors::Shared;
    let oversubscribed = options.oversubscribed || is_crowded;
    let played = catch_panic(|| match plan.clock {
        None => play_rounds(equipment, plan, options, occupied),
        Some(_) => play_ticks(equipment, plan, options, occupied),
    });
    let played = played.unwrap_or_else(|panic| Err(Failure::Infrastructure(panic)))?;
    let mut result = result(equipment, plan, &played);
    result.started_at = started_at;
    result.oversubscribed = oversubscribed;
    Ok(result)
}

/// Returns the plan without its wall budget, if time is not limited.
fn patient(plan: &BoutPlan, limit_mode: LimitMode) -> Option<BoutPlan> {
    if limit_mode == LimitMode::Configured {
        return None;
    }
    let mut patient = plan.clone();
    patient.limits.bout = Duration::MAX;
    Some(patient)
}

fn play_rounds(
    equipment: &Equipment,
    plan: &BoutPlan,
    options: PlayOptions<'_>,
    mut occupied: Occupied,
) -> Result<Played, Failure> {
    let game = game_of(&equipment.games, plan).map_err(failure)?;
    let mut seats = open_seats(game, plan, |channel, seat| match occupied.remove(&seat) {
        Some(SeatedChannel::Asked(occupant)) => Ok(occupant),
        Some(SeatedChannel::OnTheClock(_)) => Err(misplaced()),
        None => open_one(channel::open, channel, opening_of_seat(equipment, plan, &options, seat)?),
    })?;
    let patient = patient(plan, options.limit_mode);
    let setup = TurnBout {
        game,
        plan: patient.as_ref().unwrap_or(plan),
        channels: &mut seats,
        observer: options.observer,
        cancel: &equipment.cancel,
        processors: processors(plan, options.cores),
        programs: ProgramLifetime::Bout,
    };
    let played = play(setup);
    close_all(seats, Channel::close)?;
    played.map_err(failure)
}

fn play_ticks(
    equipment: &Equipment,
    plan: &BoutPlan,
    options: PlayOptions<'_>,
    mut occupied: Occupied,
) -> Result<Played, Failure> {
    let game = game_of(&equipment.games, plan).map_err(failure)?;
    let recorded = options.recorded.map(recorded_inputs).transpose();
    let recorded = recorded.map_err(|error| failure(PlayError::Recorded(error)))?;
    let mut seats = open_seats(game, plan, |channel, seat| match occupied.remove(&seat) {
        Some(SeatedChannel::OnTheClock(occupant)) => Ok(occupant),
        Some(SeatedChannel::Asked(_)) => Err(misplaced()),
        None => open_one(open_live, channel, opening_of_seat(equipment, plan, &options, seat)?),
    })?;
    // Channels without a seat belong to spectators.
    for (_, onlooker) in occupied {
        match onlooker {
            SeatedChannel::OnTheClock(onlooker) => seats.push(onlooker),
            SeatedChannel::Asked(_) => return Err(misplaced()),
        }
    }
    let setup = ClockBout {
        game,
        plan,
        channels: &mut seats,
        processors: processors(plan, options.cores),
        observer: options.observer,
        cancel: &equipment.cancel,
        limit_mode: options.limit_mode,
        recorded,
    };
    let played = play_live(setup);
    close_all(seats, LiveChannel::close)?;
    played.map_err(failure)
}

fn misplaced() -> Failure {
    Failure::Infrastructure("somebody sits in a game that is played another way".to_owned())
}

/// Returns whether a bout has enough processors for every seat to have its own. Without reserved
/// processors, every seat may use all of them, and the result is marked.
pub(super) fn processors(plan: &BoutPlan, cores: &[usize]) -> Processors {
    let needed = bots_before(plan, plan.seats.len()) * plan.limits.cores_per_bot.max(1) as usize;
    if cores.is_empty() || cores.len() >= needed {
        Processors::ForEverySeat
    } else {
        Processors::Shared
    }
}

/// Returns how many of the first `seats` seats belong to bots, because people need no processors.
fn bots_before(plan: &BoutPlan, seats: usize) -> usize {
    plan.seats[..seats].iter().filter(|seat| !seat.is_person()).count()
}

/// Returns the processors of one seat's bot: its own if there are enough and the seats think at the
/// same time, otherwise those of the bout.
fn seat_cores<'c>(of: &BotSeat<'c>) -> &'c [usize] {
    let BotSeat { game, plan, seat, cores, .. } = *of;
    let each = plan.limits.cores_per_bot.max(1) as usize;
    let thinks_with_others = game.spec().thinking == Thinking::Together;
    match thinks_with_others.then(|| processors(plan, cores)) {
        Some(Processors::ForEverySeat) => {
            let first = bots_before(plan, seat) * each;
            cores.get(first..first + each).unwrap_or(cores)
        }
        Some(Processors::Shared) | None => cores,
    }
}

fn open_seats<C>(
    game: &Game,
    plan: &BoutPlan,
    mut open: impl FnMut(&str, usize) -> Result<C, Failure>,
) -> Result<Vec<C>, Failure> {
    (0..plan.seats.len()).map(|seat| open(&game.spec().channel, seat)).collect()
}

pub(super) fn open_one<C>(
    open: fn(&str, Opening) -> Result<C, ChannelError>,
    channel: &str,
    opening: Opening,
) -> Result<C, Failure> {
    open(channel, opening).map_err(|error| Failure::Infrastructure(chain(&error)))
}

pub(super) fn opening_of_seat(
    equipment: &Equipment,
    plan: &BoutPlan,
    options: &PlayOptions<'_>,
    seat: usize,
) -> Result<Opening, Failure> {
    let Occupant::Build(hash) = plan.seats[seat].occupant else {
        let text = format!("the person `{}` is not here", plan.seats[seat].bot);
        return Err(Failure::Infrastructure(text));
    };
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
    let (cores, limit_mode) = (options.cores, options.limit_mode);
    let game = game_of(&equipment.games, plan).map_err(failure)?;
    Ok(opening(equipment, &BotSeat { game, plan, seat, build, cores, limit_mode }))
}

/// A bot's seat in a bout.
pub struct BotSeat<'a> {
    /// The game.
    pub game: &'a Game,
    /// The bout.
    pub plan: &'a BoutPlan,
    /// The seat, from 0.
    pub seat: usize,
    /// Build that runs there.
    pub build: &'a PlacedBuild,
    /// The processors of the bout's bots.
    pub cores: &'a [usize],
    /// Mode of the time limits.
    pub limit_mode: LimitMode,
}

/// Returns the settings of a channel to the bot of a seat.
pub fn opening(equipment: &Equipment, of: &BotSeat<'_>) -> Opening {
    let BotSeat { game, plan, seat, build, limit_mode, .. } = *of;
    let cores = seat_cores(of);
    let mut spec = seat_spec(build, &plan.limits, cores, plan.seat_seed(seat));
    spec.host_sockets.hosts = server_names(game.spec(), &plan.options);
    if let Some(warm) = &mut spec.warm {
        warm.cold = cold_cost(equipment, plan, build);
    }
    Opening {
        game: game.clone(),
        host: equipment.host.clone(),
        spec,
        command: build.command.clone(),
        trailing: build.trailing.clone(),
        folder: BOT.into(),
        seat: u8::try_from(seat).unwrap_or(u8::MAX),
        limits: (*plan.limits).clone(),
        calibration: equipment.calibration(&build.measured_as(&plan.limits), &plan.game),
        limit_mode,
    }
}

/// Returns the additional cost of starting `build` as a new process, compared with the warm start
/// that its limits assume.
fn cold_cost(equipment: &Equipment, plan: &BoutPlan, build: &PlacedBuild) -> ColdCost {
    let cold = equipment.calibration(&build.language, &plan.game);
    let warm = equipment.calibration(&build.measured_as(&plan.limits), &plan.game);
    ColdCost { cpu: cold.cpu.saturating_sub(warm.cpu), wall: cold.wall.saturating_sub(warm.wall) }
}

/// Closes every seat, even if one of them fails to close.
pub(super) fn close_all<C>(
    seats: Vec<C>,
    close: fn(C) -> Result<(), ChannelError>,
) -> Result<(), Failure> {
    let closed: Vec<_> = seats.into_iter().map(close).collect();
    let closed: Result<(), ChannelError> = closed.into_iter().collect();
    closed.map_err(|error| Failure::Infrastructure(chain(&error)))
}

pub(super) fn result(equipment: &Equipment, plan: &BoutPlan, played: &Played) -> BoutResult {
    let seats = (0..plan.seats.len()).map(|seat| seat_result(equipment, plan, played, seat));
    BoutResult {
        bout: plan.bout,
        key: plan.key(),
        ended: played.outcome.ended.to_string(),
        rounds: played.outcome.rounds,
        state_hash: played.state_hash.to_string(),
        seats: seats.collect(),
        tier: recorded(equipment.host.tier()),
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

fn recorded(tier: joust_sandbox::Tier) -> Tier {
    match tier {
        joust_sandbox::Tier::A => Tier::A,
        joust_sandbox::Tier::B => Tier::B,
        joust_sandbox::Tier::C => Tier::C,
        joust_sandbox::Tier::D => Tier::D,
    }
}

fn seat_result(equipment: &Equipment, plan: &BoutPlan, played: &Played, seat: usize) -> SeatResult {
    let planned = &plan.seats[seat];
    let number = u8::try_from(seat).unwrap_or(u8::MAX);
    let ledger = &played.ledger.seats[seat];
    let outcome = played.outcome.seats.0[seat];
    let calibration =
        equipment.build_of(planned.occupant).map_or_else(Calibration::default, |build| {
            equipment.calibration(&build.measured_as(&plan.limits), &plan.game)
        });
    SeatResult {
        bot: planned.bot.clone(),
        occupant: planned.occupant,
        rank: outcome.rank,
        score: outcome.score,
        verdicts: ledger.verdicts,
        limits_hit: ledger.limits_hit,
        cpu: ledger.used.cpu,
        wall: ledger.used.wall,
        stall: ledger.used.stall,
        peak_memory_bytes: ledger.used.peak_memory_bytes,
        calibration,
        ticks_idle: ledger.ticks_idle,
        answers_late: ledger.answers_late,
        cold_starts: ledger.cold_starts,
        numbers: SeatNumbers::of(&played.ledger.numbers, number),
    }
}

pub(super) fn failure(error: PlayError) -> Failure {
    match error {
        PlayError::Cancelled => Failure::Cancelled,
        other => Failure::Infrastructure(chain(&other)),
    }
}

/// Returns an error with its causes, outermost first.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        cause = inner.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use joust_referee::JudgeError;

    use super::*;

    #[test]
    fn a_referee_that_failed_is_the_fault_of_no_bot() {
        let gone = JudgeError::Gone("exit status 1".to_owned());
        let Failure::Infrastructure(text) = failure(gone.into()) else { panic!("it is a failure") };
        assert_eq!(text, "the referee failed: the referee is gone: exit status 1");
    }
}
