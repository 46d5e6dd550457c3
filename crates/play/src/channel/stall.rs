//! Meters of the time that the machine takes from a bot during a request.
//!
//! The seat counts the time for which the bot itself is runnable but has no processor. It is read
//! when an answer is slow, and again at the deadline, which is then extended. If the bout's own
//! thread has to wait for a processor, data that arrives meanwhile counts as arrived when the
//! thread was woken.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use joust_sandbox::{extension, is_starved};

use super::ChannelError;
use super::live::{PollTarget, wait_for};

/// Time of a request after which the stall is first read. At most this much stall of earlier
/// requests can be attributed to this one.
pub(crate) const FIRST_LOOK: Duration = Duration::from_millis(10);
/// A shorter delay was hardly caused by a missing processor.
const WORTH_A_LOOK: Duration = Duration::from_millis(1);

/// Stall of a seat's programs since a request.
#[derive(Debug)]
pub(crate) struct StallMeter {
    pub(crate) stall: Duration,
    /// Total stall of the seat at the last reading.
    total: Duration,
    /// Time up to which the stall is known.
    known_until: Instant,
    /// Time of the first reading.
    first_look: Option<Instant>,
    /// Number of extensions after the deadline, by one step each.
    further_looks: u32,
}

/// Length of an extension: the kernel counts a wait for a processor only when it is over.
const LOOK_STEP: Duration = Duration::from_millis(10);
/// The most extensions for a bot that has been stalled before.
const FURTHER_LOOKS: u32 = 3;

impl StallMeter {
    pub(crate) fn new() -> Self {
        let (stall, total, known_until) = (Duration::ZERO, Duration::ZERO, Instant::now());
        Self { stall, total, known_until, first_look: None, further_looks: 0 }
    }

    /// Begins a request.
    pub(crate) fn begin(&mut self, at: Instant) {
        (self.stall, self.known_until, self.first_look) =
            (Duration::ZERO, at, Some(at + FIRST_LOOK));
        self.further_looks = 0;
    }

    /// Extends the deadline by a step, if the bot was stalled before and may be stalled now;
    /// returns false after a few steps.
    pub(crate) fn look_further(&mut self) -> bool {
        let is_worth = self.stall >= LOOK_STEP && self.further_looks < FURTHER_LOOKS;
        self.further_looks += u32::from(is_worth);
        is_worth
    }

    /// Returns the earlier one of `until` and the time of the first reading.
    pub(crate) fn wake_at(&self, until: Instant) -> Instant {
        self.first_look.map_or(until, |look| look.min(until))
    }

    /// Returns whether the first reading is due.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.first_look.is_some_and(|look| now >= look)
    }

    /// Returns whether the stall was read in this request.
    pub(crate) fn is_read(&self) -> bool {
        self.first_look.is_none()
    }

    /// Records a reading of the seat's total stall.
    pub(crate) fn read(&mut self, total: Duration, now: Instant) {
        let unknown = now.saturating_duration_since(self.known_until);
        self.stall += total.saturating_sub(self.total).min(unknown);
        (self.total, self.known_until, self.first_look) = (total, now, None);
    }

    /// Returns the deadline of a request with the time limit `within`.
    pub(crate) fn deadline(&self, at: Instant, within: Duration) -> Instant {
        at + within + extension(self.stall, within) + LOOK_STEP * self.further_looks
    }

    /// Returns whether the deadline has reached its last possible extension.
    pub(crate) fn is_starved(&self, within: Duration) -> bool {
        is_starved(self.stall, within)
    }
}

thread_local! {
    /// The kernel's file with the time for which the thread was runnable but had no processor.
    static SCHEDULE: RefCell<Option<File>> = RefCell::new(File::open("/proc/thread-self/schedstat").ok());
    /// The last reading of it, and when that was.
    static LAST: Cell<Option<(Duration, Instant)>> = const { Cell::new(None) };
}

/// Reads for how long this thread has had no processor.
fn delay_of_thread() -> Duration {
    let delay = SCHEDULE.with_borrow(|file| file.as_ref().and_then(read_delay)).unwrap_or_default();
    LAST.set(Some((delay, Instant::now())));
    delay
}

