//! Bouts outside a tournament, of bots and people: one, or on a clock one after the other with the
//! same bots, which are not started again (the original's endless mode, and new maps on request).

use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::time::Duration;

use joust_build::PlacedBuild;
use joust_config::Event;
use joust_model::cancel::Cancel;
use joust_model::{
    BoutPlan, BoutResult, Calibration, Occupant, Reason, SeatPlan, Seed, StoredBout,
};
use joust_play::BoutObserver;
use joust_play::calibrate::{NotCalibrated, is_calibrated};
use joust_play::channel::live::{ClockControl, LiveChannel, SeriesChannel, SeriesSlot, open_live};
use joust_play::channel::{ChannelError, LimitMode};
use joust_play::executor::bout::{
    BotSeat, Occupied, PlayOptions, SeatedChannel, opening, play_plan_with,
};
use joust_play::executor::{CoreNeeds, Cores, Equipment, Failure, NotEnoughCores, available};
use joust_referee::{GameSpec, JudgeError};

use crate::machine::{LanguageStart, Machine, language_starts};

/// Reason why a single bout has no result.
#[derive(Debug, thiserror::Error)]
pub enum SingleError {
    /// The machine is too small.
    #[error(transparent)]
    Cores(#[from] NotEnoughCores),
    /// A client of a game over TCP does not connect to the port that it is given.
    #[error("`{bot}` is not run: {reason}")]
    NotRun {
        /// Its name.
        bot: String,
        /// Why.
        reason: Reason,
    },
    /// Clients cannot be tried.
    #[error("clients cannot be tried")]
    Trial(#[from] ChannelError),
    /// A language cannot be measured.
    #[error("a language cannot be calibrated")]
    Calibrate(#[from] NotCalibrated),
    /// The game's own referee went on after the end.
    #[error("the bout does not count: the referee failed")]
    Referee(#[from] JudgeError),
    /// The machine failed, or the bout was stopped.
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// A bout to play outside a tournament.
pub struct SingleBout<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Rules, options and limits to play it by.
    pub event: &'a Event,
    /// The bots with their names, in the order in which they sit.
    pub bots: &'a [(String, Arc<PlacedBuild>)],
    /// The bout's seed.
    pub seed: Seed,
    /// State of the limits on time.
    pub limit_mode: LimitMode,
    /// Signal to stop.
    pub cancel: Cancel,
}

/// A person who plays.
pub struct SeatedPerson {
    /// The name.
    pub name: String,
    /// The way to the person.
    pub channel: SeatedChannel,
}

impl SingleBout<'_> {
    /// Returns the seats of people and bots, for this number of people.
    pub fn seating(&self, people: usize) -> PeopleSeating {
        PeopleSeating::of(self.event.game.spec(), people, self.bots.len())
    }
}

/// Returns the plan of a single bout of `people` and the bots.
pub fn single_plan(single: &SingleBout<'_>, people: &[&str]) -> BoutPlan {
    let event = single.event;
    let bots = single
        .bots
        .iter()
        .map(|(name, build)| SeatPlan { bot: name.clone(), occupant: Occupant::Build(build.hash) });
    let people_seats = people.iter().map(|name| SeatPlan::person(name));
    let seats = single.seating(people.len()).order(people_seats, bots.collect());
    let names: Vec<&str> = seats.iter().map(|seat| seat.bot.as_str()).collect();
    let builds: Vec<String> =
        seats.iter().map(|seat| seat.occupant.identity().to_string()).collect();
    let of = (&event.rules, &event.options, event.clock, &event.limits);
    let own = format!("single {} {} {of:?}", single.seed, builds.join(" "));
    BoutPlan {
        bout: BoutPlan::id(&own, &event.id, &names, 0),
        event: event.id.clone(),
        game: event.game.id().to_owned(),
        revision: event.game.spec().revision,
        referee: BoutPlan::referee_of(event.game.spec()),
        rules: event.rules.clone(),
        options: event.options.clone().into(),
        seed: single.seed,
        match_number: 0,
        number: 0,
        seats,
        limits: single.machine.limits(event).into(),
        clock: event.clock,
    }
}

/// Plays one bout in this thread; `people` sit where the game has them.
///
/// # Errors
///
/// [`SingleError`] when the machine fails or the bout is stopped.
pub fn play_with_people(
    single: &SingleBout<'_>,
    people: Vec<SeatedPerson>,
    observer: &mut dyn BoutObserver,
) -> Result<StoredBout, SingleError> {
    let (plan, occupied) = seat_people(single, people);
    let equipment = equip(single)?;
    let cores = Cores::new(available());
    let loan =
        cores.take(CoreNeeds::of(&plan, single.event.game.spec().thinking).on(cores.total()))?;
    let setup = BoutSetup { equipment: &equipment, plan: &plan, cores: loan.numbers() };
    setup.play(single.limit_mode, observer, occupied)
}

/// Returns the plan of a bout with these people, and their channels by seat.
fn seat_people(single: &SingleBout<'_>, people: Vec<SeatedPerson>) -> (BoutPlan, Occupied) {
    let names: Vec<&str> = people.iter().map(|person| person.name.as_str()).collect();
    let plan = single_plan(single, &names);
    let seats = single.seating(people.len()).people();
    (plan, seats.zip(people.into_iter().map(|person| person.channel)).collect())
}

/// Environment that a single bout is played with.
#[derive(Clone, Copy)]
struct BoutSetup<'a> {
    equipment: &'a Equipment,
    plan: &'a BoutPlan,
    cores: &'a [usize],
}

impl BoutSetup<'_> {
    fn play(
        &self,
        limit_mode: LimitMode,
        observer: &mut dyn BoutObserver,
        occupied: Occupied,
    ) -> Result<StoredBout, SingleError> {
        let options = PlayOptions { limit_mode, ..PlayOptions::new(self.cores, observer) };
        let result: BoutResult = play_plan_with(self.equipment, self.plan, options, occupied)?;
        if let Some(game) = self.equipment.games.find(&self.plan.game) {
            game.dismiss()?;
        }
        Ok(StoredBout { plan: self.plan.clone(), result })
    }
}

fn equip(single: &SingleBout<'_>) -> Result<Equipment, SingleError> {
    insist_that_all_run(single)?;
    let calibrations = calibrate_all(single)?;
    let builds = single.bots.iter().map(|(_, build)| Arc::clone(build));
    Ok(single.machine.equip(builds, calibrations, single.cancel.clone()))
}

fn insist_that_all_run(single: &SingleBout<'_>) -> Result<(), SingleError> {
    for (name, build) in single.bots {
        if let Some(reason) = single.machine.why_not_run(single.event, build)? {
            return Err(match single.cancel.is_cancelled() {
                true => Failure::Cancelled.into(),
                false => SingleError::NotRun { bot: name.clone(), reason },
            });
        }
    }
    Ok(())
}

fn calibrate_all(single: &SingleBout<'_>) -> Result<Vec<Calibration>, NotCalibrated> {
    if single.limit_mode == LimitMode::NoTime || !is_calibrated(single.event.game.spec()) {
        return Ok(Vec::new());
    }
    let event = single.event;
    let limits = single.machine.limits(event);
    let started = language_starts(single.bots.iter().map(|(_, build)| build), &limits);
    let runs = event.calibration_runs;
    let measure =
        |one: &LanguageStart| single.machine.calibrate(&one.language, &one.event(event), runs);
    started.iter().map(measure).collect()
}

/// The seats of people and bots; people sit in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeopleSeating {
    first: usize,
    people: usize,
}

