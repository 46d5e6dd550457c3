//! `joust replay`: a recorded bout round by round, or one round's views.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use joust_model::cancel::Cancel;
use joust_model::{Limit, Publication, Round, Seat, StoredBout, TurnLog, TurnRecord, escaped};
use joust_orchestrator::dispute::{Frame, Frames, Judgement};
use joust_referee::{Catalogue, Part, Parts};
use joust_report::paint::{PositionSpace, animation};
use joust_report::site::replay_page;
use joust_store::Access;

use super::bout::BoutNumbers;
use super::replay_viewer::{self, ReplayPosition};
use super::{bout, find, play_log, shared};
use crate::args::{ReplayArgs, TextFormat};
use crate::error::{Failure, Status};
use crate::keyboard;
use crate::output::Screen;
use crate::scene::{broken, draw};
use crate::terminal_session::width;

/// Advice for a bout with too many positions to step through.
const PRINTED: &str = "a pipe is given one position after the other: `joust replay BOUT | less`";

pub(super) async fn execute(args: ReplayArgs, screen: Screen) -> Result<Status, Failure> {
    shared::turns_want_json(&args.result)?;
    let store = shared::store(&args.which.source, Access::ReadOnly, screen).await?;
    let stored = find::bout(&store, &args.which, screen).await?;
    if !args.export.is_empty() {
        play_log::export(&args, &store, &stored, screen).await?;
        return Ok(Status::Done);
    }
    let is_json = args.result.output.format == TextFormat::Json;
    if is_json && args.html.is_none() && args.gif.is_none() {
        screen.result(&bout::json(&stored, args.result.turns)?);
        return Ok(Status::Done);
    }
    let games = shared::playable_games(&args.which.source.file, &Cancel::default(), screen)?;
    shared::warn_of_no_repeat(&games, &stored, screen);
    if let Some(file) = &args.html {
        let page = replay_page(&games, &stored, &Publication::default())
            .map_err(|error| Failure::from_error(Status::Failed, &error))?;
        return write_file(&stored, file.as_deref(), "html", page.as_bytes(), args.force, screen);
    }
    if let Some(file) = &args.gif {
        let mut bytes = Vec::new();
        animation::write(&games, &stored, &mut bytes)
            .map_err(|error| Failure::from_error(Status::Failed, &error))?;
        return write_file(&stored, file.as_deref(), "gif", &bytes, args.force, screen);
    }
    let frames = Frames::open(&games, &stored.plan, &stored.result.action_log)?;
    let replay = RecordedReplay {
        stored: &stored,
        // The positions can be drawn without the turns' times and limits.
        turns: TurnLog::read(&stored.result.turn_log).unwrap_or_default(),
        numbers: BoutNumbers::of(&stored),
        seat: args.seat,
        screen,
    };
    match args.round {
        None if io::stdout().is_terminal() && keyboard::is_terminal() => {
            replay.show_at_the_desk(frames, delay(&args, &games, &stored))
        }
        None => replay.show_all(frames, args.delay),
        Some(round) => replay.show_round(frames, round),
    }
}

/// Returns the time for which a position is shown: the requested one, else the game's, if it
/// specifies one.
fn delay(args: &ReplayArgs, games: &Catalogue, stored: &StoredBout) -> Duration {
    let external = games.find(&stored.plan.game).and_then(|game| game.spec().external.as_ref());
    let pace = external.and_then(|external| external.viewer.pace);
    if args.delay.is_zero() { pace.unwrap_or_default() } else { args.delay }
}

