//! Scratch as the launcher sees it: how much is in it, and how much of that is memory.

use std::collections::HashSet;
use std::fs;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use nix::sys::stat::fstat;
use nix::sys::statfs::{TMPFS_MAGIC, fstatfs};
use nix::unistd::{Uid, setfsuid};

use crate::seat::usage;
use crate::wire::FileSystem;
use crate::{LimitHit, SeatLimits};

/// The most and the least time between two looks at a scratch that has no file system of its own.
const DISK_STEP: Duration = Duration::from_millis(25);
const DISK_STEP_NEAR: Duration = Duration::from_millis(1);
/// One of so many moments may be spent with looks, as long as programs on all processors could not
/// fill the scratch before the next one: walking through a hundred thousand files would leave programs nothing of a processor.
const SHARE_OF_LOOKS: u32 = 8;
/// What a program can write in a microsecond, in bytes.
const BYTES_EACH_MICROSECOND: u64 = 4000;
/// How many microseconds it takes at least to make a file.
const MICROSECONDS_EACH_FILE: u64 = 1;

/// The writable folders of a seat.
pub(super) struct Scratch {
    folder: OwnedFd,
    device: u64,
    file_system: FileSystem,
    in_memory: bool,
    /// How many processors programs may use.
    cores: u32,
    looked: Option<Instant>,
    /// How long the last look took.
    took: Duration,
    /// What was in it at the last look, where it has to be walked through.
    bytes: u64,
    files: u64,
}

impl Scratch {
    pub(super) fn new(folder: OwnedFd, file_system: FileSystem, cores: usize) -> Self {
        let in_memory = fstatfs(&folder).is_ok_and(|stat| stat.filesystem_type() == TMPFS_MAGIC);
        let device = fstat(&folder).map_or(0, |stat| stat.st_dev);
        let cores = u32::try_from(cores).unwrap_or(u32::MAX).max(1);
        let (looked, took) = (None, Duration::ZERO);
        Self { folder, device, file_system, in_memory, cores, looked, took, bytes: 0, files: 0 }
    }

    pub(super) fn begin_turn(&mut self) {
        self.looked = None;
        self.took = Duration::ZERO;
        self.bytes = 0;
        self.files = 0;
    }

    /// Whether nothing but looks bounds what is in it.
    pub(super) fn shares_disk(&self) -> bool {
        self.file_system == FileSystem::Shared
    }

    /// The bytes of memory that its files take; those of the last look where others use the file
    /// system too.
    pub(super) fn memory(&self) -> u64 {
        if !self.in_memory {
            return 0;
        }
        if self.shares_disk() {
            return self.bytes;
        }
        fstatfs(&self.folder).map_or(0, |stat| {
            let used = stat.blocks().saturating_sub(stat.blocks_free());
            used.saturating_mul(u64::try_from(stat.block_size()).unwrap_or(0))
        })
    }

    /// The time in which it could be filled: what is above a limit is seen a step later.
    pub(super) fn step(&self, limits: &SeatLimits) -> Duration {
        let bytes = limits.disk.0.saturating_sub(self.bytes) / BYTES_EACH_MICROSECOND;
        let files = u64::from(limits.files).saturating_sub(self.files) * MICROSECONDS_EACH_FILE;
        let filled = Duration::from_micros(bytes.min(files));
        let usual = filled.clamp(DISK_STEP_NEAR, DISK_STEP);
        usual.max((filled / self.cores).min(self.took * SHARE_OF_LOOKS))
    }

    /// Looks at it and at what is held open of it, if the last look is long enough ago; returns the
    /// limit that it is past.
    pub(super) fn passed_limit(
        &mut self,
        now: Instant,
        limits: &SeatLimits,
        holders: &Holders<'_>,
    ) -> Option<LimitHit> {
        if self.looked.is_some_and(|last| now - last < self.step(limits)) {
            return None;
        }
        self.looked = Some(now);
        let most = u64::from(limits.files);
        let (bytes, files) = usage(self.folder.as_fd(), most).unwrap_or_default();
        let bytes = bytes.saturating_add(holders.bytes_without_names(self.device));
        (self.bytes, self.files, self.took) = (bytes, files, now.elapsed());
        // Blocks are counted, which are a little more than what was written.
        let too_much = (bytes > limits.disk.0 / 8 * 9).then_some(LimitHit::Disk);
        too_much.or_else(|| (files >= most).then_some(LimitHit::Files))
    }
}

