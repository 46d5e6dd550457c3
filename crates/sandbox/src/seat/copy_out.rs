//! Export: copies a folder of the scratch out to the host.
//!
//! A stranger's program made the content. So links are never followed, only plain
//! files, folders, and links that stay inside are copied, and sizes are checked
//! before anything is read.

use std::ffi::{CStr, CString, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use nix::fcntl::readlinkat;
use nix::sys::stat::FileStat;

use super::scratch::{MissingFolders, ScratchFolders, open_plain};
use crate::Bytes;
use crate::error::{SandboxError, Step};
use crate::folder;

/// Deepest level of folders: more than any honest build has; bounds the descriptors in use.
const DEEPEST: usize = 64;

/// A folder of the scratch to copy out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its path in the scratch, relative; empty for the scratch itself.
    pub inside: String,
    /// Target on the host. It must not exist, or must be empty; it is made.
    pub to: PathBuf,
    /// Largest sum of the lengths of all files.
    pub max_bytes: Bytes,
    /// Largest number of files, folders and links together.
    pub max_files: u32,
}

/// Counts of what was copied out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Bytes of all files.
    pub bytes: Bytes,
    /// Files, folders and links.
    pub files: u32,
}

/// Reason for refusing a folder's contents. Paths are relative to the folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// There is no such folder.
    #[error("there is no folder of that name")]
    Missing,
    /// All files together are longer than allowed.
    #[error("its files have more than {0} together")]
    TooManyBytes(Bytes),
    /// There are more entries than allowed.
    #[error("it holds more than {0} files, folders and links")]
    TooManyFiles(u32),
    /// Its folders are nested too deeply.
    #[error("`{}` is nested more than {DEEPEST} folders deep", .0.display())]
    TooDeep(PathBuf),
    /// A link that is absolute or leads out of the folder.
    #[error("the link `{}` leads out of the folder", .0.display())]
    LinkLeadsOut(PathBuf),
    /// A device, socket or pipe.
    #[error("`{}` is neither a file nor a folder nor a link", .0.display())]
    NotPlain(PathBuf),
}

/// Failure of a step of ours, or fault of the folder.
enum CopyError {
    Refused(ExportError),
    Failed(io::Error),
}

impl From<io::Error> for CopyError {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<nix::errno::Errno> for CopyError {
    fn from(errno: nix::errno::Errno) -> Self {
        Self::Failed(errno.into())
    }
}

pub(super) fn copy(
    export: &Export,
    scratch: &ScratchFolders,
) -> Result<Result<Exported, ExportError>, SandboxError> {
    let step = format!("copy `{}` out to `{}`", export.inside, export.to.display());
    let Some(source) = scratch.open_folder(&export.inside, MissingFolders::Left)? else {
        return Ok(Err(ExportError::Missing));
    };
    make_empty(&export.to).step(&step)?;
    let mut exporter = Exporter { export, done: Exported::default() };
    match exporter.folder(source.as_fd(), &export.to, Path::new("")) {
        Ok(()) => Ok(Ok(exporter.done)),
        Err(CopyError::Refused(refused)) => Ok(Err(refused)),
        Err(CopyError::Failed(error)) => Err(SandboxError::io(step, &error)),
    }
}

fn make_empty(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            match fs::read_dir(folder)?.next() {
                None => Ok(()),
                Some(_) => Err(io::Error::from_raw_os_error(libc::ENOTEMPTY)),
            }
        }
        other => other,
    }?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

struct Exporter<'a> {
    export: &'a Export,
    done: Exported,
}

impl Exporter<'_> {
    fn folder(&mut self, from: BorrowedFd<'_>, to: &Path, inside: &Path) -> Result<(), CopyError> {
        if inside.components().count() > DEEPEST {
            return Err(CopyError::Refused(ExportError::TooDeep(inside.to_owned())));
        }
        for name in folder::names(from)? {
            self.entry(from, &name, to, inside)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        from: BorrowedFd<'_>,
        name: &CString,
        to: &Path,
        inside: &Path,
    ) -> Result<(), CopyError> {
        self.count_entry()?;
        let plain = OsString::from_vec(name.as_bytes().to_vec());
        let (to, inside) = (to.join(&plain), inside.join(&plain));
        let Some(stat) = folder::stat(from, name)? else { return Ok(()) };
        match folder::kind(&stat) {
            libc::S_IFDIR => {
                fs::create_dir(&to)?;
                fs::set_permissions(&to, fs::Permissions::from_mode(0o755))?;
                let inner = folder::open(from, name.as_c_str())?;
                self.folder(inner.as_fd(), &to, &inside)
            }
            libc::S_IFREG => self.file(from, name, &stat, &to),
            libc::S_IFLNK => copy_link(from, name, &to, &inside),
            _ => Err(CopyError::Refused(ExportError::NotPlain(inside))),
        }
    }

    fn count_entry(&mut self) -> Result<(), CopyError> {
        self.done.files += 1;
        if self.done.files > self.export.max_files {
            return Err(CopyError::Refused(ExportError::TooManyFiles(self.export.max_files)));
        }
        Ok(())
    }

    fn file(
        &mut self,
        from: BorrowedFd<'_>,
        name: &CStr,
        stat: &FileStat,
        to: &Path,
    ) -> Result<(), CopyError> {
        let length = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
        self.done.bytes.0 = self.done.bytes.0.saturating_add(length);
        if self.done.bytes > self.export.max_bytes {
            return Err(CopyError::Refused(ExportError::TooManyBytes(self.export.max_bytes)));
        }
        let source = File::from(open_plain(from, name)?);
        let mut target = File::create_new(to)?;
        io::copy(&mut source.take(length), &mut target)?;
        // Readable by all and nothing else: a set-user-id bit is not copied.
        let mode = if stat.st_mode & 0o111 == 0 { 0o644 } else { 0o755 };
        Ok(target.set_permissions(fs::Permissions::from_mode(mode))?)
    }
}

fn copy_link(from: BorrowedFd<'_>, name: &CStr, to: &Path, inside: &Path) -> Result<(), CopyError> {
    let target = readlinkat(from, name)?;
    if !stays_inside(inside, Path::new(&target)) {
        return Err(CopyError::Refused(ExportError::LinkLeadsOut(inside.to_owned())));
    }
    Ok(symlink(target, to)?)
}

/// Returns whether a link at `link` that points to `target` stays in the folder both are relative
/// to. Judged by the text: ".." may not come after a name, since that name could be a link itself.
fn stays_inside(link: &Path, target: &Path) -> bool {
    let mut depth = link.components().count().saturating_sub(1);
    let mut named = false;
    for part in target.components() {
        match part {
            Component::Normal(_) => named = true,
            Component::CurDir => {}
            Component::ParentDir if named || depth == 0 => return false,
            Component::ParentDir => depth -= 1,
            Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    !target.as_os_str().as_bytes().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_within_the_folder_stay_inside() {
        assert!(stays_inside(Path::new("bin/tool"), Path::new("../lib/tool.sh")));
        assert!(stays_inside(Path::new("a"), Path::new("b")));
    }

    #[test]
    fn links_that_climb_or_start_at_the_root_lead_out() {
        assert!(!stays_inside(Path::new("a"), Path::new("../b")));
        assert!(!stays_inside(Path::new("a"), Path::new("/etc/passwd")));
        assert!(!stays_inside(Path::new("x/a"), Path::new("../../b")));
    }

    #[test]
    fn climbing_after_a_name_leads_out() {
        assert!(!stays_inside(Path::new("x/y/a"), Path::new("../b/../c")));
    }
}
