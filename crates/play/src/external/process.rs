//! Process of a referee, which is started in a seat of its own and exchanges lines.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use joust_build::seat_spec;
use joust_gamekit::{Breach, Capability, FromReferee, LineReader, STEP_BYTES, Session, ToReferee};
use joust_model::cancel::Cancel;
use joust_model::escaped;
use joust_referee::JudgeError;
use joust_sandbox::poll::{Interest, Poll, wait_readable};
use joust_sandbox::{
    Ending, Pipes, Program, ProgramLimits, RunningProgram, Seat, SeatSpec, TurnError, TurnReport,
};
use joust_toolchain::BOT;
use parking_lot::Mutex;

use super::{LastWords, RefereeProgram};
use crate::channel::NO_LIMIT;
use crate::transfer::at_once;

/// Size of one read in bytes.
const READ_BYTES: usize = 64 * 1024;

/// Minimum time that a process has after closing its output.
const LAST_MOMENT: Duration = Duration::from_secs(1);

/// Time to wait for the output of a failed process.
const LAST_WRITING: Duration = Duration::from_millis(100);

/// Interval at which a wait for a process checks whether the run is being stopped.
const GLANCE: Duration = Duration::from_millis(100);

/// A referee's process that has sent its game.
pub(super) struct Process {
    live: RunningProgram,
    session: Session,
    lines: LineReader,
    buffer: Vec<u8>,
    /// The processors it runs on.
    pub(super) cores: Vec<usize>,
    /// Time limit of a step.
    step: Duration,
    /// Time limit from `hello` to `game`.
    start: Duration,
    newest: u32,
    /// True if it plays more than one bout.
    plays_on: bool,
    /// Error with which it failed. The process is ended then, and every later call returns this
    /// error.
    failed: Option<JudgeError>,
    last_words: LastWords,
    cancel: Cancel,
}

/// A process that is used in one bout at a time, or in several bouts that are interleaved.
pub(super) type SharedProcess = Arc<Mutex<Process>>;

impl Process {
    pub(super) fn start(program: &RefereeProgram, cores: Vec<usize>) -> Result<Self, JudgeError> {
        // A referee plays many bouts, so files that it writes in one bout must not be visible in
        // the next.
        let spec =
            SeatSpec { written: None, ..seat_spec(&program.build, &program.limits, &cores, 0) };
        let seat = Seat::start(&program.host, &spec).map_err(|error| machine(&error))?;
        let live = seat.start_program(&Program {
            command: &program.build.command,
            folder: Path::new(BOT),
            put: &[],
            pipes: Pipes::Streams,
            limits: ProgramLimits { cpu: NO_LIMIT, wall: NO_LIMIT },
        });
        let mut process = Self {
            live: live.map_err(|error| machine(&error))?,
            session: Session::new(program.expected.clone()),
            lines: LineReader::default(),
            buffer: vec![0; READ_BYTES],
            cores,
            step: program.limits.turn,
            start: program.limits.start,
            newest: 0,
            plays_on: program.expected.can.contains(&Capability::Bouts),
            failed: None,
            last_words: program.last_words.clone(),
            cancel: program.cancel.clone(),
        };
        let runner = concat!("joust ", env!("CARGO_PKG_VERSION"));
        let until = Instant::now() + program.limits.start;
        let hello = ToReferee::hello(runner, &program.expected.id);
        process.run_unless_failed(|process| process.send_until(&hello, until))?;
        match process.receive(until)? {
            FromReferee::Game(_) => Ok(process),
            // The session accepts no other message here.
            _ => Err(process.fail(JudgeError::Broke(
                "it does not say its game, which is the first message (`game`)".to_owned(),
            ))),
        }
    }