/// Writes a file; without a name it is called after the bout.
fn write_file(
    stored: &StoredBout,
    file: Option<&Path>,
    ending: &str,
    bytes: &[u8],
    force: bool,
    screen: Screen,
) -> Result<Status, Failure> {
    let id = stored.plan.bout.to_string();
    let usual = format!("bout-{}.{ending}", &id[..8]);
    let file = file.unwrap_or(Path::new(&usual));
    let mut options = File::options();
    options.write(true).create(true).create_new(!force).truncate(true);
    let written = options.open(file).and_then(|mut open| {
        open.write_all(bytes).inspect_err(|_| {
            // Half a file would be in the way of the next try. A file that existed before may be a
            // device or a link, and stays.
            if !force {
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

/// A recorded bout with what is said of its positions.
struct RecordedReplay<'a> {
    stored: &'a StoredBout,
    turns: Vec<TurnRecord>,
    numbers: BoutNumbers,
    /// The seat whose view is shown; `None` for all that there is.
    seat: Option<u8>,
    screen: Screen,
}

impl RecordedReplay<'_> {
    /// Shows positions in the place of one another, with keys; then how it ended.
    fn show_at_the_desk(&self, frames: Frames, delay: Duration) -> Result<Status, Failure> {
        let eyes = self.eyes()?;
        let (mut positions, mut damage, mut space) = (Vec::new(), None, PositionSpace::default());
        for frame in frames {
            let frame = match frame {
                Ok(frame) => frame,
                Err(error) => {
                    damage = Some(error.into());
                    break;
                }
            };
            let actions = self.actions(&frame) + &self.numbers_line(frame.round, eyes);
            let scene = eyes.map_or_else(|| frame.after.clone(), |seat| frame.after.seen_by(seat));
            if let Err(error) = space.take(&scene) {
                damage = Some(Failure::from(error).hint(PRINTED));
                break;
            }
            positions.push(ReplayPosition { scene, actions });
        }
        let headline = broken(bout::headline(self.stored).trim_end(), width()).join("\n");
        self.screen.result(&format!("{headline}\n"));
        let left = match &positions[..] {
            [] => Status::Done,
            positions => replay_viewer::watch(positions, delay, self.screen),
        };
        match (damage, left) {
            (Some(damage), _) => Err(damage),
            (None, Status::Interrupted) => Ok(left),
            (None, _) => Ok(self.show_end()),
        }
    }

    fn show_all(&self, frames: Frames, delay: Duration) -> Result<Status, Failure> {
        let eyes = self.eyes()?;
        self.screen.result(&bout::headline(self.stored));
        for frame in frames {
            let frame = frame?;
            self.screen.result(&self.actions(&frame));
            let seen = eyes.map(|seat| frame.after.seen_by(seat));
            self.screen.result(&draw(seen.as_ref().unwrap_or(&frame.after), self.screen.colours()));
            self.screen.result(&self.numbers_line(frame.round, eyes));
            thread::sleep(delay);
        }
        Ok(self.show_end())
    }

    fn show_end(&self) -> Status {
        let (end, summary) = (bout::end_in_words(self.stored), bout::summary(self.stored));
        self.screen.result(&format!("{end}\n{summary}"));
        Status::Done
    }

    fn show_round(&self, mut frames: Frames, round: Round) -> Result<Status, Failure> {
        let frame = frames.find_round(round)?.ok_or_else(|| {
            let message = format!("bout {} has no round {round}", self.stored.plan.bout);
            Failure::usage(message)
                .hint(format!("its rounds are 1 to {}", self.stored.result.rounds))
        })?;
        let screen = self.screen;
        let Some(seat) = self.seat else {
            screen.result(&draw(&frame.before, screen.colours()));
            for request in &frame.requests {
                screen.result(&format!("--- view of seat {}\n", request.seat));
                print_parts(&request.view, screen);
                end_line(&request.view.0, screen);
            }
            screen.result(&self.actions(&frame));
            screen.result(&self.numbers_line(round, None));
            return Ok(Status::Done);
        };
        let requests = frame.requests.iter().filter(|request| request.seat.0 == seat);
        let requests: Vec<_> = requests.collect();
        if requests.is_empty() {
            let seats = self.stored.plan.seats.len();
            let message = match usize::from(seat) < seats {
                true => format!("seat {seat} was not asked in round {round}"),
                false => format!("there is no seat {seat}: the bout has {seats}, from 0"),
            };
            return Err(Failure::usage(message));
        }
        requests.iter().for_each(|request| print_parts(&request.view, screen));
        Ok(Status::Done)
    }

    /// Returns the seat whose view is shown.
    fn eyes(&self) -> Result<Option<Seat>, Failure> {
        let seats = self.stored.plan.seats.len();
        match self.seat {
            Some(seat) if usize::from(seat) >= seats => {
                let message = format!("bout {} has no seat {seat}", self.stored.plan.bout);
                let hint = format!("its seats are 0 to {}", seats - 1);
                Err(Failure::usage(message).hint(hint))
            }
            seat => Ok(seat.map(Seat)),
        }
    }

    fn name(&self, seat: Seat) -> String {
        let seat = self.stored.plan.seats.get(seat.index());
        seat.map_or_else(String::new, |seat| seat.bot.clone())
    }

    /// Returns the line of numbers after a round.
    fn numbers_line(&self, round: Round, seat: Option<Seat>) -> String {
        bout::numbers_line(self.numbers.after(round, seat), |seat| self.name(Seat(seat)))
    }

    fn actions(&self, frame: &Frame) -> String {
        let of_round = |turn: &&TurnRecord| turn.round == frame.round;
        let mut turns: Vec<&TurnRecord> = self.turns.iter().filter(of_round).collect();
        let action = |judgement: &Judgement| {
            let bot = escaped(&self.name(judgement.seat));
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
}

fn print_parts(parts: &Parts, screen: Screen) {
    for (index, part) in parts.0.iter().enumerate() {
        if !part.name.is_empty() {
            end_line(&parts.0[..index], screen);
            screen.result(&format!("--- {}\n", part.name));
        }
        screen.result_bytes(&part.bytes);
    }
}

/// Ends the line that the last of these parts has begun.
fn end_line(parts: &[Part], screen: Screen) {
    if parts.last().is_some_and(|part| !part.bytes.ends_with(b"\n")) {
        screen.result("\n");
    }
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
