//! `/etc`: what runtimes insist on, made up, and nothing about the host.

use std::fs;
use std::path::Path;

use super::{ViewBuilder, open_folder};
use crate::Network;
use crate::error::{SandboxError, Step};
use crate::launcher::identity;
use crate::wire::{SetUp, SetUpReport};

/// Folders of the host that runtimes read: links to programs, and settings that
/// distributions move out of the runtimes' own folders.
const FOLDERS: [&str; 3] = ["alternatives", "java", "mono"];
/// The same, for programs that use the host's network.
const NETWORK_FOLDERS: [&str; 3] = ["ssl", "pki", "ca-certificates"];
/// Files copied as they are.
const FILES: [&str; 1] = ["ld.so.cache"];
/// The same, for programs that use the host's network.
const NETWORK_FILES: [&str; 3] = ["resolv.conf", "hosts", "services"];

/// Makes `/etc` in the new root, except the files about the user.
pub(super) fn build(
    network: Network,
    builder: &ViewBuilder,
    ready: &mut SetUpReport,
) -> Result<(), SandboxError> {
    let etc = builder.root.join("etc");
    fs::create_dir_all(&etc).step("make `/etc`")?;
    write_made_up(&etc)?;
    for name in FILES {
        copy(name, &etc);
    }
    if network == Network::Host {
        NETWORK_FILES.iter().for_each(|name| copy(name, &etc));
    }
    mount_folders(network, builder, ready)
}

/// Adds names that stand for this computer.
pub(super) fn write_hosts(request: &SetUp, root: &Path) -> Result<(), SandboxError> {
    if request.hosts.is_empty() {
        return Ok(());
    }
    let step = "write `/etc/hosts`";
    let path = root.join("etc/hosts");
    let mut text = fs::read(&path).step(step)?;
    for name in &request.hosts {
        text.extend([b"127.0.0.1 ", name.as_slice(), b"\n"].concat());
    }
    fs::write(path, text).step(step)
}

/// Writes what the server of warm starts finds.
pub(super) fn write_server(request: &SetUp, root: &Path) -> Result<(), SandboxError> {
    let Some(warm) = &request.warm else { return Ok(()) };
    let step = "write the file of a server";
    let folder = root.join("etc/warm");
    fs::create_dir(&folder).step(step)?;
    let (name, text) = &warm.file;
    fs::write(folder.join(name), text).step(step)
}

/// Writes the only user there is.
pub(super) fn write_user(request: &SetUp, root: &Path) -> Result<(), SandboxError> {
    let user = identity::inside(request);
    let home = String::from_utf8_lossy(&request.scratch);
    let passwd = format!("bot:x:{user}:{user}:bot:{home}:/bin/sh\n");
    fs::write(root.join("etc/passwd"), passwd).step("write `/etc/passwd`")?;
    fs::write(root.join("etc/group"), format!("bot:x:{user}:\n")).step("write `/etc/group`")
}

fn write_made_up(etc: &Path) -> Result<(), SandboxError> {
    for (name, text) in [
        ("hosts", "127.0.0.1 localhost joust\n::1 localhost\n"),
        ("hostname", "joust\n"),
        ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
    ] {
        fs::write(etc.join(name), text).step(&format!("write `/etc/{name}`"))?;
    }
    let _ = fs::create_dir(etc.join("ld.so.conf.d"));
    Ok(())
}

/// Copies a file of the host, if there is one.
fn copy(name: &str, etc: &Path) {
    if let Ok(bytes) = fs::read(Path::new("/etc").join(name)) {
        let _ = fs::write(etc.join(name), bytes);
    }
}

fn mount_folders(
    network: Network,
    builder: &ViewBuilder,
    ready: &mut SetUpReport,
) -> Result<(), SandboxError> {
    let Ok(entries) = fs::read_dir("/etc") else { return Ok(()) };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let wanted = FOLDERS.contains(&name)
            || name.starts_with("java-")
            || network == Network::Host && NETWORK_FOLDERS.contains(&name);
        if wanted && entry.path().is_dir() {
            let folder = open_folder(&entry.path())?;
            builder.mount_folder(&entry.path(), &folder, ready)?;
        }
    }
    Ok(())
}
