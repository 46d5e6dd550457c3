//! Archives of bots (`.zip`, `.tar.gz`), unpacked beneath a folder of their own.
//!
//! Nothing is ever written outside that folder, however the archive was made:
//! names are checked before use, links are made after every file, and caps on
//! entries, bytes and growth are watched while unpacking. Archives within are
//! left as they are. Set-user-id bits are dropped; devices are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::name::{fold, is_unseen};
use super::problem::Problem;
use super::source::{SourceTree, hash_file};

/// How many entries an archive may have.
const MOST_ENTRIES: usize = 10_000;
/// How many bytes an archive may hold, unpacked.
const MOST_BYTES: u64 = 256 << 20;
/// How many bytes an archive itself may have.
const MOST_PACKED: u64 = 128 << 20;
/// How many times its size an archive may grow, once above [`FREE_GROWTH`].
const MOST_GROWTH: u64 = 100;
/// Growth below this is nobody's concern.
const FREE_GROWTH: u64 = 8 << 20;
/// How many folders deep an entry may lie.
const DEEPEST: usize = 32;
/// How many bytes an entry's name may have.
const LONGEST_NAME: usize = 1024;

/// Why an archive is refused.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("the archive is damaged: {0}")]
    Damaged(String),
    #[error("the archive has more than {MOST_ENTRIES} entries")]
    Entries,
    #[error("the archive holds more than {} MiB", MOST_BYTES >> 20)]
    Bytes,
    #[error("the archive grows to more than {MOST_GROWTH} times its size")]
    Growth,
    #[error("the archive is larger than {} MiB", MOST_PACKED >> 20)]
    Packed,
    #[error("the archive's entry `{0}` leaves the folder")]
    Leaves(String),
    #[error("the archive's entry `{0}` is a device, a pipe or a hard link")]
    Special(String),
    #[error("the archive's entries `{0}` and `{1}` are the same when case is ignored")]
    Collision(String, String),
    /// As files, or as a file and a folder.
    #[error("the archive has two entries `{0}`")]
    Twice(String),
    #[error("the archive holds {0}")]
    Source(String),
    #[error("cannot unpack: {0}")]
    Io(#[from] io::Error),
}

/// What the names of folders begin with in which an archive is being unpacked.
pub(super) const UNPACKING: &str = ".unpack-";

/// What archives' names end with.
const ENDS: [&str; 3] = [".zip", ".tar.gz", ".tgz"];

/// Says whether `path` is called like an archive.
#[must_use]
pub fn is_archive(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    name.is_some_and(|name| ENDS.iter().any(|end| name.ends_with(end)))
}

/// Returns the archive's name without what says that it is one.
pub(super) fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let end = ENDS.iter().find(|end| name.to_lowercase().ends_with(*end))?;
    name.get(..name.len() - end.len())
}

/// Unpacks the archive at `path` into a folder beneath `cache` named by the
/// archive's kind and hash, unless that is there already as it was unpacked, and
/// returns where the bot lies: that folder, or the only folder in it.
///
/// # Errors
///
/// When the archive is refused or cannot be read; nothing is left then.
pub fn unpack(path: &Path, cache: &Path) -> Result<PathBuf, Problem> {
    let refused = |refusal: Refusal| Problem::new(path, refusal.to_string());
    let hash = fs::metadata(path)
        .map_err(Refusal::Io)
        .and_then(|data| if data.len() > MOST_PACKED { Err(Refusal::Packed) } else { Ok(()) })
        .and_then(|()| Ok(hash_file(path)?))
        .map_err(refused)?;
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let kind = if is_zip(path) { "zip" } else { "tar" };
    let target = cache.join(format!("{kind}-{hash}"));
    if !is_as_unpacked(&target) {
        unpack_once(path, cache, &target).map_err(refused)?;
    }
    Ok(only_folder(&target).unwrap_or(target))
}

fn is_zip(path: &Path) -> bool {
    path.to_string_lossy().to_lowercase().ends_with(".zip")
}

/// The file beside an unpacked archive with the hash of all that was in it.
fn seal(target: &Path) -> PathBuf {
    target.with_extension("hash")
}

/// Says whether an archive is unpacked at `target` and nothing was changed since.
fn is_as_unpacked(target: &Path) -> bool {
    let sealed = target.is_dir().then(|| fs::read_to_string(seal(target)).ok()).flatten();
    let found = || SourceTree::read_all(target).ok().map(|tree| tree.hash().to_string());
    sealed.is_some_and(|sealed| found().as_ref() == Some(&sealed))
}

