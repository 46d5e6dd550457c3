//! Memory of the machine: how much there is for all seats together, and where out-of-memory kills
//! are counted when no group of a seat counts them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::cgroup::memory_groups;
use crate::Bytes;

/// Memory for everything that Joust starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryRoom {
    /// The least of what the machine has and what the control groups around this process allow.
    pub bytes: Bytes,
    /// The control group that allows no more; `None` when it is what the machine has.
    pub group: Option<PathBuf>,
}

/// Finds out how much memory there is; `None` if the kernel does not say.
pub fn memory_room() -> Option<MemoryRoom> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let machine = machine.map(|bytes| MemoryRoom { bytes, group: None });
    let groups = memory_groups()
        .into_iter()
        .filter_map(|path| Some(MemoryRoom { bytes: allowed(&path)?, group: Some(path) }));
    machine.into_iter().chain(groups).min_by_key(|room| room.bytes)
}

fn total(text: &str) -> Option<Bytes> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(Bytes::from_kib(line.split_whitespace().next()?.parse().ok()?))
}

/// Without a limit a file says `max`, or a number near the largest there is.
fn allowed(group: &Path) -> Option<Bytes> {
    let names = ["memory.max", "memory.limit_in_bytes"];
    let text = names.iter().find_map(|name| fs::read_to_string(group.join(name)).ok())?;
    text.trim().parse().ok().map(Bytes)
}

/// The file that counts the programs killed for want of memory in the group this process is in,
/// or else on the whole machine; one that can be read.
pub(crate) fn kills_file() -> Option<PathBuf> {
    let own = memory_groups().into_iter().next();
    let files = ["memory.oom_control", "memory.events"];
    let of_group = own.iter().flat_map(|group| files.map(|name| group.join(name)));
    of_group.chain([PathBuf::from("/proc/vmstat")]).find(|path| File::open(path).is_ok())
}

/// Programs killed so far, as that file counts.
pub(crate) fn kills() -> u64 {
    let text = kills_file().and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_allows_what_its_file_says() {
        let group = tempfile::tempdir().unwrap();
        fs::write(group.path().join("memory.max"), "max\n").unwrap();
        assert_eq!(allowed(group.path()), None);
        fs::write(group.path().join("memory.max"), "440401920\n").unwrap();
        assert_eq!(allowed(group.path()), Some(Bytes::from_mib(420)));
    }

    #[test]
    fn the_machine_has_what_it_says() {
        assert_eq!(total("MemTotal:        2048 kB\nMemFree: 1 kB\n"), Some(Bytes::from_mib(2)));
        assert_eq!(total(""), None);
    }

    #[test]
    fn there_is_some_memory_here() {
        assert!(memory_room().is_some_and(|room| room.bytes > Bytes::from_mib(1)));
    }
}
