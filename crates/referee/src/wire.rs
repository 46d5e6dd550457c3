//! Wire form of [`Input`]s, [`Output`]s and scenes, for referees and machines elsewhere.
//!
//! Both sides say [`VERSION`] once, when they meet; how is for them to settle. A
//! message is a kind byte and its fields; messages follow one another without a
//! length or a separator.
//!
//! | kind | input | fields |
//! |---|---|---|
//! | 0 | `Answer` | seat, request, verdict code, parts |
//! | 1 | `Message` | connection, bytes |
//! | 2 | `Opened` | connection, seat plus 1 or 0 for none |
//! | 3 | `Closed` | connection |
//! | 4 | `Tick` | |
//! | 5 | `Resolved` | draw, number of values, values (signed) |
//! | 6 | `Person` | seat |
//!
//! | kind | output | fields |
//! |---|---|---|
//! | 0 | `Ask` | seat, request, deadline (0 start, 1 turn, 2 tick, 3 milliseconds of its own and how many), parts, 0 or 1, then if 1: key, folder, number of answer files, their names, parts above |
//! | 1 | `Send` | connection plus 1 or 0 for all, bytes |
//! | 2 | `Close` | connection |
//! | 3 | `Skip` | seat |
//! | 4 | `Judged` | seat, request, verdict code, action |
//! | 5 | `RoundOver` | round |
//! | 6 | `Over` | end, rounds, number of seats, per seat rank and score (signed, in millionths) |
//! | 7 | `Numbers` | rounds, number of numbers, per number seat, name and value |
//!
//! Parts are their number, then per part its name and its bytes. Numbers are
//! unsigned LEB128 without superfluous bytes, signed ones zigzag-coded first;
//! bytes and UTF-8 texts are preceded by their length. A value is the 64 bits of IEEE 754 with their
//! bytes in reverse order, as a number: few bytes where it is a small whole one. A verdict's code is
//! [`Verdict::code`].

mod scene;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::log::columns::{Cursor, folded, push_number, push_sized, unfolded};
use crate::log::fields::Fields;
use crate::log::{LogError, LogProblem, kind};
use crate::{
    DeadlineClass, Files, Finite, Input, Outcome, Output, Parts, PerSeat, RequestId, Score, Seat,
    SeatNumber, SeatOutcome, SendTo, Verdict,
};

pub use scene::{push_scene, scene};

/// The version of the wire form.
pub const VERSION: u32 = 1;

/// The kind bytes of outputs.
mod output_kind {
    pub(super) const ASK: u8 = 0;
    pub(super) const SEND: u8 = 1;
    pub(super) const CLOSE: u8 = 2;
    pub(super) const SKIP: u8 = 3;
    pub(super) const JUDGED: u8 = 4;
    pub(super) const ROUND_OVER: u8 = 5;
    pub(super) const OVER: u8 = 6;
    pub(super) const NUMBERS: u8 = 7;
}

/// The deadlines without a number, at their codes.
const DEADLINES: [Option<DeadlineClass>; 4] =
    [Some(DeadlineClass::Start), Some(DeadlineClass::Turn), Some(DeadlineClass::Tick), None];

/// Why bytes are not messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireError(LogError);

impl WireError {
    /// Returns where, in bytes from the start.
    pub fn offset(&self) -> usize {
        self.0.offset
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.0.problem {
            LogProblem::UnknownKind(kind) => {
                return write!(f, "unknown kind {kind} at byte {}", self.0.offset);
            }
            LogProblem::Text => "text that is not UTF-8",
            LogProblem::Number => "impossible number",
            LogProblem::LeftOver => "more bytes than there should be",
            LogProblem::CutOff | LogProblem::UnknownFormat(_) => "cut off",
        };
        write!(f, "{what} at byte {}", self.0.offset)
    }
}

impl std::error::Error for WireError {}

/// Appends an input.
pub fn push_input(out: &mut Vec<u8>, input: &Input) {
    match input {
        Input::Answer { seat, request, parts, verdict } => {
            out.push(kind::ANSWER);
            push_judgement(out, *seat, *request, *verdict);
            push_parts(out, parts);
        }
        Input::Message { connection, bytes } => {
            out.push(kind::MESSAGE);
            push_number(out, connection.0.into());
            push_sized(out, bytes);
        }
        Input::Opened { connection, seat } => {
            out.push(kind::OPENED);
            push_number(out, connection.0.into());
            push_number(out, seat.map_or(0, |seat| u64::from(seat.0) + 1));
        }
        Input::Closed { connection } => {
            out.push(kind::CLOSED);
            push_number(out, connection.0.into());
        }
        Input::Tick => out.push(kind::TICK),
        Input::Resolved { draw, values } => {
            out.push(kind::RESOLVED);
            push_sized(out, draw.as_bytes());
            push_number(out, values.len() as u64);
            values.iter().for_each(|value| push_number(out, folded(*value)));
        }
        Input::Person { seat } => {
            out.push(kind::PERSON);
            push_number(out, seat.0.into());
        }
    }
}