fn unpack_once(path: &Path, cache: &Path, target: &Path) -> Result<(), Refusal> {
    fs::create_dir_all(cache)?;
    let fresh = tempfile::Builder::new().prefix(UNPACKING).tempdir_in(cache)?;
    let packed = fs::metadata(path)?.len();
    let mut unpacker = Unpacker::new(fresh.path().join("tree"), packed)?;
    if is_zip(path) { unpacker.zip(path) } else { unpacker.tar_gz(path) }?;
    unpacker.make_links()?;
    let source = |problem: Problem| Refusal::Source(problem.message);
    SourceTree::read(&unpacker.root, &[]).map_err(source)?;
    let whole = SourceTree::read_all(&unpacker.root).map_err(source)?.hash().to_string();
    fs::write(fresh.path().join("hash"), &whole)?;
    // What was changed, or is from somebody who was stopped half-way, makes room.
    if target.symlink_metadata().is_ok() {
        fs::rename(target, fresh.path().join("old"))?;
    }
    fs::rename(fresh.path().join("hash"), seal(target))?;
    match fs::rename(fresh.path().join("tree"), target) {
        Err(_) if is_as_unpacked(target) => Ok(()),
        other => Ok(other?),
    }
}

fn only_folder(folder: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let (first, second) = (entries.next()?, entries.next());
    let path = first.path();
    (second.is_none() && path.is_dir() && !path.is_symlink()).then_some(path)
}

/// A path that an entry has, or leads through.
struct Taken {
    path: String,
    is_folder: bool,
}

struct Unpacker {
    root: PathBuf,
    packed: u64,
    bytes: u64,
    entries: usize,
    /// Every path made so far by its folded form.
    taken: BTreeMap<String, Taken>,
    /// Links to make, when every file is there.
    links: Vec<(String, String)>,
}

impl Unpacker {
    fn new(root: PathBuf, packed: u64) -> io::Result<Self> {
        fs::create_dir(&root)?;
        Ok(Self { root, packed, bytes: 0, entries: 0, taken: BTreeMap::new(), links: Vec::new() })
    }

