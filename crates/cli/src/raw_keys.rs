//! Single keys of this terminal, for a person in a game on a clock.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use joust_orchestrator::channel::live::{KeyNotice, Keyboard};

use crate::terminal_mode::SingleKeys;
use crate::terminal_session::TerminalSession;

/// Standard input key by key; the terminal is as it was when this is dropped.
/// Anything else than a terminal is read as it comes.
pub(crate) struct RawKeys {
    stdin: io::Stdin,
    desk: TerminalSession,
    _mode: SingleKeys,
}

impl RawKeys {
    pub(crate) fn open(desk: TerminalSession) -> io::Result<Self> {
        let _mode = SingleKeys::hold()?;
        Ok(Self { stdin: io::stdin(), desk, _mode })
    }
}

impl Keyboard for RawKeys {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.stdin.as_fd()
    }

    fn read(&mut self, keys: &mut [u8]) -> io::Result<usize> {
        // Past the buffer of `Stdin`, of which `poll` knows nothing.
        nix::unistd::read(&self.stdin, keys).map_err(io::Error::from)
    }

    fn say(&mut self, what: KeyNotice) {
        match what {
            KeyNotice::Held => self.desk.status("paused; Enter resumes"),
            KeyNotice::Running => self.desk.status(""),
            KeyNotice::NoNewBout => self.desk.status("r: there is no new map here"),
            KeyNotice::Leaving => {
                self.desk.status("Ctrl-D again gives your seat away; any other key plays on");
            }
            KeyNotice::Left => {
                self.desk.status("your seat plays on without you; Ctrl-C ends the bout")
            }
        }
    }
}
