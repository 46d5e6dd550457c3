//! Terminal with one owner at a time: progress draws on it until it is borrowed, for a bout that
//! people play for instance.
//!
//! All output for people goes through here. Text that arrives while the terminal is lent goes to
//! the borrower, who knows where there is room for it; a bar that changes meanwhile is redrawn once
//! the terminal is returned.

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};
use parking_lot::Mutex;

/// Owner of a terminal for a while.
pub trait TerminalOwner: Send + Sync {
    /// Shows a text of whole lines where there is room for it.
    fn show_text(&self, text: &str);
}

/// The terminal of standard error, or a replacement for it.
#[derive(Clone, Default)]
pub struct Terminal(Arc<Mutex<TerminalState>>);

struct TerminalState {
    bars: MultiProgress,
    /// True if bars have something to show that is not too short to be shown.
    is_revealed: bool,
    owner: Option<Arc<dyn TerminalOwner>>,
}

impl Default for TerminalState {
    fn default() -> Self {
        let bars = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        Self { bars, is_revealed: false, owner: None }
    }
}

impl Terminal {
    /// Lends the terminal: nothing but the borrower draws until the loan is given
    /// back.
    pub fn hand_over(&self, owner: Arc<dyn TerminalOwner>) -> TerminalGuard {
        let mut state = self.0.lock();
        let _ = state.bars.clear();
        state.bars.set_draw_target(ProgressDrawTarget::hidden());
        state.owner = Some(owner);
        TerminalGuard(self.clone())
    }

    /// Shows a text of whole lines on standard error.
    pub fn show_text(&self, text: &str) {
        let state = self.0.lock();
        match state.owner.clone() {
            Some(owner) => {
                drop(state);
                owner.show_text(text);
            }
            None => state.bars.suspend(|| _ = io::stderr().lock().write_all(text.as_bytes())),
        }
    }

    /// Writes something with no bar in its way.
    pub fn suspend_bars<T>(&self, write: impl FnOnce() -> T) -> T {
        let state = self.0.lock();
        if state.owner.is_some() {
            drop(state);
            return write();
        }
        state.bars.suspend(write)
    }

    /// Gives a bar its place.
    pub(super) fn add(&self, bar: ProgressBar) -> ProgressBar {
        self.0.lock().bars.add(bar)
    }

    /// Takes a bar away.
    pub(super) fn remove(&self, bar: &ProgressBar) {
        let state = self.0.lock();
        bar.finish_and_clear();
        state.bars.remove(bar);
    }

    /// Shows bars after a while, if one still exists then.
    pub(super) fn reveal_after(&self, silence: Duration) {
        let state = Arc::downgrade(&self.0);
        let reveal = move || {
            std::thread::sleep(silence);
            if let Some(state) = state.upgrade() {
                Self(state).reveal();
            }
        };
        // If no thread can be started, there is no bar.
        _ = std::thread::Builder::new().spawn(reveal);
    }

    fn reveal(&self) {
        let mut state = self.0.lock();
        if !std::mem::replace(&mut state.is_revealed, true) && state.owner.is_none() {
            state.bars.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    fn take_back(&self) {
        let mut state = self.0.lock();
        state.owner = None;
        if state.is_revealed {
            state.bars.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").finish_non_exhaustive()
    }
}

/// A terminal as something to write whole lines to.
impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.show_text(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A borrowed terminal; it is given back when this is dropped.
#[derive(Debug)]
pub struct TerminalGuard(Terminal);

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        self.0.take_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Recorder(Mutex<String>);

    impl TerminalOwner for Recorder {
        fn show_text(&self, text: &str) {
            self.0.lock().push_str(text);
        }
    }

    #[test]
    fn text_goes_to_the_owner_of_the_terminal() {
        let (terminal, owner) = (Terminal::default(), Arc::new(Recorder::default()));
        let guard = terminal.hand_over(owner.clone());
        terminal.show_text("one\n");
        terminal.clone().write_all(b"two\n").expect("it takes everything");
        drop(guard);
        assert_eq!(*owner.0.lock(), "one\ntwo\n");
        assert!(terminal.0.lock().owner.is_none(), "it was given back");
    }

    #[test]
    fn bars_stay_hidden_while_the_terminal_has_an_owner() {
        let terminal = Terminal::default();
        let guard = terminal.hand_over(Arc::new(Recorder::default()));
        terminal.reveal();
        assert!(terminal.0.lock().bars.is_hidden());
        drop(guard);
        assert!(terminal.0.lock().is_revealed);
    }
}