    fn zip(&mut self, path: &Path) -> Result<(), Refusal> {
        let mut file = File::open(path)?;
        refuse_endless_directory(&mut file)?;
        let damaged = |error: zip::result::ZipError| Refusal::Damaged(error.to_string());
        let listed = file.try_clone()?;
        let mut archive = zip::ZipArchive::new(io::BufReader::new(file)).map_err(damaged)?;
        refuse_repetition(listed, archive.central_directory_start(), archive.len())?;
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).map_err(damaged)?;
            let name = self.admit(entry.name_raw().to_vec(), entry.is_dir())?;
            let mode = entry.unix_mode().unwrap_or(0o644);
            match mode & 0o170_000 {
                _ if entry.is_dir() => self.make_folder(&name)?,
                0o120_000 => self.note_link(name, &mut entry)?,
                0 | 0o100_000 => self.make_file(&name, mode, &mut entry)?,
                _ => return Err(Refusal::Special(name)),
            }
        }
        Ok(())
    }

    fn tar_gz(&mut self, path: &Path) -> Result<(), Refusal> {
        let damaged = |error: io::Error| Refusal::Damaged(error.to_string());
        let stream = flate2::read::MultiGzDecoder::new(io::BufReader::new(File::open(path)?));
        // Long names are read whole by the reader of the format: the stream ends at the cap.
        let mut archive = tar::Archive::new(stream.take(MOST_BYTES + (32 << 20)));
        for entry in archive.entries().map_err(damaged)? {
            let mut entry = entry.map_err(damaged)?;
            let kind = entry.header().entry_type();
            if kind.is_pax_global_extensions() {
                self.count_entry()?;
                continue;
            }
            let name = self.admit(entry.path_bytes().into_owned(), kind.is_dir())?;
            let mode = entry.header().mode().unwrap_or(0o644);
            if kind.is_dir() {
                self.make_folder(&name)?;
            } else if kind.is_symlink() {
                let target = entry.link_name_bytes().unwrap_or_default().into_owned();
                self.note_link(name, &mut target.as_slice())?;
            } else if kind.is_file() || kind.is_gnu_sparse() || kind.is_contiguous() {
                self.make_file(&name, mode, &mut entry)?;
            } else {
                return Err(Refusal::Special(name));
            }
        }
        Ok(())
    }

    fn count_entry(&mut self) -> Result<(), Refusal> {
        self.entries += 1;
        if self.entries > MOST_ENTRIES { Err(Refusal::Entries) } else { Ok(()) }
    }

    /// Counts an entry and returns its name in our own spelling.
    fn admit(&mut self, name: Vec<u8>, is_folder: bool) -> Result<String, Refusal> {
        self.count_entry()?;
        let shown = String::from_utf8_lossy(&name[..name.len().min(80)]).into_owned();
        let leaves = || Refusal::Leaves(shown.clone());
        let name = String::from_utf8(name).map_err(|_| leaves())?.replace('\\', "/");
        let parts: Vec<&str> =
            name.trim_end_matches('/').split('/').filter(|part| *part != ".").collect();
        let odd = |part: &&str| part.is_empty() || *part == ".." || part.chars().any(is_unseen);
        let drive = parts.first().is_some_and(|first| first.contains(':'));
        if name.len() > LONGEST_NAME || parts.len() > DEEPEST || drive || parts.iter().any(odd) {
            return Err(leaves());
        }
        self.refuse_collisions(&parts, is_folder)?;
        Ok(parts.join("/"))
    }

    /// A name is an entry's own: only folders may be named again, or be led through.
    fn refuse_collisions(&mut self, parts: &[&str], is_folder: bool) -> Result<(), Refusal> {
        for length in 1..=parts.len() {
            let path = parts[..length].join("/");
            let is_folder = is_folder || length < parts.len();
            match self.taken.get(&fold(&path)) {
                None => _ = self.taken.insert(fold(&path), Taken { path, is_folder }),
                Some(taken) if taken.path != path => {
                    return Err(Refusal::Collision(taken.path.clone(), path));
                }
                Some(taken) if taken.is_folder && is_folder => {}
                Some(_) => return Err(Refusal::Twice(path)),
            }
        }
        Ok(())
    }

    fn make_folder(&mut self, name: &str) -> Result<(), Refusal> {
        Ok(fs::create_dir_all(self.root.join(name))?)
    }

    fn note_link(&mut self, name: String, target: &mut dyn Read) -> Result<(), Refusal> {
        let mut text = String::new();
        let read = target.take(LONGEST_NAME as u64).read_to_string(&mut text);
        read.map_err(|_| Refusal::Leaves(name.clone()))?;
        self.links.push((name, text));
        Ok(())
    }

    fn make_file(&mut self, name: &str, mode: u32, from: &mut dyn Read) -> Result<(), Refusal> {
        let path = self.root.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mode = if mode & 0o111 == 0 { 0o644 } else { 0o755 };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path)?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            let read =
                from.read(&mut buffer).map_err(|error| Refusal::Damaged(error.to_string()))?;
            if read == 0 {
                return Ok(());
            }
            self.count(read as u64)?;
            file.write_all(&buffer[..read])?;
        }
    }

    fn count(&mut self, bytes: u64) -> Result<(), Refusal> {
        self.bytes += bytes;
        if self.bytes > MOST_BYTES {
            return Err(Refusal::Bytes);
        }
        let grown = self.bytes > FREE_GROWTH && self.bytes > self.packed * MOST_GROWTH;
        if grown { Err(Refusal::Growth) } else { Ok(()) }
    }

    /// Makes the links; where they lead is checked when the tree is read.
    fn make_links(&self) -> Result<(), Refusal> {
        for (name, target) in &self.links {
            let path = self.root.join(name);
            let above = path.ancestors().skip(1).take_while(|above| *above != self.root);
            if above.into_iter().any(Path::is_symlink) {
                return Err(Refusal::Leaves(name.clone()));
            }
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            std::os::unix::fs::symlink(target, &path)?;
        }
        Ok(())
    }
}

