//! The program that people use, run by benchmarks in folders of their own.
#![allow(dead_code, reason = "each benchmark uses a part")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// What a clock tick of `/proc/self/stat` is on every Linux machine.
const TICK: Duration = Duration::from_millis(10);

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Copies a folder with all that is in it; `to` is made.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Runs `joust` in the folder and returns what it printed.
pub(crate) fn joust(folder: &Path, words: &[&str]) -> Result<Vec<u8>> {
    let output = command(folder, words).output()?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(
            format!("joust {} ended with {}: {message}", words.join(" "), output.status).into()
        );
    }
    Ok(output.stdout)
}

/// Returns the command that runs `joust` in the folder, with a cache of its own there.
pub(crate) fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_joust"));
    command.args(words).current_dir(folder).env("JOUST_CACHE", folder.join("cache"));
    command
}

/// Returns the CPU time of all processes that were waited for, and of those
/// they waited for.
pub(crate) fn children_cpu() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let (_, after_name) = stat.rsplit_once(") ").ok_or("`/proc/self/stat` has no name")?;
    // Of proc(5), `cutime` is field 16 and `cstime` field 17; `after_name` begins with field 3.
    let ticks = after_name.split(' ').skip(13).take(2).map(str::parse::<u32>);
    ticks.map(|ticks| Ok(TICK * ticks?)).sum()
}
