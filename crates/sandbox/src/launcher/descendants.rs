//! Descendants of the launcher, found from parent to child. Only they are touched, however many
//! others the host has.
//!
//! The kernel lists children while they come and go, so one look can miss a process; orphans
//! become the launcher's own children and are found there. Kernels without
//! `CONFIG_PROC_CHILDREN` list none.

use std::collections::HashSet;
use std::fs;

/// Every process that descends from this one, or `None` where the kernel does not list children.
pub(super) fn descendants() -> Option<Vec<u32>> {
    let mut found = children("thread-self")?;
    let mut known: HashSet<u32> = found.iter().copied().collect();
    let mut next = 0;
    while let Some(process) = found.get(next).copied() {
        next += 1;
        let new = children_of(process).into_iter().filter(|child| known.insert(*child));
        found.extend(new.collect::<Vec<_>>());
    }
    Some(found)
}

/// Children of every thread of a process.
fn children_of(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let names = threads.map(|thread| thread.file_name());
    let of_thread = |name: std::ffi::OsString| {
        children(&format!("{process}/task/{}", name.to_string_lossy())).unwrap_or_default()
    };
    names.flat_map(of_thread).collect()
}

fn children(thread: &str) -> Option<Vec<u32>> {
    let list = fs::read_to_string(format!("/proc/{thread}/children")).ok()?;
    Some(list.split_whitespace().filter_map(|id| id.parse().ok()).collect())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_child_and_its_child_are_found() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 30 & echo $!; wait"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let stdout = std::io::BufReader::new(shell.stdout.as_mut().unwrap());
        std::io::BufRead::read_line(&mut { stdout }, &mut line).unwrap();
        let sleeper: u32 = line.trim().parse().unwrap();
        let found = descendants();
        let _ = Command::new("kill").arg(sleeper.to_string()).status();
        let _ = shell.wait();
        if let Some(found) = found {
            assert!(found.contains(&shell.id()), "{found:?} lacks the child {}", shell.id());
            assert!(found.contains(&sleeper), "{found:?} lacks the child's child {sleeper}");
            assert!(!found.contains(&std::process::id()));
        }
    }
}
