//! Progress of a long look at a database, on standard error: a line that
//! changes in a terminal, a line every ten seconds elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use crate::output::Screen;

/// Nothing is said in the beginning: most databases are small.
const SILENCE: Duration = Duration::from_millis(250);

/// Counts what was done.
pub(crate) struct Counter {
    screen: Screen,
    verb: &'static str,
    total: u64,
    done: u64,
    next: Instant,
    every: Duration,
    is_terminal: bool,
    is_open: bool,
}

impl Counter {
    /// Begins to count to `total`.
    pub(crate) fn new(screen: Screen, verb: &'static str, total: u64) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let every = if is_terminal { Duration::from_millis(100) } else { Duration::from_secs(10) };
        let next = Instant::now() + SILENCE.max(every);
        Self { screen, verb, total, done: 0, next, every, is_terminal, is_open: false }
    }

    /// Counts one more.
    pub(crate) fn add(&mut self) {
        self.done += 1;
        // The time is not asked for at every bout: there are thousands a second.
        if self.screen.quiet || !self.done.is_multiple_of(64) || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + self.every;
        let text = format!("{} {} of {} bouts", self.verb, self.done, self.total);
        if self.is_terminal {
            self.is_open = true;
            self.screen.error(&format!("\r\x1b[K{text}"));
        } else {
            self.screen.error(&format!("{text}\n"));
        }
    }

    /// Ends counting: the line that changes is gone.
    pub(crate) fn close(self) {
        if self.is_open {
            self.screen.error("\r\x1b[K");
        }
    }
}
