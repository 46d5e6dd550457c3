//! Watch loop over a running program, until its main process has ended or has exceeded a limit.
//!
//! Most turns are short, so the first wait is for the end alone, without reading
//! the streams. After that one loop waits for the end, for output, for the
//! other end of the socket and for the next moment at which a limit could be
//! exceeded; that moment is computed, so there is no periodic tick.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::signal::SigSet;
use nix::sys::time::TimeSpec;

use super::accounting::{IDLE_STEP, StopCause, WatchOutcome};
use super::capture::Capture;
use super::inner_seat::InnerSeat;
use super::programs::ScoreOwner;
use super::scratch::FileHolders;
use crate::sys;
use crate::{ProgramLimits, extension};

/// Time before the streams of a turn are read first. Longer than the kernel's tick (4 ms at 250
/// Hz): a timer that is due before the next tick must be programmed into the processor and taken
/// back, which costs a virtual machine 25 µs, more than everything else the launcher does for a
/// turn.
const SHORT: Duration = Duration::from_millis(5);
/// Time between two memory checks if the kernel's peak is the whole seat's.
const PEAK_STEP: Duration = Duration::from_millis(25);
/// Time between two checks of how many programs the kernel has killed at the memory limit.
const KILLS_STEP: Duration = Duration::from_millis(10);
/// The longest wait, after which everything is checked again.
const LONGEST: Duration = Duration::from_secs(1);

/// The program being watched.
pub(super) struct Running<'a> {
    pub(super) main: i32,
    pub(super) started: Instant,
    pub(super) limits: &'a ProgramLimits,
    pub(super) link: BorrowedFd<'a>,
    pub(super) stdout: &'a mut Capture,
    pub(super) stderr: &'a mut Capture,
}

/// State of the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PeerState {
    /// It has sent nothing.
    Quiet,
    /// It has sent something, or it is gone.
    Readable,
}

impl InnerSeat {
    /// Waits until the program has ended or must be ended; does not kill it.
    pub(super) fn watch(&mut self, running: &mut Running<'_>) -> WatchOutcome {
        sys::wait_child_signal(self.first_pause().min(running.limits.wall));
        if let Some(exit) = self.reap_until_main(running.main) {
            let ended = Instant::now();
            // A program that ended at once has not been kept waiting, so its stall is not read.
            let is_late = ended - running.started > 2 * SHORT;
            let stall = if is_late { self.accounting.stall_until_seen() } else { Duration::ZERO };
            return WatchOutcome { cause: StopCause::Itself(exit), ended, stall, cpu: None };
        }
        self.set_score(ScoreOwner::Launcher);
        let (cause, ended) = self.watch_long(running);
        self.accounting.watched(cause, ended)
    }

    /// Returns the time until the first check; it is shorter if only checks bound the scratch.
    pub(super) fn first_pause(&self) -> Duration {
        match self.scratch.shares_disk() {
            true => SHORT.min(self.scratch.step(&self.limits)),
            false => SHORT,
        }
    }

    fn watch_long(&mut self, running: &mut Running<'_>) -> (StopCause, Instant) {
        loop {
            match self.watch_once(running) {
                Ok(PeerState::Quiet) => {}
                // The caller sends nothing during a turn, so this is the end of the conversation.
                Ok(PeerState::Readable) => return (StopCause::Abandoned, Instant::now()),
                Err(end) => return end,
            }
        }
    }

    /// Checks everything once and waits for the next event; returns the cause and the
    /// time if the program has ended or must be ended.
    pub(super) fn watch_once(
        &mut self,
        running: &mut Running<'_>,
    ) -> Result<PeerState, (StopCause, Instant)> {
        if let Some(exit) = self.reap_until_main(running.main) {
            return Err((StopCause::Itself(exit), Instant::now()));
        }
        let now = Instant::now();
        let pause = match self.pause_of_idle(running, now) {
            Some(pause) => pause,
            None => self.check_all(running, now).map_err(|cause| (cause, now))?,
        };
        self.wait_once(running, pause)
    }

    /// Waits for the next event, without a check before.
    pub(super) fn wait_once(
        &mut self,
        running: &mut Running<'_>,
        pause: Duration,
    ) -> Result<PeerState, (StopCause, Instant)> {
        self.accounting.stall.begin_wait();
        let peer = self.pause(running, pause);
        if running.stdout.is_over() || running.stderr.is_over() {
            return Err((StopCause::Output, Instant::now()));
        }
        Ok(peer)
    }

