//! Channel `lines`: a program stays for its bout, reads lines on its standard input and
//! answers with lines on its standard output.
//!
//! The caller writes into the program's own pipe and waits on the other one, both in the
//! bout's thread: nothing else wakes for an answer. What the bot wrote before it was
//! asked is dropped, and who was late owes an answer, which is dropped when it comes; so
//! nothing is ever taken for the answer to another request.

use std::io;
use std::time::{Duration, Instant};

use joust_referee::{AnswerForm, Limit, Parts, Verdict};
use joust_sandbox::Pipes;

use super::live::{PollTarget, Program};
use super::poll::{Interest, Poll};
use super::{Answered, Channel, ChannelError, Limiting, Opening, Others, Request, Usage};
use joust_model::{Exit, counted};

mod form;
mod pondering;

use form::take_answer;
use pondering::{Looks, Rest};

/// Bytes of one read.
const READ_BYTES: usize = 16 * 1024;

/// Bytes that wait to be read by the bot; it is not asked any more above that.
const UNREAD_BYTES: usize = 8 << 20;

/// How long somebody without a limit is waited for in one go.
const LONG: Duration = Duration::from_secs(365 * 24 * 3600);

pub(super) struct Lines {
    program: Program,
    form: AnswerForm,
    /// What one answer may have, bytes.
    cap: usize,
    limiting: Limiting,
    /// What the bot has not read yet.
    unread: Vec<u8>,
    /// What came and was not taken yet.
    incoming: Vec<u8>,
    /// Where reads go.
    buffer: Box<[u8]>,
    /// Answers to requests whose time was up, which may still come.
    owed: usize,
    has_started: bool,
    /// Whether more can come.
    is_open: bool,
    rest: Rest,
    over: Option<Answered>,
    /// The request that was put and waits for its answer.
    put: Option<Put>,
}

/// A request that was put and waits for its answer.
#[derive(Clone, Copy)]
struct Put {
    at: Instant,
    until: Instant,
    /// Bytes of what the bot is shown.
    view: usize,
    /// Lines that were dropped before it was asked.
    unasked: usize,
}

/// What a wait for an answer ended with.
enum Waited {
    Answer(Vec<u8>),
    Late,
    TooLong,
    Over(Answered),
}

/// The others, while one answers.
struct Beside<'a> {
    others: Others<'a>,
    looks: Looks,
}

impl Beside<'_> {
    fn look_in_time(&mut self) -> Result<(), ChannelError> {
        if self.looks.is_due(Instant::now()) { self.others.look() } else { Ok(()) }
    }

    /// Looks once more when it has taken long.
    fn look_after(&self) -> Result<(), ChannelError> {
        if self.looks.was_slow(Instant::now()) { self.others.look() } else { Ok(()) }
    }
}

impl Lines {
    pub(super) fn open(opening: Opening) -> Result<Self, ChannelError> {
        let external = opening.game.spec().external.as_ref();
        Ok(Self {
            form: external.map_or(AnswerForm::Lines(1), |external| external.answer.clone()),
            cap: usize::try_from(opening.limits.output.0).unwrap_or(usize::MAX),
            limiting: opening.limiting,
            program: Program::open(opening)?,
            unread: Vec::new(),
            incoming: Vec::new(),
            buffer: vec![0; READ_BYTES].into(),
            owed: 0,
            has_started: false,
            is_open: true,
            rest: Rest::default(),
            over: None,
            put: None,
        })
    }

    fn show(&mut self, view: &Parts) {
        let text = view.get("").unwrap_or_default();
        self.unread.extend_from_slice(text);
        if text.last().is_some_and(|last| *last != b'\n') {
            self.unread.push(b'\n');
        }
        self.flush();
    }

    /// Writes what the pipe takes.
    fn flush(&mut self) {
        let mut written = 0;
        while let Some(rest) = self.unread.get(written..).filter(|rest| !rest.is_empty()) {
            match self.program.write(rest) {
                Ok(0) => break,
                Ok(more) => written += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // Nobody reads any more: its end will be told.
                Err(_) => written = self.unread.len(),
            }
        }
        self.unread.drain(..written);
    }

    /// Reads once; says whether anything came.
    fn read(&mut self) -> bool {
        let read = self.program.read(&mut self.buffer);
        let count = *read.as_ref().unwrap_or(&0);
        self.incoming.extend_from_slice(&self.buffer[..count]);
        match read {
            Ok(0) => self.is_open = false,
            Err(error) if !is_passing(&error) => self.is_open = false,
            _ => {}
        }
        count > 0
    }

