//! Steps of a bout: the referee's messages between two messages of the runner.

use std::borrow::Cow;
use std::time::Instant;

use joust_gamekit::{
    Answer, Answers, AskMessage, EndMessage, FaultMessage, FromReferee, Numbers, OutMessage,
    Position, StartMessage, TellMessage, ToReferee,
};
use joust_referee::{Finite, JudgeError, Seat, SeatNumber, StateHash};

use super::process::{Process, SharedProcess};

/// All messages of a referee after one of the runner, up to its next question or the end.
pub(super) struct Step {
    pub(super) faults: Vec<FaultMessage>,
    pub(super) tells: Vec<TellMessage>,
    pub(super) out: Vec<OutMessage>,
    pub(super) last: StepEnd,
}

/// Last message of a step.
pub(super) enum StepEnd {
    Ask(AskMessage),
    End(EndMessage),
}

/// A bout in a process.
pub(super) struct Conversation {
    pub(super) process: SharedProcess,
    bout: u32,
}

impl Conversation {
    /// Begins a bout; `start` is numbered by the process.
    pub(super) fn begin(
        process: SharedProcess,
        start: &StartMessage,
    ) -> Result<(Self, Step), JudgeError> {
        let mut speaking = process.lock();
        let bout = speaking.next_bout();
        let message = ToReferee::Start(StartMessage { b: bout, ..start.clone() });
        let until = speaking.until();
        speaking.send(&message, until)?;
        let step = listen(&mut speaking, until)?;
        drop(speaking);
        Ok((Self { process, bout }, step))
    }

    /// Sends the answers to a question.
    pub(super) fn answer(&mut self, n: u32, of: &[Answer]) -> Result<Step, JudgeError> {
        let message = ToReferee::Answers(Answers { b: self.bout, n, of: of.to_vec() });
        let mut process = self.process.lock();
        let until = process.until();
        process.send(&message, until)?;
        listen(&mut process, until)
    }

    /// Ends the process, whose messages make it impossible to continue, and returns the reason.
    pub(super) fn fail(&self, error: JudgeError) -> JudgeError {
        self.process.lock().fail(error)
    }

    /// Returns the process, although its bout is not over.
    pub(super) fn abandon(self) -> Result<SharedProcess, JudgeError> {
        let mut process = self.process.lock();
        let until = process.until();
        let message = ToReferee::Drop(joust_gamekit::DropBout { b: self.bout });
        process.send(&message, until)?;
        drop(process);
        Ok(self.process)
    }
}

/// Reads a step, when it is the referee's turn in one bout only.
fn listen(process: &mut Process, until: Instant) -> Result<Step, JudgeError> {
    let (mut faults, mut tells, mut out) = (Vec::new(), Vec::new(), Vec::new());
    let last = loop {
        match process.receive(until)? {
            FromReferee::Fault(fault) => faults.push(fault),
            FromReferee::Tell(tell) => tells.push(tell),
            FromReferee::Out(seat) => out.push(seat),
            FromReferee::Ask(ask) => break StepEnd::Ask(ask),
            FromReferee::End(end) => {
                // Messages after the end belong to no other bout.
                process.finish_bout()?;
                break StepEnd::End(end);
            }
            FromReferee::Log(log) => tracing::debug!(text = log.text, "referee"),
            FromReferee::Game(_) | FromReferee::Error(_) => {}
        }
    };
    Ok(Step { faults, tells, out, last })
}

impl Step {
    /// Returns the numbers of each seat.
    pub(super) fn numbers(&self) -> Vec<SeatNumber> {
        let numbers = match &self.last {
            StepEnd::Ask(ask) => &ask.numbers,
            StepEnd::End(end) => &end.numbers,
        };
        let of_name = |(name, values): (&String, &Vec<Option<f64>>)| {
            let name: Cow<'static, str> = Cow::Owned(name.clone());
            let value = move |(seat, value): (u8, &Option<f64>)| {
                let value = Finite::new((*value)?)?;
                Some(SeatNumber { seat: Seat(seat), name: name.clone(), value })
            };
            (0..).zip(values).filter_map(value).collect::<Vec<_>>()
        };
        numbers.iter().flat_map(of_name).collect()
    }

    /// Returns the referee's comment on a seat's last answer: why it is bad, what happens now, and
    /// why the seat is out. Empty if there is none.
    pub(super) fn comment(&self, seat: u8) -> String {
        let faults = self.faults.iter().filter(|fault| fault.seat == seat);
        let outs = self.out.iter().filter(|out| out.seat == seat);
        let texts = faults.map(|fault| &fault.text).chain(outs.map(|out| &out.text));
        let mut said: Vec<&str> =
            texts.map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
        said.dedup();
        said.join("; ")
    }

    /// Returns the hash of all messages from the beginning of the bout to this step.
    pub(super) fn chained(&self, before: &StateHash) -> StateHash {
        StateHash::of(|bytes| {
            bytes.extend(before.0);
            for fault in &self.faults {
                bytes.push(fault.seat);
                push(bytes, &fault.kind);
            }
            bytes.push(0xff);
            bytes.extend(self.out.iter().map(|out| out.seat));
            bytes.push(0xff);
            for tell in &self.tells {
                bytes.extend(&tell.to);
                push(bytes, &tell.text);
            }
            match &self.last {
                StepEnd::Ask(ask) => {
                    for seat in &ask.to {
                        bytes.push(seat.seat);
                        push(bytes, &seat.text);
                        for (name, text) in &seat.files {
                            push(bytes, name);
                            push(bytes, text);
                        }
                        bytes.extend(seat.move_ms.unwrap_or(0).to_le_bytes());
                    }
                    push_position(bytes, &ask.position);
                    push_numbers(bytes, &ask.numbers);
                }
                StepEnd::End(end) => {
                    for score in &end.scores {
                        bytes.extend(score.unwrap_or(f64::MIN).to_bits().to_le_bytes());
                    }
                    bytes.extend(&end.ranks);
                    push(bytes, &end.reason);
                    push_position(bytes, &end.position);
                    push_numbers(bytes, &end.numbers);
                }
            }
        })
    }
}

fn push(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// A step without numbers adds no bytes.
fn push_numbers(bytes: &mut Vec<u8>, numbers: &Numbers) {
    if numbers.is_empty() {
        return;
    }
    bytes.extend((numbers.len() as u64).to_le_bytes());
    for (name, values) in numbers {
        push(bytes, name);
        for value in values {
            bytes.push(value.is_some().into());
            bytes.extend(value.unwrap_or_default().to_bits().to_le_bytes());
        }
    }
}

fn push_position(bytes: &mut Vec<u8>, position: &Position) {
    match position.hash() {
        Some(hash) => bytes.extend(hash),
        None => bytes.push(0),
    }
}
