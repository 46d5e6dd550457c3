//! Unpacker of one archive: names are checked before use, links are made after every file, and
//! entries, bytes and growth are counted meanwhile.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;

use joust_config::open_plain;

use super::limits::FramingBudget;
use super::limits::{
    ArchiveError, DEEPEST, FREE_GROWTH, LONGEST_NAME, MOST_BYTES, MOST_ENTRIES, MOST_GROWTH,
};
use super::zip_file::ZipFile;
use crate::name::{fold, is_unseen};
use crate::side_files::is_system_file;
use crate::tree_writer::TreeWriter;

/// Name in a folder that an entry has, or leads through.
struct UsedName {
    name: String,
    /// Number of the entry or folder, by which names in it refer to it.
    number: usize,
    is_folder: bool,
}

pub(super) struct Unpacker {
    writer: TreeWriter,
    packed: u64,
    bytes: u64,
    entries: usize,
    /// Every name so far by the number of its folder, 0 for the outermost, and its folded form;
    /// [`MOST_ENTRIES`] at most.
    taken: BTreeMap<(usize, String), UsedName>,
    /// Folded forms of all these names.
    folded: BTreeMap<String, String>,
    framing: FramingBudget,
}

impl Unpacker {
    /// Begins with the existing, empty folder `root`.
    pub(super) fn new(root: &Path, packed: u64) -> Self {
        Self {
            writer: TreeWriter::new(root),
            packed,
            bytes: 0,
            entries: 0,
            taken: BTreeMap::new(),
            folded: BTreeMap::new(),
            framing: FramingBudget::new(),
        }
    }

    pub(super) fn zip(&mut self, path: &Path) -> Result<(), ArchiveError> {
        let archive = ZipFile::at(path)?;
        let mut admitted = Vec::new();
        for entry in &archive.entries {
            let name = self.admit(entry.name.clone(), entry.is_folder)?;
            admitted.extend(name.map(|name| (entry, name)));
        }
        for (entry, name) in admitted {
            match entry.mode & 0o170_000 {
                // A folder is made for the files in it; no source has an empty one.
                _ if entry.is_folder => {}
                0o120_000 => self.note_link(name, &mut archive.read(entry)?)?,
                0 | 0o100_000 => self.make_file(&name, entry.mode, &mut archive.read(entry)?)?,
                _ => return Err(ArchiveError::Special(name)),
            }
        }
        Ok(())
    }

    pub(super) fn tar_gz(&mut self, path: &Path) -> Result<(), ArchiveError> {
        let damaged = |error: io::Error| ArchiveError::Damaged(error.to_string());
        let file = open_plain(path).map_err(io::Error::from)?;
        let stream = flate2::read::MultiGzDecoder::new(io::BufReader::new(file));
        let mut archive = tar::Archive::new(self.framing.around(stream));
        for entry in archive.entries().map_err(damaged)? {
            let mut entry = entry.map_err(damaged)?;
            let kind = entry.header().entry_type();
            if kind.is_pax_global_extensions() {
                self.count_entry()?;
                continue;
            }
            let name = self.admit(entry.path_bytes().into_owned(), kind.is_dir())?;
            let Some(name) = name else { continue };
            let mode = entry.header().mode().unwrap_or(0o644);
            let mut pax = entry.pax_extensions().map_err(damaged)?.into_iter().flatten().flatten();
            let is_sparse = pax.any(|one| one.key_bytes().starts_with(b"GNU.sparse."));
            if kind.is_symlink() {
                let target = entry.link_name_bytes().unwrap_or_default().into_owned();
                self.note_link(name, &mut target.as_slice())?;
            } else if (kind.is_file() || kind.is_contiguous()) && !is_sparse {
                let mut content = self.framing.content(&mut entry);
                self.make_file(&name, mode, &mut content)?;
            } else if !kind.is_dir() {
                return Err(ArchiveError::Special(name));
            }
        }
        // The bytes after the last entry show whether the archive is complete.
        io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(damaged)?;
        Ok(())
    }

    fn count_entry(&mut self) -> Result<(), ArchiveError> {
        self.entries += 1;
        if self.entries > MOST_ENTRIES { Err(ArchiveError::Entries) } else { Ok(()) }
    }

