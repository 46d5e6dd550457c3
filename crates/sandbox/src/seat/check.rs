//! What can be refused before anything is made.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Component;

use crate::error::SandboxError;
use crate::{SeatSpec, Turn};

/// The most bytes of a command the kernel takes as one string, its end included.
const LONGEST_ARGUMENT: usize = 128 * 1024;

/// Refuses what the kernel would refuse later, with less to say about it.
pub(super) fn check_spec(spec: &SeatSpec) -> Result<(), SandboxError> {
    let paths = spec.folders.iter().map(|folder| &folder.inside).chain([&spec.scratch]);
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
    let odd = |text: &OsStr| text.as_bytes().contains(&0);
    for (name, value) in &spec.environment {
        if odd(name) || odd(value) || name.is_empty() || name.as_bytes().contains(&b'=') {
            let step = format!("set `{}`", name.display());
            return Err(SandboxError::because(step, "no program can be given such a variable"));
        }
    }
    Ok(())
}

/// As [`check_spec`], for one turn.
pub(super) fn check_turn(turn: &Turn<'_>) -> Result<(), SandboxError> {
    let step = "give the program its arguments";
    for (index, argument) in turn.command.iter().enumerate() {
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
