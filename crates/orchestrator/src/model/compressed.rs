//! Logs as they are stored.

use std::io::{self, Read};

/// The longest action log that is read, bytes; a bout's log is far below it.
const LONGEST_LOG: u64 = 1 << 30;

/// Returns an action log as it was before it was stored.
///
/// # Errors
///
/// When the compression is damaged.
pub fn decompress(log: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    zstd::stream::read::Decoder::new(log)?.take(LONGEST_LOG).read_to_end(&mut bytes)?;
    Ok(bytes)
}
