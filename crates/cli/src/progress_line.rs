//! Progress of long work on standard error: a line that changes in a terminal, a line every few
//! seconds elsewhere, nothing when the work is done at once.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use crate::output::Screen;
use parking_lot::Mutex;

/// Time before the first line.
const SILENCE: Duration = Duration::from_millis(250);

/// Time from line to line in a terminal, and elsewhere.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];

/// A line of progress, removed from the terminal when this is dropped.
pub(crate) struct ProgressLine {
    screen: Screen,
    is_terminal: bool,
    state: Mutex<LineState>,
}

struct LineState {
    next: Instant,
    is_open: bool,
}

impl ProgressLine {
    pub(crate) fn new(screen: Screen) -> Self {
        let state = LineState { next: Instant::now() + SILENCE, is_open: false };
        Self { screen, is_terminal: std::io::stderr().is_terminal(), state: Mutex::new(state) }
    }

    /// Shows the text that `text` returns, unless the last one is too recent.
    pub(crate) fn show(&self, text: impl FnOnce() -> String) {
        let mut state = self.state.lock();
        let now = Instant::now();
        if self.screen.quiet || now < state.next {
            return;
        }
        state.next = now + PAUSES[usize::from(!self.is_terminal)];
        state.is_open = self.is_terminal;
        if self.is_terminal {
            self.screen.error(&format!("\r\u{1b}[K{}", text()));
        } else {
            self.screen.error(&format!("{}\n", text()));
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.state.lock().is_open {
            self.screen.error("\r\u{1b}[K");
        }
    }
}
