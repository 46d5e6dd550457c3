//! `/proc`: the seat's own processes, each visible only to its user, and
//! nothing that changes or betrays the host.

use std::fs;
use std::path::Path;

use nix::mount::{MsFlags, mount};

use super::super::network;
use super::note;
use crate::Network;
use crate::error::{SandboxError, Step};
use crate::mechanism::mounts;
use crate::wire::SetUpReport;

/// Files that are replaced by an empty one.
const HIDDEN_FILES: [&str; 27] = [
    "allocinfo",
    "bootconfig",
    "buddyinfo",
    "cgroups",
    "cmdline",
    "diskstats",
    "interrupts",
    "locks",
    "modules",
    "pagetypeinfo",
    "partitions",
    "schedstat",
    "slabinfo",
    "softirqs",
    "swaps",
    "vmallocinfo",
    "vmstat",
    "zoneinfo",
    "kcore",
    "keys",
    "key-users",
    "kmsg",
    "sysrq-trigger",
    "timer_list",
    "latency_stats",
    "sched_debug",
    "kpagecount",
];
/// Folders that are replaced by an empty one.
const HIDDEN_FOLDERS: [&str; 8] =
    ["acpi", "asound", "bus", "driver", "fs", "irq", "pressure", "scsi"];
/// Entries of `/proc/sys` that are shown, as copies: the kernel makes each entry at its first
/// lookup, and its times would show later turns when that was.
const SHOWN_SETTINGS: [&str; 14] = [
    "fs/file-max",
    "fs/nr_open",
    "fs/pipe-max-size",
    "kernel/cap_last_cap",
    "kernel/hostname",
    "kernel/ngroups_max",
    "kernel/osrelease",
    "kernel/ostype",
    "kernel/pid_max",
    "kernel/threads-max",
    "kernel/version",
    "net/core/somaxconn",
    "vm/max_map_count",
    "vm/overcommit_memory",
];
/// Folder of the copies.
const COPIES: &str = ".settings";

/// Mounts `/proc` in the new root.
pub(super) fn build(
    network: Network,
    root: &Path,
    empty: &Path,
    ready: &mut SetUpReport,
) -> Result<(), SandboxError> {
    let proc = root.join("proc");
    std::fs::create_dir(&proc).step("make `/proc`")?;
    let flags = mounts::harmless() | MsFlags::MS_NOEXEC;
    let hidden = mount(Some("proc"), &proc, Some("proc"), flags, Some("hidepid=2"));
    if let Err(errno) = hidden {
        mount(Some("proc"), &proc, Some("proc"), flags, None::<&str>).step("mount `/proc`")?;
        note(ready, "other processes hidden in /proc", errno);
    }
    // There are no message queues.
    let _ = fs::write(proc.join("sys/fs/mqueue/queues_max"), "0");
    if network == Network::None {
        let _ = network::configure(&proc);
    }
    show_settings(&proc, &root.join(COPIES))?;
    hide(&proc, root, empty)?;
    read_all_entries(&proc);
    // No program may reopen what was closed.
    mounts::make_read_only(&proc, MsFlags::MS_NOEXEC).step("make `/proc` read-only")
}

/// Replaces all settings by copies of some.
fn show_settings(proc: &Path, copies: &Path) -> Result<(), SandboxError> {
    let step = "make `/proc/sys`";
    for name in SHOWN_SETTINGS {
        let Ok(text) = fs::read(proc.join("sys").join(name)) else { continue };
        let copy = copies.join(name);
        fs::create_dir_all(copy.parent().unwrap_or(copies)).step(step)?;
        fs::write(copy, text).step(step)?;
    }
    mounts::bind(copies, &proc.join("sys")).step(step)
}

/// Reads every entry once, so that none is made when a program looks.
fn read_all_entries(proc: &Path) {
    for entry in fs::read_dir(proc).into_iter().flatten().flatten() {
        let is_process = entry.file_name().as_encoded_bytes()[0].is_ascii_digit();
        let is_folder = !is_process && entry.metadata().is_ok_and(|metadata| metadata.is_dir());
        if is_folder && entry.file_name() != "sys" {
            for inner in fs::read_dir(entry.path()).into_iter().flatten().flatten() {
                let _ = inner.metadata();
            }
        }
    }
}

fn hide(proc: &Path, root: &Path, empty: &Path) -> Result<(), SandboxError> {
    let null = root.join("dev/null");
    let files = HIDDEN_FILES.iter().map(|name| (name, null.as_path()));
    let folders = HIDDEN_FOLDERS.iter().map(|name| (name, empty));
    for (name, cover) in files.chain(folders) {
        let target = proc.join(name);
        if target.exists() {
            mounts::bind(cover, &target).step(&format!("hide `/proc/{name}`"))?;
        }
    }
    Ok(())
}
