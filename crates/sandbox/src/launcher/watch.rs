//! Watch loop over a running program, until its main process has ended or a limit says that it
//! must.
//!
//! Most turns are short, so the first wait is for the end alone, without a look
//! at the streams. After that one loop waits for the end, for output, for the
//! other end of the socket and for the next moment at which a limit could be
//! passed; that moment is computed, nothing ticks.

use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::signal::SigSet;
use nix::sys::time::TimeSpec;

use super::capture::Capture;
use super::idleness;
use super::inner_seat::{InnerSeat, Score};
use super::scratch::Holders;
use crate::mechanism::{notify, rlimit};
use crate::sys::{self, Exit};
use crate::{LimitHit, TurnLimits, extension};

/// Time before the streams of a turn are read first. Longer than the kernel's tick (4 ms at 250
/// Hz): a timer that is due before the next tick must be programmed into the processor and taken
/// back, which costs a virtual machine 25 µs, more than everything else the launcher does for a
/// turn.
const SHORT: Duration = Duration::from_millis(5);
/// The least time between two looks at the processor time.
const CPU_STEP: Duration = Duration::from_millis(1);
/// The most and the least time between two looks at the memory where no group limits it.
const MEMORY_STEP: Duration = Duration::from_millis(4);
const MEMORY_STEP_NEAR: Duration = Duration::from_micros(250);
/// Growth of a process's memory by one processor, bytes a second: twice the 2 GB/s at which fresh
/// pages were seen to be written.
const GROWTH: u64 = 4_000_000_000;
/// Time between two looks at the memory where the kernel's peak is that of the whole seat.
const PEAK_STEP: Duration = Duration::from_millis(25);
/// Time between two looks at how many programs the kernel has killed at the memory limit.
const KILLS_STEP: Duration = Duration::from_millis(10);
/// The longest wait, after which everything is looked at again.
const LONGEST: Duration = Duration::from_secs(1);

/// The program being watched.
pub(super) struct Running<'a> {
    pub(super) main: i32,
    pub(super) started: Instant,
    pub(super) kill_after: Duration,
    pub(super) limits: &'a TurnLimits,
    pub(super) link: BorrowedFd<'a>,
    pub(super) stdout: &'a mut Capture,
    pub(super) stderr: &'a mut Capture,
}

/// Why a program was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// It ended by itself.
    Itself(Exit),
    /// It passed this limit.
    Wall,
    /// It passed this limit.
    Cpu,
    /// It passed this limit.
    Output,
    /// It passed this limit, as far as samples tell.
    Memory,
    /// It filled a scratch that has no file system of its own.
    Disk(LimitHit),
    /// The other end wants it ended.
    Stopped,
    /// Nobody waits for the answer any more.
    Abandoned,
}

/// State of the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PeerState {
    /// It has sent nothing.
    Quiet,
    /// It has sent something, or it is gone.
    Readable,
}

/// Result of watching.
pub(super) struct Watched {
    pub(super) cause: Cause,
    pub(super) ended: Instant,
    /// Stall of the turn.
    pub(super) stall: Duration,
    /// Processor time when it had to be ended, if ending it takes much of that, too.
    pub(super) cpu: Option<Duration>,
}

impl InnerSeat {
    /// Waits; does not kill.
    pub(super) fn watch(&mut self, running: &mut Running<'_>) -> Watched {
        sys::wait_child_signal(self.first_pause().min(running.kill_after));
        if let Some(exit) = self.reap_until_main(running.main) {
            let ended = Instant::now();
            // Where it is over as soon as it seems nobody has waited, and it is not asked.
            let is_late = ended - running.started > 2 * SHORT;
            let stall = if is_late { self.stall_until_seen() } else { Duration::ZERO };
            return Watched { cause: Cause::Itself(exit), ended, stall, cpu: None };
        }
        self.set_score(Score::Own);
        let (cause, ended) = self.watch_long(running);
        self.watched(cause, ended)
    }

    /// The time until the first look: a scratch that nothing but looks bounds is full sooner.
    pub(super) fn first_pause(&self) -> Duration {
        match self.scratch.shares_disk() {
            true => SHORT.min(self.scratch.step(&self.limits)),
            false => SHORT,
        }
    }

    /// Sums up what was watched until now.
    pub(super) fn watched(&self, cause: Cause, ended: Instant) -> Watched {
        let cpu =
            (cause == Cause::Memory || self.has_killed_at_the_limit()).then(|| self.cpu_used());
        Watched { cause, ended, stall: self.stall_until_seen(), cpu }
    }

    fn watch_long(&mut self, running: &mut Running<'_>) -> (Cause, Instant) {
        loop {
            match self.watch_once(running) {
                Ok(PeerState::Quiet) => {}
                // Nobody may speak during a turn, so this is the end of the conversation.
                Ok(PeerState::Readable) => return (Cause::Abandoned, Instant::now()),
                Err(end) => return end,
            }
        }
    }

