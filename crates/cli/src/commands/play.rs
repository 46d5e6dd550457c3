//! `joust play`: one bout now.

use std::path::PathBuf;
use std::sync::Arc;

use joust_orchestrator::bots::calibrate::NotCalibrated;
use joust_orchestrator::bots::{Build, NotBuilt};
use joust_orchestrator::channel::Limiting;
use joust_orchestrator::config::{Event, Tournament};
use joust_orchestrator::model::StoredBout;
use joust_orchestrator::pipeline::{Single, SingleError, Workshop, play_single, stand_in};
use joust_referee::{GameKind, OptionKind, OptionValue, Options};

use super::bout::{headline, json, summary};
use super::play_log::ReplayFolder;
use super::watch::Onlooker;
use super::{run, shared};
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
        Some(folder) => Some(ReplayFolder::create(folder, args.force)?),
        None => None,
    };
    let limiting = if args.no_limit { Limiting::NoTime } else { Limiting::Configured };
    let single = Single {
        workshop: &workshop,
        event: &event,
        bots: &bots,
        seed: args.seed,
        limiting,
        cancel,
    };
    let names = bots.iter().map(|(name, _)| name.clone()).collect();
    let mut onlooker = Onlooker::new(args, names, folder, screen);
    let stored = play_single(&single, &mut onlooker).map_err(|error| failure(&error))?;
    onlooker.finish(&stored)?;
    print(args, &stored, screen)
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
    let (fewest, most) = game.seats();
    let seats = args.bots.len();
    if !(usize::from(fewest)..=usize::from(most)).contains(&seats) {
        let wanted =
            if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
        let message = format!("`{}` is played by {wanted} bots, not {seats}", game.id());
        return Err(Failure::new(Status::Usage, message));
    }
    Ok(event)
}

fn complete(
    game: &dyn GameKind,
    options: &Options,
) -> Result<joust_orchestrator::model::GameOptions, Failure> {
    joust_referee::complete_options(game.options(), options)
        .map(|options| joust_orchestrator::model::GameOptions::from_referee(&options))
        .map_err(|error| Failure::from_error(Status::Usage, &error))
}

fn option(game: &dyn GameKind, text: &str) -> Result<(String, OptionValue), Failure> {
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
        OptionKind::Int { .. } => value.parse().map(OptionValue::Int).ok(),
        OptionKind::OneOf(_) => None,
    };
    Ok((name.to_owned(), parsed.unwrap_or_else(|| OptionValue::Text(value.to_owned()))))
}

/// Builds the bots at `paths`; one that cannot be built is an error.
pub(super) fn build(
    workshop: &Workshop,
    event: &Event,
    paths: &[PathBuf],
    screen: Screen,
) -> Result<Vec<(String, Arc<Build>)>, Failure> {
    let sources = paths
        .iter()
        .map(|path| workshop.read_bot(path, event.game))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|problems| shared::bot_problems(&problems))?;
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
