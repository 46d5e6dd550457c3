//! `joust bot turn`: run a bot on exactly one recorded view. An agent that would
//! live as long as its bout is started for it and remembers nothing.

use std::io::{self, Write};
use std::path::PathBuf;

use joust_model::cancel::Cancel;
use joust_model::{BoutId, Calibration, StoredBout, escaped, escaped_bytes};
use joust_orchestrator::dispute::{Frames, RecordedRequest};
use joust_orchestrator::machine::{Machine, OneTurn, default_tournament};
use joust_play::calibrate::is_calibrated;
use joust_play::channel::{self, Answered};
use joust_referee::{Catalogue, Game, Parts, Seat};
use joust_store::Access;

use crate::args::{BotTurnArgs, BoutSelector};
use crate::commands::bout::output_lines;
use crate::commands::{find, named_bots, play, run, shared};
use crate::error::{Failure, Status};
use crate::output::Screen;

pub(super) async fn execute(args: BotTurnArgs, screen: Screen) -> Result<Status, Failure> {
    let store = shared::store(&args.source, Access::ReadOnly, screen).await?;
    let which = BoutSelector {
        bout: args.bout.clone(),
        pick: args.pick.clone(),
        source: args.source.clone(),
    };
    let stored = find::bout(&store, &which, screen).await?;
    let games = shared::playable_games(&args.source.file, &Cancel::default(), screen)?;
    let game = shared::game(&games, &stored.plan.game)?;
    shared::warn_of_no_repeat(&games, &stored, screen);
    let shown = shown(&games, &args, &stored)?;
    let is_hosted = game.spec().clock.is_some();
    if is_hosted {
        refuse_what_a_host_lacks(&game, &args, &stored, &shown)?;
    }
    let tournament = shared::tournament_or_default(args.source.file.existing(), screen)?;
    let mut event = default_tournament::event(&tournament, &game);
    event.limits = (*stored.plan.limits).clone();
    let bot = named_bots::paths(std::slice::from_ref(&args.bot), &tournament, &event)?;
    let (machine, _) = run::open_machine(&tournament, &args.isolation, screen)?;
    if args.debugger {
        return debugger(&machine, &event, &args, &bot, stored.plan.bout, &shown.view, screen);
    }
    let bots = play::build(&machine, &event, &bot, screen)?;
    let (name, build) = bots.into_iter().next().expect("one bot was built");
    event.limits.starts = build.starts(&machine.limits(&event));
    let calibration = if is_calibrated(game.spec()) {
        let measured = machine.calibrate(&build.language, &event, event.calibration_runs);
        measured.map_err(|error| play::failure(&error.into()))?
    } else {
        Calibration::default()
    };
    let seed = stored.plan.seat_seed(usize::from(args.seat));
    let request = channel::Request {
        view: &shown.view,
        within: event.limits.start.max(event.limits.turn),
        files: shown.files.as_ref(),
        idle_seats: None,
    };
    let answered = machine
        .run_turn(&OneTurn {
            event: &event,
            build: &build,
            calibration,
            seed,
            seat: args.seat,
            request,
        })
        .map_err(|error| Failure::machine(&error))?;
    let told = format!(
        "`{}`: {}, cpu {:.1} ms, wall {:.1} ms, peak {} KiB {}",
        escaped(&name),
        answered.verdict,
        answered.usage.cpu.as_secs_f64() * 1e3,
        answered.usage.wall.as_secs_f64() * 1e3,
        answered.usage.peak_memory_bytes / 1024,
        answered.reason
    );
    screen.message(told.trim_end());
    screen.error(&output_lines("stderr", &answered.stderr));
    if !is_hosted {
        screen.result_bytes(&answered.output);
        return Ok(if answered.verdict.is_ok() { Status::Done } else { Status::Failed });
    }
    screen.error(&output_lines("stdout", &answered.output));
    Ok(hosted_answer(&answered, screen))
}

/// Prints the answer of a hosted bot: its text, or its kind.
fn hosted_answer(answered: &Answered, screen: Screen) -> Status {
    let Some(part) = answered.parts.0.first().filter(|_| answered.verdict.is_ok()) else {
        return Status::Failed;
    };
    let value = escaped_bytes(&part.bytes);
    if &*part.name == "str" {
        screen.result(&format!("{value}\n"));
        return Status::Done;
    }
    screen.result(&format!("{}: {value}\n", escaped(&part.name)));
    if &*part.name == "false" { Status::Done } else { Status::Failed }
}

/// Refuses bots that are not asked but spoken to all the time, and what needs a
/// command of the bot's own.
fn refuse_what_a_host_lacks(
    game: &Game,
    args: &BotTurnArgs,
    stored: &StoredBout,
    shown: &RecordedRequest,
) -> Result<(), Failure> {
    if shown.view.0.is_empty() {
        let message = format!(
            "`{}` is played on a clock by bots that live as long as the bout; they cannot be shown one view",
            game.id()
        );
        let hint = format!(
            "`joust rerun {0}` plays the bout again as it was recorded, `joust replay {0}` shows it",
            stored.plan.bout
        );
        return Err(Failure::usage(message).hint(hint));
    }
    if args.debugger {
        let message = format!("agents of `{}` have no command of their own to debug", game.id());
        return Err(
            Failure::usage(message).hint("import the agent in a debugger and call its `next_move`")
        );
    }
    Ok(())
}

fn shown(
    games: &Catalogue,
    args: &BotTurnArgs,
    stored: &StoredBout,
) -> Result<RecordedRequest, Failure> {
    let mut frames = Frames::open(games, &stored.plan, &stored.result.action_log)?;
    let frame = frames.find_round(args.round)?;
    let request = frame.and_then(|frame| frame.into_last_request(Seat(args.seat)));
    request.ok_or_else(|| {
        let (bout, round, seat) = (stored.plan.bout, args.round, args.seat);
        let message = format!("seat {seat} was not asked in round {round} of bout {bout}");
        Failure::usage(message).hint(format!("its rounds are 1 to {}", stored.result.rounds))
    })
}

/// Writes a new file that stays; its name cannot have been created by another process.
fn kept(start: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut file = tempfile::Builder::new().prefix(start).suffix(".txt").tempfile()?;
    file.write_all(bytes)?;
    Ok(file.keep().map_err(|error| error.error)?.1)
}

/// Prints what to type to run the bot outside the sandbox on this view.
fn debugger(
    machine: &Machine,
    event: &joust_config::Event,
    args: &BotTurnArgs,
    bot: &[PathBuf],
    bout: BoutId,
    view: &Parts,
    screen: Screen,
) -> Result<Status, Failure> {
    let bots = play::build(machine, event, bot, screen)?;
    let (_, build) = bots.into_iter().next().expect("one bot was built");
    let start = format!("joust-view-{bout}-{}-", args.round);
    let file =
        kept(&start, view.get("").unwrap_or_default()).map_err(|error| Failure::machine(&error))?;
    let command: Vec<String> = build
        .outside_command()
        .iter()
        .map(|word| shared::shell_quoted(&word.to_string_lossy()))
        .collect();
    if !build.starts(&machine.limits(event)).is_cold() {
        screen.message(
            "this starts an interpreter from nothing; in bouts a turn is a copy of one that is kept ready",
        );
    }
    // A substitution loses the newlines at its end, hence the dot.
    screen.result(&format!(
        "cd {} && view=$(cat {}; echo .) && {} \"${{view%.}}\"\n",
        shared::shell_quoted(&build.folder.to_string_lossy()),
        shared::shell_quoted(&file.to_string_lossy()),
        command.join(" "),
    ));
    Ok(Status::Done)
}
