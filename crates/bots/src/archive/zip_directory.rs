//! Directory of a zip file, read before the reader of the format does.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use super::refusal::{MOST_ENTRIES, Refusal};

/// Reads the number of entries from the end of a zip file: the reader of the
/// format would hold a million of them in memory before we could count.
pub(super) fn refuse_endless(file: &mut File) -> Result<(), Refusal> {
    const END: &[u8] = b"PK\x05\x06";
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(66_000)))?;
    let mut tail = Vec::new();
    file.take(66_000).read_to_end(&mut tail)?;
    file.seek(SeekFrom::Start(0))?;
    let ends = tail.windows(12).filter(|window| window.starts_with(END));
    let most = ends.map(|end| usize::from(u16::from_le_bytes([end[10], end[11]]))).max();
    if most.unwrap_or(0) > MOST_ENTRIES { Err(Refusal::Entries) } else { Ok(()) }
}

/// Reads the names that a zip file's directory lists: the reader of the format knows the
/// last one of each name only.
pub(super) fn refuse_repetition(file: File, start: u64, known: usize) -> Result<(), Refusal> {
    const LISTED: &[u8] = b"PK\x01\x02";
    let mut file = io::BufReader::new(file);
    file.seek(SeekFrom::Start(start))?;
    let (mut names, mut head) = (BTreeSet::new(), [0; 46]);
    let mut count = 0;
    while file.read_exact(&mut head).is_ok() && head.starts_with(LISTED) {
        let length = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
        let mut rest = vec![0; length(28) + length(30) + length(32)];
        file.read_exact(&mut rest)?;
        rest.truncate(length(28));
        let shown = String::from_utf8_lossy(&rest[..rest.len().min(80)]).into_owned();
        if !names.insert(rest) {
            return Err(Refusal::Twice(shown));
        }
        count += 1;
        if count > MOST_ENTRIES {
            return Err(Refusal::Entries);
        }
    }
    let odd = || Refusal::Damaged("its directory does not list what it holds".to_owned());
    if count == known { Ok(()) } else { Err(odd()) }
}
