//! Channel `lines`: a program runs for a whole bout, reads lines from standard input and answers
//! with lines on standard output.
//!
//! The bout's thread writes into the program's input pipe and waits on its output pipe itself, so
//! an answer wakes no other thread. Output from before a request is dropped. A bot that was too
//! late owes an answer, which is dropped when it arrives. So no output is ever taken for the answer
//! to another request.

use std::time::{Duration, Instant};

use joust_referee::{AnswerForm, Limit, Parts, Verdict};
use joust_sandbox::Pipes;

use super::live::events::wait_for;
use super::live::{PollTarget, Program};
use super::stall::{StallMeter, WakeClock};
use super::{Answered, Channel, ChannelError, IdleSeats, LimitMode, Opening, Request, Usage};
use joust_model::{Exit, counted};

mod form;
mod pondering;
mod stream;

use form::{FLOOD_FACTOR, OutputExcess};
use pondering::{PonderPolicy, SampleSchedule};
use stream::{BotStream, READ_BYTES};

/// The most reads to empty a pipe, for data that had arrived when the thread woke.
const PIPE_READS: u32 = 4;

/// Bytes that the bot has not read; above this number it gets no more requests.
const UNREAD_BYTES: usize = 8 << 20;

/// Length of one wait for a bot without a time limit.
const LONG: Duration = Duration::from_secs(365 * 24 * 3600);

pub(super) struct Lines {
    program: Program,
    /// Maximum size of one answer, bytes.
    cap: usize,
    limit_mode: LimitMode,
    stream: BotStream,
    /// Number of timed-out requests whose answers may still arrive.
    owed: usize,
    has_started: bool,
    rest: PonderPolicy,
    meter: StallMeter,
    clock: WakeClock,
    /// Time when the thread last woke; everything that is readable then had arrived by that time.
    seen: Instant,
    over: Option<Answered>,
    /// The request that waits for its answer.
    put: Option<PendingRequest>,
}

/// A request that waits for its answer.
#[derive(Clone, Copy)]
struct PendingRequest {
    at: Instant,
    /// Time limit of the answer.
    within: Duration,
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

/// The other bots, which are checked while one answers.
struct OpponentLoad<'a> {
    idle_seats: IdleSeats<'a>,
    looks: SampleSchedule,
}

impl OpponentLoad<'_> {
    fn check_if_due(&mut self) -> Result<(), ChannelError> {
        if self.looks.is_due(Instant::now()) { self.idle_seats.look() } else { Ok(()) }
    }

    /// Checks the other bots once more if the answer was slow.
    fn check_after_answer(&self) -> Result<(), ChannelError> {
        if self.looks.was_slow(Instant::now()) { self.idle_seats.look() } else { Ok(()) }
    }
}

