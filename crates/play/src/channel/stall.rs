//! Meters of the time that the machine takes from a bot which is waited for.
//!
//! The bot's own wait for a processor its seat counts; it is read when an answer is slow, and again when
//! the time for it is up, which then moves. What comes while the thread of the bout itself waits for a
//! processor has come when it was woken.

use std::cell::RefCell;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use joust_sandbox::{extension, is_starved};

/// Time that a bot is waited for before its stall is read first, so that no more than that of
/// earlier requests can be taken for that of this one.
pub(crate) const FIRST_LOOK: Duration = Duration::from_millis(10);
/// A wait that was shorter was hardly that of a thread that did not get its processor.
const WORTH_A_LOOK: Duration = Duration::from_millis(1);

/// Stall of a seat's programs since a request.
#[derive(Debug)]
pub(crate) struct StallMeter {
    stall: Duration,
    /// Stall of the seat in all, when it was last read.
    total: Duration,
    /// Until when the stall is known.
    known_until: Instant,
    /// Time when it is read first.
    first_look: Option<Instant>,
    /// Further looks when the time was up, each a step later.
    further_looks: u32,
}

/// Time to a further look: the kernel counts a wait for a processor when it is over.
const LOOK_STEP: Duration = Duration::from_millis(10);
/// Further looks at who was kept waiting before.
const FURTHER_LOOKS: u32 = 3;

impl StallMeter {
    pub(crate) fn new() -> Self {
        let (stall, total, known_until) = (Duration::ZERO, Duration::ZERO, Instant::now());
        Self { stall, total, known_until, first_look: None, further_looks: 0 }
    }

    /// Begins at a request.
    pub(crate) fn begin(&mut self, at: Instant) {
        (self.stall, self.known_until, self.first_look) =
            (Duration::ZERO, at, Some(at + FIRST_LOOK));
        self.further_looks = 0;
    }

    /// Moves the time for an answer by a step, for who was kept waiting and may be at this moment; not for long.
    pub(crate) fn look_further(&mut self) -> bool {
        let is_worth = self.stall >= LOOK_STEP && self.further_looks < FURTHER_LOOKS;
        self.further_looks += u32::from(is_worth);
        is_worth
    }

    /// Returns `until` or the moment of the first reading, if that comes before.
    pub(crate) fn wake_at(&self, until: Instant) -> Instant {
        self.first_look.map_or(until, |look| look.min(until))
    }

    /// Returns whether the first reading is due.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.first_look.is_some_and(|look| now >= look)
    }

    /// Returns whether the request has taken so long that the stall was read.
    pub(crate) fn is_read(&self) -> bool {
        self.first_look.is_none()
    }

    /// Takes a reading of the seat's stall in all.
    pub(crate) fn read(&mut self, total: Duration, now: Instant) {
        let unknown = now.saturating_duration_since(self.known_until);
        self.stall += total.saturating_sub(self.total).min(unknown);
        (self.total, self.known_until, self.first_look) = (total, now, None);
    }

    /// Stall since the request, as far as it was read.
    pub(crate) fn stall(&self) -> Duration {
        self.stall
    }

    /// Returns when a request has to be answered for which the bot has `within`.
    pub(crate) fn deadline(&self, at: Instant, within: Duration) -> Instant {
        at + within + extension(self.stall, within) + LOOK_STEP * self.further_looks
    }

    /// Returns whether the time could not move any further.
    pub(crate) fn is_starved(&self, within: Duration) -> bool {
        is_starved(self.stall, within)
    }
}

thread_local! {
    /// File of the kernel with the time that the thread was ready to run without a processor.
    static SCHEDULE: RefCell<Option<File>> = RefCell::new(File::open("/proc/thread-self/schedstat").ok());
}

fn delay_of_thread() -> Duration {
    SCHEDULE.with_borrow(|file| file.as_ref().and_then(read_delay)).unwrap_or_default()
}

fn read_delay(file: &File) -> Option<Duration> {
    let mut text = [0; 64];
    let length = file.read_at(&mut text, 0).ok()?;
    let delay = str::from_utf8(&text[..length]).ok()?.split_whitespace().nth(1)?;
    delay.parse().ok().map(Duration::from_nanos)
}

/// Clock of a thread that waits for bots.
#[derive(Debug, Default)]
pub(crate) struct WakeClock {
    /// Delay of the thread in all, when it was last read.
    delay: Duration,
}

impl WakeClock {
    /// Begins now.
    pub(crate) fn begin(&mut self) {
        self.delay = delay_of_thread();
    }

    /// Returns when the thread was woken from a wait that began at `since` and is over now.
    pub(crate) fn woken(&mut self, since: Instant) -> Instant {
        let now = Instant::now();
        let waited = now.saturating_duration_since(since);
        if waited < WORTH_A_LOOK {
            return now;
        }
        let delay = delay_of_thread();
        let late = delay.saturating_sub(std::mem::replace(&mut self.delay, delay));
        now.checked_sub(late.min(waited)).unwrap_or(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn stall_of_earlier_requests_does_not_count() {
        let (mut meter, at) = (StallMeter::new(), Instant::now());
        meter.begin(at);
        meter.read(ms(500), at + ms(10));
        assert_eq!(meter.stall(), ms(10), "no more than there was time for");
        meter.read(ms(540), at + ms(100));
        assert_eq!(meter.stall(), ms(50));
        meter.begin(at + ms(200));
        meter.read(ms(545), at + ms(300));
        assert_eq!(meter.stall(), ms(5));
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
}