impl PeopleSeating {
    /// Seats so many people and bots as `game` has them.
    pub fn of(game: &GameSpec, people: usize, bots: usize) -> Self {
        Self { first: game.people.seats.first_seat(bots), people }
    }

    /// Returns the seats of the people.
    pub fn people(&self) -> Range<usize> {
        self.first..self.first + self.people
    }

    /// Returns people and bots in the order of their seats.
    pub fn order<T>(&self, people: impl IntoIterator<Item = T>, bots: Vec<T>) -> Vec<T> {
        let mut all = bots;
        all.splice(self.first..self.first, people);
        all
    }
}

/// Longer than any person plays.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// End of one bout of a series.
pub enum SeriesBoutEnd {
    /// It was played.
    Played(Box<StoredBout>),
    /// Somebody wanted another one in its place.
    Abandoned,
}

/// Number of bouts that are played to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeriesLength {
    /// One.
    One,
    /// As many as there is time for.
    Endless,
}

/// Watcher of a series of bouts.
pub trait SeriesObserver: BoutObserver {
    /// Announces a bout that begins, and returns whether to play it.
    fn begin(&mut self, plan: &BoutPlan) -> ControlFlow<()>;

    /// Reports how a bout ended, and returns whether to continue.
    fn end(&mut self, ended: &SeriesBoutEnd) -> ControlFlow<()>;
}

/// Plays bouts one after the other in this thread. The first has the seed of `single`, each later
/// one the next number; an abandoned bout does not count. `people` take the seats that the game has
/// for them, `onlooker` controls the clock without a seat.
///
/// If a bout may last longer than its clock says, or its bots stay for the next one, the budgets
/// of a bout do not apply.
///
/// # Errors
///
/// [`SingleError`] when the machine fails or the series is stopped.
pub fn play_series(
    single: &SingleBout<'_>,
    people: Vec<SeatedPerson>,
    onlooker: Option<Box<dyn LiveChannel>>,
    length: SeriesLength,
    follower: &mut dyn SeriesObserver,
) -> Result<(), SingleError> {
    let (mut plan, mut occupied) = seat_people(single, people);
    if length == SeriesLength::Endless || !occupied.is_empty() {
        plan.limits.bout = FOR_EVER;
        plan.limits.cpu_bout = Some(FOR_EVER);
    }
    let equipment = equip(single)?;
    let cores = Cores::new(available());
    let loan =
        cores.take(CoreNeeds::of(&plan, single.event.game.spec().thinking).on(cores.total()))?;
    if let Some(onlooker) = onlooker {
        occupied.insert(plan.seats.len(), SeatedChannel::OnTheClock(onlooker));
    }
    let series = Series::seat(single, &equipment, plan, loan.numbers(), occupied)?;
    series.play(length, follower)
}

