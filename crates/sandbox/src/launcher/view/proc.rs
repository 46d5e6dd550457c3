//! `/proc`: the seat's own processes, of which each user sees only its own, and
//! nothing that changes or betrays the host.

use std::path::Path;

use nix::mount::{MsFlags, mount};

use super::note;
use crate::error::{SandboxError, Step};
use crate::mechanism::mounts;
use crate::wire::Ready;

/// Files that are replaced by an empty one.
const HIDDEN_FILES: [&str; 9] = [
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
const HIDDEN_FOLDERS: [&str; 7] = ["acpi", "asound", "bus", "driver", "fs", "irq", "scsi"];
/// Settings of the seat's own name spaces: no closed connection may outlive a
/// turn, and there are no message queues.
const SETTINGS: [(&str, &str); 2] =
    [("sys/net/ipv4/tcp_max_tw_buckets", "0"), ("sys/fs/mqueue/queues_max", "0")];

/// Mounts `/proc` in the new root.
pub(super) fn build(
    network: u8,
    root: &Path,
    empty: &Path,
    ready: &mut Ready,
) -> Result<(), SandboxError> {
    let proc = root.join("proc");
    std::fs::create_dir(&proc).step("make `/proc`")?;
    let flags = mounts::harmless() | MsFlags::MS_NOEXEC;
    let hidden = mount(Some("proc"), &proc, Some("proc"), flags, Some("hidepid=2"));
    if let Err(errno) = hidden {
        mount(Some("proc"), &proc, Some("proc"), flags, None::<&str>).step("mount `/proc`")?;
        note(ready, "other processes hidden in /proc", errno);
    }
    for (name, value) in SETTINGS {
        // Without a network of its own the seat would change the host's.
        if network == 0 || !name.starts_with("sys/net/") {
            let _ = std::fs::write(proc.join(name), value);
        }
    }
    hide(&proc, root, empty)?;
    let settings = proc.join("sys");
    mounts::bind(&settings, &settings).step("make `/proc/sys` read-only")?;
    mounts::make_read_only(&settings, MsFlags::MS_NOEXEC).step("make `/proc/sys` read-only")
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
