//! Single keys of this terminal, without Enter and without echo.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use joust_orchestrator::channel::live::Keyboard;
use nix::sys::termios::{
    LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr,
};

use crate::output::Screen;

/// Standard input key by key; the terminal is as it was when this is dropped.
/// Anything else than a terminal is read as it comes.
pub(crate) struct RawKeys {
    stdin: io::Stdin,
    before: Option<Termios>,
    screen: Screen,
}

impl RawKeys {
    pub(crate) fn open(screen: Screen) -> io::Result<Self> {
        let stdin = io::stdin();
        let before = tcgetattr(&stdin).ok();
        if let Some(before) = &before {
            let mut raw = before.clone();
            // Ctrl-C stays a signal.
            raw.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
            raw.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
            raw.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
            tcsetattr(&stdin, SetArg::TCSANOW, &raw)?;
        }
        Ok(Self { stdin, before, screen })
    }
}

impl Drop for RawKeys {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // Nobody is left to be told.
            let _ = tcsetattr(&self.stdin, SetArg::TCSANOW, before);
        }
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

    fn held(&mut self, is_held: bool) {
        self.screen.error(if is_held { "paused; Enter goes on\n" } else { "" });
    }
}
