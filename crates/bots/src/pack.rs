//! Packed tree: a source tree as a tar archive compressed with zstd, for a database. Equal trees
//! give equal bytes.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use super::archive::FramingBudget;
use super::source::{DEEPEST, FileKind, SourceTree};
use super::tree_writer::TreeWriter;

/// The largest packed source that is kept, bytes.
pub const MOST_KEPT: usize = 8 << 20;
/// Largest size of an unpacked source, bytes: the same as for a bot.
const MOST_BYTES: u64 = 512 << 20;
/// Largest number of files of an unpacked source, and of folders.
const MOST_FILES: usize = 20_000;
/// Characters of a path that a message shows.
const LONGEST_SHOWN: usize = 200;

/// Packs a tree.
///
/// # Errors
///
/// When a file cannot be read.
pub fn pack(tree: &SourceTree) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(zstd::Encoder::new(Vec::new(), 3)?);
    for file in &tree.files {
        let mut header = tar::Header::new_gnu();
        header.set_mtime(0);
        match &file.kind {
            FileKind::Link(target) => {
                header.set_entry_type(tar::EntryType::Symlink);
                header.set_size(0);
                archive.append_link(&mut header, &file.path, target)?;
            }
            FileKind::Plain { executable, .. } => {
                let bytes = fs::read(tree.root.join(&file.path))?;
                header.set_mode(if *executable { 0o755 } else { 0o644 });
                header.set_size(bytes.len() as u64);
                archive.append_data(&mut header, &file.path, bytes.as_slice())?;
            }
        }
    }
    archive.into_inner()?.finish()
}

/// Unpacks a tree into the existing, empty folder `to`. The database may be
/// untrusted: nothing is written outside of `to`.
///
/// # Errors
///
/// When it is damaged, too large, or a file cannot be written.
pub fn unpack(packed: &[u8], to: &Path) -> io::Result<()> {
    let plain = zstd::Decoder::new(packed)?.take(MOST_BYTES);
    unpack_tar(plain, to)
}

fn unpack_tar(plain: impl Read, to: &Path) -> io::Result<()> {
    let framing = FramingBudget::new();
    let mut archive = tar::Archive::new(framing.around(plain));
    let (mut writer, mut files, mut folders) = (TreeWriter::new(to), 0, BTreeSet::new());
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = inside(&entry.path()?)?;
        files += 1;
        let above = path.ancestors().skip(1).take_while(|above| !above.as_os_str().is_empty());
        folders.extend(above.map(Path::to_owned));
        if files.max(folders.len()) > MOST_FILES {
            return Err(io::Error::other(format!("more than {MOST_FILES} files or folders")));
        }
        match entry.header().entry_type() {
            tar::EntryType::Regular => {
                let mut file = writer.file(&path, entry.header().mode()? & 0o111 != 0)?;
                io::copy(&mut framing.content(&mut entry), &mut file)?;
            }
            tar::EntryType::Symlink => {
                let target = entry.link_name()?.map(|name| name.into_owned());
                writer.link(path, target.unwrap_or_default());
            }
            // Folders come with their files.
            _ => {}
        }
    }
    writer.finish().map_err(|(_, error)| error)
}

/// Returns whether a packed source is the one file `name` and no folder.
///
/// # Errors
///
/// When it is damaged.
pub fn is_one_file(packed: &[u8], name: &str) -> io::Result<bool> {
    Ok(paths(packed, 2)? == [Path::new(name)])
}

/// Returns the path of the file `name` in a packed source that consists of this file and the files
/// that belong to it; `None` for a folder.
///
/// # Errors
///
/// When it is damaged.
pub fn place_of_file(packed: &[u8], name: &str) -> io::Result<Option<PathBuf>> {
    if !name.ends_with(".py") {
        return Ok(is_one_file(packed, name)?.then(|| PathBuf::from(name)));
    }
    let mut paths = paths(packed, MOST_FILES)?;
    paths.retain(|path| path.file_name().is_some_and(|last| last == name));
    Ok(paths.into_iter().min_by_key(|path| path.components().count()))
}

fn paths(packed: &[u8], most: usize) -> io::Result<Vec<PathBuf>> {
    let framing = FramingBudget::new();
    let plain = zstd::Decoder::new(packed)?.take(MOST_BYTES);
    let mut archive = tar::Archive::new(framing.around(plain));
    let mut paths = Vec::new();
    for entry in archive.entries()?.take(most) {
        let mut entry = entry?;
        paths.push(entry.path()?.into_owned());
        io::copy(&mut framing.content(&mut entry), &mut io::sink())?;
    }
    Ok(paths)
}

