//! `joust play`: one bout now.

mod bots;
mod event;
mod reload;

use std::io::{self, IsTerminal};
use std::ops::ControlFlow;

use joust_config::Event;
use joust_model::cancel::Cancel;
use joust_model::{StoredBout, clock, counted};
use joust_orchestrator::pipeline::{
    SeriesBoutEnd, SeriesLength, SeriesObserver, SingleBout, SingleError, play_series,
    play_with_people, single_plan,
};
use joust_play::calibrate::NotCalibrated;
use joust_play::channel::LimitMode;
use joust_play::executor::Failure as PlayFailure;
use joust_referee::Seed;

use super::bout::{fate, headline, json, referee_wrote, summary};
use super::bout_viewer::{BoutViewer, ViewerSetup};
use super::history::failed_at;
use super::people::{self, BoutPeople, PlayerSetup};
use super::play_log::{OwnFolder, ReplayFolder};
use super::record::Recording;
use super::{named_bots, play_log, run, shared};
use crate::args::{BoutFormatArgs, PlayArgs, TextFormat};
use crate::error::{Failure, Status};
use crate::output::Screen;
use crate::scene::broken;
use crate::terminal_session::{TerminalSession, width};
pub(super) use bots::build;
use bots::read;
use event::event;
pub(super) use event::option;

pub(super) fn execute(args: &PlayArgs, screen: Screen) -> Result<Status, Failure> {
    if args.reload { reload::execute(args, screen) } else { execute_until(None, args, screen) }
}

/// Plays until `stop`, where the caller handles signals, else until a signal comes.
pub(super) fn execute_until(
    stop: Option<&Cancel>,
    args: &PlayArgs,
    screen: Screen,
) -> Result<Status, Failure> {
    shared::turns_want_json(&args.result)?;
    let shared::FoundGame { game, tournament } = shared::find_game(&args.game, screen)?;
    let event = event(args, &game, &tournament)?;
    let bots = named_bots::paths(&args.bots, &tournament, &event)?;
    let args = &PlayArgs { bots, ..args.clone() };
    let isolation = &args.settings.isolation;
    let (machine, cancel) = match stop {
        Some(stop) => (run::open_stoppable_machine(stop, &tournament, isolation)?, stop.clone()),
        None => run::open_machine(&tournament, isolation, screen)?,
    };
    let bots = build(&machine, &event, &args.bots, screen)?;
    let folder = match &args.recording.log {
        Some(folder) => Some(OwnFolder::create(folder, args.recording.force)?),
        None => None,
    };
    let limit_mode = if args.settings.no_limit { LimitMode::NoTime } else { LimitMode::Configured };
    let terminal = TerminalSession::new(screen);
    let single = SingleBout {
        machine: &machine,
        event: &event,
        bots: &bots,
        // A negative one by its bits.
        seed: Seed(args.settings.seed as u64),
        limit_mode,
        cancel,
    };
    let bot_names: Vec<String> = bots.iter().map(|(name, _)| name.clone()).collect();
    let gathering = PlayerSetup {
        args,
        event: &event,
        bots: &bot_names,
        cancel: &single.cancel,
        screen,
        terminal: &terminal,
    };
    let people = gathering.gather()?;
    let hand = gathering.onlooker()?;
    let people_names = people.names.clone();
    let seating = single.seating(people_names.len());
    let names = seating.order(people_names.iter().cloned(), bot_names.clone());
    let recordings = recordings(args, &event, &names)?;
    let folder = match folder {
        Some(folder) => Some(begin_replay(folder, args, &single, &people_names)?),
        None => None,
    };
    if let Some(participants) = &people.participants {
        participants.sit(seating.people().start + people.here, names.len());
    }
    let looking = ViewerSetup {
        names,
        people: seating.people(),
        here: people.here,
        participants: people.participants.clone(),
        paint: gathering.paint_for_guests(),
        clock: event.clock,
        keys: keys(args, &event, &people, hand.is_some()),
        folder,
        recordings,
        cancel: single.cancel.clone(),
    };
    let mut onlooker = BoutViewer::new(args, looking, &terminal, screen);
    let is_live = event.clock.is_some() && !people.seated.is_empty();
    let played = if is_live || hand.is_some() || args.clock.endless {
        let length = if args.clock.endless { SeriesLength::Endless } else { SeriesLength::One };
        play_series(&single, people.seated, hand, length, &mut onlooker)
    } else {
        play_one(&single, people, &mut onlooker)
    };
    terminal.release();
    match (onlooker.trouble(), played) {
        (Some(trouble), _) => Err(trouble),
        (None, Err(SingleError::Failure(PlayFailure::Cancelled)))
            if args.clock.endless && single.cancel.is_cancelled() =>
        {
            let maps = counted(onlooker.maps(), "map");
            screen.message(&format!("ended after {maps}; the one under way has no result"));
            Ok(Status::Done)
        }
        (None, played) => {
            played.map_err(|error| failure(&error))?;
            if !onlooker.has_unjudged() {
                return Ok(Status::Done);
            }
            screen.error(&referee_wrote(&machine.last_words.take()));
            screen.message("hint: `joust game check FOLDER` says what the referee writes");
            Ok(Status::Failed)
        }
    }
}

