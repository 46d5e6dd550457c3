//! Progress of long work on standard error: a line that changes in a terminal, a line every few
//! seconds elsewhere, nothing when the work is done at once.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::task::JoinHandle;

use crate::output::Screen;

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
    is_over: bool,
}

impl ProgressLine {
    pub(crate) fn new(screen: Screen) -> Self {
        let state = LineState { next: Instant::now() + SILENCE, is_open: false, is_over: false };
        Self { screen, is_terminal: std::io::stderr().is_terminal(), state: Mutex::new(state) }
    }

    /// Shows the text that `text` returns, unless the last one is too recent.
    pub(crate) fn show(&self, text: impl FnOnce() -> String) {
        let mut state = self.state.lock();
        let now = Instant::now();
        if self.screen.quiet || state.is_over || now < state.next {
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

    /// Removes the line for good.
    fn close(&self) {
        let mut state = self.state.lock();
        state.is_over = true;
        if std::mem::take(&mut state.is_open) {
            self.screen.error("\r\u{1b}[K");
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.close();
    }
}

/// Line of a terminal that shows for how long something takes, until this is dropped.
pub(crate) struct SecondsLine {
    line: Arc<ProgressLine>,
    showing: JoinHandle<()>,
}

impl SecondsLine {
    /// Starts to count; `None` where standard error is no terminal.
    pub(crate) fn start(screen: Screen, text: &'static str) -> Option<Self> {
        let line = Arc::new(ProgressLine::new(screen));
        let (shown, start) = (Arc::clone(&line), Instant::now());
        line.is_terminal.then(|| {
            let showing = tokio::spawn(async move {
                loop {
                    tokio::time::sleep(PAUSES[0]).await;
                    shown.show(|| format!("{text}: {} s", start.elapsed().as_secs()));
                }
            });
            Self { line, showing }
        })
    }
}

impl Drop for SecondsLine {
    fn drop(&mut self) {
        self.showing.abort();
        self.line.close();
    }
}
