//! Terminal with one owner at a time: progress draws on it until somebody
//! borrows it, a bout that people play for instance.
//!
//! Everything that is shown to people goes through here. What is told while the
//! terminal is lent goes to the borrower, who knows where there is room for it;
//! a bar that moves meanwhile is drawn again once the terminal is given back.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget};

/// Whoever has borrowed a terminal.
pub trait Borrower: Send + Sync {
    /// Shows a text of whole lines where there is room for it.
    fn tell(&self, text: &str);
}

/// The terminal that standard error goes to, or whatever stands in its place.
#[derive(Clone, Default)]
pub struct Terminal(Arc<Mutex<State>>);

struct State {
    bars: MultiProgress,
    /// True if bars have something to show that is not too short to be shown.
    is_revealed: bool,
    borrower: Option<Arc<dyn Borrower>>,
}

impl Default for State {
    fn default() -> Self {
        let bars = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        Self { bars, is_revealed: false, borrower: None }
    }
}

impl Terminal {
    /// Lends the terminal: nothing but the borrower draws until the loan is given
    /// back.
    #[must_use]
    pub fn lend(&self, borrower: Arc<dyn Borrower>) -> Loan {
        let mut state = self.state();
        let _ = state.bars.clear();
        state.bars.set_draw_target(ProgressDrawTarget::hidden());
        state.borrower = Some(borrower);
        Loan(self.clone())
    }

    /// Shows a text of whole lines on standard error.
    pub fn tell(&self, text: &str) {
        let state = self.state();
        match state.borrower.clone() {
            Some(borrower) => {
                drop(state);
                borrower.tell(text);
            }
            None => state.bars.suspend(|| _ = io::stderr().lock().write_all(text.as_bytes())),
        }
    }

    /// Writes something with no bar in its way.
    pub fn undisturbed<T>(&self, write: impl FnOnce() -> T) -> T {
        let state = self.state();
        if state.borrower.is_some() {
            drop(state);
            return write();
        }
        state.bars.suspend(write)
    }

    /// Gives a bar its place.
    pub(super) fn add(&self, bar: ProgressBar) -> ProgressBar {
        self.state().bars.add(bar)
    }

    /// Takes a bar away.
    pub(super) fn remove(&self, bar: &ProgressBar) {
        let state = self.state();
        bar.finish_and_clear();
        state.bars.remove(bar);
    }

    /// Shows bars after a while, if anybody still has one then.
    pub(super) fn reveal_after(&self, silence: Duration) {
        let state = Arc::downgrade(&self.0);
        let reveal = move || {
            std::thread::sleep(silence);
            if let Some(state) = state.upgrade() {
                Self(state).reveal();
            }
        };
        // Without a thread to spare there is no bar.
        _ = std::thread::Builder::new().spawn(reveal);
    }

    fn reveal(&self) {
        let mut state = self.state();
        if !std::mem::replace(&mut state.is_revealed, true) && state.borrower.is_none() {
            state.bars.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    fn give_back(&self) {
        let mut state = self.state();
        state.borrower = None;
        if state.is_revealed {
            state.bars.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.tell(&String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A borrowed terminal; it is given back when this is dropped.
#[derive(Debug)]
pub struct Loan(Terminal);

impl Drop for Loan {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Recorder(Mutex<String>);

    impl Borrower for Recorder {
        fn tell(&self, text: &str) {
            self.0.lock().expect("nobody panicked").push_str(text);
        }
    }

    #[test]
    fn what_is_told_while_it_is_lent_goes_to_the_borrower() {
        let (terminal, heard) = (Terminal::default(), Arc::new(Recorder::default()));
        let loan = terminal.lend(heard.clone());
        terminal.tell("one\n");
        terminal.clone().write_all(b"two\n").expect("it takes everything");
        drop(loan);
        assert_eq!(*heard.0.lock().expect("nobody panicked"), "one\ntwo\n");
        assert!(terminal.state().borrower.is_none(), "it was given back");
    }

    #[test]
    fn bars_stay_hidden_while_it_is_lent() {
        let terminal = Terminal::default();
        let loan = terminal.lend(Arc::new(Recorder::default()));
        terminal.reveal();
        assert!(terminal.state().bars.is_hidden());
        drop(loan);
        assert!(terminal.state().is_revealed);
    }
}