    /// Runs an operation that may show a failure, unless the process has failed already.
    fn run_unless_failed<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, JudgeError>,
    ) -> Result<T, JudgeError> {
        match &self.failed {
            Some(failed) => Err(failed.clone()),
            None => work(self).map_err(|error| self.fail(error)),
        }
    }

    /// Ends the failed process, and returns the error with its exit and the end of its standard
    /// error, which explain the failure.
    pub(super) fn fail(&mut self, error: JudgeError) -> JudgeError {
        if matches!(error, JudgeError::Machine(_)) {
            return error;
        }
        if !matches!(error, JudgeError::Silent(_)) {
            // It may still be writing the reason.
            _ = self.await_end(Instant::now() + LAST_WRITING);
        }
        // Where these are unknown, only the failure is reported.
        let said = self.live.end().map(|report| {
            self.last_words.keep(&report.stderr);
            last_line(&report.stderr)
        });
        let error = error.after_writing(said.unwrap_or_default());
        self.failed = Some(error.clone());
        error
    }

    /// Returns the number of another bout.
    pub(super) fn next_bout(&mut self) -> u32 {
        self.newest += 1;
        self.newest
    }

    /// Returns the deadline of a step that begins now.
    pub(super) fn until(&self) -> Instant {
        Instant::now() + self.step
    }

    /// Sends a message, after reading what the referee has sent already.
    pub(super) fn send(&mut self, message: &ToReferee, until: Instant) -> Result<(), JudgeError> {
        self.run_unless_failed(|process| {
            process.read_available()?;
            process.send_until(message, until)
        })
    }

    /// Reads output that came out of turn; only `log` is allowed there.
    fn read_available(&mut self) -> Result<(), JudgeError> {
        // A read error is reported when the answer is awaited.
        if let Ok(read @ 1..) = self.live.read(&mut self.buffer) {
            self.lines.push(&self.buffer[..read]);
        }
        while let Some(line) = self.lines.next_line().map_err(broke)? {
            self.session.accept_line(&line).map_err(broke)?;
        }
        Ok(())
    }

    /// Reads output after the end of a bout. A referee that plays one bout only must send nothing
    /// more.
    pub(super) fn finish_bout(&mut self) -> Result<(), JudgeError> {
        match self.plays_on {
            true => self.run_unless_failed(Self::read_available),
            false => self.drain_output(),
        }
    }

    /// Closes its input and reads until it has closed its output, for a moment at most. Only `log`
    /// is allowed there; its exit is not checked.
    pub(super) fn drain_output(&mut self) -> Result<(), JudgeError> {
        self.run_unless_failed(Self::read_to_end)
    }

    fn read_to_end(&mut self) -> Result<(), JudgeError> {
        let until = Instant::now() + LAST_MOMENT;
        self.live.close_input();
        while self.live.output().is_some() && Instant::now() < until {
            self.read_available()?;
            let Some(pipe) = self.live.output() else { break };
            wait_readable(pipe, until).map_err(|error| machine(&error))?;
        }
        self.lines.finish().map_err(broke)
    }

    /// Closes its input, reads the rest and waits for its exit, which has to be regular.
    pub(super) fn farewell(mut self) -> Result<(), JudgeError> {
        self.run_unless_failed(Self::await_clean_exit)
    }

    fn await_clean_exit(&mut self) -> Result<(), JudgeError> {
        let until = self.until();
        self.live.close_input();
        while self.live.output().is_some() {
            self.read_available()?;
            if self.live.output().is_some() {
                self.pause_at_the_end(until)?;
            }
        }
        self.lines.finish().map_err(broke)?;
        self.session.finish().map_err(broke)?;
        self.await_end(until).map_err(|error| machine(&error))?;
        let report = self.live.end().map_err(|error| machine(&error))?;
        match report.ending {
            Ending::Exited(0) => Ok(()),
            _ => Err(JudgeError::Ended {
                how: format!(
                    "{} when standard input ended; a referee then ends with status 0",
                    how(report)
                ),
                said: last_line(&report.stderr),
            }),
        }
    }

    fn pause_at_the_end(&self, until: Instant) -> Result<(), JudgeError> {
        self.refuse_cancelled()?;
        let Some(pipe) = self.live.output() else { return Ok(()) };
        wait_readable(pipe, glance(until)).map_err(|error| machine(&error))?;
        match Instant::now() < until {
            true => Ok(()),
            false => Err(JudgeError::Silent(format!(
                "standard input has ended, and it goes on for {} (end when there is no line to read)",
                seconds(self.step)
            ))),
        }
    }

    fn send_until(&mut self, message: &ToReferee, until: Instant) -> Result<(), JudgeError> {
        let line = self.session.send(message);
        let line = line.map_err(|misuse| JudgeError::Broke(misuse.to_string()))?;
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            match at_once(|| self.live.write(rest)) {
                Ok(Some(written)) => rest = &rest[written..],
                Ok(None) => {
                    self.pause(until, Interest::Write)?;
                    self.read_meanwhile();
                }
                Err(_) => return Err(self.gone(until)),
            }
        }
        Ok(())
    }

    /// Reads its pending output. A process that is blocked on its full output pipe would not read
    /// its input. The output is checked when the answer is awaited.
    fn read_meanwhile(&mut self) {
        if self.lines.waiting() <= STEP_BYTES
            && let Ok(read @ 1..) = self.live.read(&mut self.buffer)
        {
            self.lines.push(&self.buffer[..read]);
        }
    }

    /// Returns the next message, without `log`.
    pub(super) fn receive(&mut self, until: Instant) -> Result<FromReferee, JudgeError> {
        self.run_unless_failed(|process| process.next_message(until))
    }

    fn next_message(&mut self, until: Instant) -> Result<FromReferee, JudgeError> {
        loop {
            while let Some(line) = self.lines.next_line().map_err(broke)? {
                if let Some(message) = self.session.accept_line(&line).map_err(broke)? {
                    return Ok(message);
                }
            }
            if self.live.output().is_none() {
                return Err(self.closed(until));
            }
            // A message was just sent, so there is seldom output before a wait.
            self.pause(until, Interest::Read)?;
            match at_once(|| self.live.read(&mut self.buffer)) {
                Ok(None) => {}
                Ok(Some(0)) => return Err(self.closed(until)),
                Ok(Some(read)) => self.lines.push(&self.buffer[..read]),
                Err(_) => return Err(self.gone(until)),
            }
        }
    }

    /// Waits until the process can be read from or written to.
    fn pause(&mut self, until: Instant, interest: Interest) -> Result<(), JudgeError> {
        self.refuse_cancelled()?;
        // The end of a process that could not be started is not announced.
        if self.live.has_ended() {
            return Err(self.gone(until));
        }
        let mut poll = Poll::default();
        poll.add(self.live.notices(), Interest::Read);
        let input = self.live.input().filter(|_| interest == Interest::Write);
        let may_read = interest == Interest::Read || self.lines.waiting() <= STEP_BYTES;
        let output = self.live.output().filter(|_| may_read);
        let mut pipes = 0;
        for (pipe, interest) in [(input, Interest::Write), (output, Interest::Read)] {
            if let Some(pipe) = pipe {
                poll.add(pipe, interest);
                pipes += 1;
            }
        }
        poll.wait(Some(glance(until))).map_err(|error| machine(&error))?;
        let (is_told, is_ready) = (poll.happened(0), (1..=pipes).any(|pipe| poll.happened(pipe)));
        let is_news = is_told || is_ready;
        // Output that was sent in time is read; endless output is not.
        let late = until + if is_news { LAST_MOMENT } else { Duration::ZERO };
        if Instant::now() >= late {
            return Err(self.silent());
        }
        // Output from before its end is read first.
        if is_told && !is_ready && self.live.poll_report().map_err(|e| machine(&e))?.is_some() {
            return Err(self.gone(until));
        }
        Ok(())
    }

    /// Returns an error if the run is being stopped: a step may take long, and its end is not
    /// awaited.
    fn refuse_cancelled(&self) -> Result<(), JudgeError> {
        match self.cancel.is_cancelled() {
            true => Err(JudgeError::Machine("the run is being stopped".to_owned())),
            false => Ok(()),
        }
    }

    /// Returns the error for a timeout, with the awaited message and the limit.
    fn silent(&mut self) -> JudgeError {
        let (limit, key) = match self.newest {
            0 => (self.start, "start"),
            _ => (self.step, "step"),
        };
        let (what, limit) = (self.session.fail_for_silence(), seconds(limit));
        JudgeError::Silent(format!("{what}, {limit} long: `limits: {{ {key}: … }}` in game.yaml"))
    }

    /// Returns the error for a process that has closed its output, which means its end.
    fn closed(&mut self, until: Instant) -> JudgeError {
        match self.lines.finish() {
            Err(half) => self.ended(half.to_string(), until),
            Ok(()) => self.gone(until),
        }
    }

    fn gone(&mut self, until: Instant) -> JudgeError {
        let owed = self.session.finish().err().map(|breach| breach.to_string());
        let owed = owed.unwrap_or_else(|| "nobody has ended it".to_owned());
        self.ended(owed, until)
    }

    /// Returns the error for an ended process: the awaited message, its exit, and the last line of
    /// its standard error.
    fn ended(&mut self, owed: String, until: Instant) -> JudgeError {
        if let Err(error) = self.await_end(until.max(Instant::now() + LAST_MOMENT)) {
            return machine(&error);
        }
        match self.live.end() {
            Err(error) => machine(&error),
            Ok(report) => JudgeError::Ended {
                how: format!("{owed}; {}", how(report)),
                said: last_line(&report.stderr),
            },
        }
    }

    /// Waits for the exit of a process that has closed its output. The exit is near, and it is
    /// worth waiting for.
    fn await_end(&mut self, until: Instant) -> Result<(), TurnError> {
        let is_awaited = || Instant::now() < until && !self.cancel.is_cancelled();
        while is_awaited() && self.live.poll_report()?.is_none() {
            wait_readable(self.live.notices(), glance(until))?;
        }
        Ok(())
    }
}

