//! Logs as they are stored.

use std::io::{self, Read};

/// The longest log that is read, bytes, as workers may send one; those of a bout are far below it.
const LONGEST_LOG: u64 = 256 << 20;

/// A log that is not there, because its event keeps none of such bouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "its turns were not kept (`logs:` of its event): `joust rerun BOUT --amend --reason TEXT` plays it again \
     and keeps them"
)]
pub struct LogNotKept;

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

/// Returns whether a log was longer than `most` bytes before it was stored, or is damaged; takes no
/// memory for it.
#[must_use]
pub fn is_longer(log: &[u8], most: u64) -> bool {
    let bytes = zstd::stream::read::Decoder::new(log);
    let length = bytes.and_then(|bytes| io::copy(&mut bytes.take(most + 1), &mut io::sink()));
    length.map_or(true, |length| length > most)
}

/// Decompresses logs into memory that is used again.
#[derive(Default)]
pub struct Unpacker {
    zstd: Option<zstd::bulk::Decompressor<'static>>,
    actions: Vec<u8>,
    turns: Vec<u8>,
}

impl Unpacker {
    /// Returns a bout's action log and turn log as they were before they were
    /// stored, each unless its compression is damaged.
    pub fn unpack_logs(
        &mut self,
        actions: &[u8],
        turns: &[u8],
    ) -> (io::Result<&[u8]>, io::Result<&[u8]>) {
        let first = unpack(&mut self.zstd, actions, &mut self.actions);
        let second = unpack(&mut self.zstd, turns, &mut self.turns);
        (first.map(|()| self.actions.as_slice()), second.map(|()| self.turns.as_slice()))
    }

    /// Returns a turn log as it was before it was stored.
    pub(super) fn unpack_turns(&mut self, turns: &[u8]) -> io::Result<&[u8]> {
        unpack(&mut self.zstd, turns, &mut self.turns)?;
        Ok(&self.turns)
    }
}

/// A log says how long it was; one that does not is read piece by piece.
fn unpack(
    zstd: &mut Option<zstd::bulk::Decompressor<'static>>,
    log: &[u8],
    into: &mut Vec<u8>,
) -> io::Result<()> {
    let length = zstd::zstd_safe::get_frame_content_size(log).ok().flatten();
    let whole =
        zstd::zstd_safe::find_frame_compressed_size(log).is_ok_and(|size| size == log.len());
    // A long one keeps no memory from those after it.
    if into.capacity() as u64 > MOST_AT_ONCE {
        *into = Vec::new();
    }
    into.clear();
    let Some(length) = length.filter(|length| *length <= MOST_AT_ONCE && whole) else {
        *into = decompress(log)?;
        return Ok(());
    };
    if zstd.is_none() {
        *zstd = Some(zstd::bulk::Decompressor::new()?);
    }
    let zstd = zstd.as_mut().expect("it was just made");
    into.reserve(usize::try_from(length).unwrap_or(usize::MAX));
    zstd.decompress_to_buffer(log, into).map(drop)
}

/// Memory is given at once to logs of so many bytes at most.
const MOST_AT_ONCE: u64 = 16 << 20;
