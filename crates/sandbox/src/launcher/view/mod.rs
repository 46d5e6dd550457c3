//! File system view of the programs in a seat.
//!
//! With name spaces: a new root in memory, read-only, with the host's programs
//! and libraries, the folders asked for, a `/dev` and `/etc` with next to
//! nothing in them, a `/proc` of the seat's own processes, and one small file
//! system in memory that holds all that is writable: the scratch, `/tmp` and
//! `/dev/shm`. Without: the host's own, fenced by Landlock.

mod copy;
mod devices;
mod etc;
mod proc;
mod shared;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Component, Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::stat::{Mode as FileMode, umask};
use nix::unistd::{chdir, pivot_root};

use super::set_up::path;
use crate::error::{SandboxError, Step};
use crate::mechanism::mounts::{self, MountMethod};
use crate::wire::{Mode, Prepare, SCRATCH, SHARED_MEMORY, SetUp, SetUpReport, TEMPORARY, WRITTEN};
use copy::{RootBudget, copy_small};

/// The file system as a seat sees it.
pub(super) struct View {
    /// Folders in which Landlock allows reading and running.
    pub(super) readable_folders: Vec<PathBuf>,
    /// Folders in which it allows writing.
    pub(super) writable_folders: Vec<PathBuf>,
    /// Holds the writable folders under their plain names.
    pub(super) writable: OwnedFd,
    /// The same for the process that set the seat up, if it needs another one.
    handed_out: Option<OwnedFd>,
}

/// Folder that the kernel needs for the written part of the programs' own folder.
const WORK: &str = "work";
/// Folder in the new root with the mount of everything writable, and with the earlier content of a
/// written folder.
const STORE: &str = ".writable";
const LOWER: &str = ".program";

/// Origin of the folder to which programs may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LowerLayer {
    Copied,
    /// It is large: it is mounted, its files keep their owner and can only be read.
    Bound,
}

/// Returns the user of the programs, if files of the launcher do not belong to them.
fn owner_apart(request: &SetUp) -> Option<u32> {
    let is_apart = matches!(request.identity.mode, Mode::Root | Mode::Subordinate);
    is_apart.then_some(request.identity.user)
}

/// Files the writable file system needs for itself.
const OWN_FILES: u32 = 7;
/// An empty folder of the new root.
const EMPTY: &str = "srv";
/// Folder of the common part over which a seat's own root is mounted.
const OWN_ROOT: &str = "mnt";

impl View {
    pub(super) fn into_writable(self) -> OwnedFd {
        self.handed_out.unwrap_or(self.writable)
    }
}

pub(super) use shared::build as shared;

/// A view in the making: first the part that all seats have in common, then a seat's own root, into
/// which that part is moved.
pub(super) struct ViewBuilder {
    root: PathBuf,
}

/// Folders that every host has and that hold no programs; the new root covers the
/// first of them while it is made.
const PLACES: [&str; 4] = ["/sys", "/mnt", "/media", "/srv"];

impl ViewBuilder {
    /// Makes the part that is the same in every seat.
    pub(super) fn prepare(
        request: &Prepare,
        ready: &mut SetUpReport,
    ) -> Result<Self, SandboxError> {
        let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
        mount(None::<&str>, "/", None::<&str>, private, None::<&str>)
            .step("make the mounts private")?;
        let root = PLACES.into_iter().map(PathBuf::from).find(|folder| folder.is_dir());
        let root = root.ok_or_else(|| {
            SandboxError::because(
                "find a place for the new root",
                format!("none of {PLACES:?} exists"),
            )
        })?;
        let builder = Self { root };
        builder.mount_root()?;
        builder.make_folder(Path::new(OWN_ROOT))?;
        builder.mount_system(ready)?;
        devices::build(request.mode, &builder.root)?;
        etc::build(request.network, &builder, ready)?;
        proc::build(request.network, &builder.root, &builder.root.join(EMPTY), ready)?;
        make_file_system_read_only(&builder.root)?;
        Ok(builder)
    }

