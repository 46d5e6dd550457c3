//! Reads and writes that do not wait.

use std::io::{self, ErrorKind};

/// Calls until no signal interrupts it; `None` if it would have to wait.
pub(crate) fn at_once<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<Option<T>> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            done => return done.map(Some),
        }
    }
}

/// Writes the part of `bytes` that can be written now; returns its length.
pub(crate) fn write_at_once(
    bytes: &[u8],
    mut write: impl FnMut(&[u8]) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match at_once(|| write(rest))? {
            None | Some(0) => break,
            Some(more) => written += more,
        }
    }
    Ok(written)
}