/// Processes of a seat, which may hold files open that have no name any more.
pub(super) struct Holders<'a> {
    pub(super) processes: &'a [u32],
    /// Their user, where that is not the launcher's.
    pub(super) user: Option<u32>,
}

impl Holders<'_> {
    /// What their files without names take of a file system.
    fn bytes_without_names(&self, device: u64) -> u64 {
        // Whose files are open is shown to their user alone.
        let own = self.user.map(|user| setfsuid(Uid::from_raw(user)));
        let mut seen = HashSet::new();
        let mut bytes = 0;
        for process in self.processes {
            let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
            let files = open.filter_map(|entry| fs::metadata(entry.path()).ok());
            for file in files.filter(|file| file.nlink() == 0 && file.dev() == device) {
                if seen.insert(file.ino()) {
                    bytes += file.blocks() * 512;
                }
            }
        }
        if let Some(own) = own {
            setfsuid(own);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bytes;

    fn limits(disk: Bytes) -> SeatLimits {
        SeatLimits {
            memory: Bytes::from_mib(64),
            processes: 32,
            descriptors: 64,
            disk,
            files: 100,
            stdout: Bytes::from_kib(64),
            stderr: Bytes::from_kib(64),
            stderr_hard: Bytes::from_kib(256),
        }
    }

    /// What others have in a shared file system in memory is no memory of this seat.
    #[test]
    fn a_shared_scratch_counts_what_is_in_its_own_folder() {
        let Ok(root) = tempfile::tempdir_in("/dev/shm") else { return };
        std::fs::write(root.path().join("another's"), vec![1; 2 << 20]).unwrap();
        let own = root.path().join("own");
        std::fs::create_dir(&own).unwrap();
        std::fs::write(own.join("file"), vec![1; 1 << 20]).unwrap();
        let folder = std::fs::File::open(&own).unwrap().into();
        let mut scratch = Scratch::new(folder, FileSystem::Shared, 1);
        let nobody = Holders { processes: &[], user: None };
        let hit = scratch.passed_limit(Instant::now(), &limits(Bytes::from_mib(2)), &nobody);
        assert_eq!(hit, None);
        let in_memory = fstatfs(std::fs::File::open(&own).unwrap())
            .is_ok_and(|stat| stat.filesystem_type() == TMPFS_MAGIC);
        assert_eq!(scratch.memory(), if in_memory { 1 << 20 } else { 0 });
        scratch.begin_turn();
        let hit = scratch.passed_limit(Instant::now(), &limits(Bytes::from_kib(512)), &nobody);
        assert_eq!(hit, Some(LimitHit::Disk));
    }

    #[test]
    fn long_looks_are_rarer_unless_the_scratch_could_be_full_before_the_next_one() {
        let root = tempfile::tempdir().unwrap();
        let folder = std::fs::File::open(root.path()).unwrap().into();
        let mut scratch = Scratch::new(folder, FileSystem::Shared, 1);
        let limits = SeatLimits { files: 200_000, ..limits(Bytes::from_mib(4096)) };
        let mut step = |cores, took: u64, bytes: u64, files| {
            scratch.cores = cores;
            scratch.took = Duration::from_millis(took);
            (scratch.bytes, scratch.files) = (bytes << 20, files);
            scratch.step(&limits).as_millis()
        };
        assert_eq!(step(1, 0, 0, 0), 25);
        assert_eq!(step(1, 3, 0, 0), 25);
        assert_eq!(step(1, 10, 0, 0), 80);
        assert_eq!(step(1, 100, 0, 0), 200, "so many files can be made");
        assert_eq!(step(4, 100, 0, 0), 50, "by four processors");
        assert_eq!(step(16, 100, 0, 0), 25, "no more often than usual");
        assert_eq!(step(1, 100, 4000, 0), 25, "so much can be written");
        // Near the limit looks are as they always were, however long they take.
        assert_eq!(step(1, 100, 0, 199_950), 1);
    }

    #[test]
    fn a_file_without_a_name_counts_as_long_as_somebody_holds_it() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("gone");
        fs::write(&path, vec![1; 1 << 20]).unwrap();
        let held = [fs::File::open(&path).unwrap(), fs::File::open(&path).unwrap()];
        let device = held[0].metadata().unwrap().dev();
        let own = [std::process::id()];
        let holders = Holders { processes: &own, user: None };
        let before = holders.bytes_without_names(device);
        fs::remove_file(&path).unwrap();
        assert_eq!(holders.bytes_without_names(device), before + (1 << 20));
    }
}
