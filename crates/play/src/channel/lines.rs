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

use super::live::{PollTarget, Program};
use super::pondering::PonderPolicy;
use super::wait::{AnswerClock, OpponentLoad};
use super::{Answered, Channel, ChannelError, Opening, Request, Usage};
use joust_model::{Exit, counted};

mod form;
mod stream;

use form::{FLOOD_FACTOR, OutputExcess};
use stream::{BotStream, READ_BYTES};

/// The most reads to empty a pipe, for data that had arrived when the thread woke.
const PIPE_READS: u32 = 4;

/// Bytes that the bot has not read; above this number it gets no more requests.
const UNREAD_BYTES: usize = 8 << 20;

pub(super) struct Lines {
    program: Program,
    /// Maximum size of one answer, bytes.
    cap: usize,
    stream: BotStream,
    /// Number of timed-out requests whose answers may still arrive.
    owed: usize,
    has_started: bool,
    rest: PonderPolicy,
    clock: AnswerClock,
    over: Option<Answered>,
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
            clock: AnswerClock::new(opening.limit_mode),
            program: Program::open(opening)?,
            stream: BotStream::new(form),
            owed: 0,
            has_started: false,
            rest: PonderPolicy::default(),
            over: None,
            put: None,
        })
    }

    /// Starts the program, whose first line is its first answer, or drops its output since its last
    /// answer; returns the number of dropped lines.
    fn start_or_drop(&mut self) -> Result<usize, ChannelError> {
        if std::mem::replace(&mut self.has_started, true) {
            return Ok(self.drop_unasked());
        }
        self.program.start(Pipes::Streams)?;
        Ok(0)
    }

    /// Drops the complete lines since the last answer; returns their number.
    fn drop_unasked(&mut self) -> usize {
        let (mut lines, mut reads) = (0, self.cap / READ_BYTES + 1);
        // The loop ends for a bot that writes endlessly; the limits of answers handle that bot
        // later.
        while self.stream.is_open && reads > 0 && self.stream.read(&mut self.program) {
            reads -= 1;
        }
        while self.owed > 0 && self.stream.incoming.take().is_some() {
            self.owed -= 1;
            lines += 1;
        }
        if self.owed > 0 { lines } else { lines + self.stream.incoming.drop_whole() }
    }

    fn wait_for_answer(
        &mut self,
        beside: &mut Option<OpponentLoad<'_>>,
    ) -> Result<WaitOutcome, ChannelError> {
        loop {
            if let Some(waited) = self.ending_of_wait()? {
                return Ok(waited);
            }
            let until = self.clock.next_look();
            self.pause(beside.as_ref().map_or(until, |beside| until.min(beside.looks.next())))?;
            if let Some(beside) = beside {
                beside.check_if_due()?;
            }
        }
    }

    /// Returns the outcome of the wait for the current answer, if there is one; never blocks.
    fn ending_of_wait(&mut self) -> Result<Option<WaitOutcome>, ChannelError> {
        let mut reads = 0;
        loop {
            while let Some(answer) = self.stream.incoming.take() {
                if self.owed == 0 {
                    let is_late = self.clock.is_late(&mut self.program)?;
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
            self.stream.flush(&mut self.program);
            if self.stream.is_open && self.stream.read(&mut self.program) {
                reads += 1;
                if reads > PIPE_READS {
                    self.clock.seen = Instant::now();
                }
                continue;
            }
            if let Some(ended) = self.program.ended()? {
                return Ok(Some(self.last_line_of(ended)));
            }
            if self.clock.is_late(&mut self.program)? {
                self.owed += 1;
                return Ok(Some(WaitOutcome::Late));
            }
            self.clock.check_stall(&mut self.program)?;
            return Ok(None);
        }
    }

    /// Takes the last line of a program that has ended well; it needs no line end.
    fn last_line_of(&mut self, ended: Answered) -> WaitOutcome {
        let ended = without_answer(ended);
        let is_answer = ended.verdict == Verdict::NoOutput && self.owed == 0;
        match is_answer.then(|| self.stream.incoming.take_last()).flatten() {
            Some(answer) => {
                self.over = Some(ended);
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
        if matches!(waited, WaitOutcome::Answer(_)) && self.over.is_none() {
            self.clock.complete(&mut self.program)?;
        }
        let mut answered = self.answered(waited, put.view)?;
        if answered.verdict == Verdict::Timeout && self.over.is_none() {
            answered.usage = self.program.usage()?;
        }
        let mut answered = self.clock.measured(answered);
        answered.unasked = u32::try_from(put.unasked).unwrap_or(u32::MAX);
        if put.unasked > 0 && answered.reason.is_empty() {
            answered.reason =
                format!("{} dropped that nobody had asked for", counted(put.unasked, "line"));
        }
        Ok(answered)
    }

    /// Waits for an event of the program, until `until` at most.
    fn pause(&mut self, until: Instant) -> Result<(), ChannelError> {
        if self.program.has_unreported_event() {
            return Ok(());
        }
        let mut wanted = Vec::with_capacity(3);
        self.program.descriptors(&mut wanted, !self.stream.unread.is_empty());
        self.clock.pause(&wanted, until)
    }

    /// Ends a bot whose output cannot be assigned to requests any more.
    fn give_up(&mut self, verdict: Verdict, reason: String) -> Result<Answered, ChannelError> {
        let ended = self.program.end()?;
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
        self.over = Some(ended.clone());
        Ok(ended)
    }

    /// Begins a request; returns it with the number of lines that were dropped before.
    fn begin(&mut self, request: &Request<'_>) -> Result<PendingRequest, ChannelError> {
        self.clock.begin(request.within);
        let view = request.view.get("").map_or(0, <[u8]>::len);
        let mut put = PendingRequest { view, unasked: 0 };
        if self.over.is_none() {
            put.unasked = self.start_or_drop()?;
            self.stream.show(request.view, &mut self.program);
        }
        self.put = Some(put);
        Ok(put)
    }
}

impl Channel for Lines {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        if let Some(over) = &self.over {
            return Ok(over.again());
        }
        self.rest.end(&mut self.program)?;
        let put = self.begin(request)?;
        let mut beside = request.idle_seats.map(OpponentLoad::new);
        let waited = self.wait_for_answer(&mut beside)?;
        if let Some(beside) = &beside {
            self.rest.begin(&mut self.program)?;
            beside.check_after_answer()?;
        }
        self.put = None;
        self.finish_answer(waited, put)
    }

    fn put(&mut self, request: &Request<'_>) -> Result<bool, ChannelError> {
        if self.over.is_none() {
            self.rest.end(&mut self.program)?;
        }
        self.begin(request)?;
        Ok(true)
    }

    fn fetch(&mut self, seen: Instant) -> Result<Option<Answered>, ChannelError> {
        let Some(put) = self.put else { return Ok(None) };
        if let Some(over) = &self.over {
            self.put = None;
            return Ok(Some(over.again()));
        }
        self.clock.seen = seen;
        let Some(waited) = self.ending_of_wait()? else { return Ok(None) };
        self.put = None;
        self.finish_answer(waited, put).map(Some)
    }

    fn awaits<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) -> Instant {
        let is_due = self.over.is_some() || self.program.has_unreported_event();
        if is_due || self.put.is_none() {
            return Instant::now();
        }
        self.program.descriptors(wanted, !self.stream.unread.is_empty());
        self.clock.next_look()
    }

    fn look(&mut self) -> Result<(), ChannelError> {
        match self.over {
            Some(_) => Ok(()),
            None => self.rest.look(&mut self.program),
        }
    }

    fn finish(&mut self) -> Result<Option<Answered>, ChannelError> {
        match &self.over {
            Some(over) => Ok(Some(over.clone())),
            None => self.program.end().map(Some),
        }
    }

    fn keep(&mut self) -> Result<Option<Usage>, ChannelError> {
        self.put = None;
        if self.over.is_none() {
            self.over = self.program.ended()?;
        }
        if self.over.is_some() {
            return Ok(None);
        }
        self.program.usage().map(Some)
    }

    fn close(self: Box<Self>) -> Result<(), ChannelError> {
        self.program.close()
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