/// Appends an output.
pub fn push_output(out: &mut Vec<u8>, output: &Output) {
    match output {
        Output::Ask { seat, request, parts, deadline, files } => {
            out.push(output_kind::ASK);
            push_number(out, seat.0.into());
            push_number(out, request.0.into());
            push_deadline(out, *deadline);
            push_parts(out, parts);
            push_files(out, files.as_ref());
        }
        Output::Send { to, bytes } => {
            out.push(output_kind::SEND);
            push_number(
                out,
                match to {
                    SendTo::All => 0,
                    SendTo::Connection(connection) => u64::from(connection.0) + 1,
                },
            );
            push_sized(out, bytes);
        }
        Output::Close { connection } => {
            out.push(output_kind::CLOSE);
            push_number(out, connection.0.into());
        }
        Output::Skip { seat } => {
            out.push(output_kind::SKIP);
            push_number(out, seat.0.into());
        }
        Output::Judged { seat, request, verdict, action } => {
            out.push(output_kind::JUDGED);
            push_judgement(out, *seat, *request, *verdict);
            push_sized(out, action.as_bytes());
        }
        Output::RoundOver { round } => {
            out.push(output_kind::ROUND_OVER);
            push_number(out, (*round).into());
        }
        Output::Over(outcome) => {
            out.push(output_kind::OVER);
            push_outcome(out, outcome);
        }
        Output::Numbers { after, numbers } => {
            out.push(output_kind::NUMBERS);
            push_number(out, (*after).into());
            push_number(out, numbers.len() as u64);
            for SeatNumber { seat, name, value } in numbers {
                push_number(out, seat.0.into());
                push_sized(out, name.as_bytes());
                push_number(out, finite_number(*value));
            }
        }
    }
}

/// Returns the number that stands for a finite one: small for small whole numbers.
pub fn finite_number(value: Finite) -> u64 {
    value.get().to_bits().swap_bytes()
}

/// Returns the finite number that [`finite_number`] made a number of; `None` for what it
/// makes of none.
pub fn finite_of(number: u64) -> Option<Finite> {
    Finite::new(f64::from_bits(number.swap_bytes())).filter(|value| finite_number(*value) == number)
}

fn push_judgement(out: &mut Vec<u8>, seat: Seat, request: RequestId, verdict: Verdict) {
    push_number(out, seat.0.into());
    push_number(out, request.0.into());
    push_number(out, verdict.code().into());
}

fn push_parts(out: &mut Vec<u8>, parts: &Parts) {
    push_number(out, parts.0.len() as u64);
    for part in &parts.0 {
        push_sized(out, part.name.as_bytes());
        push_sized(out, &part.bytes);
    }
}

fn push_files(out: &mut Vec<u8>, files: Option<&Files>) {
    push_number(out, files.is_some().into());
    let Some(files) = files else { return };
    push_sized(out, files.key.as_bytes());
    push_sized(out, files.folder.as_bytes());
    push_number(out, files.answers.len() as u64);
    files.answers.iter().for_each(|name| push_sized(out, name.as_bytes()));
    push_parts(out, &files.above);
}

fn push_outcome(out: &mut Vec<u8>, outcome: &Outcome) {
    push_sized(out, outcome.ended.as_bytes());
    push_number(out, outcome.rounds.into());
    push_number(out, outcome.seats.seats() as u64);
    for (_, seat) in outcome.seats.iter() {
        push_number(out, seat.rank.into());
        push_number(out, folded(seat.score.as_millionths()));
    }
}

/// Reads inputs, one after the other.
///
/// Never panics, and needs memory in proportion to `bytes` only.
///
/// # Errors
///
/// [`WireError`] says what is wrong and where.
pub fn inputs(bytes: &[u8]) -> Result<Vec<Input>, WireError> {
    read_all(bytes, |fields, kind, offset| fields.input(kind, offset))
}

/// Reads outputs, one after the other.
///
/// Never panics, and needs memory in proportion to `bytes` only.
///
/// # Errors
///
/// [`WireError`] says what is wrong and where.
pub fn outputs(bytes: &[u8]) -> Result<Vec<Output>, WireError> {
    read_all(bytes, read_output)
}

