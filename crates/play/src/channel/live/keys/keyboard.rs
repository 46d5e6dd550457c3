//! Keys as a terminal sends them.

use std::io;
use std::os::fd::BorrowedFd;

/// Source of keys, as a terminal sends them.
pub trait Keyboard: Send {
    /// Returns what to poll for keys.
    fn descriptor(&self) -> BorrowedFd<'_>;

    /// Reads what has been pressed: nothing when it has ended.
    ///
    /// # Errors
    ///
    /// What the descriptor says.
    fn read(&mut self, keys: &mut [u8]) -> io::Result<usize>;

    /// Tells whoever presses the keys what has become of one.
    fn say(&mut self, what: KeyNotice);
}

/// Notice to a person at a keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyNotice {
    /// The clock is held.
    Held,
    /// The clock runs, and nothing else is to be said.
    Running,
    /// Another bout was asked for where there is none.
    NoNewBout,
    /// The seat is given away if the same key is pressed again.
    Leaving,
    /// The seat is given away.
    Left,
}

/// Takes the first key off what was read; `None` where that is no whole key.
/// What is no key of any game is the character NUL.
pub(super) fn first_key(bytes: &[u8]) -> Option<(char, usize)> {
    match bytes {
        [] | [0x1b] | [0x1b, b'[' | b'O'] => None,
        [0x1b, b'[' | b'O', direction, ..] => {
            let key = match direction {
                b'A' => '\u{2191}',
                b'B' => '\u{2193}',
                b'C' => '\u{2192}',
                b'D' => '\u{2190}',
                _ => '\0',
            };
            Some((key, 3))
        }
        [b'\r', ..] => Some(('\n', 1)),
        [byte, ..] if byte.is_ascii() && *byte != 0x1b => Some((char::from(*byte), 1)),
        _ => Some(('\0', 1)),
    }
}
