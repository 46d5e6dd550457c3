//! One bout outside a tournament.

use std::sync::Arc;

use super::reload::{Reload, Reloader};
use super::workshop::Workshop;
use crate::bots::Build;
use crate::bots::calibrate::{NotCalibrated, is_calibrated};
use crate::cancel::Cancel;
use crate::channel::Limiting;
use crate::config::Event;
use crate::executor::bout::{Manner, Occupant, Occupied, play_plan_with};
use crate::executor::{Cores, Failure, NotEnoughCores, available};
use crate::model::{BoutPlan, BoutResult, Calibration, SeatPlan, StoredBout};
use crate::play::{PlayError, Watcher, cores_needed};

/// Why a single bout has no result.
#[derive(Debug, thiserror::Error)]
pub enum SingleError {
    /// The machine is too small.
    #[error(transparent)]
    Cores(#[from] NotEnoughCores),
    /// There is no such game.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A language cannot be measured.
    #[error("a language cannot be calibrated")]
    Calibrate(#[from] NotCalibrated),
    /// The machine failed, or the bout was stopped.
    #[error(transparent)]
    Failure(#[from] Failure),
}

/// A bout to play outside a tournament.
pub struct Single<'a> {
    /// The machine.
    pub workshop: &'a Workshop,
    /// How it is played: rules, options and limits.
    pub event: &'a Event,
    /// The bots with their names, in seat order after the people.
    pub bots: &'a [(String, Arc<Build>)],
    /// The bout's seed.
    pub seed: u64,
    /// Whether limits on time hold.
    pub limiting: Limiting,
    /// Whether to stop.
    pub cancel: Cancel,
    /// Which bots are built again when their source changes.
    pub reload: Option<Reload<'a>>,
}

/// A person who plays.
pub struct Person {
    /// The name.
    pub name: String,
    /// The way to the person.
    pub channel: Occupant,
}

/// Returns the plan of a single bout, in which `people` sit before the bots.
#[must_use]
pub fn single_plan(single: &Single<'_>, people: &[&str]) -> BoutPlan {
    let event = single.event;
    let bots = single.bots.iter().map(|(name, _)| name.as_str());
    let names: Vec<&str> = people.iter().copied().chain(bots).collect();
    let bots =
        single.bots.iter().map(|(name, build)| SeatPlan { bot: name.clone(), build: build.hash });
    let seats = people.iter().map(|name| SeatPlan::person(name)).chain(bots);
    BoutPlan {
        bout: BoutPlan::id(&format!("single {}", single.seed), &event.id, &names, 0),
        event: event.id.clone(),
        game: event.game.id().to_owned(),
        revision: event.game.revision(),
        rules: event.rules.clone(),
        options: event.options.clone(),
        seed: single.seed,
        match_number: 0,
        number: 0,
        seats: seats.collect(),
        limits: event.limits.clone(),
        clock: event.clock,
    }
}

/// Plays one bout in this thread.
///
/// # Errors
///
/// [`SingleError`] when the machine fails or the bout is stopped.
pub fn play_single(
    single: &Single<'_>,
    watcher: &mut dyn Watcher,
) -> Result<StoredBout, SingleError> {
    play_with_people(single, Vec::new(), watcher)
}

/// Plays one bout in this thread; `people` sit before the bots.
///
/// # Errors
///
/// [`SingleError`] when the machine fails or the bout is stopped.
pub fn play_with_people(
    single: &Single<'_>,
    people: Vec<Person>,
    watcher: &mut dyn Watcher,
) -> Result<StoredBout, SingleError> {
    let names: Vec<&str> = people.iter().map(|player| player.name.as_str()).collect();
    let plan = single_plan(single, &names);
    let calibrations = calibrate_all(single)?;
    let builds = single.bots.iter().map(|(_, build)| Arc::clone(build));
    let equipment = single.workshop.equip(builds, calibrations, single.cancel.clone());
    let cores = Cores::new(available());
    let loan = cores.take(cores_needed(&plan, cores.total())?)?;
    let first = people.len();
    let mut occupied: Occupied =
        people.into_iter().map(|person| person.channel).enumerate().collect();
    let mut reloader;
    let watcher: &mut dyn Watcher = match &single.reload {
        None => watcher,
        Some(reload) => {
            let (machine, place) = ((&equipment, &plan), (first, loan.numbers()));
            reloader =
                Reloader::seat_all((single, reload), machine, place, watcher, &mut occupied)?;
            &mut reloader
        }
    };
    let manner = Manner {
        cores: loan.numbers(),
        limiting: single.limiting,
        watcher,
        oversubscribed: false,
        recorded: None,
    };
    let result: BoutResult = play_plan_with(&equipment, &plan, manner, occupied)?;
    Ok(StoredBout { plan, result })
}

fn calibrate_all(single: &Single<'_>) -> Result<Vec<Calibration>, NotCalibrated> {
    if single.limiting == Limiting::NoTime || !is_calibrated(single.event.game) {
        return Ok(Vec::new());
    }
    let event = single.event;
    let languages = super::languages_of(single.bots.iter().map(|(_, build)| build));
    let measure =
        |language: &String| single.workshop.calibrate(language, event, event.calibration_runs);
    languages.iter().map(measure).collect()
}
