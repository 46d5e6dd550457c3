//! `joust play`: one bout now.

use std::path::PathBuf;
use std::sync::Arc;

use joust_orchestrator::bots::calibrate::NotCalibrated;
use joust_orchestrator::bots::{BotSource, Build, NotBuilt};
use joust_orchestrator::channel::Limiting;
use joust_orchestrator::config::{Event, Tournament};
use joust_orchestrator::model::{Pace, StoredBout};
use joust_orchestrator::pipeline::{
    Reload, Single, SingleError, Workshop, play_with_people, single_plan, stand_in,
};
use joust_referee::{GameKind, OptionKind, OptionValue, Options, Thinking};

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

pub(super) fn execute(args: &PlayArgs, screen: Screen) -> Result<Status, Failure> {
    let game = shared::game(&args.game)?;
    let tournament = shared::tournament_or_default(args.file.as_deref(), screen)?;
    let event = event(args, game, &tournament)?;
    let (workshop, cancel) = run::workshop(&tournament, run::isolation(args.allow_unsafe), screen)?;
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
    let People { seated, mut audience } =
        people::gather(args, game, &bot_names, (&single.cancel, screen))?;
    let names: Vec<String> =
        seated.iter().map(|person| person.name.clone()).chain(bot_names).collect();
    let recording = match &args.record {
        Some(file) => Some(Recording::create(file, &event, (args.seed, &names))?),
        None => None,
    };
    let folder = match folder {
        Some(folder) => Some(begin_replay(folder, args, &single, &names[..seated.len()])?),
        None => None,
    };
    let looking = Looking {
        names,
        people: seated.len(),
        is_on_the_clock: event.clock.is_some(),
        folder,
        recording,
    };
    let mut onlooker = Onlooker::new(args, looking, screen);
    let played = play_with_people(&single, seated, &mut onlooker);
    audience.tell(&match &played {
        Ok(stored) => format!("\nthe game is over\n{}", summary(stored)),
        Err(_) => "\nthe game was called off\n".to_owned(),
    });
    let stored = played.map_err(|error| failure(&error))?;
    onlooker.finish(&stored)?;
    print(args, &stored, screen)
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

fn print(args: &PlayArgs, stored: &StoredBout, screen: Screen) -> Result<Status, Failure> {
    match args.format {
        TextFormat::Json => screen.result(&json(stored, args.turns)?),
        TextFormat::Text => {
            screen.result(&headline(stored));
            screen.result(&summary(stored));
        }
    }
    Ok(Status::Done)
}

/// Makes a failure of a bout that has no result.
pub(super) fn failure(error: &SingleError) -> Failure {
    use joust_orchestrator::executor::Failure as Play;
    match error {
        SingleError::Failure(Play::Cancelled) | SingleError::Calibrate(NotCalibrated::Stopped) => {
            run::interrupted()
        }
        other => Failure::from_error(Status::Machine, other),
    }
}

/// Returns how the bout is played: the tournament's event of this game when a
/// file was named, changed by what the command line says.
fn event(
    args: &PlayArgs,
    game: &'static dyn GameKind,
    tournament: &Tournament,
) -> Result<Event, Failure> {
    let mut event = stand_in::event(tournament, game);
    if let Some(rules) = &args.rules {
        if !game.rule_sets().contains(&rules.as_str()) {
            let message = format!("`{}` has no rule set `{}`", game.id(), rules.escape_default());
            return Err(Failure::new(Status::Usage, message)
                .hint(format!("its rule sets are: {}", game.rule_sets().join(", "))));
        }
        event.rules.clone_from(rules);
    }
    let mut options = event.options.to_referee();
    for text in &args.options {
        let (name, value) = option(game, text)?;
        options.insert(name, value);
    }
    event.options = complete(game, &options)?;
    if event.clock.is_some() && people::at_the_keyboard(args) > 0 {
        // A clock that waits for nobody is the only one a person can play against.
        event.clock = Some(Pace::Realtime);
    }
    check_seats(args, game)?;
    check_turns(args, game)?;
    Ok(event)
}

/// Refuses what no lobby can make good.
fn check_seats(args: &PlayArgs, game: &dyn GameKind) -> Result<(), Failure> {
    let (fewest, most) = game.seats();
    let seats = args.bots.len() + people::at_the_keyboard(args);
    let least = if args.listen.is_some() { 0 } else { usize::from(fewest) };
    let room = usize::from(most) - usize::from(args.listen.is_some());
    if (least..=room).contains(&seats) {
        return Ok(());
    }
    let wanted = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
    let guests = if args.listen.is_some() { ", guests included" } else { "" };
    let message = format!("`{}` is played by {wanted}{guests}, not {seats}", game.id());
    Err(Failure::new(Status::Usage, message))
}

/// Refuses what only games that ask and wait can do.
fn check_turns(args: &PlayArgs, game: &dyn GameKind) -> Result<(), Failure> {
    let people = people::at_the_keyboard(args);
    if people > 1 && !game.keys().is_empty() {
        let message = format!("`{}` has one keyboard for one person", game.id());
        return Err(Failure::new(Status::Usage, message));
    }
    let wanted = [
        ("--human", people > 0 && game.keys().is_empty()),
        ("--listen", args.listen.is_some()),
        ("--reload", args.reload),
    ];
    let wanted = wanted.into_iter().find(|(_, is_wanted)| *is_wanted);
    match wanted {
        Some((option, _)) if game.thinking() == Thinking::Together => {
            let message = format!("`{}` is played on a clock and has no `{option}`", game.id());
            Err(Failure::new(Status::Usage, message))
        }
        _ => Ok(()),
    }
}

fn complete(
    game: &dyn GameKind,
    options: &Options,
) -> Result<joust_orchestrator::model::GameOptions, Failure> {
    joust_referee::complete_options(game.options(), options)
        .map(|options| joust_orchestrator::model::GameOptions::from_referee(&options))
        .map_err(|error| Failure::from_error(Status::Usage, &error))
}

/// Reads `NAME=VALUE`.
pub(super) fn option(game: &dyn GameKind, text: &str) -> Result<(String, OptionValue), Failure> {
    let (name, value) = text.split_once('=').ok_or_else(|| {
        Failure::new(Status::Usage, format!("option `{}` has no value", text.escape_default()))
            .hint("give options as NAME=VALUE")
    })?;
    let known: Vec<_> = game.options().iter().map(|spec| spec.name).collect();
    let spec = game.options().iter().find(|spec| spec.name == name).ok_or_else(|| {
        let message = format!("`{}` has no option `{}`", game.id(), name.escape_default());
        Failure::new(Status::Usage, message).hint(format!("its options are: {}", known.join(", ")))
    })?;
    let parsed = match spec.kind {
        OptionKind::Bool(_) => value.parse().map(OptionValue::Bool).ok(),
        OptionKind::Int { .. } | OptionKind::OptionalInt { .. } => {
            value.parse().map(OptionValue::Int).ok()
        }
        OptionKind::OneOf(_) => None,
    };
    Ok((name.to_owned(), parsed.unwrap_or_else(|| OptionValue::Text(value.to_owned()))))
}

fn read(workshop: &Workshop, event: &Event, paths: &[PathBuf]) -> Result<Vec<BotSource>, Failure> {
    let sources = paths.iter().map(|path| workshop.read_bot(path, event.game));
    sources.collect::<Result<_, _>>().map_err(|problems| shared::bot_problems(&problems))
}

/// Builds the bots at `paths`; one that cannot be built is an error.
pub(super) fn build(
    workshop: &Workshop,
    event: &Event,
    paths: &[PathBuf],
    screen: Screen,
) -> Result<Vec<(String, Arc<Build>)>, Failure> {
    let sources = read(workshop, event, paths)?;
    let built = workshop.build(&sources, event, &*run::listener(screen));
    let named = sources.into_iter().zip(built).map(|(source, built)| match built {
        Ok(build) => Ok((source.name().to_owned(), build)),
        Err(NotBuilt::Stopped) => Err(run::interrupted()),
        Err(reason) => {
            // The listener has told the reason already.
            let message = format!("`{}` could not be built", source.name());
            let word = reason.word();
            Err(Failure::new(Status::NotInOrder, format!("{message}: {word}")))
        }
    });
    named.collect()
}
