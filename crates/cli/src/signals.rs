//! Signals that end a command: Ctrl-C, SIGTERM, and the SIGHUP of a terminal that is closed.
//!
//! The first one asks for a clean end, the second one ends the process at once.

use std::io;

use joust_model::cancel::Cancel;
use nix::libc::SIGHUP;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::error::{Failure, Status};
use crate::output::Screen;
use crate::terminal_mode;

/// One of the signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopSignal {
    Interrupt,
    Terminate,
    HangUp,
}

/// Stream of the received signals.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    /// `None` under `nohup`, where the end of the terminal is ignored.
    hang_up: Option<Signal>,
}

impl Signals {
    /// Listens to signals from now on; none of them ends the process any more.
    ///
    /// # Errors
    ///
    /// The machine has no room for a handler.
    pub(crate) fn listen() -> Result<Self, Failure> {
        Self::handle().map_err(|error| Failure::machine(&error))
    }

    fn handle() -> io::Result<Self> {
        let hang_up = match is_ignored(SIGHUP) {
            true => None,
            false => Some(signal(SignalKind::hangup())?),
        };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up,
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) -> StopSignal {
        let hang_up = async {
            match &mut self.hang_up {
                Some(hang_up) => hang_up.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => StopSignal::Interrupt,
            _ = self.terminate.recv() => StopSignal::Terminate,
            _ = hang_up => StopSignal::HangUp,
        }
    }

    /// Lets the next signal end the process at once.
    pub(crate) fn exit_on_next(mut self) {
        tokio::spawn(async move {
            self.next().await;
            exit_now();
        });
    }
}

/// Reports that the work under way is finished first.
pub(crate) fn report_stopping(sign: StopSignal, screen: Screen) {
    let (which, again) = match sign {
        StopSignal::Interrupt => ("", "press Ctrl-C again to stop"),
        StopSignal::Terminate => ("SIGTERM: ", "a second signal stops"),
        StopSignal::HangUp => ("SIGHUP: ", "a second signal stops"),
    };
    screen.error(&format!("{which}stopping after the turns under way; {again} at once\n"));
}

/// Cancels `cancel` at the first signal, then calls `say`, and ends the process at the second.
pub(crate) fn stop_on_signal(cancel: Cancel, say: impl Fn(StopSignal) + Send + 'static) {
    // If signals cannot be handled, the first one ends the process.
    let Ok(mut signals) = Signals::listen() else { return };
    tokio::spawn(async move {
        let sign = signals.next().await;
        cancel.cancel();
        say(sign);
        signals.next().await;
        exit_now();
    });
}

fn exit_now() -> ! {
    terminal_mode::restore();
    std::process::exit(Status::Interrupted.number().into());
}

/// Returns whether this process was started with a signal ignored.
fn is_ignored(signal: i32) -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|text| ignores(&text, signal))
}

/// Reads from the text of `/proc/self/status` whether a signal is ignored.
fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ignored_signal_is_read_from_the_mask() {
        let status = "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000001\n";
        assert!(ignores(status, SIGHUP));
        assert!(!ignores(status, nix::libc::SIGTERM));
        assert!(!ignores("", SIGHUP));
    }
}