/// Makes the files that are written beside the result.
fn recordings(args: &PlayArgs, event: &Event, names: &[String]) -> Result<Vec<Recording>, Failure> {
    let turns = args.recording.turn_log.iter().map(|file| Recording::of_turns(file, event, names));
    let original = args.recording.record.iter().map(|file| Recording::of_game(file, event, names));
    turns.chain(original).collect()
}

/// Describes the keys of the person at this terminal.
fn keys(args: &PlayArgs, event: &Event, people: &BoutPeople, has_hand: bool) -> String {
    let game = &event.game;
    if game.spec().people.keys.is_empty() || people.here == 0 {
        return if has_hand {
            "Enter pauses and resumes, Ctrl-C ends".to_owned()
        } else {
            String::new()
        };
    }
    let renews = !people::are_clients(game) && args.recording.log.is_none();
    let new_map = if renews { ", r new map" } else { "" };
    let help = &game.spec().people.keys_help;
    format!("{help}\nEnter pauses and resumes{new_map}, Ctrl-D gives up the seat, Ctrl-C ends")
}

/// Plays one bout and reports its end to all players.
fn play_one(
    single: &SingleBout<'_>,
    people: BoutPeople,
    onlooker: &mut BoutViewer,
) -> Result<(), SingleError> {
    let stopped = || SingleError::Failure(PlayFailure::Cancelled);
    let names: Vec<&str> = people.seated.iter().map(|person| person.name.as_str()).collect();
    let plan = single_plan(single, &names);
    if onlooker.begin(&plan) == ControlFlow::Break(()) {
        return Err(stopped());
    }
    let played = play_with_people(single, people.seated, onlooker);
    if let Some(participants) = &people.participants {
        participants.end(&|seat| match &played {
            Ok(stored) => {
                let own = seat.map(|seat| format!("you {}\n", fate(stored, usize::from(seat))));
                format!("\nthe game is over\n{}{}", own.unwrap_or_default(), summary(stored))
            }
            Err(_) => "\nthe game was called off\n".to_owned(),
        });
    }
    match onlooker.end(&SeriesBoutEnd::Played(Box::new(played?))) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(stopped()),
    }
}

/// Starts to write the replay of a bout of `people` and the bots.
fn begin_replay(
    folder: OwnFolder,
    args: &PlayArgs,
    single: &SingleBout<'_>,
    people: &[String],
) -> Result<ReplayFolder, Failure> {
    let machine = single.machine;
    let plan = single_plan(single, &people.iter().map(String::as_str).collect::<Vec<_>>());
    let players = play_log::players(people, &read(machine, single.event, &args.bots)?);
    ReplayFolder::begin(folder, play_log::begin(&machine.games, &plan, players, clock::now())?)
}

/// Prints a bout that was played.
pub(super) fn print(
    stored: &StoredBout,
    format: &BoutFormatArgs,
    screen: Screen,
) -> Result<(), Failure> {
    match format.output.format {
        TextFormat::Json => screen.result(&json(stored, format.turns)?),
        TextFormat::Text => {
            screen.result(&fitted(&headline(stored)));
            screen.result(&summary(stored));
            screen.result(&failed_at(stored));
        }
    }
    Ok(())
}

/// Breaks a line that is wider than the terminal it is printed on.
fn fitted(line: &str) -> String {
    if !io::stdout().is_terminal() {
        return line.to_owned();
    }
    broken(line.trim_end(), width()).iter().map(|part| format!("{part}\n")).collect()
}

/// Makes a failure of a bout that has no result.
pub(super) fn failure(error: &SingleError) -> Failure {
    match error {
        SingleError::Failure(PlayFailure::Cancelled)
        | SingleError::Calibrate(NotCalibrated::Stopped) => {
            Failure::new(Status::Interrupted, "interrupted: this bout is lost")
                .hint("run the same command to play it from the start")
        }
        SingleError::NotRun { .. } => Failure::from_error(Status::Failed, error).hint(
            "read the host from JOUST_HOST, or take it as an argument: \
             `args: [\"{host}\", \"{port}\"]` in bot.yaml",
        ),
        SingleError::Referee(_) => Failure::from_error(Status::Failed, error)
            .hint("`joust game check FOLDER` says what the referee writes"),
        other => Failure::machine(other),
    }
}
