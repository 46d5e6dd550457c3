//! Zip files: the one reader of them, for archives of bots and for jars. A jar is checked for a class
//! that `java -jar` can start.
//!
//! A directory is read entry by entry into a buffer of fixed size, and bounded before any entry
//! is kept. So neither the lengths that the file claims nor the bytes around the directory
//! determine how much memory is taken.

use std::io::{self, Read};
use std::path::Path;

use joust_config::open_plain;
use rawzip::{CompressionMethod, FileReader, ZipArchive, ZipArchiveEntryWayfinder};

use super::limits::ArchiveError;

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

/// Largest size of a manifest that is read, bytes.
const LARGEST: u64 = 256 << 10;
/// The manifest in a jar.
const MANIFEST: &str = "META-INF/MANIFEST.MF";

/// Checks that the jar at `path` has a main class.
///
/// # Errors
///
/// The reason why `java -jar` cannot start it, as a text that follows the jar's name.
pub fn check_jar(path: &Path) -> Result<(), String> {
    let unreadable = |error: &dyn std::fmt::Display| format!("is no jar that can be read: {error}");
    let jar = ZipFile::at(path).map_err(|error| unreadable(&error))?;
    let mut text = Vec::new();
    if let Some(manifest) = jar.find(MANIFEST) {
        let manifest = jar.read(manifest).map_err(|error| unreadable(&error))?;
        manifest.take(LARGEST).read_to_end(&mut text).map_err(|error| unreadable(&error))?;
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let Some(main) = attribute(&text, "Main-Class") else {
        return Err(
            "has no `Main-Class` in its manifest, so `java -jar` cannot start it".to_owned()
        );
    };
    let class = format!("{}.class", main.replace('.', "/"));
    if jar.find(&class).is_some() || attribute(&text, "Class-Path").is_some() {
        return Ok(());
    }
    Err(format!("does not contain its main class `{main:.200}`"))
}

/// Returns an attribute of the manifest's main section. A line continues in the next
/// one if that begins with a blank.
fn attribute(manifest: &str, name: &str) -> Option<String> {
    let whole = manifest.replace("\r\n", "\n").replace("\n ", "");
    let main = whole.split("\n\n").next().unwrap_or_default();
    main.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        let value = value.trim();
        (key.eq_ignore_ascii_case(name) && !value.is_empty()).then(|| value.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn checked(entries: &[(&str, &str)]) -> Result<(), String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut jar = zip::ZipWriter::new(file.reopen().unwrap());
        for (name, text) in entries {
            jar.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            jar.write_all(text.as_bytes()).unwrap();
        }
        jar.finish().unwrap();
        check_jar(file.path())
    }

    #[test]
    fn a_jar_with_its_main_class_is_in_order() {
        let manifest =
            "Manifest-Version: 1.0\r\nmain-class: za.co.very.long.na\r\n me.Main\r\n\r\n";
        let entries = [(MANIFEST, manifest), ("za/co/very/long/name/Main.class", "")];
        assert_eq!(checked(&entries), Ok(()));
        let elsewhere = "Main-Class: Main\nClass-Path: lib/bot.jar\n";
        assert_eq!(checked(&[(MANIFEST, elsewhere)]), Ok(()));
    }

    #[test]
    fn a_jar_without_its_main_class_is_refused_with_its_name() {
        let missing = checked(&[(MANIFEST, "Main-Class: a.Main\n"), ("Main.class", "")]);
        assert_eq!(missing.unwrap_err(), "does not contain its main class `a.Main`");
        let other_section = "Manifest-Version: 1.0\n\nName: x\nMain-Class: Main\n";
        for manifest in ["", other_section] {
            let reason = checked(&[(MANIFEST, manifest), ("Main.class", "")]).unwrap_err();
            assert!(reason.starts_with("has no `Main-Class`"), "{reason}");
        }
        assert!(checked(&[("Main.class", "")]).unwrap_err().starts_with("has no `Main-Class`"));
    }

    #[test]
    fn what_is_no_jar_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "PK").unwrap();
        assert!(check_jar(file.path()).unwrap_err().starts_with("is no jar that can be read"));
    }
}