struct Series<'a> {
    single: &'a SingleBout<'a>,
    equipment: &'a Equipment,
    plan: BoutPlan,
    cores: &'a [usize],
    homes: Vec<SeriesSlot>,
    here: Vec<SeriesChannel>,
}

impl<'a> Series<'a> {
    fn seat(
        single: &'a SingleBout<'a>,
        equipment: &'a Equipment,
        plan: BoutPlan,
        cores: &'a [usize],
        mut occupied: Occupied,
    ) -> Result<Self, SingleError> {
        let mut channels = Vec::new();
        for seat in 0..plan.seats.len() {
            channels.push(match occupied.remove(&seat) {
                Some(SeatedChannel::OnTheClock(occupant)) => occupant,
                Some(SeatedChannel::Asked(_)) => return Err(misplaced().into()),
                None => {
                    let build = equipment.build_of(plan.seats[seat].occupant);
                    let build = build.ok_or_else(misplaced)?;
                    let (game, limit_mode) = (&single.event.game, single.limit_mode);
                    let of = BotSeat { game, plan: &plan, seat, build, cores, limit_mode };
                    let opening = opening(equipment, &of);
                    open_live(&game.spec().channel, opening).map_err(failed)?
                }
            });
        }
        channels.extend(occupied.into_values().filter_map(|occupant| match occupant {
            SeatedChannel::OnTheClock(onlooker) => Some(onlooker),
            SeatedChannel::Asked(_) => None,
        }));
        let homes: Vec<SeriesSlot> = channels.iter().map(|_| SeriesSlot::default()).collect();
        let here = channels.into_iter().zip(&homes);
        let here = here.map(|(channel, home)| SeriesChannel::new(channel, home.clone())).collect();
        Ok(Self { single, equipment, plan, cores, homes, here })
    }

    fn play(
        mut self,
        length: SeriesLength,
        follower: &mut dyn SeriesObserver,
    ) -> Result<(), SingleError> {
        let played = self.play_all(length, follower);
        let left: Vec<_> = self.here.into_iter().map(SeriesChannel::leave).collect();
        played?;
        left.into_iter().collect::<Result<(), _>>().map_err(failed)?;
        Ok(())
    }

    fn play_all(
        &mut self,
        length: SeriesLength,
        follower: &mut dyn SeriesObserver,
    ) -> Result<(), SingleError> {
        loop {
            check_flow(follower.begin(&self.plan))?;
            let ended = self.play_one(follower)?;
            check_flow(follower.end(&ended))?;
            if length == SeriesLength::One && matches!(ended, SeriesBoutEnd::Played(_)) {
                return Ok(());
            }
            self.plan.seed = Seed(self.plan.seed.0.wrapping_add(1));
            let names: Vec<&str> = self.plan.seats.iter().map(|seat| seat.bot.as_str()).collect();
            let text = format!("single {}", self.plan.seed);
            self.plan.bout = BoutPlan::id(&text, &self.plan.event, &names, 0);
        }
    }

    fn play_one(
        &mut self,
        follower: &mut dyn SeriesObserver,
    ) -> Result<SeriesBoutEnd, SingleError> {
        let on_the_clock = |one: SeriesChannel| SeatedChannel::OnTheClock(Box::new(one));
        let occupied = self.here.drain(..).map(on_the_clock).enumerate().collect();
        let setup = BoutSetup { equipment: self.equipment, plan: &self.plan, cores: self.cores };
        let played = setup.play(self.single.limit_mode, follower, occupied);
        self.here.extend(self.homes.iter().filter_map(SeriesSlot::take));
        match played {
            Ok(stored) => Ok(SeriesBoutEnd::Played(Box::new(stored))),
            Err(SingleError::Failure(Failure::Cancelled))
                if !self.single.cancel.is_cancelled()
                    && self.here.iter().any(|one| one.clock_control() == ClockControl::NewBout) =>
            {
                Ok(SeriesBoutEnd::Abandoned)
            }
            Err(error) => Err(error),
        }
    }
}

fn check_flow(flow: ControlFlow<()>) -> Result<(), Failure> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Failure::Cancelled),
    }
}

fn misplaced() -> Failure {
    Failure::Infrastructure("somebody sits in a game that is played another way".to_owned())
}

fn failed(error: ChannelError) -> Failure {
    Failure::Infrastructure(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_sit_first_or_last_as_the_game_has_it() {
        let seating = |game: &str, people, bots| {
            PeopleSeating::of(joust_testkit::game(game).spec(), people, bots)
        };
        let first = seating("battleships-2017", 1, 1);
        assert_eq!(first.people(), 0..1);
        assert_eq!(first.order(["person"], vec!["bot"]), ["person", "bot"]);
        let last = seating("coderone-dungeon", 1, 2);
        assert_eq!(last.people(), 2..3);
        assert_eq!(last.order(["person"], vec!["a", "b"]), ["a", "b", "person"]);
    }
}
