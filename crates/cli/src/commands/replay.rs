//! `joust replay`: a recorded bout round by round, or one round's views.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use joust_model::FoldError;
use joust_model::{Limit, Seat, StoredBout, TurnLog, TurnRecord, escaped};
use joust_orchestrator::dispute::{Frame, Frames, Judgement};
use joust_referee::Catalogue;
use joust_report::paint::animation;
use joust_report::site::replay::Publish;
use joust_report::site::replay_page;
use joust_store::Access;

use super::numbers::{self, BoutNumbers};
use super::replay_viewer::{self, ReplayEnd, ReplayPosition};
use super::{bout, find, play_log, shared};
use crate::args::{ReplayArgs, TextFormat};
use crate::error::{Failure, Status};
use crate::keyboard;
use crate::output::Screen;
use crate::scene::{ColorMode, broken, draw};
use crate::terminal_session::width;

pub(super) async fn execute(args: ReplayArgs, screen: Screen) -> Result<Status, Failure> {
    shared::turns_want_json(&args.result)?;
    let store = shared::store(&args.which.source, Access::ReadOnly, screen).await?;
    let stored = find::bout(&store, &args.which, screen).await?;
    if !args.export.is_empty() {
        play_log::export(&args, &store, &stored, screen).await?;
        return Ok(Status::Done);
    }
    if let Some(file) = &args.html {
        let page = page(&stored, &args, screen)?;
        return write_file(
            &stored,
            &args,
            OutputFile { file, ending: "html", bytes: page },
            screen,
        );
    }
    if let Some(file) = &args.gif {
        let animation = animation(&stored, &args, screen)?;
        let new = OutputFile { file, ending: "gif", bytes: animation };
        return write_file(&stored, &args, new, screen);
    }
    if args.result.output.format == TextFormat::Json {
        screen.result(&bout::json(&stored, args.result.turns)?);
        return Ok(Status::Done);
    }
    let games = shared::playable_games(&args.which.source.file, screen)?;
    shared::warn_of_no_repeat(&games, &stored, screen);
    let frames = Frames::open(&games, &stored.plan, &stored.result.action_log)
        .map_err(|error| not_judged(&error))?;
    match args.round {
        None if io::stdout().is_terminal() && keyboard::is_terminal() => {
            let args = ReplayArgs { delay: delay(&args, &games, &stored), ..args };
            return show_at_the_desk(&args, &stored, frames, screen);
        }
        None => show_all(&args, &stored, frames, screen)?,
        Some(round) => show_round(&args, &stored, frames, round, screen)?,
    }
    Ok(Status::Done)
}

/// Returns the time for which a position is shown: the requested one, else the game's, if it
/// specifies one.
fn delay(args: &ReplayArgs, games: &Catalogue, stored: &StoredBout) -> Duration {
    let external = games.find(&stored.plan.game).and_then(|game| game.spec().external.as_ref());
    let pace = external.and_then(|external| external.viewer.pace);
    if args.delay.is_zero() { pace.unwrap_or_default() } else { args.delay }
}

/// A file to write; without a name it is called after the bout.
struct OutputFile<'a> {
    file: &'a Option<PathBuf>,
    ending: &'static str,
    bytes: Vec<u8>,
}

/// Returns a page that plays the bout.
fn page(stored: &StoredBout, args: &ReplayArgs, screen: Screen) -> Result<Vec<u8>, Failure> {
    let games = shared::playable_games(&args.which.source.file, screen)?;
    shared::warn_of_no_repeat(&games, stored, screen);
    let publish = Publish { verdicts: true, times: true, output: false };
    let page = replay_page(&games, stored, publish);
    page.map(String::into_bytes).map_err(|error| Failure::from_error(Status::Failed, &error))
}

/// Returns the bout as an animation.
fn animation(stored: &StoredBout, args: &ReplayArgs, screen: Screen) -> Result<Vec<u8>, Failure> {
    let games = shared::playable_games(&args.which.source.file, screen)?;
    shared::warn_of_no_repeat(&games, stored, screen);
    let mut bytes = Vec::new();
    animation::write(&games, stored, &mut bytes)
        .map_err(|error| Failure::from_error(Status::Failed, &error))?;
    Ok(bytes)
}

