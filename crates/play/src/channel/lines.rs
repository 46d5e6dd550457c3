//! Channel `lines`: a program runs for a whole bout, reads lines from standard input and answers
//! with lines on standard output.
//!
//! The bout's thread writes into the program's input pipe and waits on its output pipe itself, so
//! an answer wakes no other thread. Output from before a request is dropped. A bot that was too
//! late owes an answer, which is dropped when it arrives. So no output is ever taken for the answer
//! to another request.

use std::time::Instant;

use joust_referee::{AnswerForm, Limit, Parts, Verdict};
use joust_sandbox::Pipes;

use super::live::PollTarget;
use super::resident::{self, ResidentBot};
use super::{Answered, Channel, ChannelError, Opening, Request, Usage};
use joust_model::{Exit, counted};

mod stream;

use stream::{BotStream, FLOOD_FACTOR, OutputExcess, READ_BYTES};

/// The most reads to empty a pipe, for data that had arrived when the thread woke.
const PIPE_READS: u32 = 4;

/// Bytes that the bot has not read; above this number it gets no more requests.
const UNREAD_BYTES: usize = 8 << 20;

pub(super) struct Lines {
    bot: ResidentBot,
    /// Maximum size of one answer, bytes.
    cap: usize,
    stream: BotStream,
    /// Number of timed-out requests whose answers may still arrive.
    owed: usize,
    has_started: bool,
    /// The request that waits for its answer.
    put: Option<PendingRequest>,
}

/// A request that waits for its answer.
#[derive(Clone, Copy)]
struct PendingRequest {
    /// Size of the view in bytes.
    view: usize,
    /// Number of lines that were dropped before the request.
    unasked: usize,
}

/// Outcome of a wait for an answer.
enum WaitOutcome {
    Answer(Vec<u8>),
    Late,
    TooLong(OutputExcess),
    Over(Answered),
}

impl Lines {
    pub(super) fn open(opening: Opening) -> Result<Self, ChannelError> {
        let external = opening.game.spec().external.as_ref();
        let form = external.map_or(AnswerForm::Lines(1), |external| external.answer.clone());
        Ok(Self {
            cap: usize::try_from(opening.limits.output.0).unwrap_or(usize::MAX),
            bot: ResidentBot::open(opening)?,
            stream: BotStream::new(form),
            owed: 0,
            has_started: false,
            put: None,
        })
    }

    /// Starts the program, whose first line is its first answer, or drops its output since its last
    /// answer; returns the number of dropped lines.
    fn start_or_drop(&mut self) -> Result<usize, ChannelError> {
        if std::mem::replace(&mut self.has_started, true) {
            return Ok(self.drop_unasked());
        }
        self.bot.program.start(Pipes::Streams)?;
        Ok(0)
    }

    /// Drops the complete lines since the last answer; returns their number.
    fn drop_unasked(&mut self) -> usize {
        let (mut lines, mut reads) = (0, self.cap / READ_BYTES + 1);
        // The loop ends for a bot that writes endlessly; the limits of answers handle that bot
        // later.
        while self.stream.is_open && reads > 0 && self.stream.read(&mut self.bot.program) {
            reads -= 1;
        }
        while self.owed > 0 && self.stream.incoming.take().is_some() {
            self.owed -= 1;
            lines += 1;
        }
        if self.owed > 0 { lines } else { lines + self.stream.incoming.drop_whole() }
    }

    /// Returns the outcome of the wait for the current answer, if there is one; never blocks.
    fn ending_of_wait(&mut self) -> Result<Option<WaitOutcome>, ChannelError> {
        let mut reads = 0;
        loop {
            while let Some(answer) = self.stream.incoming.take() {
                if self.owed == 0 {
                    let is_late = self.bot.is_late()?;
                    return Ok(Some(if is_late {
                        WaitOutcome::Late
                    } else {
                        WaitOutcome::Answer(answer)
                    }));
                }
                self.owed -= 1;
            }
            if let Some(excess) = self.stream.incoming.excess(self.cap) {
                return Ok(Some(WaitOutcome::TooLong(excess)));
            }
            self.stream.flush(&mut self.bot.program);
            if self.stream.is_open && self.stream.read(&mut self.bot.program) {
                reads += 1;
                if reads > PIPE_READS {
                    self.bot.seen = Instant::now();
                }
                continue;
            }
            if self.bot.over.is_none() {
                self.bot.over = self.bot.program.ended()?.map(without_answer);
                // It may have written since the last read.
                if self.bot.over.is_some() && self.stream.is_open {
                    continue;
                }
            }
            if let Some(ended) = self.bot.over.take() {
                return Ok(Some(self.last_line_of(ended)));
            }
            if self.bot.is_late()? {
                self.owed += 1;
                return Ok(Some(WaitOutcome::Late));
            }
            self.bot.check_stall()?;
            return Ok(None);
        }
    }

    /// Takes the last line of a program that has ended well; it needs no line end.
    fn last_line_of(&mut self, ended: Answered) -> WaitOutcome {
        let is_answer = ended.verdict == Verdict::NoOutput && self.owed == 0;
        match is_answer.then(|| self.stream.incoming.take_last()).flatten() {
            Some(answer) => {
                self.bot.over = Some(ended);
                WaitOutcome::Answer(answer)
            }
            None => WaitOutcome::Over(ended),
        }
    }

