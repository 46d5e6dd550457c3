//! Checks of a specification before anything is made.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Component;

use crate::error::SandboxError;
use crate::{Network, SeatSpec};

/// Largest size of one argument that the kernel takes, including its terminating zero, bytes.
const LONGEST_ARGUMENT: usize = 128 * 1024;

/// Refuses what the kernel would refuse later with a less helpful error.
pub(super) fn check_spec(spec: &SeatSpec) -> Result<(), SandboxError> {
    let paths =
        spec.folders.iter().map(|folder| &folder.inside).chain([&spec.scratch]).chain(&spec.hidden);
    for path in paths {
        let mut parts = path.components();
        let plain = parts.next() == Some(Component::RootDir)
            && parts.all(|part| matches!(part, Component::Normal(_)))
            && path.parent().is_some();
        if !plain {
            let step = format!("place `{}`", path.display());
            return Err(SandboxError::because(step, "the path is not plain and absolute"));
        }
    }
    check_host_sockets(spec)?;
    let odd = |text: &OsStr| text.as_bytes().contains(&0);
    for (name, value) in &spec.environment {
        if odd(name) || odd(value) || name.is_empty() || name.as_bytes().contains(&b'=') {
            let step = format!("set `{}`", name.display());
            return Err(SandboxError::because(step, "no program can be given such a variable"));
        }
    }
    Ok(())
}

fn check_host_sockets(spec: &SeatSpec) -> Result<(), SandboxError> {
    let sockets = &spec.host_sockets;
    let is_reached = !sockets.listen.is_empty() || sockets.may_listen;
    if is_reached && spec.network == Network::Host {
        return Err(SandboxError::because("listen for the seat", "its network is the host's"));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-".contains(c);
    let odd = sockets.hosts.iter().find(|name| name.is_empty() || !name.chars().all(is_plain));
    odd.map_or(Ok(()), |name| {
        let step = format!("name this computer `{}`", name.escape_default());
        Err(SandboxError::because(step, "no computer can have such a name"))
    })
}

/// As [`check_spec`], for one program and its arguments.
pub(super) fn check_command(command: &[OsString]) -> Result<(), SandboxError> {
    let step = "give the program its arguments";
    for (index, argument) in command.iter().enumerate() {
        if argument.len() >= LONGEST_ARGUMENT {
            return Err(SandboxError::because(
                step,
                format!(
                    "argument {index} has {} bytes, and the kernel takes at most {}",
                    argument.len(),
                    LONGEST_ARGUMENT - 1
                ),
            ));
        }
        if argument.as_bytes().contains(&0) {
            return Err(SandboxError::because(step, format!("argument {index} holds a zero byte")));
        }
    }
    Ok(())
}