fn write_file(
    stored: &StoredBout,
    args: &ReplayArgs,
    new: OutputFile<'_>,
    screen: Screen,
) -> Result<Status, Failure> {
    let id = stored.plan.bout.to_string();
    let usual = PathBuf::from(format!("bout-{}.{}", &id[..8], new.ending));
    let file = new.file.as_ref().unwrap_or(&usual);
    let mut options = File::options();
    options.write(true).create(true).create_new(!args.force).truncate(true);
    let written = options.open(file).and_then(|mut open| {
        open.write_all(&new.bytes).inspect_err(|_| {
            // Half a file would be in the way of the next try. A file that existed before may be a
            // device or a link, and stays.
            if !args.force {
                let _ = std::fs::remove_file(file);
            }
        })
    });
    written.map_err(|error| {
        let failure = Failure::new(
            status_of(&error),
            format!("cannot write `{}`: {error}", escaped(&file.display().to_string())),
        );
        match error.kind() {
            ErrorKind::AlreadyExists => failure.hint("`--force` replaces it"),
            _ => failure,
        }
    })?;
    screen.result(&format!("{}\n", file.display()));
    Ok(Status::Done)
}

/// Returns the status for an error: a full disk is the machine's fault, and anything else that of
/// the user, who named the file.
fn status_of(error: &io::Error) -> Status {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Status::Machine,
        _ => Status::Usage,
    }
}

/// Shows positions in the place of one another, with keys; then how it ended.
fn show_at_the_desk(
    args: &ReplayArgs,
    stored: &StoredBout,
    mut frames: Frames,
    screen: Screen,
) -> Result<Status, Failure> {
    let eyes = args.seat.map(|seat| seat_of(stored, seat)).transpose()?;
    let (turns, numbers) = (turns(stored), BoutNumbers::of(stored));
    let numbers_of = |frame: &Frame, seat| numbers_line(stored, &numbers, frame.round, seat);
    let (mut positions, mut damage) = (Vec::new(), None);
    for frame in frames.by_ref() {
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) => {
                damage = Some(not_judged(&error));
                break;
            }
        };
        let actions = actions(stored, &frame, &turns) + &numbers_of(&frame, eyes);
        let scene = eyes.map_or_else(|| frame.after.clone(), |seat| frame.after.seen_by(seat));
        positions.push(ReplayPosition { scene, actions });
    }
    let headline = broken(bout::headline(stored).trim_end(), width()).join("\n");
    screen.result(&format!("{headline}\n"));
    let left = match &positions[..] {
        [] => ReplayEnd::AtItsEnd,
        positions => replay_viewer::watch(positions, args.delay, screen),
    };
    if let Some(damage) = damage {
        return Err(damage);
    }
    if left == ReplayEnd::Interrupted {
        return Ok(Status::Interrupted);
    }
    screen.result(&format!("{}\n{}", bout::end_in_words(stored), bout::summary(stored)));
    Ok(Status::Done)
}

fn show_all(
    args: &ReplayArgs,
    stored: &StoredBout,
    mut frames: Frames,
    screen: Screen,
) -> Result<(), Failure> {
    let colors = ColorMode::when(screen.colours());
    let eyes = args.seat.map(|seat| seat_of(stored, seat)).transpose()?;
    let (turns, numbers) = (turns(stored), BoutNumbers::of(stored));
    screen.result(&bout::headline(stored));
    for frame in frames.by_ref() {
        let frame = frame.map_err(|error| not_judged(&error))?;
        screen.result(&actions(stored, &frame, &turns));
        let seen = eyes.map(|seat| frame.after.seen_by(seat));
        screen.result(&draw(seen.as_ref().unwrap_or(&frame.after), colors));
        screen.result(&numbers_line(stored, &numbers, frame.round, eyes));
        thread::sleep(args.delay);
    }
    screen.result(&format!("{}\n{}", bout::end_in_words(stored), bout::summary(stored)));
    Ok(())
}

fn not_judged(error: &FoldError) -> Failure {
    Failure::from_error(Status::Failed, error)
}

fn seat_of(stored: &StoredBout, seat: u8) -> Result<Seat, Failure> {
    let seats = stored.plan.seats.len();
    if usize::from(seat) < seats {
        return Ok(Seat(seat));
    }
    let message = format!("bout {} has no seat {seat}", stored.plan.bout);
    Err(Failure::new(Status::Usage, message).hint(format!("its seats are 0 to {}", seats - 1)))
}

