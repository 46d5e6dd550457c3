//! Control groups: memory, processes and processor time of a whole tree.
//!
//! Three layouts: version 2 with its controllers; version 1; and both at once,
//! where version 1 has the controllers and version 2 only counts (stall).
//! Groups are named after the process that made them, so that the groups of a
//! killed process are recognised and removed.

mod layout;
mod seat_group;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::kernel_text;

pub(crate) use layout::{Layout, memory_groups};
pub(crate) use seat_group::SeatGroup;

/// Prefix of the name of every group.
const PREFIX: &str = "joust-";

/// Returns "joust-<process>-<start of the process>-<name space of its number>-": it distinguishes
/// our groups from another process's, even one that has the same number later or in another
/// container.
pub(crate) fn own_prefix() -> String {
    let process = std::process::id();
    format!("{PREFIX}{process}-{}-{}-", start_time(process).unwrap_or(0), pid_namespace())
}

/// Returns the number of the name space of this process's process ids; 0 if it cannot be read.
fn pid_namespace() -> u64 {
    let file = std::fs::metadata("/proc/self/ns/pid");
    file.map_or(0, |file| std::os::unix::fs::MetadataExt::ino(&file))
}

/// Returns the time when a process started, in clock ticks since boot.
///
/// # Errors
///
/// Kind [`NotFound`](std::io::ErrorKind::NotFound) if there is no such process; others if the time
/// cannot be read.
fn start_time(process: u32) -> std::io::Result<u64> {
    let stat = kernel_text::stat(process)?;
    let time = stat.split_whitespace().nth(19).and_then(|field| field.parse().ok());
    time.ok_or_else(|| std::io::ErrorKind::InvalidData.into())
}

/// Time that emptying one group may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Kills what is in groups of dead makers and removes the groups; gives the
/// number of groups and of processes.
pub(crate) fn remove_left_over_groups(layout: &Layout) -> (u32, u32) {
    let (mut groups, mut processes) = (0, 0);
    for parent in layout.parents() {
        let Ok(entries) = fs::read_dir(&parent.path) else { continue };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(is_orphaned) {
                processes += empty(&entry.path());
                groups += u32::from(fs::remove_dir(entry.path()).is_ok());
            }
        }
    }
    (groups, processes)
}

/// Returns whether a group is one of ours and its maker is gone. Processes of other name spaces
/// cannot be seen, and are taken to be alive.
pub(crate) fn is_orphaned(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return false };
    let mut numbers = rest.splitn(4, '-');
    let process = numbers.next().and_then(|text| text.parse().ok());
    let mut number = || numbers.next().and_then(|text| text.parse::<u64>().ok());
    match (process, number(), number()) {
        (Some(process), Some(started), Some(space)) if space == pid_namespace() => {
            match start_time(process) {
                Ok(time) => time != started,
                // A process that cannot be asked is taken to be alive.
                Err(error) => error.kind() == std::io::ErrorKind::NotFound,
            }
        }
        _ => false,
    }
}

/// Kills until nothing is left.
fn empty(group: &Path) -> u32 {
    let end = Instant::now() + PATIENCE;
    let mut killed = std::collections::BTreeSet::new();
    loop {
        let text = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
        let members: Vec<i32> = text.lines().filter_map(|line| line.parse().ok()).collect();
        if members.is_empty() || Instant::now() > end {
            return u32::try_from(killed.len()).unwrap_or(u32::MAX);
        }
        // Reaches those in other process id name spaces, too, where the kernel has it.
        let _ = fs::write(group.join("cgroup.kill"), "1");
        for member in members.into_iter().filter(|member| *member > 0) {
            let _ = kill(Pid::from_raw(member), Signal::SIGKILL);
            killed.insert(member);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_of_this_process_is_no_left_over() {
        assert!(!is_orphaned(&format!("{}7", own_prefix())));
    }

    #[test]
    fn a_group_of_an_earlier_process_of_the_same_number_is() {
        assert!(is_orphaned(&format!("joust-{}-1-{}-7", std::process::id(), pid_namespace())));
    }

    #[test]
    fn a_group_of_another_container_is_no_left_over() {
        let (process, other) = (std::process::id(), pid_namespace() + 1);
        assert!(!is_orphaned(&format!("joust-{process}-1-{other}-7")));
    }

    #[test]
    fn a_foreign_group_is_no_left_over() {
        assert!(!is_orphaned("joust"));
        assert!(!is_orphaned("user.slice"));
        assert!(!is_orphaned("joust-abc-1-7"));
        assert!(!is_orphaned("joust-1-1-7"));
    }
}