    /// Returns the time until the next check, if almost nothing has run since the last full check.
    fn pause_of_idle(&mut self, running: &Running<'_>, now: Instant) -> Option<Duration> {
        let sampled = self.accounting.memory.has_old_peak() || self.scratch.shares_disk();
        if sampled || !self.accounting.counters.counts_everything() {
            return None;
        }
        let used = self.accounting.cpu_used();
        let left = running.limits.wall.checked_sub(now - running.started)?;
        let unused = running.limits.cpu.checked_sub(used)?;
        let pause = left.min(self.accounting.cpu_step(unused)).min(IDLE_STEP);
        if left.is_zero() || !self.idleness.is_idle(used, now) {
            return None;
        }
        // Both are too short for their processor time to show them.
        self.accounting.note_descriptors(running.main);
        (!self.accounting.has_killed_at_the_limit()).then_some(pause)
    }

    /// Checks everything; returns the time until a limit could be exceeded, or the limit that is.
    fn check_all(&mut self, running: &Running<'_>, now: Instant) -> Result<Duration, StopCause> {
        self.accounting.note_descriptors(running.main);
        let checked = self.check_limits(running, now);
        if let Err(StopCause::Memory | StopCause::Disk(_)) = checked {
            self.accounting.kill_members();
        }
        checked
    }

    /// Returns the time until the program must be ended; that moment moves while the machine keeps
    /// the program waiting.
    fn time_left(&mut self, running: &Running<'_>, now: Instant) -> Duration {
        let ran = now - running.started;
        if ran < running.limits.wall {
            return running.limits.wall - ran;
        }
        let stall = self.accounting.stall_by_now(ran, self.accounting.cpu_used());
        let end = running.limits.wall + extension(stall, running.limits.wall);
        match end.saturating_sub(ran) {
            Duration::ZERO => self.accounting.recheck_step().unwrap_or_default(),
            left => left,
        }
    }

    /// Returns the time until a limit could be exceeded, or the limit that is.
    fn check_limits(&mut self, running: &Running<'_>, now: Instant) -> Result<Duration, StopCause> {
        let left = self.time_left(running, now);
        if left.is_zero() {
            return Err(StopCause::Wall);
        }
        let mut pause = left.min(LONGEST);
        let account = &mut self.accounting;
        if account.needs_samples() {
            account.sample(now, self.scratch.memory());
            pause = pause.min(account.memory_step());
            if account.passes_memory() {
                return Err(StopCause::Memory);
            }
        }
        if account.counters.limits_memory() {
            // One kill decides the turn; the remaining processes would fill memory again.
            if account.has_killed_at_the_limit() {
                return Err(StopCause::Memory);
            }
            pause = pause.min(KILLS_STEP);
        }
        if account.memory.has_old_peak() {
            pause = pause.min(PEAK_STEP);
            account.sample_group();
        }
        if let Some((waiting, step)) = self.queues.sample(now) {
            pause = pause.min(step);
            if account.passes_memory_with(waiting) {
                return Err(StopCause::Memory);
            }
        }
        if self.scratch.shares_disk() {
            let user = self.programs.identity.user();
            let holders = FileHolders { processes: &account.sampler.members, user };
            if let Some(hit) = self.scratch.passed_limit(now, &self.limits, &holders) {
                return Err(StopCause::Disk(hit));
            }
            pause = pause.min(self.scratch.step(&self.limits));
        }
        let step = account.check_cpu(now, running.limits.cpu).ok_or(StopCause::Cpu)?;
        Ok(pause.min(step))
    }

    /// Waits for output, a signal about a child, the other end, or the time.
    fn pause(&mut self, running: &mut Running<'_>, pause: Duration) -> PeerState {
        // If there is no such descriptor any more, this one takes its place.
        let link = running.link;
        let descriptors = [
            link,
            self.calls.listener().unwrap_or(link),
            running.stdout.descriptor().unwrap_or(link),
            running.stderr.descriptor().unwrap_or(link),
        ];
        let mut polled = descriptors.map(|descriptor| PollFd::new(descriptor, PollFlags::POLLIN));
        let limit = TimeSpec::from_duration(pause);
        match ppoll(&mut polled, Some(limit), Some(SigSet::empty())) {
            Ok(0) | Err(Errno::EINTR) => return PeerState::Quiet,
            _ => {}
        }
        let [peer, asked, stdout, stderr] =
            polled.map(|polled| polled.revents().unwrap_or(PollFlags::empty()));
        for (stream, events) in [(&mut *running.stdout, stdout), (&mut *running.stderr, stderr)] {
            if events.contains(PollFlags::POLLIN) {
                stream.drain(&mut self.buffer);
            } else if events.intersects(PollFlags::POLLHUP | PollFlags::POLLERR) {
                stream.finish(&mut self.buffer);
            }
        }
        if asked.contains(PollFlags::POLLIN) {
            self.calls.answer();
        }
        if peer.is_empty() { PeerState::Quiet } else { PeerState::Readable }
    }
}