    /// Checks everything once and waits for the next thing that happens; returns the cause and the
    /// time when the program ended or has to be ended.
    pub(super) fn watch_once(
        &mut self,
        running: &mut Running<'_>,
    ) -> Result<PeerState, (Cause, Instant)> {
        if let Some(exit) = self.reap_until_main(running.main) {
            return Err((Cause::Itself(exit), Instant::now()));
        }
        let now = Instant::now();
        let pause = match self.pause_of_idle(running, now) {
            Some(pause) => pause,
            None => self.look_at_all(running, now).map_err(|cause| (cause, now))?,
        };
        self.wait_once(running, pause)
    }

    /// Waits for the next thing that happens, without a look before.
    pub(super) fn wait_once(
        &mut self,
        running: &mut Running<'_>,
        pause: Duration,
    ) -> Result<PeerState, (Cause, Instant)> {
        self.begin_wait();
        let spoken = self.pause(running, pause);
        if running.stdout.is_over() || running.stderr.is_over() {
            return Err((Cause::Output, Instant::now()));
        }
        Ok(spoken)
    }

    /// Gives the time until the next look, where next to nothing has run since everything was
    /// looked at.
    fn pause_of_idle(&mut self, running: &Running<'_>, now: Instant) -> Option<Duration> {
        let sampled = self.peak_before > 0 || self.scratch.shares_disk();
        if sampled || !self.counters.counts_everything() {
            return None;
        }
        let used = self.cpu_used();
        let left = running.kill_after.checked_sub(now - running.started)?;
        let unused = running.limits.cpu.checked_sub(used)?;
        let pause = left.min(self.cpu_pause(unused)).min(idleness::STEP);
        if left.is_zero() || !self.idleness.is_idle(used, now) {
            return None;
        }
        // Neither takes long enough to be seen by the time that it took.
        self.note_descriptors(running.main);
        (!self.has_killed_at_the_limit()).then_some(pause)
    }

    /// Checks everything; returns the time until a limit could be passed, or the limit that is.
    fn look_at_all(&mut self, running: &Running<'_>, now: Instant) -> Result<Duration, Cause> {
        self.note_descriptors(running.main);
        self.check_limits(running, now).inspect_err(|cause| {
            if matches!(cause, Cause::Memory | Cause::Disk(_)) {
                self.end_members();
                self.sample_times();
            }
        })
    }

    /// The least time in which so much processor time can be used.
    fn cpu_pause(&self, unused: Duration) -> Duration {
        let cores = u32::try_from(self.cores).unwrap_or(u32::MAX).max(1);
        (unused / cores).max(CPU_STEP)
    }

    /// The time until the program has to be ended, which moves while the machine keeps it waiting.
    fn time_left(&mut self, running: &Running<'_>, now: Instant) -> Duration {
        let ran = now - running.started;
        if ran < running.kill_after {
            return running.kill_after - ran;
        }
        self.ask_threads();
        let stall = self.stall_of_turn().min(self.without_processor(ran, self.cpu_used()));
        (running.kill_after + extension(stall, running.kill_after)).saturating_sub(ran)
    }

    /// Gives the time until a limit could be passed, or the limit that is.
    fn check_limits(&mut self, running: &Running<'_>, now: Instant) -> Result<Duration, Cause> {
        let left = self.time_left(running, now);
        if left.is_zero() {
            return Err(Cause::Wall);
        }
        let mut pause = left.min(LONGEST);
        let counted = self.counters.limits_memory() && self.counters.counts_cpu();
        if !counted || self.counters.stall().is_none() {
            self.take_sample(now);
            pause = pause.min(self.memory_step());
            if self.sampled.memory > self.limits.memory.0 && !self.counters.limits_memory() {
                return Err(Cause::Memory);
            }
        }
        if self.counters.limits_memory() {
            // One kill decides the turn; what is left of the programs would fill memory again.
            if self.has_killed_at_the_limit() {
                return Err(Cause::Memory);
            }
            pause = pause.min(KILLS_STEP);
        }
        if self.peak_before > 0 {
            pause = pause.min(PEAK_STEP);
            self.sample_group();
        }
        if let Some((waiting, step)) = self.queues.look(now) {
            pause = pause.min(step);
            if self.is_too_much(waiting) {
                return Err(Cause::Memory);
            }
        }
        if self.scratch.shares_disk() {
            let holders = Holders { processes: &self.members, user: self.user() };
            if let Some(hit) = self.scratch.passed_limit(now, &self.limits, &holders) {
                return Err(Cause::Disk(hit));
            }
            pause = pause.min(self.scratch.step(&self.limits));
        }
        let due = self.times_due.is_none_or(|due| now >= due);
        let mut used = self.cpu_used();
        if used > running.limits.cpu && !due {
            // What was reaped since is in both sums.
            self.sample_times();
            used = self.cpu_used();
        }
        if used > running.limits.cpu {
            return Err(Cause::Cpu);
        }
        let cpu_pause = self.cpu_pause(running.limits.cpu - used);
        if due {
            self.times_due = Some(now + cpu_pause.min(MEMORY_STEP));
        }
        Ok(pause.min(cpu_pause))
    }

