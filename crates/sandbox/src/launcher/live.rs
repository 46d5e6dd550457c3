//! Long-lived program in the launcher. It is started once and talks with the caller over its own
//! pipes and sockets; meanwhile the launcher watches it, and reports on it or ends it at the
//! caller's request over the launcher's socket.
//!
//! The launcher freezes it between its turns. A timer of a stopped program can make the kernel wake
//! it, and no filter sees the signal that such a timer sends. So a frozen program gets next to no
//! processor time: one that uses more than [`MOST`] while frozen, added up over the whole run, is
//! over its limit.

use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::Signal;
use nix::unistd::pipe2;

use super::accounting::{StopCause, WatchOutcome};
use super::hand_out;
use super::inner_seat::InnerSeat;
use super::programs::ScoreOwner;
use super::turn::{ProgramPipes, Started, TurnFailure};
use super::watch::PeerState;
use crate::Pipes;
use crate::error::SandboxError;
use crate::link::{Link, LinkError};
use crate::sys;
use crate::wire::{LiveRequest, ProgramCommand, Reply, Request, TurnResult};

/// The program's ends of its pipes and the caller's.
struct PipeEnds {
    /// Ends that the program reads from and writes to.
    programs: [OwnedFd; 2],
    /// Ends that the caller writes to and reads from.
    callers: [OwnedFd; 2],
}

impl InnerSeat {
    /// Runs a program until it ends, has to be ended or is no longer wanted.
    pub(super) fn run_live(
        &mut self,
        request: &LiveRequest,
        link: &mut Link,
    ) -> Result<TurnResult, TurnFailure> {
        let pipes = match request.pipes {
            Pipes::Two | Pipes::Streams => Some(self.hand_out_pipes(link)?),
            Pipes::None => None,
        };
        let pipes = pipes.map(|ends| ProgramPipes { ends, are: request.pipes });
        // A program that stays may say more than one turn's worth, so both streams have the same
        // hard cap.
        let stdout_hard = self.limits.stderr_hard.0.max(self.limits.stdout.0);
        let started = self.start(&request.turn, stdout_hard, pipes.as_ref());
        // Only the program may hold them.
        drop(pipes);
        let mut started = match started? {
            Ok(started) => started,
            Err(done) => return Ok(done),
        };
        self.set_score(ScoreOwner::Launcher);
        let watched = match link.send(&Reply::Started, &[]) {
            Ok(()) => self.watch_live(request, &mut started, link),
            Err(_) => WatchOutcome::abandoned(),
        };
        let done = self.finish_turn(&request.turn, started, &watched)?;
        self.hand_on_the_rest(link).map_err(|_| TurnFailure::Abandoned)?;
        Ok(done)
    }

    /// Makes the pipes, hands out the caller's ends before any program runs that could hinder that,
    /// and returns the program's ends.
    fn hand_out_pipes(&self, link: &mut Link) -> Result<[OwnedFd; 2], TurnFailure> {
        let ends = open_pipes().map_err(|errno| SandboxError::new("open pipes", errno))?;
        let callers = ends.callers.each_ref().map(AsFd::as_fd);
        hand_out(link, self.programs.identity.mode, &callers)
            .map_err(|_| TurnFailure::Abandoned)?;
        Ok(ends.programs)
    }

    fn watch_live(
        &mut self,
        request: &LiveRequest,
        started: &mut Started,
        link: &mut Link,
    ) -> WatchOutcome {
        // The first check can wait: many bouts are over before it would find anything.
        let mut first = Some(self.first_pause().min(request.turn.limits.wall));
        let (cause, ended) = loop {
            let running = &mut started.running(&request.turn, link.socket());
            let watched = match first.take() {
                Some(pause) => self.wait_once(running, pause),
                None => self.watch_once(running),
            };
            if self.hand_on_connection(link).is_err() {
                break (StopCause::Abandoned, Instant::now());
            }
            match watched {
                Ok(PeerState::Quiet) => {}
                Ok(PeerState::Readable) => {
                    if let Some(cause) = self.answer(started, link) {
                        break (cause, Instant::now());
                    }
                }
                Err(end) => break end,
            }
        };
        self.accounting.watched(cause, ended)
    }

    /// Hands on the next connection, if there is one and the last has arrived.
    fn hand_on_connection(&mut self, link: &Link) -> Result<(), LinkError> {
        let Some(end) = self.calls.connections.take_accepted() else { return Ok(()) };
        link.send(&Reply::Connection, &[end.as_fd()])
    }

    /// Hands on the other connections of a program that has ended.
    fn hand_on_the_rest(&mut self, link: &mut Link) -> Result<(), LinkError> {
        loop {
            self.hand_on_connection(link)?;
            if !self.calls.connections.is_on_the_way {
                return Ok(());
            }
            if let Request::Command(ProgramCommand::Received) = link.receive()? {
                self.calls.connections.is_on_the_way = false;
            }
        }
    }

