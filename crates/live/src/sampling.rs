//! Sampling of positions: which rounds of which bouts are taken from the threads that play.
//!
//! Of a few bouts at a time, and now and then.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use joust_model::BoutId;

/// Bouts that are sampled at once: those on screens, and some to come after them.
const BOUTS: usize = 8;

/// The shortest time between two positions of a bout.
const BETWEEN: Duration = Duration::from_millis(900);

/// Most positions that wait for the delay to be over.
pub(crate) const MOST_WAITING: usize = 2000;

/// Choice of the positions that are taken.
#[derive(Debug)]
pub(crate) struct Sampling {
    between: Duration,
    taken: Mutex<HashMap<BoutId, Instant>>,
}

impl Sampling {
    /// Positions are shown after `delay`, and so many wait at most.
    pub(crate) fn new(delay: Duration) -> Self {
        let most = u32::try_from(MOST_WAITING / BOUTS).unwrap_or(u32::MAX);
        let between = BETWEEN.max(delay / most);
        Self { between, taken: Mutex::default() }
    }

    /// Returns whether the newest position of a bout is to be taken, for somebody who watches.
    pub(crate) fn takes(&self, bout: BoutId) -> bool {
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
    fn little_is_taken_of_few_bouts() {
        let sampling = Sampling::new(Duration::ZERO);
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
