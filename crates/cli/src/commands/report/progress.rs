//! Progress of the site: one line that changes in a terminal, a line every few
//! seconds elsewhere, nothing when it is done at once.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use joust_orchestrator::model::escaped;
use joust_orchestrator::pipeline::SiteProgress;

use crate::output::Screen;

/// Time before whose end nothing is worth a line.
const PATIENCE: Duration = Duration::from_millis(250);

/// From line to line in a terminal, and elsewhere.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];

/// Tells how far the site is.
pub(super) struct Progress {
    screen: Screen,
    is_terminal: bool,
    next: Mutex<Instant>,
    said: Mutex<bool>,
}

impl Progress {
    pub(super) fn new(screen: Screen) -> Self {
        Self {
            screen,
            is_terminal: std::io::stderr().is_terminal(),
            next: Mutex::new(Instant::now() + PATIENCE),
            said: Mutex::new(false),
        }
    }

    /// Shows the progress, not too often.
    pub(super) fn show(&self, step: SiteProgress<'_>) {
        if self.screen.quiet || !self.is_due() {
            return;
        }
        let SiteProgress { what, done, all, .. } = step;
        let line = format!("{}: {done} of {all} {what}", escaped(step.event));
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = true;
        if self.is_terminal {
            self.screen.error(&format!("\r\u{1b}[K{line}"));
        } else {
            self.screen.error(&format!("{line}\n"));
        }
    }

    fn is_due(&self) -> bool {
        let now = Instant::now();
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = now >= *next;
        if is_due {
            *next = now + PAUSES[usize::from(!self.is_terminal)];
        }
        is_due
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        if self.is_terminal && *self.said.lock().unwrap_or_else(PoisonError::into_inner) {
            self.screen.error("\r\u{1b}[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
