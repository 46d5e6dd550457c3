//! Controllers: handed down from a group of version 2 to those below it.
//!
//! The kernel refuses that while a process sits in the group itself. When this
//! process is the only one there it moves into a leaf, where it stays until it
//! ends; beside others that would be in vain, so it stays where it is.

use std::fs;
use std::io;
use std::path::Path;

use nix::errno::Errno;

use crate::error::{SandboxError, Step};

/// Controllers that seats need, the most important first.
const WANTED: [&str; 3] = ["memory", "pids", "cpu"];

/// Hands down what it can; gives all that groups below get.
pub(super) fn hand_down(group: &Path) -> Result<Vec<String>, SandboxError> {
    let offered = words(&group.join("cgroup.controllers")).unwrap_or_default();
    let wanted: Vec<&str> =
        WANTED.into_iter().filter(|name| offered.iter().any(|offered| offered == name)).collect();
    if enable(group, &wanted) == Err(Errno::EBUSY) && is_alone_in(group) {
        let leaf = group.join(format!("{}self", super::own_prefix()));
        if move_to(&leaf).is_ok() && enable(group, &wanted) == Err(Errno::EBUSY) {
            // Somebody came in meanwhile.
            leave(&leaf, group);
        }
    }
    words(&group.join("cgroup.subtree_control")).step("read the enabled controllers")
}

fn words(path: &Path) -> io::Result<Vec<String>> {
    let text = fs::read_to_string(path)?;
    Ok(text.split_whitespace().map(str::to_owned).collect())
}

/// Enables each; fails as the first that failed.
fn enable(group: &Path, wanted: &[&str]) -> Result<(), Errno> {
    let control = group.join("cgroup.subtree_control");
    let results = wanted.iter().map(|name| fs::write(&control, format!("+{name}")));
    let mut failed = results.filter_map(Result::err).collect::<Vec<_>>().into_iter();
    match failed.next() {
        None => Ok(()),
        Some(error) => Err(error.raw_os_error().map_or(Errno::EIO, Errno::from_raw)),
    }
}

/// Returns whether no other process is in the group. One that cannot be seen from here shows as 0.
fn is_alone_in(group: &Path) -> bool {
    let own = std::process::id().to_string();
    words(&group.join("cgroup.procs")).is_ok_and(|processes| processes == [own])
}

fn move_to(leaf: &Path) -> io::Result<()> {
    match fs::create_dir(leaf) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    fs::write(leaf.join("cgroup.procs"), "0").inspect_err(|_| {
        let _ = fs::remove_dir(leaf);
    })
}

fn leave(leaf: &Path, group: &Path) {
    if fs::write(group.join("cgroup.procs"), "0").is_ok() {
        let _ = fs::remove_dir(leaf);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that looks like a group, in which nothing refuses to be written.
    fn group(controllers: &str, processes: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cgroup.controllers"), controllers).unwrap();
        fs::write(folder.path().join("cgroup.procs"), processes).unwrap();
        fs::write(folder.path().join("cgroup.subtree_control"), "").unwrap();
        folder
    }

    #[test]
    fn only_what_is_offered_and_wanted_is_handed_down() {
        let group = group("cpuset io pids rdma\n", "");
        assert_eq!(hand_down(group.path()).unwrap(), ["+pids"]);
    }

    #[test]
    fn beside_others_a_process_is_not_alone() {
        let own = std::process::id();
        assert!(is_alone_in(group("", &format!("{own}\n")).path()));
        assert!(!is_alone_in(group("", &format!("1\n{own}\n")).path()));
        assert!(!is_alone_in(group("", &format!("0\n{own}\n")).path()));
        assert!(!is_alone_in(group("", "").path()));
    }

    #[test]
    fn what_is_no_group_hands_nothing_down() {
        assert!(hand_down(tempfile::tempdir().unwrap().path()).is_err());
    }
}
