//! Bouts on a clock one after the other with the same bots, which are not started again: the
//! original's endless mode, and new maps on request.

use std::ops::ControlFlow;
use std::time::Duration;

use super::single::{
    BoutSetup, SeatedPerson, SingleBout, SingleError, core_needs, equip, single_plan,
};
use joust_model::{BoutPlan, Seed, StoredBout};
use joust_play::BoutObserver;
use joust_play::channel::ChannelError;
use joust_play::channel::live::{ClockControl, LiveChannel, SeriesChannel, SeriesSlot, open_live};
use joust_play::executor::bout::{BotSeat, Occupied, SeatedChannel, opening};
use joust_play::executor::{Cores, Equipment, Failure, available};

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
    let names: Vec<&str> = people.iter().map(|player| player.name.as_str()).collect();
    let mut plan = single_plan(single, &names);
    if length == SeriesLength::Endless || !people.is_empty() {
        plan.limits.bout = FOR_EVER;
        plan.limits.cpu_bout = Some(FOR_EVER);
    }
    let equipment = equip(single)?;
    let cores = Cores::new(available());
    let loan = cores.take(core_needs(single, &plan).on(cores.total()))?;
    let seating = single.seating(people.len());
    let channels = people.into_iter().map(|person| person.channel);
    let mut occupied: Occupied = seating.people().zip(channels).collect();
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