/// Reads the number of entries from the end of a zip file: the reader of the
/// format would hold a million of them in memory before we could count.
fn refuse_endless_directory(file: &mut File) -> Result<(), Refusal> {
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
fn refuse_repetition(file: File, start: u64, known: usize) -> Result<(), Refusal> {
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    type Entry<'a> = (&'a str, u32, &'a [u8]);

    fn zip_of(entries: &[Entry<'_>]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        for (name, mode, bytes) in entries {
            let options = zip::write::SimpleFileOptions::default().unix_permissions(*mode);
            if mode & 0o170_000 == 0o120_000 {
                let target = std::str::from_utf8(bytes).unwrap();
                writer.add_symlink(*name, target, options).unwrap();
            } else {
                writer.start_file(*name, options).unwrap();
                writer.write_all(bytes).unwrap();
            }
        }
        writer.finish().unwrap().into_inner()
    }

    fn tar_of(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (name, kind, content) in entries {
            let mut header = tar::Header::new_gnu();
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_mode(0o6755);
            let link = kind.is_symlink() || kind.is_hard_link();
            if link {
                header.as_old_mut().linkname[..content.len()].copy_from_slice(content);
            }
            header.set_size(if link { 0 } else { content.len() as u64 });
            header.set_cksum();
            bytes.extend_from_slice(header.as_bytes());
            if !link {
                bytes.extend_from_slice(content);
                bytes.resize(bytes.len().next_multiple_of(512), 0);
            }
        }
        bytes.resize(bytes.len() + 1024, 0);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&bytes).unwrap();
        packed.finish().unwrap()
    }

    struct Unpacked {
        home: tempfile::TempDir,
        result: Result<PathBuf, String>,
    }

    fn unpacked(name: &str, bytes: &[u8]) -> Unpacked {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(name);
        fs::write(&path, bytes).unwrap();
        let result = unpack(&path, &home.path().join("deep/cache"));
        Unpacked { home, result: result.map_err(|problem| problem.message) }
    }

    fn refused(name: &str, bytes: &[u8]) -> String {
        let unpacked = unpacked(name, bytes);
        let message = unpacked.result.unwrap_err();
        let above = fs::read_dir(unpacked.home.path()).unwrap().count();
        assert!(above <= 2, "something was written outside");
        message
    }

    #[test]
    fn both_formats_unpack_to_the_same_source() {
        let zip =
            unpacked("a.zip", &zip_of(&[("bot.yaml", 0o644, b"name: a"), ("x/y", 0o755, b"1")]));
        let file = tar::EntryType::Regular;
        let tar =
            unpacked("a.tar.gz", &tar_of(&[("bot.yaml", file, b"name: a"), ("x/y", file, b"1")]));
        let read =
            |unpacked: &Unpacked| fs::read(unpacked.result.as_ref().unwrap().join("x/y")).unwrap();
        assert_eq!(read(&zip), read(&tar));
    }

    #[test]
    fn the_only_folder_within_is_the_bot() {
        let unpacked = unpacked("a.zip", &zip_of(&[("my-bot/bot.yaml", 0o644, b"name: a")]));
        assert!(unpacked.result.as_ref().unwrap().ends_with("my-bot"));
    }

    #[test]
    fn entries_that_leave_the_folder_are_refused() {
        let file = tar::EntryType::Regular;
        for name in ["../x", "/x", "a/../../x", "C:/x", "a//x", "..\\x", "a\nb"] {
            let message = refused("a.tar.gz", &tar_of(&[(name, file, b"1")]));
            assert!(message.contains("leaves the folder"), "{name}: {message}");
        }
        let message = refused("a.zip", &zip_of(&[("../x", 0o644, b"1")]));
        assert!(message.contains("leaves the folder"), "{message}");
    }

    #[test]
    fn a_file_through_a_link_lands_nowhere() {
        let (link, file) = (tar::EntryType::Symlink, tar::EntryType::Regular);
        let message =
            refused("a.tar.gz", &tar_of(&[("out", link, b"/tmp"), ("out/x", file, b"1")]));
        assert_eq!(message, "the archive has two entries `out`");
        let message = refused("b.tar.gz", &tar_of(&[("out", link, b"../..")]));
        assert!(message.contains("does not stay inside"), "{message}");
        let message = refused("c.zip", &zip_of(&[("out", 0o120_777, b"/etc/passwd")]));
        assert!(message.contains("does not stay inside"), "{message}");
    }

    #[test]
    fn hard_links_devices_and_pipes_are_refused() {
        for kind in [
            tar::EntryType::Link,
            tar::EntryType::Char,
            tar::EntryType::Block,
            tar::EntryType::Fifo,
        ] {
            let message = refused("a.tar.gz", &tar_of(&[("x", kind, b"")]));
            assert!(message.contains("a device, a pipe or a hard link"), "{message}");
        }
    }

    #[test]
    fn names_equal_but_for_case_are_refused() {
        let message = refused("a.zip", &zip_of(&[("A/x", 0o644, b"1"), ("a/y", 0o644, b"2")]));
        assert!(message.contains("same when case is ignored"), "{message}");
    }

    #[test]
    fn two_entries_of_one_name_are_refused() {
        let file = tar::EntryType::Regular;
        for (second, kind) in [
            ("a/x", file),
            ("./a/x", file),
            ("a/x/", tar::EntryType::Directory),
            ("a/x/y", file),
            ("a/x", tar::EntryType::Symlink),
            ("a", file),
        ] {
            let message = refused("a.tar.gz", &tar_of(&[("a/x", file, b"1"), (second, kind, b"")]));
            assert!(message.starts_with("the archive has two entries `a"), "{second}: {message}");
        }
        let message = refused("a.tar.gz", &tar_of(&[("A/x", file, b"1"), ("a/X", file, b"2")]));
        assert!(message.contains("same when case is ignored"), "{message}");
        let folder = tar::EntryType::Directory;
        let twice = tar_of(&[("a/", folder, b""), ("a/", folder, b""), ("a/x", file, b"1")]);
        assert!(unpacked("a.tar.gz", &twice).result.is_ok());
    }

    #[test]
    fn a_zip_that_lists_a_name_twice_is_refused() {
        // The writer refuses to: another name of the same length is written over.
        for (name, shown) in [("bot/main.py", "bot/main.py"), ("bot\\main.py", "bot/main.py")] {
            let entries = [("bot/main.py", 0o644, &b"1"[..]), ("bot/other.p", 0o644, &b"2"[..])];
            let bytes = zip_of(&entries);
            let mut changed = bytes.clone();
            for at in 0..bytes.len() - 11 {
                if &bytes[at..at + 11] == b"bot/other.p" {
                    changed[at..at + 11].copy_from_slice(name.as_bytes());
                }
            }
            let message = refused("a.zip", &changed);
            assert_eq!(message, format!("the archive has two entries `{shown}`"));
        }
    }

    #[test]
    fn what_was_changed_in_the_cache_is_unpacked_again() {
        let home = tempfile::tempdir().unwrap();
        let (path, cache) = (home.path().join("a.zip"), home.path().join("cache"));
        fs::write(&path, zip_of(&[("x", 0o644, b"1"), ("y", 0o644, b"2")])).unwrap();
        let folder = unpack(&path, &cache).unwrap();
        let spoils: [&dyn Fn(); 4] = [
            &|| fs::write(folder.join("x"), "another").unwrap(),
            &|| fs::write(folder.join(".hidden"), "more").unwrap(),
            &|| fs::remove_file(folder.join("y")).unwrap(),
            &|| fs::remove_file(seal(&folder)).unwrap(),
        ];
        for spoil in spoils {
            spoil();
            assert_eq!(unpack(&path, &cache).unwrap(), folder);
            assert_eq!(fs::read_to_string(folder.join("x")).unwrap(), "1");
            assert!(folder.join("y").is_file() && !folder.join(".hidden").exists());
        }
        assert_eq!(fs::read_dir(&cache).unwrap().count(), 2, "nothing else is left");
    }

    #[test]
    fn an_archive_of_another_kind_is_another_archive() {
        let home = tempfile::tempdir().unwrap();
        let (zip, tar) = (home.path().join("a.zip"), home.path().join("a.tar.gz"));
        let bytes = zip_of(&[("x", 0o644, b"1")]);
        fs::write(&zip, &bytes).unwrap();
        fs::write(&tar, &bytes).unwrap();
        unpack(&zip, &home.path().join("cache")).unwrap();
        unpack(&tar, &home.path().join("cache")).unwrap_err();
    }

    #[test]
    fn set_user_id_bits_are_dropped() {
        let unpacked = unpacked("a.tar.gz", &tar_of(&[("x", tar::EntryType::Regular, b"1")]));
        let mode = fs::metadata(unpacked.result.unwrap().join("x")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7000, 0);
    }

    #[test]
    fn a_bomb_is_refused_while_unpacking() {
        let zeros = vec![0; 32 << 20];
        let message = refused("a.zip", &zip_of(&[("x", 0o644, &zeros)]));
        assert!(message.contains("times its size"), "{message}");
        let message = refused("a.tar.gz", &tar_of(&[("x", tar::EntryType::Regular, &zeros)]));
        assert!(message.contains("times its size"), "{message}");
    }

    #[test]
    fn too_many_entries_are_refused() {
        let names: Vec<String> = (0..MOST_ENTRIES + 1).map(|index| format!("f{index}")).collect();
        let entries: Vec<Entry<'_>> =
            names.iter().map(|name| (name.as_str(), 0o644, &b""[..])).collect();
        assert_eq!(refused("a.zip", &zip_of(&entries)), "the archive has more than 10000 entries");
    }

    #[test]
    fn damaged_archives_are_refused() {
        for name in ["a.zip", "a.tar.gz"] {
            let message = refused(name, b"PK\x03\x04 this is no archive at all");
            assert!(message.starts_with("the archive is damaged"), "{message}");
        }
    }
}