/// The positions can be drawn without the turns' times and limits.
fn turns(stored: &StoredBout) -> Vec<TurnRecord> {
    TurnLog::read(&stored.result.turn_log).unwrap_or_default()
}

fn show_round(
    args: &ReplayArgs,
    stored: &StoredBout,
    mut frames: Frames,
    round: u32,
    screen: Screen,
) -> Result<(), Failure> {
    let is_it = |frame: &Result<Frame, FoldError>| match frame {
        Ok(frame) => frame.round == round,
        Err(_) => true,
    };
    let frame = frames.find(is_it).transpose().map_err(|error| not_judged(&error))?;
    let frame = frame.ok_or_else(|| {
        let message = format!("bout {} has no round {round}", stored.plan.bout);
        Failure::new(Status::Usage, message)
            .hint(format!("its rounds are 0 to {}", stored.result.rounds.saturating_sub(1)))
    })?;
    let Some(seat) = args.seat else {
        screen.result(&draw(&frame.before, ColorMode::when(screen.colours())));
        for request in &frame.requests {
            screen.result(&format!("--- view of seat {}\n", request.seat));
            print_parts(&request.view, screen);
        }
        screen.result(&actions(stored, &frame, &turns(stored)));
        screen.result(&numbers_line(stored, &BoutNumbers::of(stored), round, None));
        return Ok(());
    };
    let request =
        frame.requests.iter().find(|request| request.seat.0 == seat).ok_or_else(|| {
            let seats = stored.plan.seats.len();
            let message = match usize::from(seat) < seats {
                true => format!("seat {seat} was not asked in round {round}"),
                false => format!("there is no seat {seat}: the bout has {seats}, from 0"),
            };
            Failure::new(Status::Usage, message)
        })?;
    print_parts(&request.view, screen);
    Ok(())
}

/// Returns the line of numbers after a round.
fn numbers_line(
    stored: &StoredBout,
    numbers: &BoutNumbers,
    round: u32,
    seat: Option<Seat>,
) -> String {
    let name = |seat: u8| {
        let seat = stored.plan.seats.get(usize::from(seat));
        seat.map_or_else(String::new, |seat| seat.bot.clone())
    };
    numbers::line(numbers.after(round, seat), name)
}

fn print_parts(parts: &joust_referee::Parts, screen: Screen) {
    for part in &parts.0 {
        if !part.name.is_empty() {
            screen.result(&format!("--- {}\n", part.name));
        }
        screen.result_bytes(&part.bytes);
    }
}

fn actions(stored: &StoredBout, frame: &Frame, turns: &[TurnRecord]) -> String {
    let of_round = |turn: &&TurnRecord| turn.round == frame.round;
    let mut turns: Vec<&TurnRecord> = turns.iter().filter(of_round).collect();
    let action = |judgement: &Judgement| {
        let seat = stored.plan.seats.get(judgement.seat.index());
        let bot = seat.map_or_else(String::new, |seat| escaped(&seat.bot));
        let turn = turns.iter().position(|turn| turn.seat == judgement.seat.0);
        let turn = turn.map(|index| turns.remove(index));
        let said = match (judgement.verdict.is_ok(), judgement.action.as_str()) {
            (true, action) => escaped(action),
            (false, "") => judgement.verdict.to_string(),
            (false, action) => format!("{} {}", escaped(action), judgement.verdict),
        };
        format!("{bot}: {said}{}", turn.map(facts).unwrap_or_default())
    };
    let all: Vec<_> = frame.judgements.iter().map(action).collect();
    format!("round {}: {}\n", frame.round, all.join(", "))
}

/// Describes a turn further: the reason of a failure, the limits it touched, its time.
fn facts(turn: &TurnRecord) -> String {
    let mut facts = Vec::new();
    if !turn.reason.is_empty() {
        facts.push(escaped(&turn.reason));
    }
    let limits: Vec<_> = turn.limits_hit.iter().map(Limit::name).collect();
    if !limits.is_empty() {
        facts.push(format!("limits hit: {}", limits.join(" ")));
    }
    if turn.wall_us > 0 {
        facts.push(bout::milliseconds(turn.wall_us));
    }
    if facts.is_empty() { String::new() } else { format!(" ({})", facts.join("; ")) }
}
