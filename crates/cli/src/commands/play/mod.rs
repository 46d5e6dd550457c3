//! `joust play`: one bout now.

mod bots;
mod checks;
mod event;
mod options;

use joust_orchestrator::bots::calibrate::NotCalibrated;
use joust_orchestrator::channel::Limiting;
use joust_orchestrator::model::StoredBout;
use joust_orchestrator::pipeline::{
    EndOfBout, Follower, Length, Reload, Single, SingleError, play_series, play_with_people,
    single_plan,
};
use joust_orchestrator::play::Flow;

use super::bout::{headline, json, summary};
use super::export::Addresses;
use super::people::{self, People};
use super::play_log::{OwnFolder, ReplayFolder};
use super::record::Recording;
use super::watch::{Looking, Onlooker};
use super::{export, run, shared};
use crate::args::{PlayArgs, TextFormat};
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;
pub(super) use bots::build;
use bots::read;
use event::event;
pub(super) use options::option;

pub(super) fn execute(args: &PlayArgs, screen: Screen) -> Result<Status, Failure> {
    let game = shared::game(&args.game)?;
    let tournament = shared::tournament_or_default(args.file.as_deref(), screen)?;
    let event = event(args, game, &tournament)?;
    let (workshop, cancel) =
        run::workshop(&tournament, run::isolation(args.allow_unsafe)?, screen)?;
    let bots = build(&workshop, &event, &args.bots, screen)?;
    let folder = match &args.log {
        Some(folder) => Some(OwnFolder::create(folder, args.force)?),
        None => None,
    };
    let limiting = if args.no_limit { Limiting::NoTime } else { Limiting::Configured };
    let listener = run::listener(screen);
    let single = Single {
        workshop: &workshop,
        event: &event,
        bots: &bots,
        seed: args.seed,
        limiting,
        cancel,
        reload: args.reload.then_some(Reload { sources: &args.bots, listener: &*listener }),
    };
    let bot_names: Vec<String> = bots.iter().map(|(name, _)| name.clone()).collect();
    let people = people::gather(args, game, &bot_names, (&single.cancel, screen))?;
    let hand = people::onlooker(args, game, screen)?;
    let people_names: Vec<String> =
        people.seated.iter().map(|person| person.name.clone()).collect();
    let seating = single.seating(people_names.len());
    let names = seating.order(people_names.iter().cloned(), bot_names);
    let recording = match &args.record {
        Some(file) => Some(Recording::create(file, &event, &names)?),
        None => None,
    };
    let folder = match folder {
        Some(folder) => Some(begin_replay(folder, args, &single, &people_names)?),
        None => None,
    };
    let report = Reporting { format: args.format, turns: args.turns, screen };
    let looking = Looking {
        names,
        people: seating.people(),
        clock: event.clock,
        folder,
        recording,
        cancel: single.cancel.clone(),
        report: Box::new(move |stored| report.print(stored)),
    };
    let mut onlooker = Onlooker::new(args, looking, screen);
    let is_live = event.clock.is_some() && !people.seated.is_empty();
    let played = if is_live || hand.is_some() || args.endless {
        let length = if args.endless { Length::Endless } else { Length::One };
        play_series(&single, (people.seated, hand), length, &mut onlooker)
    } else {
        play_one(&single, people, &mut onlooker)
    };
    match (onlooker.trouble(), played) {
        (Some(trouble), _) => Err(trouble),
        (None, played) => played.map(|()| Status::Done).map_err(|error| failure(&error)),
    }
}

/// Plays one bout and tells everybody how it ended.
fn play_one(
    single: &Single<'_>,
    mut people: People,
    onlooker: &mut Onlooker,
) -> Result<(), SingleError> {
    let stopped = || SingleError::Failure(joust_orchestrator::executor::Failure::Cancelled);
    let names: Vec<&str> = people.seated.iter().map(|person| person.name.as_str()).collect();
    let plan = single_plan(single, &names);
    if onlooker.begin(&plan) == Flow::Stop {
        return Err(stopped());
    }
    let played = play_with_people(single, people.seated, onlooker);
    people.audience.tell(&match &played {
        Ok(stored) => format!("\nthe game is over\n{}", summary(stored)),
        Err(_) => "\nthe game was called off\n".to_owned(),
    });
    match onlooker.end(&EndOfBout::Played(Box::new(played?))) {
        Flow::Continue => Ok(()),
        Flow::Stop => Err(stopped()),
    }
}

/// Begins to write the replay of a bout of `people` and the bots.
fn begin_replay(
    folder: OwnFolder,
    args: &PlayArgs,
    single: &Single<'_>,
    people: &[String],
) -> Result<ReplayFolder, Failure> {
    let workshop = single.workshop;
    let plan = single_plan(single, &people.iter().map(String::as_str).collect::<Vec<_>>());
    let addresses = if args.emails { Addresses::Shown } else { Addresses::Hidden };
    let players = export::players(people, &read(workshop, single.event, &args.bots)?, addresses);
    ReplayFolder::begin(folder, export::begin(&plan, players, workshop.clock.now())?)
}

/// How results are printed.
struct Reporting {
    format: TextFormat,
    turns: bool,
    screen: Screen,
}

impl Reporting {
    fn print(&self, stored: &StoredBout) -> Result<(), Failure> {
        match self.format {
            TextFormat::Json => self.screen.result(&json(stored, self.turns)?),
            TextFormat::Text => {
                self.screen.result(&headline(stored));
                self.screen.result(&summary(stored));
            }
        }
        Ok(())
    }
}

/// Makes a failure of a bout that has no result.
pub(super) fn failure(error: &SingleError) -> Failure {
    use joust_orchestrator::executor::Failure as Play;
    match error {
        SingleError::Failure(Play::Cancelled) | SingleError::Calibrate(NotCalibrated::Stopped) => {
            run::interrupted()
        }
        SingleError::NotRun { .. } => Failure::from_error(Status::NotInOrder, error).hint(
            "read the host from JOUST_HOST, or take it as an argument: \
             `args: [\"{host}\", \"{port}\"]` in bot.yaml",
        ),
        other => Failure::from_error(Status::Machine, other),
    }
}
