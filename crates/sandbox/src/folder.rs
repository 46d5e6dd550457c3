//! Folders by descriptor: no path is followed through a link, none needs to fit
//! the longest path, and no depth needs more than two descriptors.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use nix::NixPath;
use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, openat, renameat};
use nix::sys::stat::{FchmodatFlags, FileStat, Mode, fchmodat, fstatat, mkdirat};
use nix::unistd::{Gid, Uid, UnlinkatFlags, fchown, unlinkat};

const OWNERS: Mode = Mode::S_IRWXU;

/// Names in a folder, without "." and "..".
pub(crate) fn names(folder: BorrowedFd<'_>) -> Result<Vec<CString>, Errno> {
    let mut open = Dir::openat(folder, ".", folder_flags(), Mode::empty())?;
    let mut names = Vec::new();
    for entry in open.iter() {
        let entry = entry?;
        let name = entry.file_name();
        if !matches!(name.to_bytes(), b"." | b"..") {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

fn folder_flags() -> OFlag {
    OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC
}

/// Opens a folder in a folder.
pub(crate) fn open<N: NixPath + ?Sized>(
    folder: BorrowedFd<'_>,
    name: &N,
) -> Result<OwnedFd, Errno> {
    match openat(folder, name, folder_flags(), Mode::empty()) {
        Err(Errno::EACCES) => {
            // Its owner may have taken the rights away, from us too where we are that owner.
            fchmodat(folder, name, OWNERS, FchmodatFlags::FollowSymlink)?;
            openat(folder, name, folder_flags(), Mode::empty())
        }
        other => other,
    }
}

/// Returns the state of an entry, without following a link; `None` if the entry does not exist.
pub(crate) fn stat(folder: BorrowedFd<'_>, name: &CStr) -> Result<Option<FileStat>, Errno> {
    match fstatat(folder, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::ENOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Returns the kind of file, one of `S_IFREG` and its like.
pub(crate) fn kind(stat: &FileStat) -> libc::mode_t {
    stat.st_mode & libc::S_IFMT
}

/// Makes a folder that belongs to `owner`.
pub(crate) fn make(
    folder: BorrowedFd<'_>,
    name: &CStr,
    owner: Option<u32>,
) -> Result<OwnedFd, Errno> {
    mkdirat(folder, name, Mode::from_bits_truncate(0o755))?;
    let made = open(folder, name)?;
    set_owner(made.as_fd(), owner)?;
    Ok(made)
}

/// Gives a file or folder to the seat's user.
pub(crate) fn set_owner(file: BorrowedFd<'_>, owner: Option<u32>) -> Result<(), Errno> {
    match owner {
        Some(owner) => fchown(file, Some(Uid::from_raw(owner)), Some(Gid::from_raw(owner))),
        None => Ok(()),
    }
}

/// Removes whatever has this name, with all that is in it.
pub(crate) fn remove(folder: BorrowedFd<'_>, name: &CStr) -> Result<(), Errno> {
    match unlinkat(folder, name, UnlinkatFlags::NoRemoveDir) {
        Ok(()) | Err(Errno::ENOENT) => Ok(()),
        Err(Errno::EISDIR | Errno::EPERM) => {
            let inner = open(folder, name)?;
            clear(inner.as_fd())?;
            unlinkat(folder, name, UnlinkatFlags::RemoveDir)
        }
        Err(errno) => Err(errno),
    }
}

/// Empties a folder.
///
/// A folder found inside is not descended into: what it holds is removed or, if
/// it is a folder itself, moved up to `folder`, whose turn then comes later.
pub(crate) fn clear(folder: BorrowedFd<'_>) -> Result<(), Errno> {
    let mut moved = 0;
    loop {
        let names = names(folder)?;
        if names.is_empty() {
            return Ok(());
        }
        for name in names {
            match unlinkat(folder, name.as_c_str(), UnlinkatFlags::NoRemoveDir) {
                Ok(()) | Err(Errno::ENOENT) => {}
                Err(Errno::EISDIR | Errno::EPERM) => flatten(folder, &name, &mut moved)?,
                Err(errno) => return Err(errno),
            }
        }
    }
}

/// Removes a folder, moving the folders in it up to `top`.
fn flatten(top: BorrowedFd<'_>, name: &CStr, moved: &mut u64) -> Result<(), Errno> {
    if unlinkat(top, name, UnlinkatFlags::RemoveDir).is_ok() {
        return Ok(());
    }
    fchmodat(top, name, OWNERS, FchmodatFlags::FollowSymlink)?;
    let folder = open(top, name)?;
    for inner in names(folder.as_fd())? {
        match unlinkat(&folder, inner.as_c_str(), UnlinkatFlags::NoRemoveDir) {
            Ok(()) | Err(Errno::ENOENT) => {}
            Err(Errno::EISDIR | Errno::EPERM) => move_up(top, folder.as_fd(), &inner, moved)?,
            Err(errno) => return Err(errno),
        }
    }
    unlinkat(top, name, UnlinkatFlags::RemoveDir)
}

fn move_up(
    top: BorrowedFd<'_>,
    folder: BorrowedFd<'_>,
    name: &CStr,
    moved: &mut u64,
) -> Result<(), Errno> {
    if unlinkat(folder, name, UnlinkatFlags::RemoveDir).is_ok() {
        return Ok(());
    }
    fchmodat(folder, name, OWNERS, FchmodatFlags::FollowSymlink)?;
    loop {
        *moved += 1;
        let new = CString::new(format!(".moved-{moved}")).expect("a number holds no zero byte");
        match renameat(folder, name, top, new.as_c_str()) {
            Err(Errno::EEXIST | Errno::ENOTEMPTY | Errno::ENOTDIR) => {}
            other => return other,
        }
    }
}

/// Number of folders that may have others beside the one that is read; more is over any limit.
const MOST_OPEN: usize = 256;

/// A folder, and the folders in it that have not been read.
type UnreadFolder = (OwnedFd, Vec<CString>);

/// Bytes and entries beneath a folder; stops counting at `most` entries. What is removed
/// meanwhile is left out.
pub(crate) fn usage(folder: BorrowedFd<'_>, most: u64) -> Result<(u64, u64), Errno> {
    let (mut bytes, mut entries, mut unread) = (0, 0, Vec::<UnreadFolder>::new());
    let mut next = Some(folder.try_clone_to_owned().map_err(|_| Errno::EMFILE)?);
    while let Some(folder) = next {
        let mut inner = Vec::new();
        for name in names(folder.as_fd())? {
            let Some(stat) = stat(folder.as_fd(), &name)? else { continue };
            entries += 1;
            bytes += u64::try_from(stat.st_blocks).unwrap_or(0) * 512;
            if entries > most || unread.len() >= MOST_OPEN {
                return Ok((bytes, most));
            }
            if kind(&stat) == libc::S_IFDIR {
                inner.push(name);
            }
        }
        if !inner.is_empty() {
            unread.push((folder, inner));
        }
        next = open_next(&mut unread)?;
    }
    Ok((bytes, entries))
}

/// Opens the next folder. One that has no other left is closed, so that neither many folders in
/// one another nor many beside one another are open at once.
fn open_next(unread: &mut Vec<UnreadFolder>) -> Result<Option<OwnedFd>, Errno> {
    while let Some((folder, inner)) = unread.last_mut() {
        let opened = inner.pop().map(|name| open(folder.as_fd(), name.as_c_str()));
        if inner.is_empty() {
            unread.pop();
        }
        match opened {
            None | Some(Err(Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP)) => {}
            Some(opened) => return opened.map(Some),
        }
    }
    Ok(None)
}

/// Removes a folder of the host, however its permissions are set.
pub(crate) fn remove_from_host(path: &Path) -> std::io::Result<()> {
    let folder = nix::fcntl::open(path, folder_flags(), Mode::empty())?;
    clear(folder.as_fd())?;
    std::fs::remove_dir(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_tree_deeper_than_any_path_is_removed() {
        let root = tempfile::tempdir().unwrap();
        let top: OwnedFd = fs::File::open(root.path()).unwrap().into();
        let name = CString::new("d".repeat(200)).unwrap();
        let mut folder = top.try_clone().unwrap();
        for _ in 0..60 {
            folder = make(folder.as_fd(), &name, None).unwrap();
        }
        clear(top.as_fd()).unwrap();
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn any_number_of_folders_beside_one_another_is_counted() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..600 {
            let folder = root.path().join(format!("{number}/inner"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("file"), [7; 100]).unwrap();
        }
        let top: OwnedFd = fs::File::open(root.path()).unwrap().into();
        let (bytes, entries) = usage(top.as_fd(), 10_000).unwrap();
        assert_eq!(entries, 3 * 600);
        assert!(bytes >= 600 * 512, "{bytes}");
        assert_eq!(usage(top.as_fd(), 1_000).unwrap().1, 1_000);
    }

    #[test]
    fn folders_deep_in_one_another_are_counted_until_each_has_others_beside_it() {
        let root = tempfile::tempdir().unwrap();
        let top: OwnedFd = fs::File::open(root.path()).unwrap().into();
        let deep = root.path().join("d/".repeat(600));
        fs::create_dir_all(&deep).unwrap();
        assert_eq!(usage(top.as_fd(), 10_000).unwrap().1, 600);
        for folder in deep.ancestors().take(600) {
            fs::create_dir(folder.join("a")).unwrap();
            fs::create_dir(folder.join("z")).unwrap();
        }
        assert_eq!(usage(top.as_fd(), 10_000).unwrap().1, 10_000);
    }

    #[test]
    fn folders_that_come_and_go_hide_nothing() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("file"), [7; 100_000]).unwrap();
        let top: OwnedFd = fs::File::open(root.path()).unwrap().into();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    for name in ["a", "b", "c"] {
                        fs::create_dir(root.path().join(name)).unwrap();
                    }
                    for name in ["a", "b", "c"] {
                        fs::remove_dir(root.path().join(name)).unwrap();
                    }
                }
            });
            let looks: Vec<_> = (0..3_000).map(|_| usage(top.as_fd(), 10_000)).collect();
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
            for used in looks {
                assert!(used.is_ok_and(|(bytes, _)| bytes >= 100_000), "{used:?}");
            }
        });
    }

    #[test]
    fn a_link_is_removed_and_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("kept"), "x").unwrap();
        fs::create_dir(root.path().join("a")).unwrap();
        symlink(outside.path(), root.path().join("a/link")).unwrap();
        remove_from_host(&root.path().join("a")).unwrap();
        assert!(outside.path().join("kept").exists());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn folders_without_rights_and_odd_names_are_removed() {
        let root = tempfile::tempdir().unwrap();
        for name in ["-rf", "a\nb", "\u{1b}[2J", ".moved-1"] {
            let folder = root.path().join(name);
            fs::create_dir_all(folder.join("inner")).unwrap();
            fs::write(folder.join("inner/file"), "x").unwrap();
            fs::set_permissions(folder.join("inner"), fs::Permissions::from_mode(0o0)).unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o0)).unwrap();
        }
        remove_from_host(root.path()).unwrap();
        assert!(!root.path().exists());
    }
}
