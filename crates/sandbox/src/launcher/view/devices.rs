//! `/dev`: five harmless devices, the usual links, and `/dev/shm`.

use std::os::unix::fs::symlink;
use std::path::Path;

use nix::errno::Errno;
use nix::mount::MsFlags;
use nix::sys::stat::{Mode as FileMode, SFlag, makedev, mknod};

use crate::error::{SandboxError, Step};
use crate::mechanism::mounts;
use crate::wire::Mode;

const DEVICES: [(&str, u64); 5] =
    [("null", 3), ("zero", 5), ("full", 7), ("random", 8), ("urandom", 9)];
const LINKS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];

/// Makes `/dev` in the new root.
pub(super) fn build(mode: Mode, root: &Path) -> Result<(), SandboxError> {
    let dev = root.join("dev");
    std::fs::create_dir(&dev).step("make `/dev`")?;
    mounts::mount_memory(&dev, MsFlags::MS_NOSUID, "mode=755,size=64k,nr_inodes=32")
        .step("mount `/dev`")?;
    for (name, minor) in DEVICES {
        let step = format!("make `/dev/{name}`");
        match mode {
            // A node of the seat's own, so that no other seat sees locks on it.
            Mode::Root => make_node(&dev.join(name), minor).step(&step)?,
            _ => bind_node(&dev.join(name), name).step(&step)?,
        }
    }
    for (name, target) in LINKS {
        symlink(target, dev.join(name)).step(&format!("link `/dev/{name}`"))?;
    }
    std::fs::create_dir(dev.join("shm")).step("make `/dev/shm`")?;
    // The devices stay writable: a read-only mount says nothing about what a node stands for.
    let flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID;
    nix::mount::mount(None::<&str>, &dev, None::<&str>, flags, None::<&str>)
        .step("make `/dev` read-only")
}

fn make_node(path: &Path, minor: u64) -> Result<(), Errno> {
    // The mask is empty at this point, so the mode is exact.
    mknod(path, SFlag::S_IFCHR, FileMode::from_bits_truncate(0o666), makedev(1, minor))
}

fn bind_node(path: &Path, name: &str) -> Result<(), Errno> {
    std::fs::write(path, "").map_err(|_| Errno::last())?;
    // Read-only, which does not restrict the device: its times would show other seats its use.
    mounts::bind_device(&Path::new("/dev").join(name), path)
}
