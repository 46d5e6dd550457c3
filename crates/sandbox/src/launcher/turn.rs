//! Turn in the launcher: start the program, watch it, leave nothing of it behind, report.
//!
//! Every turn of every bot pays for every system call here, so there are
//! few: files stay open, and nothing is read again that cannot have changed.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use nix::errno::Errno;
use nix::sys::signal::Signal;

use super::accounting::{EndedTurn, StopCause, WatchOutcome};
use super::capture::Capture;
use super::inner_seat::InnerSeat;
use super::programs::ScoreOwner;
use super::set_up::{c_string, path};
use super::watch::Running;
use crate::error::SandboxError;
use crate::sys::{self, StartFailure, TurnStart};
use crate::wire::{TurnRequest, TurnResult};
use crate::{Ending, LimitHit, Pipes, TurnReport};

/// A turn that gave no report.
pub(super) enum TurnFailure {
    /// The other end is gone.
    Abandoned,
    /// A step of ours failed.
    Failed(SandboxError),
}

impl From<SandboxError> for TurnFailure {
    fn from(error: SandboxError) -> Self {
        Self::Failed(error)
    }
}

/// The program's ends of its pipes to the caller, and the descriptors that they become.
pub(super) struct ProgramPipes {
    pub(super) ends: [OwnedFd; 2],
    pub(super) are: Pipes,
}

impl ProgramPipes {
    fn beside_streams(&self) -> Option<[BorrowedFd<'_>; 2]> {
        (self.are == Pipes::Two).then(|| self.ends.each_ref().map(AsFd::as_fd))
    }

    fn as_streams(&self) -> Option<[BorrowedFd<'_>; 2]> {
        (self.are == Pipes::Streams).then(|| self.ends.each_ref().map(AsFd::as_fd))
    }
}

fn duplicate(descriptor: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    let copy = descriptor.try_clone_to_owned();
    copy.map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or(0)))
}

/// A program that runs.
pub(super) struct Started {
    pub(super) main: i32,
    pub(super) at: Instant,
    pub(super) stdout: Capture,
    pub(super) stderr: Capture,
}

impl Started {
    /// Returns the parts that are needed to watch it.
    pub(super) fn running<'a>(
        &'a mut self,
        request: &'a TurnRequest,
        link: BorrowedFd<'a>,
    ) -> Running<'a> {
        Running {
            main: self.main,
            started: self.at,
            limits: &request.limits,
            link,
            stdout: &mut self.stdout,
            stderr: &mut self.stderr,
        }
    }
}

impl InnerSeat {
    /// Runs one program to its end and removes everything left of it.
    pub(super) fn run(
        &mut self,
        request: &TurnRequest,
        link: BorrowedFd<'_>,
    ) -> Result<TurnResult, TurnFailure> {
        let stdout_hard = self.limits.stdout.0;
        self.prepare_warm(request);
        let mut started = match self.start(request, stdout_hard, None)? {
            Ok(started) => started,
            Err(done) => return Ok(done),
        };
        let request = self.warm.extend_limits(request, &self.start);
        let watched = self.watch(&mut started.running(&request, link));
        self.finish_turn(&request, started, &watched)
    }

    /// Starts a program; returns the report if that fails.
    pub(super) fn start(
        &mut self,
        request: &TurnRequest,
        stdout_hard: u64,
        pipes: Option<&ProgramPipes>,
    ) -> Result<Result<Started, TurnResult>, TurnFailure> {
        self.forget_last_turn();
        self.accounting.memory.await_freed(&self.accounting.counters);
        let command = command(request)?;
        if let Err(errno) = self.programs.enter(&request.folder) {
            return Ok(Err(TurnResult::without_start(Ending::NotStarted(errno as i32))));
        }
        let (stdout, stderr, streams) = match self.open_streams(stdout_hard, pipes) {
            Ok(streams) => streams,
            Err(Errno::ENOMEM) => return Ok(Err(out_of_memory())),
            Err(errno) => return Err(SandboxError::new("open the streams of a turn", errno).into()),
        };
        self.set_score(ScoreOwner::Programs);
        let at = Instant::now();
        let warm = if pipes.is_none() { self.start_warm(request, &streams) } else { None };
        self.start = self.warm.start(warm);
        let main = match warm {
            Some(main) => Ok(main),
            None => self.start_cold(&command, &streams, pipes),
        };
        drop(streams);
        match main {
            Ok(main) => Ok(Ok(Started { main, at, stdout, stderr })),
            Err((child, failure)) => self.not_started(child, failure).map(Err),
        }
    }

    fn start_cold(
        &self,
        command: &[CString],
        streams: &[OwnedFd; 3],
        pipes: Option<&ProgramPipes>,
    ) -> Result<i32, (Option<i32>, StartFailure)> {
        let pipes = pipes.and_then(ProgramPipes::beside_streams);
        let start = TurnStart { pipes, ..self.start_of(command, streams) };
        self.programs.start(&start)
    }

