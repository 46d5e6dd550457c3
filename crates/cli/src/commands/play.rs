//! `joust play`: one bout now.

use std::path::PathBuf;
use std::sync::Arc;

use joust_orchestrator::bots::calibrate::NotCalibrated;
use joust_orchestrator::bots::{BotSource, Build, NotBuilt};
use joust_orchestrator::channel::Limiting;
use joust_orchestrator::config::{Event, Tournament};
use joust_orchestrator::model::{Pace, StoredBout};
use joust_orchestrator::pipeline::{
    EndOfBout, Follower, Length, Reload, Single, SingleError, Workshop, play_series,
    play_with_people, single_plan, stand_in,
};
use joust_orchestrator::play::Flow;
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
            "read host and port from JOUST_HOST and JOUST_PORT, or from arguments: \
             `args: [\"{host}\", \"{port}\"]` in bot.yaml",
        ),
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
    event.clock = clock(args, game, event.clock)?;
    check_seats(args, game)?;
    check_turns(args, game)?;
    check_clock(args, game)?;
    Ok(event)
}

/// Returns how the clock strikes, if the game has one.
fn clock(
    args: &PlayArgs,
    game: &dyn GameKind,
    configured: Option<Pace>,
) -> Result<Option<Pace>, Failure> {
    if configured.is_none() {
        return match args.clock {
            None => Ok(None),
            Some(_) => {
                let message = format!("`{}` is not played on a clock", game.id());
                Err(Failure::new(Status::Usage, message))
            }
        };
    }
    if people::at_the_keyboard(args) == 0 && args.listen.is_none() {
        return Ok(args.clock.or(configured));
    }
    match args.clock {
        // A clock that waits for nobody is the only one a person can play against.
        None | Some(Pace::Realtime) => Ok(Some(Pace::Realtime)),
        Some(other) => {
            let message = format!("people play in real time, not `{}`", other.name());
            Err(Failure::new(Status::Usage, message))
        }
    }
}

/// Refuses what only games with a keyboard for their clock can do.
fn check_clock(args: &PlayArgs, game: &dyn GameKind) -> Result<(), Failure> {
    let wanted = [
        ("--start-paused", args.start_paused),
        ("--single-step", args.single_step),
        ("--endless", args.endless),
    ];
    let is_over_tcp = game.channel() == people::OVER_TCP;
    let wanted = wanted.into_iter().filter(|(_, is_wanted)| *is_wanted);
    let cannot = |option: &str| game.keys().is_empty() || is_over_tcp && option == "--endless";
    if let Some(option) = wanted.map(|(option, _)| option).find(|option| cannot(option)) {
        let message = format!("`{}` has no `{option}`", game.id());
        return Err(Failure::new(Status::Usage, message));
    }
    if args.single_step && !args.show && people::at_the_keyboard(args) == 0 {
        let message = "`--single-step` is for those who watch: add `--show`";
        return Err(Failure::new(Status::Usage, message));
    }
    Ok(())
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
    let is_over_tcp = game.channel() == people::OVER_TCP;
    if is_over_tcp && people > 0 && args.listen.is_some() {
        let message = "`--human` and `--listen` both want the keyboard in a game on a clock";
        return Err(Failure::new(Status::Usage, message)
            .hint("with `--listen` a person can join with `nc` from another terminal"));
    }
    let wanted = [
        ("--human", people > 0 && game.keys().is_empty()),
        ("--listen", args.listen.is_some() && !is_over_tcp),
        ("--reload", args.reload && (game.keys().is_empty() || is_over_tcp)),
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
    let original = game.original_names().iter().find(|original| original.name == name);
    if let Some(original) = original {
        let value = original.translate(&OptionValue::Text(value.to_owned()));
        return Ok((original.option.to_owned(), value));
    }
    let spec = game.options().iter().find(|spec| spec.name == name).ok_or_else(|| {
        let message = format!("`{}` has no option `{}`", game.id(), name.escape_default());
        Failure::new(Status::Usage, message).hint(format!("its options are: {}", known.join(", ")))
    })?;
    let parsed = match spec.kind {
        OptionKind::Bool(_) => value.parse().map(OptionValue::Bool).ok(),
        OptionKind::Int { .. } | OptionKind::OptionalInt { .. } => {
            value.parse().map(OptionValue::Int).ok()
        }
        OptionKind::OneOf(_) | OptionKind::HostName(_) => None,
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
