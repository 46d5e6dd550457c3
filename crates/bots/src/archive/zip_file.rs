//! Zip files: the one reader of them, for archives of bots and for jars.
//!
//! A directory is read entry by entry into a buffer of fixed size, and bounded before any entry
//! is kept. So neither the lengths that the file claims nor the bytes around the directory
//! determine how much memory is taken.

use std::io::{self, Read};
use std::path::Path;

use joust_config::open_plain;
use rawzip::{CompressionMethod, FileReader, ZipArchive, ZipArchiveEntryWayfinder};

use super::archive_error::ArchiveError;

/// Entries that a directory may list.
pub(super) const MOST_LISTED: usize = 65_536;
/// Bytes that the names in a directory may have together.
const MOST_NAMES: usize = 16 << 20;
/// Bytes at a file's end in which the end of its directory is looked for.
const MOST_BEHIND: u64 = 1 << 20;

/// Characters from 128 on of code page 437.
const CODE_PAGE_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// A zip file and its directory, read whole.
pub(crate) struct ZipFile {
    archive: ZipArchive<FileReader>,
    pub(crate) entries: Vec<ZipEntry>,
}

/// One entry of a directory.
pub(crate) struct ZipEntry {
    /// Its name: read as UTF-8 if it is valid, whatever its flag says, else as code page 437.
    pub(crate) name: Vec<u8>,
    /// True for a folder.
    pub(crate) is_folder: bool,
    /// Its kind and permissions, as a Unix file has them.
    pub(crate) mode: u32,
    packed_by: CompressionMethod,
    is_encrypted: bool,
    place: ZipArchiveEntryWayfinder,
}

impl ZipFile {
    /// Reads the directory of the zip file at `path`.
    ///
    /// # Errors
    ///
    /// When it is no zip file, or its directory is beyond the bounds.
    pub(crate) fn at(path: &Path) -> Result<Self, ArchiveError> {
        let file = open_plain(path).map_err(io::Error::from)?;
        let mut buffer = vec![0; rawzip::RECOMMENDED_BUFFER_SIZE];
        let located =
            ZipArchive::with_max_search_space(MOST_BEHIND).locate_in_file(file, &mut buffer);
        let archive = located.map_err(|(_, error)| damaged(&error))?;
        if archive.entries_hint() > MOST_LISTED as u64 {
            return Err(ArchiveError::Listed);
        }
        let (mut entries, mut names) = (Vec::new(), 0);
        let mut listed = archive.entries(&mut buffer);
        while let Some(entry) = listed.next_entry().map_err(|error| damaged(&error))? {
            let name = decoded(entry.file_path().as_bytes(), entry.flags().is_utf8());
            names += name.len();
            if entries.len() == MOST_LISTED || names > MOST_NAMES {
                return Err(ArchiveError::Listed);
            }
            entries.push(ZipEntry {
                is_folder: entry.is_dir() || name.ends_with(b"\\"),
                name,
                mode: entry.mode().value(),
                packed_by: entry.compression_method(),
                is_encrypted: entry.flags().is_encrypted(),
                place: entry.wayfinder(),
            });
        }
        if entries.len() as u64 != archive.entries_hint() {
            let text = "its directory does not list what it holds";
            return Err(ArchiveError::Damaged(text.to_owned()));
        }
        Ok(Self { archive, entries })
    }

    /// Returns the last entry called `name`.
    pub(crate) fn find(&self, name: &str) -> Option<&ZipEntry> {
        self.entries.iter().rev().find(|entry| entry.name == name.as_bytes())
    }

    /// Opens an entry; reading it to its end fails if its length or checksum differs.
    pub(crate) fn read(&self, entry: &ZipEntry) -> Result<Box<dyn Read + '_>, ArchiveError> {
        if entry.is_encrypted {
            return Err(ArchiveError::Damaged("an entry is encrypted".to_owned()));
        }
        let found = self.archive.get_entry(entry.place).map_err(|error| damaged(&error))?;
        match entry.packed_by {
            CompressionMethod::STORE => Ok(Box::new(found.verifying_reader(found.reader()))),
            CompressionMethod::DEFLATE => {
                let plain = flate2::read::DeflateDecoder::new(found.reader());
                Ok(Box::new(found.verifying_reader(plain)))
            }
            other => Err(ArchiveError::Damaged(format!("an entry is packed by {other}"))),
        }
    }
}

fn decoded(raw: &[u8], is_utf8: bool) -> Vec<u8> {
    if is_utf8 || std::str::from_utf8(raw).is_ok() {
        return raw.to_vec();
    }
    let high = |byte: u8| CODE_PAGE_437.chars().nth(usize::from(byte) - 128);
    let one = |byte: &u8| if byte.is_ascii() { Some(char::from(*byte)) } else { high(*byte) };
    raw.iter().filter_map(one).collect::<String>().into_bytes()
}

fn damaged(error: &rawzip::Error) -> ArchiveError {
    ArchiveError::Damaged(error.to_string())
}