/// Returns `path` if it stays inside its folder and is no deeper than a source or a build may be.
fn inside(path: &Path) -> io::Result<PathBuf> {
    let is_plain = |part: &Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    let refused = |why: &str| {
        let shown: String = path.to_string_lossy().chars().take(LONGEST_SHOWN).collect();
        Err(io::Error::other(format!("the path `{shown}` {why}")))
    };
    if !path.components().all(|part| is_plain(&part)) {
        return refused("leads out");
    }
    // A build lies in a folder of its parcel.
    if path.components().count() > DEEPEST + 2 {
        return refused("is too deep");
    }
    Ok(path.components().filter(|part| matches!(part, Component::Normal(_))).collect())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn tree() -> (tempfile::TempDir, SourceTree) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("lib")).unwrap();
        fs::write(folder.path().join("lib/a.py"), "1").unwrap();
        fs::write(folder.path().join("run"), "2").unwrap();
        fs::set_permissions(folder.path().join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("lib/a.py", folder.path().join("b.py")).unwrap();
        let tree = SourceTree::read(folder.path(), &[]).unwrap();
        (folder, tree)
    }

    #[test]
    fn an_unpacked_tree_is_the_tree_that_was_packed() {
        let (_folder, tree) = tree();
        let packed = pack(&tree).unwrap();
        assert_eq!(packed, pack(&tree).unwrap());
        let to = tempfile::tempdir().unwrap();
        unpack(&packed, to.path()).unwrap();
        assert_eq!(SourceTree::read(to.path(), &[]).unwrap().hash(), tree.hash());
    }

    #[test]
    fn nothing_is_written_outside() {
        for path in ["../outside", "/tmp/joust-outside"] {
            let mut archive = tar::Builder::new(Vec::new());
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(tar::EntryType::Regular);
            header.set_size(0);
            header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_mode(0o644);
            header.set_cksum();
            archive.append(&header, io::empty()).unwrap();
            let to = tempfile::tempdir().unwrap();
            let inner = to.path().join("inner");
            fs::create_dir(&inner).unwrap();
            unpack_tar(archive.into_inner().unwrap().as_slice(), &inner).unwrap_err();
            assert!(!to.path().join("outside").exists());
        }
    }

    /// Packs entries of a tar archive as they are.
    fn packed(entries: &[(tar::EntryType, &str, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(zstd::Encoder::new(Vec::new(), 3).unwrap());
        for (kind, name, content) in entries {
            let mut header = tar::Header::new_gnu();
            header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_mode(0o644);
            header.set_size(content.len() as u64);
            header.set_cksum();
            archive.append(&header, *content).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn long_names_have_no_room_for_much_and_large_files_do() {
        let (file, long) = (tar::EntryType::Regular, tar::EntryType::GNULongName);
        let much = vec![b'a'; 40 << 20];
        let honest = packed(&[(file, "large", &much), (file, "b", b"1")]);
        let to = tempfile::tempdir().unwrap();
        unpack(&honest, to.path()).unwrap();
        assert_eq!(paths(&honest, MOST_FILES).unwrap().len(), 2);
        let hostile = packed(&[(long, "././@LongLink", &much), (file, "b", b"1")]);
        assert!(hostile.len() < 1 << 20);
        let to = tempfile::tempdir().unwrap();
        for refused in [unpack(&hostile, to.path()), paths(&hostile, MOST_FILES).map(drop)] {
            let told = refused.unwrap_err().to_string();
            assert!(told.contains("more than 32 MiB of it are in no file"), "{told}");
        }
    }

    #[test]
    fn folders_count_as_files_do() {
        let names: Vec<String> =
            (0..450).map(|number| format!("{number}/{}b", "a/".repeat(45))).collect();
        let file = tar::EntryType::Regular;
        let entries: Vec<_> = names.iter().map(|name| (file, name.as_str(), &b"1"[..])).collect();
        let to = tempfile::tempdir().unwrap();
        let refused = unpack(&packed(&entries), to.path()).unwrap_err().to_string();
        assert_eq!(refused, "more than 20000 files or folders");
    }

    #[test]
    fn files_deeper_than_a_source_may_have_are_refused() {
        let (file, long) = (tar::EntryType::Regular, tar::EntryType::GNULongName);
        let deep = "a/".repeat(2000) + "b";
        let to = tempfile::tempdir().unwrap();
        let hostile = packed(&[(long, "././@LongLink", deep.as_bytes()), (file, "b", b"1")]);
        let told = unpack(&hostile, to.path()).unwrap_err().to_string();
        assert!(told.ends_with("` is too deep") && told.len() < 400, "{told}");
        assert_eq!(to.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_link_out_of_the_tree_is_no_way_out() {
        let mut archive = tar::Builder::new(Vec::new());
        let outside = tempfile::tempdir().unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        archive.append_link(&mut header, "out", outside.path()).unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_size(1);
        header.set_mode(0o644);
        archive.append_data(&mut header, "out/x", &b"1"[..]).unwrap();
        let to = tempfile::tempdir().unwrap();
        unpack_tar(archive.into_inner().unwrap().as_slice(), to.path()).unwrap_err();
        assert!(!outside.path().join("x").exists());
    }

    #[test]
    fn no_link_is_made_behind_a_link() {
        let outside = tempfile::tempdir().unwrap();
        let mut archive = tar::Builder::new(Vec::new());
        for (path, target) in [("out", outside.path()), ("out/x", Path::new("/etc/passwd"))] {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(tar::EntryType::Symlink);
            header.set_size(0);
            archive.append_link(&mut header, path, target).unwrap();
        }
        let to = tempfile::tempdir().unwrap();
        unpack_tar(archive.into_inner().unwrap().as_slice(), to.path()).unwrap_err();
        assert!(outside.path().read_dir().unwrap().next().is_none());
    }
}