    /// Counts an entry and returns its normalised name; `None` for a file that an archiver or a
    /// file manager added.
    fn admit(&mut self, name: Vec<u8>, is_folder: bool) -> Result<Option<String>, ArchiveError> {
        self.count_entry()?;
        let shown = String::from_utf8_lossy(&name[..name.len().min(80)]).into_owned();
        let leaves = || ArchiveError::Leaves(shown.clone());
        let unseen = || ArchiveError::Unseen(shown.clone());
        // First, as everything below costs a multiple of the name's length.
        if name.len() > LONGEST_NAME {
            return Err(ArchiveError::Long(shown));
        }
        let name = String::from_utf8(name).map_err(|_| unseen())?.replace('\\', "/");
        let parts: Vec<&str> =
            name.trim_end_matches('/').split('/').filter(|part| *part != ".").collect();
        let drive = parts.first().is_some_and(|first| first.contains(':'));
        match () {
            () if drive || parts.iter().any(|part| part.is_empty() || *part == "..") => {
                return Err(leaves());
            }
            () if parts.len() > DEEPEST => return Err(ArchiveError::Deep(shown)),
            () if name.chars().any(is_unseen) => return Err(unseen()),
            () => {}
        }
        if parts.iter().any(|part| is_system_file(part)) {
            return Ok(None);
        }
        self.refuse_collisions(&parts, is_folder)?;
        Ok(Some(parts.join("/")))
    }

    /// A name is an entry's own: only folders may be named again, or be led through.
    fn refuse_collisions(&mut self, parts: &[&str], is_folder: bool) -> Result<(), ArchiveError> {
        let path = |length: usize, last: &str| [&parts[..length], &[last]].concat().join("/");
        let mut above = 0;
        for (length, part) in parts.iter().enumerate() {
            let is_folder = is_folder || length + 1 < parts.len();
            // Folding takes long, and a name may lie above every entry.
            let folded = self.folded.entry((*part).to_owned()).or_insert_with(|| fold(part));
            let (place, number) = ((above, folded.clone()), self.taken.len() + 1);
            above = match self.taken.get(&place) {
                // Folders that are only led through count as entries.
                None if number > MOST_ENTRIES => return Err(ArchiveError::Entries),
                None => {
                    let name = (*part).to_owned();
                    self.taken.insert(place, UsedName { name, number, is_folder });
                    number
                }
                Some(taken) if taken.name != *part => {
                    let other = path(length, &taken.name);
                    return Err(ArchiveError::Collision(other, path(length, part)));
                }
                Some(taken) if taken.is_folder && is_folder => taken.number,
                Some(_) => return Err(ArchiveError::Twice(path(length, part))),
            };
        }
        Ok(())
    }

    fn note_link(&mut self, name: String, target: &mut dyn Read) -> Result<(), ArchiveError> {
        let mut text = String::new();
        let read = target.take(LONGEST_NAME as u64).read_to_string(&mut text);
        read.map_err(|_| ArchiveError::Leaves(name.clone()))?;
        self.writer.link(name, text);
        Ok(())
    }

    fn make_file(
        &mut self,
        name: &str,
        mode: u32,
        from: &mut dyn Read,
    ) -> Result<(), ArchiveError> {
        let mut file = self.writer.file(name.as_ref(), mode & 0o111 != 0)?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            let read =
                from.read(&mut buffer).map_err(|error| ArchiveError::Damaged(error.to_string()))?;
            if read == 0 {
                return Ok(());
            }
            self.count(read as u64)?;
            file.write_all(&buffer[..read])?;
        }
    }

    fn count(&mut self, bytes: u64) -> Result<(), ArchiveError> {
        self.bytes += bytes;
        if self.bytes > MOST_BYTES {
            return Err(ArchiveError::Bytes);
        }
        let grown = self.bytes > FREE_GROWTH && self.bytes > self.packed * MOST_GROWTH;
        if grown { Err(ArchiveError::Growth) } else { Ok(()) }
    }

    /// Makes the links; their targets are checked when the tree is read.
    pub(super) fn finish(self) -> Result<(), ArchiveError> {
        self.writer.finish().map_err(|(path, error)| match error.kind() {
            io::ErrorKind::InvalidData => ArchiveError::Leaves(path.display().to_string()),
            _ => ArchiveError::Io(error),
        })
    }
}
