//! Shared file system: the host's own, where no name spaces can be made.
//!
//! Landlock allows reading the system's programs and libraries and the folders
//! asked for, and writing the scratch. The folders keep their host paths.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::{View, open_any, open_folder};
use crate::error::SandboxError;
use crate::launcher::set_up::path;
use crate::wire::{SCRATCH, SetUp, SetUpReport, TEMPORARY};

/// Paths that every program may read.
const SYSTEM: [&str; 14] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/mono",
    "/etc/passwd",
    "/etc/nsswitch.conf",
    // Node ends at once when it is there and closed to it.
    "/etc/ssl/openssl.cnf",
    "/proc",
];

/// Opens what is there already.
pub(in crate::launcher) fn build(
    request: &SetUp,
    ready: &mut SetUpReport,
) -> Result<View, SandboxError> {
    for folder in &request.host_folders {
        open_any(path(folder))?;
    }
    let host = path(&request.host_scratch);
    let writable: OwnedFd = open_folder(host)?;
    let readable = SYSTEM
        .iter()
        .map(PathBuf::from)
        .chain(request.host_folders.iter().map(|folder| path(folder).to_owned()))
        .chain(java_settings())
        // `localhost`, for programs that connect.
        .chain((!request.ports.is_empty()).then(|| PathBuf::from("/etc/hosts")))
        // For the launcher, which measures it.
        .chain([host.to_owned()])
        .collect();
    let root = host.parent().unwrap_or(host).display();
    let looked_at = format!("needs name spaces; scratches are in `{root}` and looked at");
    ready.lacks("disk limit of the whole scratch", looked_at);
    for feature in [
        "neutral paths",
        "own network",
        "other processes hidden in /proc",
        "a folder of one's own program that can be written",
    ] {
        ready.lacks(feature, "needs name spaces");
    }
    if !request.hosts.is_empty() {
        ready.lacks("names of this computer", "`/etc/hosts` is the host's");
    }
    Ok(View {
        readable_folders: readable,
        writable_folders: vec![host.join(SCRATCH), host.join(TEMPORARY)],
        writable,
        handed_out: None,
    })
}

fn java_settings() -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(Path::new("/etc"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_str().is_some_and(|path| path.starts_with("/etc/java")))
}