/// Returns the end of a single wait until this time.
fn glance(until: Instant) -> Instant {
    until.min(Instant::now() + GLANCE)
}

fn how(report: &TurnReport) -> String {
    match report.ending {
        Ending::Exited(status) => format!("it ended with status {status}"),
        Ending::Signalled(signal) => format!("it was ended by signal {signal}"),
        Ending::NotStarted(errno) => {
            format!("it could not be started: {}", io::Error::from_raw_os_error(errno))
        }
        Ending::MemoryLimit => {
            "it used more memory than it may: `limits: { memory: … }` in game.yaml".to_owned()
        }
        Ending::OutputLimit => "it wrote more to standard error than it may".to_owned(),
        Ending::CpuLimit | Ending::WallLimit => "it ran for too long".to_owned(),
        Ending::Stopped => "it closed its output and went on".to_owned(),
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

fn last_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    last.map(|last| escaped(last.trim())).unwrap_or_default()
}

fn broke(mut breach: Breach) -> JudgeError {
    match breach.said.take() {
        None => JudgeError::Broke(breach.to_string()),
        Some(said) => JudgeError::Ended { how: breach.to_string(), said: said.into() },
    }
}

fn machine(error: &dyn std::fmt::Display) -> JudgeError {
    JudgeError::Machine(error.to_string())
}