    /// Starts the program, whose first line is its first answer, or drops what it said since
    /// its last one; says how many lines that was.
    fn start_or_drop(&mut self) -> Result<usize, ChannelError> {
        if std::mem::replace(&mut self.has_started, true) {
            return Ok(self.drop_unasked());
        }
        self.program.start(Pipes::Streams)?;
        Ok(0)
    }

    /// Drops what came since the last answer, as far as it is whole; says how many lines.
    fn drop_unasked(&mut self) -> usize {
        let mut lines = 0;
        // A bot that writes without end is cut short by the cap of an answer.
        while self.is_open && self.incoming.len() <= self.cap && self.read() {}
        while self.owed > 0 && take_answer(&self.form, &mut self.incoming).is_some() {
            self.owed -= 1;
            lines += 1;
        }
        let whole = self.incoming.iter().rposition(|byte| *byte == b'\n');
        let Some(whole) = whole.filter(|_| self.owed == 0) else { return lines };
        let dropped = self.incoming.drain(..=whole);
        lines + dropped.filter(|byte| *byte == b'\n').count()
    }

    fn wait_for_answer(
        &mut self,
        until: Instant,
        beside: &mut Option<Beside<'_>>,
    ) -> Result<Waited, ChannelError> {
        loop {
            while let Some(answer) = take_answer(&self.form, &mut self.incoming) {
                if self.owed == 0 {
                    let is_late = self.is_limited() && Instant::now() > until;
                    return Ok(if is_late { Waited::Late } else { Waited::Answer(answer) });
                }
                self.owed -= 1;
            }
            if self.incoming.len() > self.cap {
                return Ok(Waited::TooLong);
            }
            if self.is_limited() && Instant::now() >= until {
                self.owed += 1;
                return Ok(Waited::Late);
            }
            self.pause(beside.as_ref().map_or(until, |beside| until.min(beside.looks.next())))?;
            if let Some(beside) = beside {
                beside.look_in_time()?;
            }
            self.flush();
            if self.is_open && self.read() {
                continue;
            }
            if let Some(ended) = self.program.ended()? {
                return Ok(Waited::Over(ended));
            }
        }
    }

    /// Returns what the wait for an answer has ended with, if it has; never waits.
    fn poll_answer(&mut self, until: Instant) -> Result<Option<Waited>, ChannelError> {
        loop {
            while let Some(answer) = take_answer(&self.form, &mut self.incoming) {
                if self.owed == 0 {
                    let is_late = self.is_limited() && Instant::now() > until;
                    let answer = if is_late { Waited::Late } else { Waited::Answer(answer) };
                    return Ok(Some(answer));
                }
                self.owed -= 1;
            }
            if self.incoming.len() > self.cap {
                return Ok(Some(Waited::TooLong));
            }
            self.flush();
            if self.is_open && self.read() {
                continue;
            }
            if let Some(ended) = self.program.ended()? {
                return Ok(Some(Waited::Over(ended)));
            }
            if self.is_limited() && Instant::now() >= until {
                self.owed += 1;
                return Ok(Some(Waited::Late));
            }
            return Ok(None);
        }
    }

    /// Says what a wait ended with, with what is known of it beside.
    fn told(&mut self, waited: Waited, put: Put) -> Result<Answered, ChannelError> {
        self.told_after(put.at.elapsed(), waited, put)
    }

    fn told_after(
        &mut self,
        wall: Duration,
        waited: Waited,
        put: Put,
    ) -> Result<Answered, ChannelError> {
        let mut answered = self.answered(waited, put.view)?;
        answered.usage.wall = wall;
        if answered.verdict == Verdict::Timeout && self.over.is_none() {
            answered.usage = Usage { wall, ..self.program.usage()? };
        }
        answered.unasked = u32::try_from(put.unasked).unwrap_or(u32::MAX);
        if put.unasked > 0 && answered.reason.is_empty() {
            answered.reason =
                format!("{} dropped that nobody had asked for", counted(put.unasked, "line"));
        }
        Ok(answered)
    }

    fn is_limited(&self) -> bool {
        self.limiting == Limiting::Configured
    }

    /// Waits until something happens to the program, but not beyond `until`.
    fn pause(&self, until: Instant) -> Result<(), ChannelError> {
        if self.program.is_to_be_told() {
            return Ok(());
        }
        let mut wanted = Vec::with_capacity(3);
        self.program.descriptors(&mut wanted, !self.unread.is_empty());
        let mut poll = Poll::default();
        for PollTarget { descriptor, for_writing } in wanted {
            poll.add(descriptor, if for_writing { Interest::Write } else { Interest::Read });
        }
        Ok(poll.wait(Some(until))?)
    }

