//! Scratch as the launcher sees it: the bytes in it, and the part of them that is memory.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::stat::fstat;
use nix::sys::statfs::{TMPFS_MAGIC, fstatfs};
use nix::unistd::{Uid, setfsuid};

use crate::folder::usage;
use crate::kernel_text;
use crate::wire::FileSystem;
use crate::{LimitHit, SeatLimits};

/// The longest and the shortest time between two checks of a scratch without a file system of its
/// own.
const DISK_STEP: Duration = Duration::from_millis(25);
const DISK_STEP_NEAR: Duration = Duration::from_millis(1);
/// Divisor of the time: checks take at most this part of it while the file system's total, which
/// includes other users, shows that the scratch cannot be full. Walking through a hundred thousand
/// files or mappings without a pause would take a whole processor from the programs.
const SHARE_OF_LOOKS: u32 = 8;
/// Bytes that a program can write in a microsecond.
const BYTES_EACH_MICROSECOND: u64 = 4000;
/// Shortest time in which a program can make a file, microseconds.
const MICROSECONDS_EACH_FILE: u64 = 1;
/// Time for which one check reads the mappings of processes; the next one continues with the
/// others.
const MAPPED_LONGEST: Duration = Duration::from_millis(2);
/// Bytes that are read of the kernel's list of a process's mappings: enough for the largest number
/// of mappings that the kernel allows, if their names are short.
const MAPPED_TEXT: u64 = 4 << 20;
/// Divisor of the disk limit: a file that is only mapped counts as at least this part of it. One
/// mapped page keeps the whole file, and the kernel does not report its size.
const MAPPED_LEAST: u64 = 16;

/// The writable folders of a seat.
pub(super) struct ScratchUsage {
    folder: OwnedFd,
    device: u64,
    file_system: FileSystem,
    in_memory: bool,
    looked: Option<Instant>,
    /// Number of processes whose mappings were read.
    asked: usize,
    /// Time that the last check took.
    took: Duration,
    /// Bytes in it at the last check, if the launcher has to walk through it.
    bytes: u64,
    files: u64,
    /// Use of its file system at that time.
    file_system_use: Option<FileSystemUse>,
}

/// Use of a file system by all its users together.
#[derive(Clone, Copy, Debug)]
struct FileSystemUse {
    bytes: u64,
    files: u64,
}

impl FileSystemUse {
    /// Asks a file system that counts its bytes. If it does not count files, they are checked
    /// as rarely as the length of a check requires.
    fn of(folder: &OwnedFd) -> Option<Self> {
        let stat = fstatfs(folder).ok().filter(|stat| stat.blocks() > 0)?;
        let used = stat.blocks().saturating_sub(stat.blocks_free());
        let bytes = used.saturating_mul(u64::try_from(stat.block_size()).unwrap_or(0));
        Some(Self { bytes, files: stat.files().saturating_sub(stat.files_free()) })
    }
}

impl ScratchUsage {
    pub(super) fn new(folder: OwnedFd, file_system: FileSystem) -> Self {
        let in_memory = fstatfs(&folder).is_ok_and(|stat| stat.filesystem_type() == TMPFS_MAGIC);
        let device = fstat(&folder).map_or(0, |stat| stat.st_dev);
        Self {
            folder,
            device,
            file_system,
            in_memory,
            looked: None,
            asked: 0,
            took: Duration::ZERO,
            bytes: 0,
            files: 0,
            file_system_use: None,
        }
    }

    pub(super) fn begin_turn(&mut self) {
        self.looked = None;
        self.took = Duration::ZERO;
        self.bytes = 0;
        self.files = 0;
        self.file_system_use = None;
    }

    /// Returns whether nothing but checks bounds its contents.
    pub(super) fn shares_disk(&self) -> bool {
        self.file_system == FileSystem::Shared
    }

    /// Returns the bytes of memory that its files take; as of the last check if others use the file
    /// system too.
    pub(super) fn memory(&self) -> u64 {
        if !self.in_memory {
            return 0;
        }
        if self.shares_disk() {
            return self.bytes;
        }
        FileSystemUse::of(&self.folder).map_or(0, |file_system_use| file_system_use.bytes)
    }

    /// Returns the time in which it could be filled: excess over a limit is noticed after this
    /// step.
    pub(super) fn step(&self, limits: &SeatLimits) -> Duration {
        let bytes = limits.disk.0.saturating_sub(self.bytes) / BYTES_EACH_MICROSECOND;
        let files = u64::from(limits.files).saturating_sub(self.files) * MICROSECONDS_EACH_FILE;
        Duration::from_micros(bytes.min(files)).clamp(DISK_STEP_NEAR, DISK_STEP)
    }

