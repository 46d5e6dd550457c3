//! Steps of a bout: what a referee says between two words of the runner.

use joust_gamekit::{
    Answer, Answers, Ask, End, Fault, FromReferee, Position, Start, Tell, ToReferee,
};
use joust_referee::{JudgeError, StateHash};

use super::process::Process;

/// All that a referee says from a word of the runner to its next question or the end.
pub(super) struct Step {
    pub(super) faults: Vec<Fault>,
    pub(super) tells: Vec<Tell>,
    pub(super) out: Vec<u8>,
    pub(super) last: Last,
}

/// What a step ends with.
pub(super) enum Last {
    Ask(Ask),
    End(End),
}

/// A bout in a process.
pub(super) struct Conversation {
    process: Process,
    bout: u32,
}

impl Conversation {
    /// Begins a bout; `start` is numbered as the process wants it.
    pub(super) fn begin(mut process: Process, start: &Start) -> Result<(Self, Step), JudgeError> {
        let bout = process.next_bout();
        let message = ToReferee::Start(Start { b: bout, ..start.clone() });
        let until = process.until();
        process.say(&message, until)?;
        let mut conversation = Self { process, bout };
        let step = conversation.listen(until)?;
        Ok((conversation, step))
    }

    /// Tells the answers to a question.
    pub(super) fn answer(&mut self, n: u32, of: &[Answer]) -> Result<Step, JudgeError> {
        let message = ToReferee::Answers(Answers { b: self.bout, n, of: of.to_vec() });
        let until = self.process.until();
        self.process.say(&message, until)?;
        self.listen(until)
    }

    fn listen(&mut self, until: std::time::Instant) -> Result<Step, JudgeError> {
        let (mut faults, mut tells, mut out) = (Vec::new(), Vec::new(), Vec::new());
        let last = loop {
            match self.process.hear(until)? {
                FromReferee::Fault(fault) => faults.push(fault),
                FromReferee::Tell(tell) => tells.push(tell),
                FromReferee::Out(seat) => out.push(seat.seat),
                FromReferee::Ask(ask) => break Last::Ask(ask),
                FromReferee::End(end) => break Last::End(end),
                FromReferee::Log(log) => tracing::debug!(text = log.text, "referee"),
                FromReferee::Game(_) | FromReferee::Error(_) => {}
            }
        };
        Ok(Step { faults, tells, out, last })
    }

    /// Gives the process back, whose bout is over.
    pub(super) fn into_process(self) -> Process {
        self.process
    }

    /// Gives the process back although its bout is not over.
    pub(super) fn abandon(mut self) -> Result<Process, JudgeError> {
        let until = self.process.until();
        let drop = joust_gamekit::DropBout { b: self.bout };
        self.process.say(&ToReferee::Drop(drop), until)?;
        Ok(self.process)
    }
}

impl Step {
    /// Returns the hash of all that was said from the beginning of the bout to here.
    pub(super) fn chained(&self, before: &StateHash) -> StateHash {
        StateHash::of(|bytes| {
            bytes.extend(before.0);
            for fault in &self.faults {
                bytes.push(fault.seat);
                push(bytes, &fault.kind);
            }
            bytes.push(0xff);
            bytes.extend(&self.out);
            bytes.push(0xff);
            for tell in &self.tells {
                bytes.extend(&tell.to);
                push(bytes, &tell.text);
            }
            match &self.last {
                Last::Ask(ask) => {
                    for seat in &ask.to {
                        bytes.push(seat.seat);
                        push(bytes, &seat.text);
                        bytes.extend(seat.move_ms.unwrap_or(0).to_le_bytes());
                    }
                    push_position(bytes, &ask.position);
                }
                Last::End(end) => {
                    for score in &end.scores {
                        bytes.extend(score.unwrap_or(f64::MIN).to_bits().to_le_bytes());
                    }
                    bytes.extend(&end.ranks);
                    push(bytes, &end.reason);
                    push_position(bytes, &end.position);
                }
            }
        })
    }
}

fn push(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u64).to_le_bytes());
    bytes.extend(text.as_bytes());
}

fn push_position(bytes: &mut Vec<u8>, position: &Position) {
    match position.hash() {
        Some(hash) => bytes.extend(hash),
        None => bytes.push(0),
    }
}