    /// Ends a bot with which nothing can be settled any more.
    fn give_up(&mut self, verdict: Verdict, reason: String) -> Result<Answered, ChannelError> {
        let ended = self.program.end()?;
        Ok(Answered { parts: Parts::none(), verdict, reason, exit: Exit::Killed, ..ended })
    }

    fn answered(&mut self, waited: Waited, view: usize) -> Result<Answered, ChannelError> {
        let ended = match waited {
            Waited::Answer(answer) => {
                let parts = Parts::single(answer.as_slice());
                return Ok(Answered { parts, output: answer, ..Answered::still_there() });
            }
            Waited::Late if self.is_open && self.unread.len() <= UNREAD_BYTES.max(view) => {
                let late = Answered::passing_fault(Verdict::Timeout, "").hitting(Limit::Wall);
                return Ok(Answered { output: self.incoming.clone(), ..late });
            }
            Waited::Late => {
                let reason = match self.is_open {
                    true => "it does not read what it is shown",
                    false => "it has closed its standard output and did not end",
                };
                self.give_up(Verdict::Timeout, reason.to_owned())?.hitting(Limit::Wall)
            }
            Waited::TooLong => {
                let reason = format!("an answer has at most {} bytes", self.cap);
                self.give_up(Verdict::OutputLimit, reason)?.hitting(Limit::Stdout)
            }
            Waited::Over(ended) => without_answer(ended),
        };
        self.over = Some(ended.clone());
        Ok(ended)
    }
}

impl Channel for Lines {
    fn ask(&mut self, request: &Request<'_>) -> Result<Answered, ChannelError> {
        if let Some(over) = &self.over {
            return Ok(ended_before(over));
        }
        self.rest.end(&mut self.program)?;
        let at = Instant::now();
        let until = at + if self.is_limited() { request.within } else { LONG };
        let unasked = self.start_or_drop()?;
        self.show(request.view);
        let mut beside = request.others.map(|others| Beside { others, looks: Looks::new(at) });
        let waited = self.wait_for_answer(until, &mut beside)?;
        let wall = at.elapsed();
        if let Some(beside) = &beside {
            self.rest.begin(&mut self.program)?;
            beside.look_after()?;
        }
        let view = request.view.get("").map_or(0, <[u8]>::len);
        self.told_after(wall, waited, Put { at, until, view, unasked })
    }

    fn put(&mut self, request: &Request<'_>) -> Result<bool, ChannelError> {
        let at = Instant::now();
        let until = at + if self.is_limited() { request.within } else { LONG };
        let view = request.view.get("").map_or(0, <[u8]>::len);
        let mut unasked = 0;
        if self.over.is_none() {
            self.rest.end(&mut self.program)?;
            unasked = self.start_or_drop()?;
            self.show(request.view);
        }
        self.put = Some(Put { at, until, view, unasked });
        Ok(true)
    }

    fn fetch(&mut self) -> Result<Option<Answered>, ChannelError> {
        let Some(put) = self.put else { return Ok(None) };
        if let Some(over) = &self.over {
            self.put = None;
            return Ok(Some(ended_before(over)));
        }
        let Some(waited) = self.poll_answer(put.until)? else { return Ok(None) };
        self.put = None;
        self.told(waited, put).map(Some)
    }

    fn awaits<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) -> Instant {
        let now = Instant::now();
        if self.over.is_some() || self.program.is_to_be_told() {
            return now;
        }
        self.program.descriptors(wanted, !self.unread.is_empty());
        self.put.as_ref().map_or(now, |put| put.until)
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

/// Waits until something can be done with one of `wanted`, but not beyond `until`.
pub(crate) fn wait_for(wanted: &[PollTarget<'_>], until: Instant) -> Result<(), ChannelError> {
    let mut poll = Poll::default();
    for target in wanted {
        let interest = if target.for_writing { Interest::Write } else { Interest::Read };
        poll.add(target.descriptor, interest);
    }
    Ok(poll.wait(Some(until))?)
}

/// Returns what is said to a request of somebody who has ended before.
fn ended_before(over: &Answered) -> Answered {
    Answered {
        usage: Usage::default(),
        output: Vec::new(),
        stderr: Vec::new(),
        reason: "the program has ended before".to_owned(),
        ..over.clone()
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Returns the fault of a program that ended while it was waited for.
fn without_answer(ended: Answered) -> Answered {
    if ended.exit != Exit::Status(0) || ended.verdict != Verdict::ProtocolViolation {
        return ended;
    }
    let reason = "the program ended without an answer".to_owned();
    Answered { verdict: Verdict::NoOutput, reason, ..ended }
}