    /// Returns the part that the starts of all programs of the seat have in common.
    pub(super) fn start_of<'a>(
        &'a self,
        command: &'a [CString],
        streams: &'a [OwnedFd; 3],
    ) -> TurnStart<'a> {
        self.programs.start_of(command, streams, self.accounting.counters.entry())
    }

    /// Removes all that is left of a program and reports.
    pub(super) fn finish_turn(
        &mut self,
        request: &TurnRequest,
        started: Started,
        watched: &WatchOutcome,
    ) -> Result<TurnResult, TurnFailure> {
        let Started { at, mut stdout, mut stderr, .. } = started;
        let left_over_processes = self.clear(&mut stdout, &mut stderr);
        stdout.finish(&mut self.buffer);
        stderr.finish(&mut self.buffer);
        if watched.cause == StopCause::Abandoned {
            return Err(TurnFailure::Abandoned);
        }
        // The next turn must find none.
        if self.calls.may_have_made_objects() {
            self.programs.identity.remove_ipc();
        }
        let traces = self.calls.traces(self.warm.sockets());
        let ended = EndedTurn { limits: &request.limits, started: at, watched, stdout, stderr };
        let (report, killed_outside) = self.accounting.end_turn(ended);
        let report = TurnReport {
            left_over_processes,
            children_refused: self.calls.children_refused,
            start: self.start.clone(),
            ..report
        };
        Ok(TurnResult { report, killed_outside, traces })
    }

    pub(super) fn open_streams(
        &self,
        stdout_hard: u64,
        pipes: Option<&ProgramPipes>,
    ) -> Result<(Capture, Capture, [OwnedFd; 3]), Errno> {
        let limits = &self.limits;
        let hard = limits.stderr_hard.0.max(limits.stderr.0);
        let (stderr, to_stderr) = Capture::open(limits.stderr.0, hard)?;
        if let Some([stdin, to_stdout]) = pipes.and_then(ProgramPipes::as_streams) {
            let streams = [duplicate(stdin)?, duplicate(to_stdout)?, to_stderr];
            return Ok((Capture::closed(), stderr, streams));
        }
        let (stdout, to_stdout) = Capture::open(limits.stdout.0, stdout_hard)?;
        // Opened again in every turn: flags set on a shared one would outlive the turn.
        let stdin = nix::fcntl::open(
            c"/dev/null",
            nix::fcntl::OFlag::O_RDONLY | nix::fcntl::OFlag::O_CLOEXEC,
            nix::sys::stat::Mode::empty(),
        )?;
        Ok((stdout, stderr, [stdin, to_stdout, to_stderr]))
    }

    /// Reads what the seat's processes have written, ends them all, and returns how many were left.
    fn clear(&mut self, stdout: &mut Capture, stderr: &mut Capture) -> u32 {
        let mut cleared = 0;
        // Without a child nothing is left: every process of the seat descends from this one.
        loop {
            match sys::reap_any() {
                Err(Errno::ECHILD) => return cleared,
                Ok(Some(one)) => cleared += self.note_reaped(one),
                Ok(None) | Err(_) => break,
            }
        }
        if self.warm.is_only_child() {
            return cleared;
        }
        stdout.drain(&mut self.buffer);
        stderr.drain(&mut self.buffer);
        let identity = self.programs.identity;
        identity.signal(Signal::SIGKILL);
        loop {
            match identity.reap_next() {
                Ok(reaped) => cleared += self.note_reaped(reaped),
                Err(Errno::ECHILD) if identity.is_empty() => return cleared,
                Err(_) => identity.signal(Signal::SIGKILL),
            }
        }
    }

    fn not_started(
        &mut self,
        child: Option<i32>,
        failure: StartFailure,
    ) -> Result<TurnResult, TurnFailure> {
        if let Some(child) = child {
            let _ = sys::reap_one(child);
        }
        match failure {
            StartFailure::Clone(Errno::ENOMEM) | StartFailure::Child(_, Errno::ENOMEM) => {
                Ok(out_of_memory())
            }
            // The seat's memory had no room for its arguments.
            StartFailure::Child("start the program", Errno::E2BIG)
                if self.accounting.memory.is_filled(&self.accounting.counters) =>
            {
                Ok(out_of_memory())
            }
            StartFailure::Child("start the program", errno) => {
                Ok(TurnResult::without_start(Ending::NotStarted(errno as i32)))
            }
            StartFailure::Child(step, errno) => Err(SandboxError::new(step, errno).into()),
            StartFailure::Clone(errno) => {
                Err(SandboxError::new("make a process for a turn", errno).into())
            }
        }
    }
}

/// Returns the result of a turn that cannot start, because files of earlier turns in the seat's
/// writable folders fill its memory.
fn out_of_memory() -> TurnResult {
    let mut done = TurnResult::without_start(Ending::MemoryLimit);
    done.report.usage.limits_hit.insert(LimitHit::Memory);
    done
}

fn command(request: &TurnRequest) -> Result<Vec<CString>, SandboxError> {
    if request.command.is_empty() || !path(&request.command[0]).is_absolute() {
        return Err(SandboxError::because(
            "read the command",
            "the program is not an absolute path",
        ));
    }
    request.command.iter().map(|argument| c_string(argument, "the command")).collect()
}