    /// Returns whether a check is due: a step after the last one. After a long check, only if the
    /// file system has since grown by as much as was left to a limit.
    fn is_due(
        &self,
        now: Instant,
        limits: &SeatLimits,
        file_system_use: impl FnOnce() -> Option<FileSystemUse>,
    ) -> bool {
        let Some(since) = self.looked.map(|last| now.saturating_duration_since(last)) else {
            return true;
        };
        if since < self.step(limits) {
            return false;
        }
        since >= self.took * SHARE_OF_LOOKS || self.may_be_full(file_system_use(), limits)
    }

    fn may_be_full(&self, file_system_use: Option<FileSystemUse>, limits: &SeatLimits) -> bool {
        let (Some(before), Some(now)) = (self.file_system_use, file_system_use) else {
            return true;
        };
        let bytes = self.bytes.saturating_add(now.bytes.saturating_sub(before.bytes));
        let files = self.files.saturating_add(now.files.saturating_sub(before.files));
        bytes > limits.disk.0 || files >= u64::from(limits.files)
    }

    /// Checks the scratch and its files that are held open, if the last check is long enough ago;
    /// returns the limit that is exceeded.
    pub(super) fn passed_limit(
        &mut self,
        now: Instant,
        limits: &SeatLimits,
        holders: &FileHolders<'_>,
    ) -> Option<LimitHit> {
        if !self.is_due(now, limits, || FileSystemUse::of(&self.folder)) {
            return None;
        }
        self.looked = Some(now);
        // Before the check, so that bytes written during it count as new.
        self.file_system_use = FileSystemUse::of(&self.folder);
        let most = u64::from(limits.files);
        let (bytes, files) = usage(self.folder.as_fd(), most).unwrap_or_default();
        let location = ScratchLocation {
            device: self.device,
            folder: fs::read_link(format!("/proc/self/fd/{}", self.folder.as_raw_fd())).ok(),
            least: limits.disk.0 / MAPPED_LEAST,
        };
        let without_names = holders.bytes_without_names(&location, &mut self.asked);
        let bytes = bytes.saturating_add(without_names);
        (self.bytes, self.files, self.took) = (bytes, files, now.elapsed());
        // The check counts blocks, which take a little more than the written bytes.
        let too_much = (bytes > limits.disk.0 / 8 * 9).then_some(LimitHit::Disk);
        too_much.or_else(|| (files >= most).then_some(LimitHit::Files))
    }
}

/// Processes of a seat, which may hold open files that no longer have a name.
pub(super) struct FileHolders<'a> {
    pub(super) processes: &'a [u32],
    /// Their user, if it is not the launcher's.
    pub(super) user: Option<u32>,
}

/// Place in which files without names are counted.
struct ScratchLocation {
    /// Its file system, by which open files are recognised.
    device: u64,
    /// Its folder, by which files that are only mapped are recognised: on an overlay, a mapping
    /// shows another file system than the file itself.
    folder: Option<PathBuf>,
    /// The least number of bytes that a file counts which is only mapped.
    least: u64,
}

impl FileHolders<'_> {
    /// Returns the bytes of their files without names in a place. `asked` is the number of
    /// processes whose mappings were read, in this check and those before.
    fn bytes_without_names(&self, location: &ScratchLocation, asked: &mut usize) -> u64 {
        // The kernel shows open files only to their user.
        let own = self.user.map(|user| setfsuid(Uid::from_raw(user)));
        let living: Vec<_> = self.processes.iter().filter_map(|process| living(*process)).collect();
        let mut open = HashMap::new();
        for (thread, program) in &living {
            let files = files_of(thread).chain([program.clone()]);
            for file in files.filter(|file| file.nlink() == 0 && file.dev() == location.device) {
                open.insert(file.ino(), file.blocks().saturating_mul(512));
            }
        }
        let mut mapped = HashMap::new();
        if let Some(folder) = &location.folder {
            let first = asked.checked_rem(living.len()).unwrap_or(0);
            let begin = Instant::now();
            for (thread, _) in living[first..].iter().chain(&living[..first]) {
                note_mapped(thread, folder, &mut mapped);
                *asked = asked.wrapping_add(1);
                if begin.elapsed() > MAPPED_LONGEST {
                    break;
                }
            }
        }
        if let Some(own) = own {
            setfsuid(own);
        }
        let mapped = mapped.iter().filter(|(inode, _)| !open.contains_key(*inode));
        let mapped = mapped.map(|(_, bytes)| location.least.max(*bytes));
        open.values().copied().chain(mapped).fold(0, u64::saturating_add)
    }
}