    /// Returns the outcome of a wait, with times and other details.
    fn finish_answer(
        &mut self,
        waited: WaitOutcome,
        put: PendingRequest,
    ) -> Result<Answered, ChannelError> {
        self.bot.end_wait()?;
        if matches!(waited, WaitOutcome::Answer(_)) && self.bot.over.is_none() {
            self.bot.complete()?;
        }
        let mut answered = self.answered(waited, put.view)?;
        if answered.verdict == Verdict::Timeout && self.bot.over.is_none() {
            answered.usage = self.bot.program.usage()?;
        }
        let mut answered = self.bot.measured(answered);
        answered.unasked = u32::try_from(put.unasked).unwrap_or(u32::MAX);
        if put.unasked > 0 && answered.reason.is_empty() {
            answered.reason =
                format!("{} dropped that nobody had asked for", counted(put.unasked, "line"));
        }
        Ok(answered)
    }

    /// Ends a bot whose output cannot be assigned to requests any more.
    fn give_up(&mut self, verdict: Verdict, reason: String) -> Result<Answered, ChannelError> {
        let ended = self.bot.program.end()?;
        Ok(Answered { parts: Parts::none(), verdict, reason, exit: Exit::Killed, ..ended })
    }

    fn answered(&mut self, waited: WaitOutcome, view: usize) -> Result<Answered, ChannelError> {
        let ended = match waited {
            WaitOutcome::Answer(answer) => {
                let parts = Parts::single(answer.as_slice());
                return Ok(Answered { parts, output: answer, ..Answered::still_there() });
            }
            WaitOutcome::Late
                if self.stream.is_open && self.stream.unread.len() <= UNREAD_BYTES.max(view) =>
            {
                let late = Answered::passing_fault(Verdict::Timeout, self.stream.why_late());
                let output = self.stream.incoming.incoming().to_vec();
                return Ok(Answered { output, ..late.hitting(Limit::Wall) });
            }
            WaitOutcome::Late => {
                let reason = match self.stream.is_open {
                    true => "it does not read what it is shown",
                    false => "it has closed its standard output and did not end",
                };
                self.give_up(Verdict::Timeout, reason.to_owned())?.hitting(Limit::Wall)
            }
            WaitOutcome::TooLong(excess) => {
                let reason = match excess {
                    OutputExcess::Answer => format!("an answer has at most {} bytes", self.cap),
                    OutputExcess::Flood => format!(
                        "it wrote more than {} bytes before its answer was whole, {FLOOD_FACTOR} times \
                         what an answer may have (`output`): write less, or to standard error",
                        self.cap.saturating_mul(FLOOD_FACTOR)
                    ),
                };
                self.give_up(Verdict::OutputLimit, reason)?.hitting(Limit::Stdout)
            }
            WaitOutcome::Over(ended) => ended,
        };
        self.bot.over = Some(ended.clone());
        Ok(ended)
    }
}

impl Channel for Lines {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        resident::ask(self, request)
    }

    fn put(&mut self, request: &Request<'_>) -> Result<bool, ChannelError> {
        let view = request.view.get("").map_or(0, <[u8]>::len);
        let mut put = PendingRequest { view, unasked: 0 };
        if self.bot.over.is_none() {
            self.bot.begin(request, request.within)?;
            put.unasked = self.start_or_drop()?;
            self.stream.show(request.view, &mut self.bot.program);
        }
        self.put = Some(put);
        Ok(true)
    }

    fn fetch(&mut self, seen: Instant) -> Result<Option<Answered>, ChannelError> {
        let Some(put) = self.put else { return Ok(None) };
        if let Some(over) = &self.bot.over {
            self.put = None;
            return Ok(Some(over.again()));
        }
        self.bot.seen = seen;
        let Some(waited) = self.ending_of_wait()? else { return Ok(None) };
        self.put = None;
        self.finish_answer(waited, put).map(Some)
    }

    fn awaits<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) -> Instant {
        let is_due = self.bot.over.is_some() || self.bot.program.has_unreported_event();
        if is_due || self.put.is_none() {
            return Instant::now();
        }
        self.bot.program.descriptors(wanted, !self.stream.unread.is_empty());
        self.bot.next_look()
    }

    fn keep(&mut self) -> Result<Option<Usage>, ChannelError> {
        self.put = None;
        if self.bot.over.is_none() {
            self.bot.over = self.bot.program.ended()?;
        }
        if self.bot.over.is_some() {
            return Ok(None);
        }
        self.bot.program.usage().map(Some)
    }

    fn look(&mut self) -> Result<(), ChannelError> {
        self.bot.look()
    }

    fn finish(&mut self) -> Result<Option<Answered>, ChannelError> {
        self.bot.finish().map(Some)
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        self.bot.program.close()
    }
}

/// Returns the fault of a program that ended while its answer was awaited.
fn without_answer(ended: Answered) -> Answered {
    if ended.exit != Exit::Status(0) || ended.verdict != Verdict::ProtocolViolation {
        return ended;
    }
    let reason = "the program ended without an answer".to_owned();
    Answered { verdict: Verdict::NoOutput, reason, ..ended }
}
