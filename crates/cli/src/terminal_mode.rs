//! Mode of the terminal's input: line by line with echo, as at the start, or key by key without.

use std::io;

use nix::sys::termios::{
    LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr,
};
use parking_lot::Mutex;

/// Holders of single keys, and the terminal's mode before the first of them.
struct KeyHolders {
    holders: usize,
    before: Option<Termios>,
}

static WANTED: Mutex<KeyHolders> = Mutex::new(KeyHolders { holders: 0, before: None });

/// Guard of the mode key by key without echo, until it is dropped. If the input is not a terminal,
/// nothing changes.
#[derive(Debug)]
pub(crate) struct SingleKeys(());

impl SingleKeys {
    /// Asks for single keys.
    pub(crate) fn hold() -> io::Result<Self> {
        let mut wanted = WANTED.lock();
        if wanted.holders == 0 {
            wanted.before = tcgetattr(io::stdin()).ok();
            if let Some(before) = &wanted.before {
                set(&key_by_key(before))?;
            }
        }
        wanted.holders += 1;
        Ok(Self(()))
    }
}

impl Drop for SingleKeys {
    fn drop(&mut self) {
        let mut wanted = WANTED.lock();
        wanted.holders = wanted.holders.saturating_sub(1);
        if wanted.holders == 0
            && let Some(before) = wanted.before.take()
        {
            // An error cannot be reported any more.
            let _ = set(&before);
        }
    }
}

/// Line by line and with echo, until this is dropped.
#[derive(Debug)]
pub(crate) struct LineMode(());

impl LineMode {
    /// Allows a person to type a line, even while another part reads single keys.
    pub(crate) fn allow() -> Self {
        if let Some(before) = &WANTED.lock().before {
            let _ = set(before);
        }
        Self(())
    }
}

impl Drop for LineMode {
    fn drop(&mut self) {
        if let Some(before) = &WANTED.lock().before {
            let _ = set(&key_by_key(before));
        }
    }
}

/// Restores the terminal before the process ends at once.
pub(crate) fn restore() {
    if let Some(before) = &WANTED.lock().before {
        let _ = set(before);
    }
}

fn key_by_key(before: &Termios) -> Termios {
    let mut keys = before.clone();
    // Ctrl-C stays a signal.
    keys.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
    keys.control_chars[SpecialCharacterIndices::VMIN as usize] = 1;
    keys.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
    keys
}

fn set(mode: &Termios) -> io::Result<()> {
    Ok(tcsetattr(io::stdin(), SetArg::TCSANOW, mode)?)
}