/// Returns the `/proc` folder of a living thread of a process, and the program that it runs. The
/// first thread can end before the others, and then does not show what they hold. `None` if all
/// have ended, or may not be inspected, for instance because their program may be run but not read.
fn living(process: u32) -> Option<(PathBuf, Metadata)> {
    let thread = |folder: PathBuf| {
        let program = fs::metadata(folder.join("exe")).ok()?;
        Some((folder, program))
    };
    let first = PathBuf::from(format!("/proc/{process}"));
    let threads = first.join("task");
    thread(first).or_else(|| {
        let mut threads = fs::read_dir(threads).into_iter().flatten().flatten();
        threads.find_map(|entry| thread(entry.path()))
    })
}

/// Returns the open files of a thread. All threads of a process share them, because the system call
/// filter lets no thread have files of its own.
fn files_of(thread: &Path) -> impl Iterator<Item = Metadata> {
    let open = fs::read_dir(thread.join("fd")).into_iter().flatten().flatten();
    open.filter_map(|entry| fs::metadata(entry.path()).ok())
}

/// Notes the mapped part of each file without a name of a thread's process, by inode.
fn note_mapped(thread: &Path, folder: &Path, files: &mut HashMap<u64, u64>) {
    let mut text = Vec::new();
    let maps = File::open(thread.join("maps"));
    // On an error, the part that was read before it counts.
    let _ = maps.and_then(|maps| maps.take(MAPPED_TEXT).read_to_end(&mut text));
    for (inode, end) in kernel_text::text(text).lines().filter_map(|line| mapped(line, folder)) {
        let bytes = files.entry(inode).or_default();
        *bytes = end.max(*bytes);
    }
}

