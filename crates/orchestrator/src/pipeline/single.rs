//! One bout outside a tournament.

use std::sync::Arc;

use super::workshop::Workshop;
use crate::bots::Build;
use crate::bots::calibrate::NotCalibrated;
use crate::cancel::Cancel;
use crate::channel::Limiting;
use crate::config::Event;
use crate::executor::bout::{Manner, play_plan};
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
    /// The bots with their names, in seat order.
    pub bots: &'a [(String, Arc<Build>)],
    /// The bout's seed.
    pub seed: u64,
    /// Whether limits on time hold.
    pub limiting: Limiting,
    /// Whether to stop.
    pub cancel: Cancel,
}

/// Returns the plan of a single bout.
#[must_use]
pub fn single_plan(single: &Single<'_>) -> BoutPlan {
    let event = single.event;
    let names: Vec<&str> = single.bots.iter().map(|(name, _)| name.as_str()).collect();
    let seats =
        single.bots.iter().map(|(name, build)| SeatPlan { bot: name.clone(), build: build.hash });
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
    let plan = single_plan(single);
    let calibrations = calibrate_all(single)?;
    let builds = single.bots.iter().map(|(_, build)| Arc::clone(build));
    let equipment = single.workshop.equip(builds, calibrations, single.cancel.clone());
    let cores = Cores::new(available());
    let loan = cores.take(cores_needed(&plan)?)?;
    let manner =
        Manner { cores: loan.numbers(), limiting: single.limiting, watcher, oversubscribed: false };
    let result: BoutResult = play_plan(&equipment, &plan, manner)?;
    Ok(StoredBout { plan, result })
}

fn calibrate_all(single: &Single<'_>) -> Result<Vec<Calibration>, NotCalibrated> {
    if single.limiting == Limiting::NoTime {
        return Ok(Vec::new());
    }
    let event = single.event;
    let languages = super::languages_of(single.bots.iter().map(|(_, build)| build));
    let measure =
        |language: &String| single.workshop.calibrate(language, event, event.calibration_runs);
    languages.iter().map(measure).collect()
}