    /// Returns whether the bytes waiting in sockets pass the limit, together with the bytes that a
    /// group counts or that were sampled.
    fn is_too_much(&mut self, waiting: u64) -> bool {
        if waiting == 0 {
            return false;
        }
        self.files.look(&self.counters);
        let used = match self.counters.limits_memory() {
            true => waiting.saturating_add(self.group_memory()),
            false => self.sampled.memory.saturating_add(waiting),
        };
        self.sampled.memory = self.sampled.memory.max(used);
        used > self.limits.memory.0
    }

    /// The time in which what is in use could grow to a tenth more than the limit: what
    /// grows fast passes the limit by what it takes between two looks.
    fn memory_step(&self) -> Duration {
        let limit = self.limits.memory.0;
        let left = (limit + limit / 10).saturating_sub(self.sampled.memory);
        let cores = u64::try_from(self.cores).unwrap_or(u64::MAX).max(1);
        let step = Duration::from_nanos(left / (GROWTH / 1_000_000_000).saturating_mul(cores));
        step.clamp(MEMORY_STEP_NEAR, MEMORY_STEP)
    }

    /// Waits for output, a signal about a child, the other end, or the time.
    fn pause(&mut self, running: &mut Running<'_>, pause: Duration) -> PeerState {
        // One that will never be readable stands in where nothing is refused.
        let asked = self.asked.as_ref().map_or(running.link, |asked| asked.as_fd());
        let mut polled = vec![
            PollFd::new(running.link, PollFlags::POLLIN),
            PollFd::new(asked, PollFlags::POLLIN),
        ];
        let streams = [&*running.stdout, &*running.stderr];
        polled.extend(
            streams
                .iter()
                .filter_map(|s| s.descriptor())
                .map(|fd| PollFd::new(fd, PollFlags::POLLIN)),
        );
        let limit = TimeSpec::from_duration(pause);
        match ppoll(&mut polled, Some(limit), Some(SigSet::empty())) {
            Ok(0) | Err(Errno::EINTR) => return PeerState::Quiet,
            _ => {}
        }
        let spoken = match polled[0].revents().unwrap_or(PollFlags::empty()).is_empty() {
            true => PeerState::Quiet,
            false => PeerState::Readable,
        };
        let is_asked =
            polled[1].revents().unwrap_or(PollFlags::empty()).contains(PollFlags::POLLIN);
        let mut events = polled[2..].iter().map(|fd| fd.revents().unwrap_or(PollFlags::empty()));
        let events: Vec<PollFlags> = streams
            .iter()
            .map(|stream| match stream.descriptor() {
                Some(_) => events.next().unwrap_or(PollFlags::empty()),
                None => PollFlags::empty(),
            })
            .collect();
        for (stream, events) in [&mut *running.stdout, &mut *running.stderr].into_iter().zip(events)
        {
            if events.contains(PollFlags::POLLIN) {
                stream.drain(&mut self.buffer);
            } else if events.intersects(PollFlags::POLLHUP | PollFlags::POLLERR) {
                stream.hung_up(&mut self.buffer);
            }
        }
        if is_asked {
            self.answer_call();
        }
        spoken
    }

    /// Makes a connection that somebody asks for, notes an object, or refuses a process.
    fn answer_call(&mut self) {
        let Some(listener) = self.asked.as_ref().map(AsFd::as_fd) else { return };
        let Some(call) = sys::next_call(listener) else { return };
        if call.number == libc::SYS_connect {
            return self.connections.answer(listener, &call);
        }
        if notify::makes_object(call.number) {
            self.made_objects = true;
            return sys::let_call(listener, &call);
        }
        self.children_refused = self.children_refused.saturating_add(1);
        // Its maker may have been killed meanwhile.
        let _ = sys::answer_call(listener, &call, Err(Errno::EPERM));
    }

    /// Notes that the main process has all the descriptors it may have. Nothing
    /// counts refusals, so this is seen only while they are held.
    fn note_descriptors(&mut self, main: i32) {
        let open = std::fs::metadata(format!("/proc/{main}/fd")).map_or(0, |folder| folder.len());
        self.out_of_descriptors |= open >= rlimit::descriptors(&self.limits);
    }

    /// Reaps every ended child; gives the main process's exit once it is among them.
    fn reap_until_main(&mut self, main: i32) -> Option<Exit> {
        while let Ok(Some(reaped)) = sys::reap_any() {
            self.note_reaped(reaped);
            if reaped.pid == main {
                return Some(sys::exited(reaped.status));
            }
        }
        None
    }
}
