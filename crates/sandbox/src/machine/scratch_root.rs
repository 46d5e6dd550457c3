//! Scratch roots: folders with the scratches of seats that can mount nothing.
//!
//! They are in memory if possible, as in the other tiers: making a file costs a bot its own
//! processor time, and a file system on disk took up to a millisecond for each file.
//! `TMPDIR` names another place.

use std::path::{Path, PathBuf};

use nix::sys::statfs::{TMPFS_MAGIC, statfs};
use nix::sys::statvfs::{FsFlags, statvfs};

use super::Reservations;
use crate::SeatLimits;
use crate::mechanism::cgroup;

/// Folders that may be on a file system in memory.
const IN_MEMORY: [&str; 2] = ["/dev/shm", "/tmp"];
/// Multiple of a seat's limit that must be free, because excess over the limit is noticed late.
const SLACK: u64 = 2;

/// Returns the folder for the next scratch.
pub(crate) fn choose(limits: &SeatLimits, reservations: &Reservations) -> PathBuf {
    if is_chosen() || !reservations.have_room_for(limits) {
        return std::env::temp_dir();
    }
    let needed = DiskSpace {
        bytes: reservations.disk().saturating_add(limits.disk.0.saturating_mul(SLACK)),
        files: u64::from(limits.files).saturating_mul(SLACK),
    };
    let mut found = IN_MEMORY.iter().map(Path::new);
    found.find(|folder| fits(folder, needed)).map_or_else(std::env::temp_dir, Path::to_owned)
}

/// Returns every place that may have scratches.
pub(crate) fn all() -> Vec<PathBuf> {
    let mut all = vec![std::env::temp_dir()];
    all.extend(IN_MEMORY.map(PathBuf::from));
    all.dedup();
    all
}

/// Returns the prefix of a scratch's name, which contains the process that made it.
pub(crate) fn prefix() -> String {
    cgroup::own_prefix()
}

/// Makes a folder for temporary files, with the id of this process in its name. If a process is
/// killed and leaves its folder, the next process that [probes](crate::Host::probe) the host
/// removes it.
///
/// # Errors
///
/// An error of the file system.
pub fn temporary_folder() -> std::io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(&prefix()).tempdir()
}

fn is_chosen() -> bool {
    std::env::var_os("TMPDIR").is_some_and(|folder| !folder.is_empty())
}

/// Room that must be free.
#[derive(Clone, Copy)]
struct DiskSpace {
    bytes: u64,
    files: u64,
}

/// Returns whether a folder is in memory, can be written to, lets programs run, and has the room.
fn fits(folder: &Path, needed: DiskSpace) -> bool {
    let in_memory = statfs(folder).is_ok_and(|stat| stat.filesystem_type() == TMPFS_MAGIC);
    in_memory
        && nix::unistd::access(folder, nix::unistd::AccessFlags::W_OK).is_ok()
        && statvfs(folder).is_ok_and(|stat| {
            let free = DiskSpace {
                bytes: stat.blocks_available().saturating_mul(stat.fragment_size()),
                files: stat.files_available(),
            };
            !stat.flags().intersects(FsFlags::ST_NOEXEC | FsFlags::ST_RDONLY)
                && free.bytes >= needed.bytes
                && free.files >= needed.files
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_on_disk_or_without_the_room_is_not_taken() {
        let all = DiskSpace { bytes: u64::MAX, files: 1 };
        assert!(!IN_MEMORY.iter().any(|folder| fits(Path::new(folder), all)));
        let many = DiskSpace { bytes: 1, files: u64::MAX };
        assert!(!IN_MEMORY.iter().any(|folder| fits(Path::new(folder), many)));
        let nothing = DiskSpace { bytes: 0, files: 0 };
        assert!(!fits(Path::new("/usr"), nothing));
        assert!(!fits(Path::new("/proc"), nothing));
    }

    #[test]
    fn left_overs_are_looked_for_wherever_scratches_go() {
        let all = all();
        assert!(IN_MEMORY.iter().all(|folder| all.contains(&PathBuf::from(folder))));
        assert!(all.contains(&std::env::temp_dir()));
    }
}
