//! Faults of a bot as its author needs them: the turn, its view, the answer, the end and the bot's
//! output.

use joust_model::{
    Exit, Limit, REFEREE_SAYS, Seat, StoredBout, TurnLog, TurnRecord, Verdict, escaped,
};
use joust_orchestrator::dispute::{Frames, RecordedRequest};

use joust_referee::Parts;

use crate::commands::bout::output_lines;
use crate::commands::shared;

/// Turns that are shown; more of one kind add no information.
const TOLD: usize = 3;
/// Views of more bytes are named, not shown.
const LONGEST_VIEW: usize = 1500;

/// A bot's turn that earned a fault.
pub(super) struct FaultyTurn {
    /// The bout's number in the check, from 1.
    bout: usize,
    turn: TurnRecord,
    request: Option<RecordedRequest>,
}

impl FaultyTurn {
    /// Returns the first turn of each kind of fault of `bot`.
    pub(super) fn first_of_each_kind(bot: &str, bouts: &[StoredBout]) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for (index, bout) in bouts.iter().enumerate() {
            let own =
                |seat: u8| bout.plan.seats.get(usize::from(seat)).is_some_and(|s| s.bot == bot);
            for turn in TurnLog::read(&bout.result.turn_log).unwrap_or_default() {
                let is_new = !found.iter().any(|one| kind(&one.turn) == kind(&turn));
                if own(turn.seat) && !turn.verdict().is_ok() && is_new && found.len() < TOLD {
                    let request = request(bout, &turn);
                    found.push(Self { bout: index + 1, turn, request });
                }
            }
        }
        found
    }

    /// Makes a faulty turn of an abandoned bout, with the view at that moment.
    pub(super) fn in_left_bout(bout: usize, turn: TurnRecord, view: Option<Parts>) -> Self {
        let seat = Seat(turn.seat);
        let request = view.map(|view| RecordedRequest { seat, view, files: None });
        Self { bout, turn, request }
    }

    /// Returns the lines that tell of it.
    pub(super) fn text(&self) -> String {
        let Self { bout, turn, request } = self;
        let (round, verdict) = (turn.round, turn.verdict());
        let mut text = format!("bout {bout}, round {round}: {verdict}{}\n", ending(turn));
        if !turn.reason.is_empty() {
            text += &format!("  why: {}\n", escaped(&turn.reason));
        }
        let limits: Vec<_> = turn.limits_hit.iter().map(Limit::name).collect();
        if !limits.is_empty() {
            text += &format!("  limits hit: {}\n", limits.join(" "));
        }
        text += &self.answer();
        text += &lines("standard error", &turn.stderr);
        text += &request.as_ref().map(shown).unwrap_or_default();
        text
    }

    fn answer(&self) -> String {
        let turn = &self.turn;
        match (&turn.output[..], turn.action.as_str()) {
            (b"", "") if turn.verdict() == Verdict::NoOutput => {
                "  it answered nothing\n".to_owned()
            }
            (b"", "") => String::new(),
            (b"", action) => format!("  it answered: {}\n", escaped(action)),
            (output, _) => lines("its answer", output),
        }
    }
}

/// Returns the kind of a fault: verdict and reason. Illegal answers are one kind, whatever their
/// text.
fn kind(turn: &TurnRecord) -> (Verdict, &str) {
    if turn.verdict() == Verdict::IllegalOutput {
        return (Verdict::IllegalOutput, "");
    }
    let reason = turn.reason.split(REFEREE_SAYS).next().unwrap_or_default();
    (turn.verdict(), reason)
}

fn ending(turn: &TurnRecord) -> String {
    match turn.exit {
        Exit::Status(0) | Exit::Killed | Exit::Running => String::new(),
        Exit::Status(status) => format!(", it ended with status {status}"),
        Exit::Signal(signal) => format!(", it ended by signal {signal}"),
        Exit::NotStarted(errno) => format!(", it could not be started (errno {errno})"),
    }
}

/// Question to the bot at that moment; none where the game asks none.
fn request(bout: &StoredBout, turn: &TurnRecord) -> Option<RecordedRequest> {
    let games = shared::games();
    let mut frames = Frames::open(&games, &bout.plan, &bout.result.action_log).ok()?;
    frames.find_round(turn.round).ok()??.into_last_request(Seat(turn.seat))
}

fn shown(request: &RecordedRequest) -> String {
    let parts = request.view.0.iter().filter(|part| !part.bytes.is_empty());
    let told = parts.map(|part| {
        let name = if part.name.is_empty() { "the view" } else { &*part.name };
        let name = format!("it was shown {}", escaped(name));
        match part.bytes.len() {
            0..=LONGEST_VIEW => lines(&name, &part.bytes),
            bytes => format!("  {name}: {bytes} bytes\n"),
        }
    });
    told.collect()
}

/// No line begins with a stranger's text.
fn lines(what: &str, bytes: &[u8]) -> String {
    let body = output_lines("    ", bytes);
    if body.is_empty() { body } else { format!("  {what}:\n{body}") }
}
