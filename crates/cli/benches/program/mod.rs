//! The program that people use, run by benchmarks in folders of their own.
#![allow(dead_code, reason = "each benchmark uses a part")]

use std::error::Error;
use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

/// Length of a clock tick of `/proc/self/stat` on every Linux machine.
const TICK: Duration = Duration::from_millis(10);

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Copies a folder with its contents; `to` is created.
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
    // Of proc(5), `cutime` is field 16 and `cstime` field 17.
    times("/proc/self/stat", 16)
}

/// Returns the CPU time of a process that was not waited for yet, without its children.
pub(crate) fn cpu_of(process: u32) -> Result<Duration> {
    // Of proc(5), `utime` is field 14 and `stime` field 15.
    times(&format!("/proc/{process}/stat"), 14)
}

/// Returns the sum of a field and the next one.
fn times(stat: &str, field: usize) -> Result<Duration> {
    let stat = fs::read_to_string(stat)?;
    let (_, after_name) = stat.rsplit_once(") ").ok_or("a `stat` file has no name")?;
    // What follows the name begins with field 3.
    let ticks = after_name.split(' ').skip(field - 3).take(2).map(str::parse::<u32>);
    ticks.map(|ticks| Ok(TICK * ticks?)).sum()
}

/// Starts the server that `scripts/install-tools` installs, and waits until it listens.
pub(crate) fn server(port: u16, store: &Path) -> Result<Child> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let usual = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target");
    let program = target.unwrap_or_else(usual).join("tools/bin/nats-server");
    // As `scripts/cluster` starts it.
    let child = Command::new(&program)
        .env("GOMAXPROCS", "1")
        .args(["--addr", "127.0.0.1", "--port", &port.to_string(), "--jetstream", "--store_dir"])
        .arg(store)
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("`{}`: {error}; `scripts/install-tools`", program.display()))?;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(child)
}

/// A process that is asked to end, and waited for.
pub(crate) struct Ending(pub(crate) Child);

/// End of a process.
pub(crate) struct Ended {
    /// The processor time of its program alone.
    pub(crate) cpu: Duration,
    pub(crate) status: ExitStatus,
}

impl Ending {
    fn id(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.0.id()).unwrap_or(i32::MAX))
    }

    /// Ends it; returns the processor time of its program alone.
    pub(crate) fn end(self) -> Result<Duration> {
        let _ = kill(self.id(), Signal::SIGTERM);
        Ok(self.wait()?.cpu)
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> Result<Ended> {
        // It stays as it is until it is waited for.
        waitid(Id::Pid(self.id()), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT)?;
        let cpu = cpu_of(self.0.id())?;
        Ok(Ended { cpu, status: self.0.wait()? })
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            let _ = kill(self.id(), Signal::SIGTERM);
            let _ = self.0.wait();
        }
    }
}