    fn mount_root(&self) -> Result<(), SandboxError> {
        let options = "mode=755,size=2m,nr_inodes=1024";
        // A copy in large pages takes a quarter of the time. Not every kernel has them.
        mounts::mount_memory(
            &self.root,
            mounts::harmless(),
            &format!("{options},huge=within_size"),
        )
        .or_else(|_| mounts::mount_memory(&self.root, mounts::harmless(), options))
        .step("mount the new root")?;
        self.make_folder(Path::new(EMPTY)).map(drop)
    }

    /// Makes a root that belongs to one seat alone, and moves the common part into it.
    fn move_into_own_root(&self) -> Result<Self, SandboxError> {
        let own = Self { root: self.root.join(OWN_ROOT) };
        own.mount_root()?;
        take_over(&self.root, &own.root, &[EMPTY, OWN_ROOT])
            .step("move the common part into the root of the seat")?;
        Ok(own)
    }

    /// Adds one seat's own part, and enters the view.
    pub(super) fn finish(
        &self,
        request: &SetUp,
        ready: &mut SetUpReport,
    ) -> Result<View, SandboxError> {
        self.move_into_own_root()?.add_own(request, ready)
    }

    fn add_own(self, request: &SetUp, ready: &mut SetUpReport) -> Result<View, SandboxError> {
        let mut budget = RootBudget::WHOLE;
        let mut written = None;
        for (inside, host) in request.folders.iter().zip(&request.host_folders) {
            if *inside == request.written {
                written = Some(open_any(path(host))?);
                continue;
            }
            // Opened here rather than by the caller, because only mounts of the own name
            // space can be mounted again.
            self.add_folder(path(inside), &open_any(path(host))?, &mut budget, ready)?;
        }
        request.hidden.iter().try_for_each(|folder| self.hide(path(folder)))?;
        let lower = written.map(|source| self.add_lower(&source, request, &mut budget));
        let lower = lower.transpose()?;
        let (writable, handed_out) = self.mount_writable(request, lower, ready)?;
        etc::write_user(request, &self.root)?;
        etc::write_hosts(request, &self.root)?;
        etc::write_server(request, &self.root)?;
        self.enter()?;
        Ok(View {
            readable_folders: vec![PathBuf::from("/")],
            writable_folders: ["/tmp", "/dev/shm"]
                .map(PathBuf::from)
                .into_iter()
                .chain([path(&request.scratch).to_owned()])
                .chain((!request.written.is_empty()).then(|| path(&request.written).to_owned()))
                .collect(),
            writable,
            handed_out,
        })
    }

