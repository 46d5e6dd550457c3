//! Control groups: memory, processes and processor time of a whole tree.
//!
//! Three layouts: version 2 with its controllers; version 1; and both at once,
//! where version 1 has the controllers and version 2 only counts (stall).
//! Groups are named after the process that made them, so that the groups of a
//! killed process are recognised.

mod controllers;
mod layout;
mod left_over;
mod seat_group;

use crate::kernel_text;

pub(crate) use layout::{Layout, memory_groups};
pub(crate) use left_over::{is_orphaned, remove_left_over_groups};
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