/// Returns the delay of this thread up to `now`, or too much by less than is [worth a
/// look](WORTH_A_LOOK): quick requests would spend much of their time on reading it.
fn delay_until(now: Instant) -> Duration {
    let last = LAST.get().map(|(delay, at)| (delay, now.saturating_duration_since(at)));
    match last {
        Some((delay, since)) if since < WORTH_A_LOOK => delay + since,
        _ => delay_of_thread(),
    }
}

fn read_delay(file: &File) -> Option<Duration> {
    let mut text = [0; 64];
    let length = file.read_at(&mut text, 0).ok()?;
    let delay = str::from_utf8(&text[..length]).ok()?.split_whitespace().nth(1)?;
    delay.parse().ok().map(Duration::from_nanos)
}

/// Time after a deadline at which the thread looks for an answer the last time, so that the bot is
/// late then.
pub(crate) const AFTER_DEADLINE: Duration = Duration::from_micros(100);

/// Clock of a thread that waits for bots.
#[derive(Debug)]
pub(crate) struct WakeClock {
    /// Total delay of the thread at the last reading.
    delay: Duration,
    /// Time of the last wake. Data that was not read afterwards arrived later.
    last_wake: Instant,
}

impl WakeClock {
    /// Begins now.
    pub(crate) fn start() -> Self {
        let now = Instant::now();
        Self { delay: delay_until(now), last_wake: now }
    }

    /// Waits until one of `wanted` is ready, until `until` at most. Returns the time at which data
    /// that is readable then counts as arrived.
    ///
    /// That is the time of the wake. If the thread was so busy that `until` had passed before it
    /// could wait, it is the time of the wake before: the data may have arrived that early.
    pub(crate) fn wait(
        &mut self,
        wanted: &[PollTarget<'_>],
        until: Instant,
    ) -> Result<Instant, ChannelError> {
        let since = Instant::now();
        wait_for(wanted, until)?;
        let (now, before) = (Instant::now(), self.last_wake);
        self.last_wake = now;
        match until <= since + AFTER_DEADLINE {
            true => Ok(before),
            false => Ok(self.woken(since, now, until)),
        }
    }

    /// Returns when the thread was woken from a wait that began at `since` and ended at `now`.
    fn woken(&mut self, since: Instant, now: Instant, until: Instant) -> Instant {
        let waited = now.saturating_duration_since(since);
        if waited < WORTH_A_LOOK && now <= until {
            return now;
        }
        let delay = delay_of_thread();
        let late = delay.saturating_sub(std::mem::replace(&mut self.delay, delay));
        now.checked_sub(late.min(waited)).unwrap_or(now)
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    const fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn stall_of_earlier_requests_does_not_count() {
        let (mut meter, at) = (StallMeter::new(), Instant::now());
        meter.begin(at);
        meter.read(ms(500), at + ms(10));
        assert_eq!(meter.stall, ms(10), "no more than there was time for");
        meter.read(ms(540), at + ms(100));
        assert_eq!(meter.stall, ms(50));
        meter.begin(at + ms(200));
        meter.read(ms(545), at + ms(300));
        assert_eq!(meter.stall, ms(5));
    }

    #[test]
    fn the_time_for_an_answer_moves_with_the_stall() {
        let (mut meter, at) = (StallMeter::new(), Instant::now());
        meter.begin(at);
        assert_eq!(meter.wake_at(meter.deadline(at, ms(100))), at + FIRST_LOOK);
        meter.read(ms(50), at + ms(100));
        assert_eq!(meter.deadline(at, ms(100)), at + ms(160));
        assert!(!meter.is_starved(ms(100)));
        meter.read(ms(2000), at + ms(2000));
        assert_eq!(meter.deadline(at, ms(100)), at + ms(1100));
        assert!(meter.is_starved(ms(100)));
    }
    #[test]
    fn data_that_arrived_while_the_thread_was_busy_counts_from_the_wake_before() {
        let (reader, writer) = nix::unistd::pipe().unwrap();
        let mut clock = WakeClock::start();
        let deadline = Instant::now();
        nix::unistd::write(&writer, b"answer").unwrap();
        let wanted = [PollTarget { descriptor: reader.as_fd(), for_writing: false }];
        assert!(clock.wait(&wanted, deadline).unwrap() <= deadline);
        assert!(clock.wait(&wanted, deadline).unwrap() > deadline, "it excuses only once");
        let until = Instant::now() + Duration::from_secs(600);
        let seen = clock.wait(&wanted, until).unwrap();
        assert!(seen > deadline && seen < until);
    }
}
