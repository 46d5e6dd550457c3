//! Listeners for people: a bar, a line with the time, plain lines, or nothing.
//!
//! All text that a bot may have supplied is escaped.

mod bar;
mod label;
mod plain;
mod quiet;
mod terminal;
mod timed;

pub use bar::Bar;
pub use label::{describe_alarm, span};
pub use plain::Plain;
pub use quiet::Quiet;
pub use terminal::{Terminal, TerminalGuard, TerminalOwner};
pub use timed::Timed;

use joust_model::notices::Listener;

/// Style of showing progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgressMode {
    /// A bar that is redrawn, for a terminal.
    Bar,
    /// A line now and then, for logs and pipes.
    Plain,
    /// Only warnings, bots that were not built and voided bouts.
    Quiet,
}

/// Returns a listener that shows things on `terminal`.
pub fn for_terminal(style: ProgressMode, terminal: &Terminal) -> Box<dyn Listener> {
    match style {
        ProgressMode::Bar => Box::new(Bar::new(terminal.clone())),
        ProgressMode::Plain => Box::new(Plain::new(terminal.clone())),
        ProgressMode::Quiet => Box::new(Quiet::new(terminal.clone())),
    }
}