    /// Answers a question; returns the reason if the program must be ended.
    fn answer(&mut self, started: &Started, link: &mut Link) -> Option<StopCause> {
        match link.receive() {
            Ok(Request::Command(ProgramCommand::End)) => Some(StopCause::Stopped),
            Ok(Request::Command(ProgramCommand::Usage)) => {
                let used = self.accounting.used(started.at, [&started.stdout, &started.stderr]);
                let sent = link.send(&Reply::Used(used), &[]);
                sent.is_err().then_some(StopCause::Abandoned)
            }
            Ok(Request::Command(ProgramCommand::Connect { port, lists_others })) => {
                let servers = &mut self.calls.servers;
                let sent = match servers.connect(port) {
                    Ok(Some(socket)) => {
                        hand_out(link, self.programs.identity.mode, &[socket.as_fd()])
                    }
                    Ok(None) => {
                        let others = if lists_others { servers.ports() } else { Vec::new() };
                        link.send(&Reply::NotConnected(others), &[])
                    }
                    Err(errno) => {
                        let error = SandboxError::new("connect to a program", errno);
                        link.send(&Reply::Failed(error.into()), &[])
                    }
                };
                sent.is_err().then_some(StopCause::Abandoned)
            }
            Ok(Request::Command(ProgramCommand::Received)) => {
                self.calls.connections.is_on_the_way = false;
                self.hand_on_connection(link).is_err().then_some(StopCause::Abandoned)
            }
            Ok(Request::Command(ProgramCommand::Pause)) => self.freeze(),
            Ok(Request::Command(ProgramCommand::Resume)) => self.thaw(),
            // The caller sends nothing else while a program runs.
            _ => Some(StopCause::Abandoned),
        }
    }
}

fn open_pipes() -> Result<PipeEnds, Errno> {
    let (program_reads, caller_writes) = pipe2(OFlag::O_CLOEXEC)?;
    let (caller_reads, program_writes) = pipe2(OFlag::O_CLOEXEC)?;
    let programs = [out_of_the_way(&program_reads)?, out_of_the_way(&program_writes)?];
    // The flag applies only to the caller's end: the program's end is another open file.
    for end in [&caller_writes, &caller_reads] {
        fcntl(end, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    }
    Ok(PipeEnds { programs, callers: [caller_writes, caller_reads] })
}

/// Copies a descriptor to a number that no stream of a program has.
fn out_of_the_way(descriptor: &OwnedFd) -> Result<OwnedFd, Errno> {
    let high = fcntl(descriptor, FcntlArg::F_DUPFD_CLOEXEC(sys::FIRST_FREE))?;
    sys::adopt(high)
}

/// Pauses after each round of stopping a program: time for those on a processor to notice.
const STOPPING: [Duration; 3] =
    [Duration::from_micros(100), Duration::from_micros(300), Duration::ZERO];
/// Processor time that a program may use while it stops, because the kernel counts it late.
const ON_ITS_WAY: Duration = Duration::from_millis(1);
/// Total processor time that a frozen program may use; a freeze with at most [`ON_ITS_WAY`] adds
/// nothing.
const MOST: Duration = Duration::from_millis(20);

/// Processor time that a program used while it was frozen.
#[derive(Debug, Default)]
pub(super) struct FrozenUsage {
    /// Processor time used at the moment of the freeze, if it is frozen.
    since: Option<Duration>,
    before: Duration,
}

impl FrozenUsage {
    /// Notes that the program is stopped, perhaps again, and has used `used` in all; returns
    /// whether it has used too much while frozen.
    fn note_stop(&mut self, used: Duration) -> bool {
        let since = *self.since.get_or_insert(used);
        self.before + beyond(since, used) > MOST
    }

    /// Notes that the program may continue; returns whether it has used too much while frozen.
    fn note_resume(&mut self, used: Duration) -> bool {
        if let Some(since) = self.since.take() {
            self.before += beyond(since, used);
        }
        self.before > MOST
    }
}

/// Returns the processor time used since `since`; zero if it is at most [`ON_ITS_WAY`].
fn beyond(since: Duration, used: Duration) -> Duration {
    let used = used.saturating_sub(since);
    if used > ON_ITS_WAY { used } else { Duration::ZERO }
}

impl InnerSeat {
    /// Freezes the program; returns the reason if it must be ended instead. The first round stops
    /// processes that are just waking others, and the next rounds stop those that they woke.
    fn freeze(&mut self) -> Option<StopCause> {
        for pause in STOPPING {
            self.programs.identity.signal(Signal::SIGSTOP);
            std::thread::sleep(pause);
        }
        let used = self.used_by_now();
        self.frozen.note_stop(used).then_some(StopCause::Cpu)
    }

    /// Lets the program continue; returns the reason if it must be ended instead.
    fn thaw(&mut self) -> Option<StopCause> {
        let used = self.used_by_now();
        let is_too_much = self.frozen.note_resume(used);
        self.programs.identity.signal(Signal::SIGCONT);
        is_too_much.then_some(StopCause::Cpu)
    }

    fn used_by_now(&mut self) -> Duration {
        if self.accounting.counters.counts_cpu() {
            return self.accounting.cpu_used();
        }
        self.accounting.cpu_used_by_sample(self.scratch.memory())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_while_frozen_is_summed_up_and_noise_is_not() {
        let ms = Duration::from_millis;
        let mut frozen = FrozenUsage::default();
        for turn in 0..1000 {
            assert!(!frozen.note_stop(ms(50 * turn)), "the turn's own time is no matter");
            assert!(!frozen.note_stop(ms(50 * turn + 1)));
            assert!(!frozen.note_resume(ms(50 * turn + 1)));
        }
        for turn in 0..4 {
            assert!(!frozen.note_stop(ms(100 * turn)));
            assert!(!frozen.note_resume(ms(100 * turn + 5)), "turn {turn}");
        }
        assert!(!frozen.note_stop(ms(1000)));
        assert!(frozen.note_stop(ms(1002)), "it is too much before it is asked");
        assert!(frozen.note_resume(ms(1002)), "and when it is");
    }
}