    /// Mounts programs and libraries, laid out as on the host.
    fn mount_system(&self, ready: &mut SetUpReport) -> Result<(), SandboxError> {
        for name in ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"] {
            let host = Path::new("/").join(name);
            if let Ok(target) = std::fs::read_link(&host) {
                symlink(target, self.root.join(name)).step(&format!("link `/{name}`"))?;
            } else if host.is_dir() {
                let folder = open_folder(&host)?;
                self.mount_folder(&host, &folder, ready)?;
            }
        }
        Ok(())
    }

    /// Copies a small folder, mounts a large one.
    fn add_folder(
        &self,
        inside: &Path,
        source: &OwnedFd,
        budget: &mut RootBudget,
        ready: &mut SetUpReport,
    ) -> Result<(), SandboxError> {
        let step = format!("copy `{}`", inside.display());
        if is_folder(source).step(&step)? {
            let target = self.make_folder(inside)?;
            let mask = umask(FileMode::empty());
            let copied = copy_small(source, &target, budget);
            umask(mask);
            if copied.step(&step)?.is_some() {
                return Ok(());
            }
        }
        self.mount_folder(inside, source, ready)
    }

    fn mount_folder(
        &self,
        inside: &Path,
        source: &OwnedFd,
        ready: &mut SetUpReport,
    ) -> Result<(), SandboxError> {
        let step = format!("mount `{}`", inside.display());
        if !is_folder(source).step(&step)? {
            let target = self.make_file(inside)?;
            return mounts::bind_descriptor(source.as_fd(), &target).step(&step);
        }
        let target = self.make_folder(inside)?;
        let via = mounts::mount_readable(source.as_fd(), &target, &self.root.join(EMPTY));
        if let MountMethod::Bind(errno) = via.step(&step)? {
            note(ready, "host paths hidden in the mount table", errno);
        }
        Ok(())
    }

    /// Covers an existing folder with an empty one.
    fn hide(&self, inside: &Path) -> Result<(), SandboxError> {
        let target = self.inside(inside)?;
        if !target.is_dir() {
            return Ok(());
        }
        let step = format!("hide `{}`", inside.display());
        mounts::bind(&self.root.join(EMPTY), &target).step(&step)
    }

    /// Puts the folder that programs may write to below the layer for their writes.
    fn add_lower(
        &self,
        source: &OwnedFd,
        request: &SetUp,
        budget: &mut RootBudget,
    ) -> Result<LowerLayer, SandboxError> {
        let step = format!("copy `{}`", path(&request.written).display());
        let lower = self.make_folder(Path::new(LOWER))?;
        let mask = umask(FileMode::empty());
        let copied = copy_small(source, &lower, budget);
        umask(mask);
        if copied.step(&step)?.is_none() {
            mounts::bind_descriptor(source.as_fd(), &lower).step(&step)?;
            return Ok(LowerLayer::Bound);
        }
        if let Some(owner) = owner_apart(request) {
            copy::set_owner(&lower, owner).step(&step)?;
        }
        Ok(LowerLayer::Copied)
    }

    /// Mounts that folder with a layer above it for what programs write.
    fn mount_written(
        &self,
        store: &Path,
        request: &SetUp,
        lower: LowerLayer,
        ready: &mut SetUpReport,
    ) -> Result<(), SandboxError> {
        let step = "make the folder of the programs writable";
        for (name, mode) in [(WRITTEN, 0o755), (WORK, 0o700)] {
            let folder = store.join(name);
            nix::unistd::mkdir(&folder, FileMode::from_bits_truncate(mode)).step(step)?;
            if name == WRITTEN
                && let Some(owner) = owner_apart(request)
            {
                std::os::unix::fs::chown(&folder, Some(owner), Some(owner)).step(step)?;
            }
        }
        let target = self.make_folder(path(&request.written))?;
        chdir(&self.root).step(step)?;
        let below = self.root.join(LOWER);
        let layers =
            [Path::new(LOWER), &Path::new(STORE).join(WRITTEN), &Path::new(STORE).join(WORK)];
        if let Err(errno) = mounts::mount_layered(layers, &target) {
            note(ready, "a folder of one's own program that can be written", errno);
            mounts::bind(&below, &target).step(step)?;
            mounts::make_read_only(&target, MsFlags::empty()).step(step)?;
        }
        if lower == LowerLayer::Bound {
            umount2(&below, MntFlags::MNT_DETACH).step(step)?;
        }
        mounts::bind(&self.root.join(EMPTY), &below).step(step)
    }

    /// Mounts one file system for everything writable, so that one quota covers all of it.
    fn mount_writable(
        &self,
        request: &SetUp,
        lower: Option<LowerLayer>,
        ready: &mut SetUpReport,
    ) -> Result<(OwnedFd, Option<OwnedFd>), SandboxError> {
        let step = "mount the scratch";
        let hidden = self.make_folder(Path::new(STORE))?;
        let files = request.limits.files.saturating_add(OWN_FILES);
        let options = format!("mode=755,size={},nr_inodes={files}", request.limits.disk.0);
        let flags = mounts::harmless() | MsFlags::MS_NOATIME;
        mounts::mount_memory(&hidden, flags, &options).step(step)?;
        let subordinate = request.identity.mode == Mode::Subordinate;
        let owner = subordinate.then_some(request.identity.user);
        let mask = umask(FileMode::empty());
        for (name, inside) in [
            (SCRATCH, path(&request.scratch)),
            (TEMPORARY, Path::new("/tmp")),
            (SHARED_MEMORY, Path::new("/dev/shm")),
        ] {
            let source = hidden.join(name);
            nix::unistd::mkdir(&source, FileMode::from_bits_truncate(0o1777)).step(step)?;
            if let Some(owner) = owner {
                std::os::unix::fs::chown(&source, Some(owner), Some(owner)).step(step)?;
            }
            let target = self.make_folder(inside)?;
            mounts::bind(&source, &target).step(step)?;
        }
        if let Some(lower) = lower {
            self.mount_written(&hidden, request, lower, ready)?;
        }
        umask(mask);
        let writable = open_folder(&hidden)?;
        let own = |user| mounts::open_as_own(writable.as_fd(), user);
        let handed_out = owner.map(own).transpose().step("mount the scratch for its owner")?;
        // It stays where it is, below another mount: unmounting costs more than hiding.
        mounts::bind(&self.root.join(EMPTY), &hidden).step("hide the scratch's file system")?;
        Ok((writable, handed_out))
    }

    /// Makes the new root the only one.
    fn enter(&self) -> Result<(), SandboxError> {
        chdir(&self.root).step("enter the new root")?;
        pivot_root(".", ".").step("make the new root the root")?;
        umount2(".", MntFlags::MNT_DETACH).step("let go of the old root")?;
        chdir("/").step("enter the new root")?;
        make_file_system_read_only(Path::new("/"))
    }

    /// Makes a folder of the new root, with those above it.
    fn make_folder(&self, inside: &Path) -> Result<PathBuf, SandboxError> {
        let target = self.inside(inside)?;
        std::fs::create_dir_all(&target)
            .step(&format!("make the folder `{}`", inside.display()))
            .map_err(|error| {
            error.with_hint("a folder cannot be put inside another that is read-only")
        })?;
        Ok(target)
    }

    fn make_file(&self, inside: &Path) -> Result<PathBuf, SandboxError> {
        let target = self.inside(inside)?;
        if let Some(parent) = inside.parent() {
            self.make_folder(parent)?;
        }
        std::fs::write(&target, "").step(&format!("make the file `{}`", inside.display()))?;
        Ok(target)
    }

    fn inside(&self, inside: &Path) -> Result<PathBuf, SandboxError> {
        let relative = inside.strip_prefix("/").unwrap_or(inside);
        if relative.components().all(|part| matches!(part, Component::Normal(_))) {
            Ok(self.root.join(relative))
        } else {
            Err(SandboxError::because(
                format!("place `{}`", inside.display()),
                "the path is not plain and absolute",
            ))
        }
    }
}

