//! Keys as a terminal sends them.

use std::fs::File;

/// Keyboard of a person.
pub struct Keyboard {
    /// Source of keys as a terminal sends them.
    pub input: File,
    /// Receiver of notices to the person.
    pub notify: Box<dyn FnMut(KeyNotice) + Send>,
}

/// The key Home.
pub const HOME: char = '\u{2196}';

/// The key End.
pub const END: char = '\u{2198}';

/// Notice to a person at a keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyNotice {
    /// The clock is held.
    Held,
    /// The clock runs, and there is no other message.
    Running,
    /// Another bout was requested, but there is none.
    NoNewBout,
    /// The person leaves the seat if the same key is pressed again.
    Leaving,
    /// The person has left the seat.
    Left,
}

/// Returns the first key of some bytes, with its length; `None` if it is incomplete. Arrows are
/// arrow characters, Home and End `\u{2196}` and `\u{2198}`; other keys without a character are
/// NUL.
pub fn first_key(bytes: &[u8]) -> Option<(char, usize)> {
    match bytes {
        [] | [0x1b] | [0x1b, b'[' | b'O'] | [0x1b, b'[', b'1' | b'4'] => None,
        [0x1b, b'[', b'1', b'~', ..] => Some((HOME, 4)),
        [0x1b, b'[', b'4', b'~', ..] => Some((END, 4)),
        [0x1b, b'[' | b'O', direction, ..] => {
            let key = match direction {
                b'A' => '\u{2191}',
                b'B' => '\u{2193}',
                b'C' => '\u{2192}',
                b'D' => '\u{2190}',
                b'H' => HOME,
                b'F' => END,
                _ => '\0',
            };
            Some((key, 3))
        }
        [b'\r', ..] => Some(('\n', 1)),
        [byte, ..] if byte.is_ascii() && *byte != 0x1b => Some((char::from(*byte), 1)),
        _ => Some(('\0', 1)),
    }
}
