//! Room of the machine: the sums of the limits of all living seats, compared with what it has, and
//! the folders with the scratches of seats that can mount nothing.
//!
//! These are in memory if possible, as in the other tiers: making a file costs a bot its own
//! processor time, and a file system on disk took up to a millisecond for each file.
//! `TMPDIR` names another place.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::sys::statfs::{TMPFS_MAGIC, statfs};
use nix::sys::statvfs::{FsFlags, statvfs};

use crate::SeatLimits;
use crate::mechanism::cgroup;
use crate::mechanism::memory::{MemoryRoom, memory_room};

/// Resources reserved for the seats of a host.
pub(crate) struct Reservations {
    totals: Arc<Totals>,
    room: Option<MemoryRoom>,
}

/// Sums over all seats, in bytes.
#[derive(Default)]
struct Totals {
    memory: AtomicU64,
    disk: AtomicU64,
}

/// A seat's part. Given back when dropped.
pub(crate) struct Reservation {
    totals: Arc<Totals>,
    memory: u64,
    disk: u64,
}

impl Reservations {
    /// Reads the size of the memory; nothing is reserved yet.
    pub(crate) fn new() -> Self {
        Self { totals: Arc::default(), room: memory_room() }
    }

    /// Reserves what a seat's limits allow.
    pub(crate) fn reserve(&self, limits: &SeatLimits) -> Reservation {
        let (memory, disk) = (limits.memory.0, limits.disk.0);
        self.totals.memory.fetch_add(memory, Ordering::Relaxed);
        self.totals.disk.fetch_add(disk, Ordering::Relaxed);
        Reservation { totals: Arc::clone(&self.totals), memory, disk }
    }

    /// Returns the bytes that all scratches may hold.
    pub(super) fn disk(&self) -> u64 {
        self.totals.disk.load(Ordering::Relaxed)
    }

    /// Returns whether there is memory for one more seat.
    fn have_room_for(&self, limits: &SeatLimits) -> bool {
        let reserved = self.totals.memory.load(Ordering::Relaxed).saturating_add(limits.memory.0);
        self.room.as_ref().is_none_or(|room| reserved <= room.bytes.0)
    }

    /// Returns whether the seats together have reserved more memory than there is.
    pub(crate) fn exceed_memory(&self) -> bool {
        let reserved = self.totals.memory.load(Ordering::Relaxed);
        self.room.as_ref().is_some_and(|room| reserved > room.bytes.0)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.totals.memory.fetch_sub(self.memory, Ordering::Relaxed);
        self.totals.disk.fetch_sub(self.disk, Ordering::Relaxed);
    }
}

/// Folders that may be on a file system in memory.
const IN_MEMORY: [&str; 2] = ["/dev/shm", "/tmp"];
/// Multiple of a seat's limit that must be free, because excess over the limit is noticed late.
const SLACK: u64 = 2;

/// Returns the folder for the next scratch.
pub(crate) fn choose_scratch_root(limits: &SeatLimits, reservations: &Reservations) -> PathBuf {
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
pub(crate) fn scratch_roots() -> Vec<PathBuf> {
    let mut all = vec![std::env::temp_dir()];
    all.extend(IN_MEMORY.map(PathBuf::from));
    all.dedup();
    all
}

/// Returns the prefix of a scratch's name, which contains the process that made it.
pub(crate) fn scratch_prefix() -> String {
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
    tempfile::Builder::new().prefix(&scratch_prefix()).tempdir()
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
    use crate::Bytes;

    fn limits() -> SeatLimits {
        SeatLimits {
            memory: Bytes::from_mib(256),
            processes: 32,
            descriptors: 64,
            disk: Bytes::from_mib(8),
            files: 64,
            stdout: Bytes::from_kib(64),
            stderr: Bytes::from_kib(64),
            stderr_hard: Bytes::from_kib(256),
        }
    }

    #[test]
    fn reservations_add_up_and_are_given_back() {
        let room = MemoryRoom { bytes: Bytes::from_mib(420), group: None };
        let reservations = Reservations { totals: Arc::default(), room: Some(room) };
        assert!(reservations.have_room_for(&limits()));
        let first = reservations.reserve(&limits());
        assert!(!reservations.exceed_memory() && !reservations.have_room_for(&limits()));
        let second = reservations.reserve(&limits());
        assert!(reservations.exceed_memory());
        assert_eq!(reservations.disk(), 16 << 20);
        drop((first, second));
        assert!(!reservations.exceed_memory());
        assert_eq!(reservations.disk(), 0);
    }

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
        let all = scratch_roots();
        assert!(IN_MEMORY.iter().all(|folder| all.contains(&PathBuf::from(folder))));
        assert!(all.contains(&std::env::temp_dir()));
    }
}