/// Moves the mounts of a folder of the common part, and copies its files and links; leaves out
/// hidden entries and those named in `except`.
fn take_over(from: &Path, to: &Path, except: &[&str]) -> io::Result<()> {
    let device = std::fs::metadata(from)?.dev();
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (name, metadata) = (entry.file_name(), entry.metadata()?);
        let (source, target) = (entry.path(), to.join(&name));
        if name.as_encoded_bytes().starts_with(b".") || except.iter().any(|left| name == **left) {
            continue;
        }
        if metadata.is_symlink() {
            symlink(std::fs::read_link(&source)?, target)?;
        } else if metadata.is_file() {
            std::fs::copy(&source, &target)?;
        } else {
            std::fs::create_dir(&target)?;
            match std::fs::metadata(&source)?.dev() == device {
                true => take_over(&source, &target, &[])?,
                false => mounts::move_to(&source, &target)?,
            }
        }
    }
    Ok(())
}

/// Makes a whole file system read-only, not only one mount of it: parts of it cover other places
/// too.
fn make_file_system_read_only(place: &Path) -> Result<(), SandboxError> {
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | mounts::harmless();
    mount(None::<&str>, place, None::<&str>, flags, None::<&str>).step("make the root read-only")
}

fn is_folder(file: &OwnedFd) -> Result<bool, Errno> {
    let stat = nix::sys::stat::fstat(file)?;
    Ok(stat.st_mode & libc::S_IFMT == libc::S_IFDIR)
}

fn open_folder(folder: &Path) -> Result<OwnedFd, SandboxError> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    open(folder, flags, FileMode::empty()).step(&format!("open `{}`", folder.display()))
}

/// Opens a file or folder only as a reference (`O_PATH`).
fn open_any(path: &Path) -> Result<OwnedFd, SandboxError> {
    open(path, OFlag::O_PATH | OFlag::O_CLOEXEC, FileMode::empty())
        .step(&format!("open the folder `{}`", path.display()))
}

/// Notes once that a feature is not enforced in full.
fn note(ready: &mut SetUpReport, feature: &str, errno: Errno) {
    if !ready.shortfalls.iter().any(|shortfall| shortfall.feature == feature) {
        ready.lacks(feature, format!("{} (`{errno:?}`)", errno.desc()));
    }
}
