//! Unpacker of one archive: names are checked before use, links are made after every file, and
//! entries, bytes and growth are counted meanwhile.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use joust_config::open_plain;

use super::archive_error::{
    ArchiveError, DEEPEST, FREE_GROWTH, LONGEST_NAME, MOST_BYTES, MOST_ENTRIES, MOST_GROWTH,
};
use super::framing::FramingBudget;
use super::zip_file::ZipFile;
use crate::name::{fold, is_unseen};
use crate::side_files::is_system_file;

/// A path that an entry has, or leads through.
struct UsedPath {
    path: String,
    is_folder: bool,
}

pub(super) struct Unpacker {
    pub(super) root: PathBuf,
    packed: u64,
    bytes: u64,
    entries: usize,
    /// Every path made so far by its folded form, [`MOST_ENTRIES`] at most.
    taken: BTreeMap<String, UsedPath>,
    /// Links to make, when every file is there.
    links: Vec<(String, String)>,
    framing: FramingBudget,
}

impl Unpacker {
    pub(super) fn new(root: PathBuf, packed: u64) -> io::Result<Self> {
        fs::create_dir(&root)?;
        let (taken, links, framing) = (BTreeMap::new(), Vec::new(), FramingBudget::new());
        Ok(Self { root, packed, bytes: 0, entries: 0, taken, links, framing })
    }

    pub(super) fn zip(&mut self, path: &Path) -> Result<(), ArchiveError> {
        let archive = ZipFile::at(path)?;
        for entry in archive.entries() {
            let Some(name) = self.admit(entry.name.clone(), entry.is_folder)? else { continue };
            match entry.mode & 0o170_000 {
                _ if entry.is_folder => self.make_folder(&name)?,
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
            if kind.is_dir() {
                self.make_folder(&name)?;
            } else if kind.is_symlink() {
                let target = entry.link_name_bytes().unwrap_or_default().into_owned();
                self.note_link(name, &mut target.as_slice())?;
            } else if kind.is_file() || kind.is_contiguous() {
                let mut content = self.framing.content(&mut entry);
                self.make_file(&name, mode, &mut content)?;
            } else {
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
        for length in 1..=parts.len() {
            let path = parts[..length].join("/");
            let is_folder = is_folder || length < parts.len();
            match self.taken.get(&fold(&path)) {
                // Folders that are only led through count as entries.
                None if self.taken.len() == MOST_ENTRIES => return Err(ArchiveError::Entries),
                None => _ = self.taken.insert(fold(&path), UsedPath { path, is_folder }),
                Some(taken) if taken.path != path => {
                    return Err(ArchiveError::Collision(taken.path.clone(), path));
                }
                Some(taken) if taken.is_folder && is_folder => {}
                Some(_) => return Err(ArchiveError::Twice(path)),
            }
        }
        Ok(())
    }

    fn make_folder(&mut self, name: &str) -> Result<(), ArchiveError> {
        Ok(fs::create_dir_all(self.root.join(name))?)
    }

    fn note_link(&mut self, name: String, target: &mut dyn Read) -> Result<(), ArchiveError> {
        let mut text = String::new();
        let read = target.take(LONGEST_NAME as u64).read_to_string(&mut text);
        read.map_err(|_| ArchiveError::Leaves(name.clone()))?;
        self.links.push((name, text));
        Ok(())
    }

    fn make_file(
        &mut self,
        name: &str,
        mode: u32,
        from: &mut dyn Read,
    ) -> Result<(), ArchiveError> {
        let path = self.root.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mode = if mode & 0o111 == 0 { 0o644 } else { 0o755 };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
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
    pub(super) fn make_links(&self) -> Result<(), ArchiveError> {
        for (name, target) in &self.links {
            let path = self.root.join(name);
            let above = path.ancestors().skip(1).take_while(|above| *above != self.root);
            if above.into_iter().any(Path::is_symlink) {
                return Err(ArchiveError::Leaves(name.clone()));
            }
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            std::os::unix::fs::symlink(target, &path)?;
        }
        Ok(())
    }
}
