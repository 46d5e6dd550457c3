//! Processes of a run, alive or zombie.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

struct Process {
    parent: u32,
    name: String,
    state: char,
}

/// Processes with the name of the run in their environment, zombies below the
/// observer, and the observer's children and the servers of its seats, these marked as `child`.
pub(super) fn of_run(run: &str, observer: u32) -> BTreeSet<String> {
    let all = all();
    let mut found = BTreeSet::new();
    for (pid, process) in all.iter().filter(|(pid, _)| **pid != observer) {
        let line = format!("{pid} {} {}", process.name, process.state);
        let belongs = belongs(*pid, run);
        if belongs && is_server(*pid) {
            found.insert(format!("child {pid} {}", process.name));
        } else if belongs || process.state == 'Z' && descends(*pid, observer, &all) {
            found.insert(line);
        } else if descends(*pid, observer, &all) {
            // Its state comes and goes.
            found.insert(format!("child {pid} {}", process.name));
        }
    }
    found
}

fn all() -> BTreeMap<u32, Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| Some((pid, read(pid)?))).collect()
}

fn read(pid: u32) -> Option<Process> {
    let stat = text(pid, "stat")?;
    let (start, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    Some(Process {
        name: start.split_once('(')?.1.to_owned(),
        state: fields.next()?.chars().next()?,
        parent: fields.next()?.parse().ok()?,
    })
}

/// Reads a file of a process, whose name need not be text.
fn text(pid: u32, file: &str) -> Option<String> {
    let bytes = fs::read(format!("/proc/{pid}/{file}")).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn descends(pid: u32, ancestor: u32, all: &BTreeMap<u32, Process>) -> bool {
    let mut at = pid;
    // Parents may change while we look; no chain is longer than this.
    for _ in 0..64 {
        match all.get(&at) {
            Some(process) if process.parent == ancestor => return true,
            Some(process) => at = process.parent,
            None => return false,
        }
    }
    false
}

fn belongs(pid: u32, run: &str) -> bool {
    let wanted = format!("RUN={run}").into_bytes();
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|line| line == wanted)
}

/// Returns whether it is what a seat keeps ready for its next turns: it has a number of its own
/// there, or, where seats cannot number processes, the connection to its launcher, which its copies
/// do not have.
fn is_server(pid: u32) -> bool {
    let status = text(pid, "status").unwrap_or_default();
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
    let has_number = numbers.split_whitespace().skip(1).last() == Some("32000");
    let connection = fs::read_link(format!("/proc/{pid}/fd/9")).unwrap_or_default();
    has_number || connection.to_string_lossy().starts_with("socket:") && is_kept_ready(pid)
}

/// Returns whether it was started with a module of the seat's, as its copies are.
fn is_kept_ready(pid: u32) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|line| line == b"PYTHONPATH=/etc/warm")
}

/// Resident memory of a process.
pub(super) fn resident_bytes(pid: u32) -> u64 {
    let status = text(pid, "status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}