fn read_all<T>(
    bytes: &[u8],
    read: impl Fn(&mut Fields<'_>, u8, usize) -> Result<T, LogError>,
) -> Result<Vec<T>, WireError> {
    let mut fields = Fields::new(Cursor::new(bytes));
    let mut all = Vec::new();
    while !fields.cursor.is_at_end() {
        let offset = fields.cursor.offset();
        let kind = fields.cursor.byte().map_err(WireError)?;
        all.push(read(&mut fields, kind, offset).map_err(WireError)?);
    }
    Ok(all)
}

fn read_output(fields: &mut Fields<'_>, kind: u8, offset: usize) -> Result<Output, LogError> {
    match kind {
        output_kind::ASK => read_ask(fields),
        output_kind::SEND => read_send(fields),
        output_kind::CLOSE => Ok(Output::Close { connection: fields.connection()? }),
        output_kind::SKIP => Ok(Output::Skip { seat: Seat(fields.cursor.number()?) }),
        output_kind::JUDGED => {
            let (seat, request, verdict) = fields.judgement()?;
            let action = Cow::Owned(fields.cursor.text()?.to_owned());
            Ok(Output::Judged { seat, request, verdict, action })
        }
        output_kind::ROUND_OVER => Ok(Output::RoundOver { round: fields.cursor.number()? }),
        output_kind::NUMBERS => read_numbers(fields),
        output_kind::OVER => Ok(Output::Over(Outcome {
            ended: Cow::Owned(fields.cursor.text()?.to_owned()),
            rounds: fields.cursor.number()?,
            seats: PerSeat(fields.list(|fields| {
                let rank = fields.cursor.number()?;
                Ok(SeatOutcome {
                    rank,
                    score: Score::millionths(unfolded(fields.cursor.number()?)),
                })
            })?),
        })),
        other => Err(LogError { offset, problem: LogProblem::UnknownKind(other) }),
    }
}

fn push_deadline(out: &mut Vec<u8>, deadline: DeadlineClass) {
    match deadline {
        DeadlineClass::Start => push_number(out, 0),
        DeadlineClass::Turn => push_number(out, 1),
        DeadlineClass::Tick => push_number(out, 2),
        DeadlineClass::Own { ms } => {
            push_number(out, 3);
            push_number(out, ms.into());
        }
    }
}

fn read_deadline(fields: &mut Fields<'_>) -> Result<DeadlineClass, LogError> {
    match *fields.one_of(&DEADLINES)? {
        Some(deadline) => Ok(deadline),
        None => Ok(DeadlineClass::Own { ms: fields.cursor.number()? }),
    }
}

fn read_numbers(fields: &mut Fields<'_>) -> Result<Output, LogError> {
    let after = fields.cursor.number()?;
    let numbers = fields.list(|fields| {
        let seat = Seat(fields.cursor.number()?);
        let name = Cow::Owned(fields.cursor.text()?.to_owned());
        let wrong = LogError { offset: fields.cursor.offset(), problem: LogProblem::Number };
        let value = finite_of(fields.cursor.number()?).ok_or(wrong)?;
        Ok(SeatNumber { seat, name, value })
    })?;
    Ok(Output::Numbers { after, numbers })
}

fn read_ask(fields: &mut Fields<'_>) -> Result<Output, LogError> {
    let (seat, request) = (Seat(fields.cursor.number()?), RequestId(fields.cursor.number()?));
    let deadline = read_deadline(fields)?;
    let parts = fields.parts()?;
    let files = if *fields.one_of(&[false, true])? { Some(read_files(fields)?) } else { None };
    Ok(Output::Ask { seat, request, parts, deadline, files })
}

fn read_files(fields: &mut Fields<'_>) -> Result<Files, LogError> {
    Ok(Files {
        key: Arc::from(fields.cursor.text()?),
        folder: Arc::from(fields.cursor.text()?),
        answers: Cow::Owned(fields.list(|fields| Ok(fields.cursor.text()?.to_owned().into()))?),
        above: fields.parts()?,
    })
}

fn read_send(fields: &mut Fields<'_>) -> Result<Output, LogError> {
    let wrong = LogError { offset: fields.cursor.offset(), problem: LogProblem::Number };
    let to = match fields.cursor.number::<u64>()?.checked_sub(1) {
        None => SendTo::All,
        Some(number) => {
            SendTo::Connection(crate::Connection(u32::try_from(number).map_err(|_| wrong)?))
        }
    };
    Ok(Output::Send { to, bytes: fields.cursor.sized()?.into() })
}
