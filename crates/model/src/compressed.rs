//! Compression of stored logs.

use std::cell::RefCell;
use std::io::{self, Read};

use zstd::bulk::{Compressor, Decompressor};

/// The longest log that is decompressed, bytes, because workers may send any. Logs of bouts are far
/// shorter.
const LONGEST_LOG: u64 = 256 << 20;

/// Error of a missing log, because its event does not keep logs of such bouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "its turns were not kept (`logs:` of its event): `joust rerun BOUT --amend --reason TEXT` plays it again \
     and keeps them"
)]
pub struct LogNotKept;

/// Level of compression.
const LEVEL: i32 = 3;

thread_local! {
    /// Each thread makes these once: the library asks the processor what it can do, which takes a
    /// virtual machine longer than most logs.
    static COMPRESSOR: RefCell<Compressor<'static>> =
        RefCell::new(Compressor::new(LEVEL).expect("there is memory"));
    static DECOMPRESSOR: RefCell<Decompressor<'static>> =
        RefCell::new(Decompressor::new().expect("there is memory"));
}

/// Compresses a log.
pub fn compress(log: &[u8]) -> Vec<u8> {
    COMPRESSOR
        .with_borrow_mut(|zstd| zstd.compress(log))
        .expect("compression into memory does not fail")
}

/// Decompresses an action log.
///
/// # Errors
///
/// When the compression is damaged.
pub fn decompress(log: &[u8]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    unpack(log, &mut bytes)?;
    Ok(bytes)
}

/// Returns whether a log is longer than `most` bytes when decompressed, or damaged. Its memory does
/// not depend on the log's length.
pub fn is_longer(log: &[u8], most: u64) -> bool {
    let bytes = zstd::stream::read::Decoder::new(log);
    let length = bytes.and_then(|bytes| io::copy(&mut bytes.take(most + 1), &mut io::sink()));
    length.map_or(true, |length| length > most)
}

/// Memory for decompressed logs, which is used again.
#[derive(Default)]
pub struct Unpacker {
    actions: Vec<u8>,
    turns: Vec<u8>,
}

impl Unpacker {
    /// Decompresses a bout's action log and turn log; each is an error if it is damaged.
    pub fn unpack_logs(
        &mut self,
        actions: &[u8],
        turns: &[u8],
    ) -> (io::Result<&[u8]>, io::Result<&[u8]>) {
        let first = unpack(actions, &mut self.actions);
        let second = unpack(turns, &mut self.turns);
        (first.map(|()| self.actions.as_slice()), second.map(|()| self.turns.as_slice()))
    }

    /// Decompresses a turn log.
    pub(super) fn unpack_turns(&mut self, turns: &[u8]) -> io::Result<&[u8]> {
        unpack(turns, &mut self.turns)?;
        Ok(&self.turns)
    }
}

/// Decompresses a log at once if it states its length, or in pieces if not.
fn unpack(log: &[u8], into: &mut Vec<u8>) -> io::Result<()> {
    let length = zstd::zstd_safe::get_frame_content_size(log).ok().flatten();
    let whole =
        zstd::zstd_safe::find_frame_compressed_size(log).is_ok_and(|size| size == log.len());
    // Frees the memory of a long log, so that later ones do not keep it.
    if into.capacity() as u64 > MOST_AT_ONCE {
        *into = Vec::new();
    }
    into.clear();
    let Some(length) = length.filter(|length| *length <= MOST_AT_ONCE && whole) else {
        let mut plain = zstd::stream::read::Decoder::new(log)?.take(LONGEST_LOG);
        return plain.read_to_end(into).map(drop);
    };
    into.reserve(usize::try_from(length).unwrap_or(usize::MAX));
    DECOMPRESSOR.with_borrow_mut(|zstd| zstd.decompress_to_buffer(log, into)).map(drop)
}

/// The longest log that is decompressed at once, bytes.
const MOST_AT_ONCE: u64 = 16 << 20;
