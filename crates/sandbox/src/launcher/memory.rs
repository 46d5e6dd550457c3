//! Memory that the kernel gives back only a while after a program's end, as page tables are: a
//! program that starts before that finds its seat full.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::inner_seat::InnerSeat;
use crate::{LimitHit, TurnReport};

/// The time between two looks.
const STEP: Duration = Duration::from_millis(2);
/// Time to wait for memory that does not become less: files in the seat's folders are memory, too,
/// and stay.
const STUCK: Duration = Duration::from_millis(50);
/// Time to wait for memory at most.
const LONGEST: Duration = Duration::from_millis(500);

impl InnerSeat {
    /// Notes whether the program that has ended had much of the seat's memory.
    pub(super) fn note_memory(&mut self, report: &TurnReport) {
        self.was_filled =
            report.limits_hit.contains(LimitHit::Memory) || self.is_much(report.peak_memory.0);
    }

    /// Waits until the kernel has given back what the program before had.
    pub(super) fn await_memory(&mut self) {
        if !std::mem::take(&mut self.was_filled) {
            return;
        }
        let begin = Instant::now();
        let (mut least, mut lessened) = (u64::MAX, begin);
        while let Some(used) = self.used_memory().filter(|used| self.is_much(*used)) {
            if used < least {
                (least, lessened) = (used, Instant::now());
            }
            if lessened.elapsed() > STUCK || begin.elapsed() > LONGEST {
                return;
            }
            sleep(STEP);
        }
    }

    /// Returns whether the seat is too full to start a program in it.
    pub(super) fn is_filled(&self) -> bool {
        self.used_memory().is_some_and(|used| self.is_much(used))
    }

    /// Returns the memory in use, without what the kernel gives up when some is wanted.
    fn used_memory(&self) -> Option<u64> {
        let files = self.counters.file_pages().unwrap_or(0);
        self.counters.memory().map(|used| used.saturating_sub(files))
    }

    fn is_much(&self, bytes: u64) -> bool {
        bytes > self.limits.memory.0 / 2
    }
}
