//! Sampling of positions: which rounds of which bouts are taken from the threads that play.
//!
//! None while nobody looks at the boards; of a few bouts at a time, and now and then.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use joust_model::BoutId;

/// How many bouts are sampled at once: those on screens, and some to come after them.
const BOUTS: usize = 8;

/// The shortest time between two positions of a bout.
const BETWEEN: Duration = Duration::from_millis(900);

/// How long somebody who has asked for boards counts as looking.
const LOOKING: Duration = Duration::from_secs(15);

/// How many positions wait for the delay to be over.
pub(crate) const MOST_WAITING: usize = 2000;

/// Says which positions are taken.
#[derive(Debug)]
pub(crate) struct Sampling {
    between: Duration,
    began: Instant,
    /// Milliseconds after `began` at which somebody asked last, and 1; 0 for never.
    asked: AtomicU64,
    taken: Mutex<HashMap<BoutId, Instant>>,
}

impl Sampling {
    /// Positions are shown after `delay`, and so many wait at most.
    pub(crate) fn new(delay: Duration) -> Self {
        let most = u32::try_from(MOST_WAITING / BOUTS).unwrap_or(u32::MAX);
        let between = BETWEEN.max(delay / most);
        let (asked, taken) = (AtomicU64::new(0), Mutex::default());
        Self { between, began: Instant::now(), asked, taken }
    }

    /// Notes that somebody looks at the boards.
    pub(crate) fn ask(&self) {
        self.asked.store(self.elapsed() + 1, Ordering::Relaxed);
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX - 1)
    }

    /// Says whether somebody looks at the boards.
    pub(crate) fn is_looked_at(&self) -> bool {
        let asked = self.asked.load(Ordering::Relaxed);
        let since = self.elapsed().saturating_sub(asked.saturating_sub(1));
        asked > 0 && u128::from(since) < LOOKING.as_millis()
    }

    /// Says whether the newest position of a bout is to be taken.
    pub(crate) fn takes(&self, bout: BoutId) -> bool {
        if !self.is_looked_at() {
            return false;
        }
        // Whoever plays does not wait for another who plays.
        let Ok(mut taken) = self.taken.try_lock() else { return false };
        let now = Instant::now();
        match taken.get(&bout) {
            Some(last) if now.duration_since(*last) < self.between => return false,
            None if taken.len() >= BOUTS => return false,
            _ => {}
        }
        taken.insert(bout, now);
        true
    }

    /// Forgets a bout that has ended; all, when there is none.
    pub(crate) fn forget(&self, bout: Option<BoutId>) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.retain(|known, _| bout.is_some_and(|bout| *known != bout));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_taken_while_nobody_looks_and_little_of_few_bouts_when_somebody_does() {
        let sampling = Sampling::new(Duration::ZERO);
        assert!(!sampling.takes(BoutId([1; 8])));
        sampling.ask();
        assert!(sampling.takes(BoutId([1; 8])) && !sampling.takes(BoutId([1; 8])));
        let taken = (1..=20).filter(|number| sampling.takes(BoutId([*number; 8])));
        assert_eq!(taken.count(), BOUTS - 1);
        sampling.forget(Some(BoutId([1; 8])));
        assert!(sampling.takes(BoutId([20; 8])));
    }

    #[test]
    fn with_a_delay_there_is_room_for_what_waits() {
        assert_eq!(Sampling::new(Duration::from_secs(1000)).between, Duration::from_secs(4));
    }
}