impl Lines {
    pub(super) fn open(opening: Opening) -> Result<Self, ChannelError> {
        let external = opening.game.spec().external.as_ref();
        let form = external.map_or(AnswerForm::Lines(1), |external| external.answer.clone());
        Ok(Self {
            cap: usize::try_from(opening.limits.output.0).unwrap_or(usize::MAX),
            limit_mode: opening.limit_mode,
            program: Program::open(opening)?,
            stream: BotStream::new(form),
            owed: 0,
            has_started: false,
            rest: PonderPolicy::default(),
            meter: StallMeter::new(),
            clock: WakeClock::default(),
            seen: Instant::now(),
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
        put: PendingRequest,
        beside: &mut Option<OpponentLoad<'_>>,
    ) -> Result<WaitOutcome, ChannelError> {
        loop {
            if let Some(waited) = self.ending_of_wait()? {
                return Ok(waited);
            }
            let until = self.next_look(put);
            self.pause(beside.as_ref().map_or(until, |beside| until.min(beside.looks.next())))?;
            if let Some(beside) = beside {
                beside.check_if_due()?;
            }
        }
    }

    /// Returns the outcome of the wait for the current answer, if there is one; never blocks.
    fn ending_of_wait(&mut self) -> Result<Option<WaitOutcome>, ChannelError> {
        let Some(put) = self.put else { return Ok(None) };
        let mut reads = 0;
        loop {
            while let Some(answer) = self.stream.incoming.take() {
                if self.owed == 0 {
                    let is_late = self.is_late(put)?;
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
                    self.seen = Instant::now();
                }
                continue;
            }
            if let Some(ended) = self.program.ended()? {
                return Ok(Some(self.last_line_of(ended)));
            }
            if self.is_late(put)? {
                self.owed += 1;
                return Ok(Some(WaitOutcome::Late));
            }
            if self.meter.is_due(self.seen) {
                self.read_stall()?;
            }
            return Ok(None);
        }
    }

    /// Returns whether the time limit had passed when the thread last woke. Time that the machine
    /// takes from the bot extends the limit.
    fn is_late(&mut self, put: PendingRequest) -> Result<bool, ChannelError> {
        if !self.is_limited() || self.seen <= self.meter.deadline(put.at, put.within) {
            return Ok(false);
        }
        self.read_stall()?;
        while self.seen > self.meter.deadline(put.at, put.within) {
            if !self.meter.look_further() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn read_stall(&mut self) -> Result<(), ChannelError> {
        let stall = self.program.usage()?.stall;
        self.meter.read(stall, Instant::now());
        Ok(())
    }

    /// Returns the time of the next check, if nothing happens before.
    fn next_look(&self, put: PendingRequest) -> Instant {
        // A little after the deadline, so that the bot is late then.
        let late = self.meter.deadline(put.at, put.within) + Duration::from_micros(100);
        self.meter.wake_at(late)
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
        let is_answer = matches!(waited, WaitOutcome::Answer(_));
        if is_answer && self.meter.is_read() && self.over.is_none() {
            self.read_stall()?;
        }
        let wall = self.seen.saturating_duration_since(put.at);
        let mut answered = self.answered(waited, put.view)?;
        if answered.verdict == Verdict::Timeout && self.over.is_none() {
            answered.usage = self.program.usage()?;
        }
        answered.usage.wall = wall;
        answered.usage.stall = self.meter.stall().min(wall);
        answered.is_starved = self.meter.is_starved(put.within);
        answered.unasked = u32::try_from(put.unasked).unwrap_or(u32::MAX);
        if put.unasked > 0 && answered.reason.is_empty() {
            answered.reason =
                format!("{} dropped that nobody had asked for", counted(put.unasked, "line"));
        }
        Ok(answered)
    }

    fn is_limited(&self) -> bool {
        self.limit_mode == LimitMode::Configured
    }

    /// Waits for an event of the program, until `until` at most.
    fn pause(&mut self, until: Instant) -> Result<(), ChannelError> {
        if self.program.has_unreported_event() {
            return Ok(());
        }
        let mut wanted = Vec::with_capacity(3);
        self.program.descriptors(&mut wanted, !self.stream.unread.is_empty());
        let since = Instant::now();
        wait_for(&wanted, until)?;
        drop(wanted);
        self.seen = self.clock.woken(since);
        Ok(())
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
        let at = Instant::now();
        let within = if self.is_limited() { request.within } else { LONG };
        let view = request.view.get("").map_or(0, <[u8]>::len);
        let mut put = PendingRequest { at, within, view, unasked: 0 };
        self.seen = at;
        if self.over.is_none() {
            self.clock.begin();
            self.meter.begin(at);
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
            return Ok(ended_before(over));
        }
        self.rest.end(&mut self.program)?;
        let put = self.begin(request)?;
        let mut beside = request
            .idle_seats
            .map(|idle_seats| OpponentLoad { idle_seats, looks: SampleSchedule::new(put.at) });
        let waited = self.wait_for_answer(put, &mut beside)?;
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
            return Ok(Some(ended_before(over)));
        }
        self.seen = seen;
        let Some(waited) = self.ending_of_wait()? else { return Ok(None) };
        self.put = None;
        self.finish_answer(waited, put).map(Some)
    }

    fn awaits<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) -> Instant {
        let now = Instant::now();
        if self.over.is_some() || self.program.has_unreported_event() {
            return now;
        }
        self.program.descriptors(wanted, !self.stream.unread.is_empty());
        self.put.map_or(now, |put| self.next_look(put))
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

/// Returns the answer to a request to an occupant that has ended earlier.
fn ended_before(over: &Answered) -> Answered {
    Answered {
        usage: Usage::default(),
        output: Vec::new(),
        stderr: Vec::new(),
        reason: "the program has ended before".to_owned(),
        ..over.clone()
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
