//! Leftovers of orchestrators that were killed.
//!
//! Mounts, scratches, sockets and System V objects vanish with the last process of
//! a seat, and a launcher ends when its socket closes. Only groups can remain, which
//! nothing removes by itself, and processes, if there are no process id name
//! spaces.

use std::fs;

use crate::folder::remove_from_host;
use crate::kernel_text::{self, status_number};
use crate::machine::{Machine, scratch_roots};
use crate::mechanism::{cgroup, users};
use crate::sys;
use crate::wire::{LAUNCHER_ARGUMENT, Mode};

/// Counts of what was found and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOvers {
    /// Control groups of processes that are gone.
    pub groups: u32,
    /// Processes in those groups, or of users that only seats have.
    pub processes: u32,
    /// Scratch folders on the host's file systems, as tiers without name spaces have, and
    /// [temporary folders](crate::temporary_folder).
    pub folders: u32,
}

pub(super) fn remove(machine: &Machine) -> LeftOvers {
    let mut found = LeftOvers::default();
    if let Some(layout) = &machine.layout {
        (found.groups, found.processes) = cgroup::remove_left_over_groups(layout);
    }
    if machine.mode == Mode::Container {
        found.processes += kill_unclaimed_users();
    }
    found.folders = remove_folders();
    found
}

/// Kills processes of users whose block no process holds any more, unless a
/// launcher still supervises them.
fn kill_unclaimed_users() -> u32 {
    let mut killed = 0;
    let running = users::running();
    for block in users::unclaimed() {
        for user in running.range(block).filter(|user| !has_launcher(**user)) {
            sys::kill_user(*user);
            sys::remove_ipc_of(*user);
            killed += 1;
        }
    }
    killed
}

/// Returns whether any process of a user descends from a launcher.
fn has_launcher(user: u32) -> bool {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut processes = entries
        .filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == user))
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes.any(|process| descends_from_launcher(process, user))
}

/// Returns whether a process or one of its ancestors is a launcher. Processes of a seat's user do
/// not count: they can give themselves any name.
fn descends_from_launcher(mut process: u32, user: u32) -> bool {
    // As deep as any tree that fits the process limits of a seat.
    for _ in 0..4096 {
        let command = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        if is_launchers(&command) && real_user(process).is_some_and(|real| real != user) {
            return true;
        }
        match parent(process) {
            Some(parent) if parent > 0 => process = parent,
            _ => return false,
        }
    }
    false
}

fn is_launchers(command: &[u8]) -> bool {
    command.split(|byte| *byte == 0).nth(1) == Some(LAUNCHER_ARGUMENT.as_bytes())
}

fn real_user(process: u32) -> Option<u32> {
    user_in(&kernel_text::read(format!("/proc/{process}/status")).ok()?)
}

/// Returns the real user in a process's status.
fn user_in(status: &str) -> Option<u32> {
    u32::try_from(status_number(status, "Uid:")?).ok()
}

fn parent(process: u32) -> Option<u32> {
    kernel_text::stat(process).ok()?.split_whitespace().nth(1)?.parse().ok()
}

fn remove_folders() -> u32 {
    let entries = scratch_roots().into_iter().filter_map(|root| fs::read_dir(root).ok());
    let entries = entries.flatten().flatten();
    let orphaned = entries.filter(|entry| {
        entry.file_name().to_str().is_some_and(cgroup::is_orphaned)
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
    });
    orphaned
        .filter(|entry| remove_from_host(&entry.path()).is_ok())
        .count()
        .try_into()
        .unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_launcher_is_known_by_its_first_argument() {
        let door = LAUNCHER_ARGUMENT;
        assert!(is_launchers(format!("joust\0{door}\0").as_bytes()));
        assert!(!is_launchers(format!("joust\0run\0{door}\0").as_bytes()));
        assert!(!is_launchers(b""));
    }

    #[test]
    fn the_real_user_is_the_first_of_four() {
        assert_eq!(user_in("Name:\tUid: 3\nUid:\t52001\t0\t0\t0\n"), Some(52001));
        assert_eq!(user_in("Name:\tbot\n"), None);
    }

    #[test]
    fn whoever_calls_itself_a_launcher_is_none() {
        let own = real_user(std::process::id()).expect("the kernel tells");
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(LAUNCHER_ARGUMENT), "echo; read line").unwrap();
        let mut named = std::process::Command::new("sh")
            .arg(LAUNCHER_ARGUMENT)
            .current_dir(folder.path())
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Its arguments can be read once it runs.
        let mut line = [0];
        named.stdout.take().unwrap().read_exact(&mut line).unwrap();
        let another = own.wrapping_add(1);
        let descends = [own, another].map(|user| descends_from_launcher(named.id(), user));
        drop(named.stdin.take());
        let _ = named.wait();
        assert_eq!(descends, [false, true], "its user may be that of seats, or is another");
    }
}