/// Reads the line of a mapped file that was in a folder and no longer has a name; returns its inode
/// and the offset in it at which the mapping ends.
///
/// A line is `7f00-7f01 r--s 00002000 00:1b 1234    /tmp/gone (deleted)`.
fn mapped(line: &str, folder: &Path) -> Option<(u64, u64)> {
    let (numbers, name) = line.strip_suffix(" (deleted)")?.split_at_checked(line.find('/')?)?;
    if !Path::new(name).starts_with(folder) {
        return None;
    }
    let hexadecimal = |text: &str| u64::from_str_radix(text, 16).ok();
    let mut numbers = numbers.split_ascii_whitespace();
    let (from, to) = numbers.next()?.split_once('-')?;
    let length = hexadecimal(to)?.checked_sub(hexadecimal(from)?)?;
    let at = hexadecimal(numbers.nth(1)?)?;
    let inode = numbers.nth(1)?.parse().ok()?;
    Some((inode, at.saturating_add(length)))
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

    /// In a shared file system in memory, files of others are no memory of this seat.
    #[test]
    fn a_shared_scratch_counts_what_is_in_its_own_folder() {
        let Ok(root) = tempfile::tempdir_in("/dev/shm") else { return };
        std::fs::write(root.path().join("another's"), vec![1; 2 << 20]).unwrap();
        let own = root.path().join("own");
        std::fs::create_dir(&own).unwrap();
        std::fs::write(own.join("file"), vec![1; 1 << 20]).unwrap();
        let folder = std::fs::File::open(&own).unwrap().into();
        let mut scratch = ScratchUsage::new(folder, FileSystem::Shared);
        let nobody = FileHolders { processes: &[], user: None };
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
    fn long_looks_are_rarer_unless_the_file_system_has_grown_by_what_was_missing() {
        let root = tempfile::tempdir().unwrap();
        let folder = std::fs::File::open(root.path()).unwrap().into();
        let mut scratch = ScratchUsage::new(folder, FileSystem::Shared);
        let limits = SeatLimits { files: 200_000, ..limits(Bytes::from_mib(4096)) };
        let begin = Instant::now();
        let mut first_due = |took: u64, bytes: u64, files: u64, [grown, made]: [u64; 2]| {
            scratch.file_system_use = Some(FileSystemUse { bytes: 1 << 30, files: 500 });
            let now = FileSystemUse { bytes: (1 << 30) + (grown << 20), files: 500 + made };
            (scratch.looked, scratch.took) = (Some(begin), Duration::from_millis(took));
            (scratch.bytes, scratch.files) = (bytes << 20, files);
            let at = |ms: &u64| begin + Duration::from_millis(*ms);
            (0..).find(|ms| scratch.is_due(at(ms), &limits, || Some(now)))
        };
        assert_eq!(first_due(0, 0, 0, [0, 0]), Some(25));
        assert_eq!(first_due(3, 0, 0, [0, 0]), Some(25));
        assert_eq!(first_due(10, 0, 0, [0, 0]), Some(80));
        assert_eq!(first_due(100, 0, 100_000, [0, 0]), Some(800), "however many files there are");
        assert_eq!(first_due(100, 0, 199_000, [0, 999]), Some(800));
        assert_eq!(first_due(100, 4000, 0, [96, 0]), Some(800));
        assert_eq!(first_due(100, 4000, 0, [97, 0]), Some(25), "so much was written");
        assert_eq!(first_due(100, 0, 199_000, [0, 1000]), Some(1), "so many files were made");
        // At the limit the step is the usual one, however long checks take.
        assert_eq!(first_due(100, 0, 200_000, [0, 0]), Some(1));
    }

    #[test]
    fn a_file_system_that_does_not_count_leaves_looks_as_they_were() {
        let root = tempfile::tempdir().unwrap();
        let folder = std::fs::File::open(root.path()).unwrap().into();
        let mut scratch = ScratchUsage::new(folder, FileSystem::Shared);
        let (little, limits) =
            (Some(FileSystemUse { bytes: 1, files: 1 }), limits(Bytes::from_mib(64)));
        assert!(scratch.may_be_full(little, &limits), "nobody knows what there was");
        scratch.file_system_use = little;
        assert!(scratch.may_be_full(None, &limits));
        assert!(!scratch.may_be_full(little, &limits));
    }

    #[test]
    fn a_file_without_a_name_counts_as_long_as_somebody_holds_it() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("gone");
        fs::write(&path, vec![1; 1 << 20]).unwrap();
        let held = [fs::File::open(&path).unwrap(), fs::File::open(&path).unwrap()];
        let device = held[0].metadata().unwrap().dev();
        let own = [std::process::id()];
        let holders = FileHolders { processes: &own, user: None };
        let location = ScratchLocation { device, folder: None, least: 0 };
        let before = holders.bytes_without_names(&location, &mut 0);
        fs::remove_file(&path).unwrap();
        assert_eq!(holders.bytes_without_names(&location, &mut 0), before + (1 << 20));
    }

    #[test]
    fn a_mapping_counts_as_far_as_it_reaches_into_a_file_without_a_name() {
        let tell = |line: &str| mapped(line, Path::new("/tmp/seat"));
        let line = "7f1000-7f3000 r--s 00004000 00:1b 77                 /tmp/seat/a b (deleted)";
        assert_eq!(tell(line), Some((77, 0x6000)));
        for other in [
            "7f1000-7f3000 r--s 00004000 00:1b 77 /tmp/seat/named",
            "7f1000-7f3000 r--s 00004000 00:1b 77 /tmp/seats/gone (deleted)",
            "7f1000-7f3000 rw-s 00000000 00:01 3 /memfd:name (deleted)",
            "7f1000-7f3000 rw-p 00000000 00:00 0 ",
            "7f3000-7f1000 r--s 00000000 00:1b 77 /tmp/seat/gone (deleted)",
            "7f1000 r--s 00000000 00:1b 77 /tmp/seat/gone (deleted)",
            "/tmp/seat/gone (deleted)",
            " (deleted)",
            "",
        ] {
            assert_eq!(tell(other), None, "{other}");
        }
    }

    #[test]
    fn the_running_program_of_a_process_is_found() {
        let (thread, program) = living(std::process::id()).expect("it runs");
        assert!(program.len() > 0 && files_of(&thread).next().is_some());
        assert!(living(u32::MAX).is_none());
    }

    #[test]
    fn a_file_that_is_only_mapped_counts() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().canonicalize().unwrap();
        let program = folder.join("program");
        if fs::copy("/bin/sleep", &program).is_err() {
            return;
        }
        let Ok(mut sleeper) = std::process::Command::new(&program).arg("30").spawn() else {
            return;
        };
        fs::remove_file(&program).unwrap();
        let (mut files, process) = (HashMap::new(), format!("/proc/{}", sleeper.id()));
        // The process exists a moment before any of its program is mapped.
        for _ in 0..500 {
            note_mapped(Path::new(&process), &folder, &mut files);
            if !files.is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = sleeper.kill();
        let _ = sleeper.wait();
        assert_eq!(files.len(), 1, "{files:?}");
        assert!(files.values().all(|bytes| *bytes >= 4096));
    }
}
