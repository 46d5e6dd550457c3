//! Control groups of one seat.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::layout::{Layout, Parent, Version};
use crate::error::{SandboxError, Step};
use crate::wire::Counter;
use crate::{Bytes, SeatLimits};

/// The groups of one seat, one per hierarchy; removed when dropped.
pub(crate) struct SeatGroup {
    memory: Option<(PathBuf, Version)>,
    processes: Option<(PathBuf, Version)>,
    cpu: Option<(PathBuf, Version)>,
    stall: Option<PathBuf>,
    all: Vec<PathBuf>,
    /// Memory in use before the first seat: what the launcher itself needs.
    own_memory: Option<u64>,
    /// Memory and processes of the last limits.
    limited: Option<(Bytes, u32)>,
}

/// Time that removing a group may take after its last process has gone.
const REMOVAL: Duration = Duration::from_millis(500);

impl SeatGroup {
    /// Makes the groups; parts that this host lacks are left out.
    pub(crate) fn create(layout: &Layout, number: u64) -> Result<Self, SandboxError> {
        let name = format!("{}{number}", super::own_prefix());
        let mut all = Vec::new();
        for parent in layout.parents() {
            let path = parent.path.join(&name);
            fs::create_dir(&path).step(&format!("make the control group `{}`", path.display()))?;
            all.push(path);
        }
        let place = |parent: &Result<Parent, SandboxError>| {
            parent.as_ref().ok().map(|parent| (parent.path.join(&name), parent.version))
        };
        Ok(Self {
            memory: place(&layout.memory),
            processes: place(&layout.processes),
            cpu: place(&layout.cpu),
            stall: place(&layout.stall).map(|(path, _)| path),
            all,
            own_memory: None,
            limited: None,
        })
    }

    /// Moves the launcher into the groups, which are then the roots of its name space. Slow
    /// after a quiet period; never needed per turn.
    pub(crate) fn attach(&self, process: i32) -> Result<(), SandboxError> {
        let entered = self.entered();
        for path in &self.all {
            // One thread alone is moved in microseconds.
            let file = if Some(path.as_path()) == entered { ENTRY } else { "cgroup.procs" };
            fs::write(path.join(file), process.to_string())
                .step(&format!("move the launcher into `{}`", path.display()))?;
        }
        Ok(())
    }

    /// Returns the file to which the launcher, once it has its name space, writes `0` to leave the
    /// group that its programs enter by themselves.
    pub(crate) fn exit(&self) -> Option<PathBuf> {
        self.entered().and_then(Path::parent).map(|outside| outside.join(ENTRY))
    }

    /// The group that limits memory, if each program enters it by itself. A launcher in that group
    /// would wait for memory together with the programs when it runs out, and could end none of
    /// them.
    ///
    /// Entering costs little in version 1, where one thread may move itself. It is not needed in
    /// version 2, where the kernel can end all programs at once.
    fn entered(&self) -> Option<&Path> {
        let (path, version) = self.memory.as_ref()?;
        let others = [self.processes.as_ref(), self.cpu.as_ref()].into_iter().flatten();
        let alone = others.map(|(path, _)| path).chain(&self.stall).all(|other| other != path);
        (*version == Version::One && alone).then_some(path)
    }

    /// Limits memory and processes beyond what the launcher itself needs.
    pub(crate) fn limit(&mut self, limits: &SeatLimits) -> Result<(), SandboxError> {
        let wanted = Some((limits.memory, limits.processes));
        if self.limited == wanted {
            return Ok(());
        }
        if let Some((path, version)) = &self.memory {
            let own = *self.own_memory.get_or_insert_with(|| in_use(path, *version));
            limit_memory(path, *version, limits.memory.0.saturating_add(own))?;
            limit_sockets(path, limits.memory)?;
        }
        if let Some((path, _)) = &self.processes {
            let tasks = u64::from(limits.processes) + 1;
            write(&path.join("pids.max"), tasks)?;
        }
        self.limited = wanted;
        Ok(())
    }

    /// Returns whether the memory of an earlier seat is charged to it, for instance files that its
    /// programs were the first to read. The next seat's programs would have that much more room.
    pub(crate) fn is_charged(&self) -> bool {
        let Some(((path, version), own)) = self.memory.as_ref().zip(self.own_memory) else {
            return false;
        };
        in_use(path, *version) > own.saturating_add(CHARGED_AHEAD)
    }

    /// Returns whether buffers of sockets of the internet's families are counted.
    pub(crate) fn counts_sockets(layout: &Layout) -> bool {
        layout.memory.as_ref().is_ok_and(|parent| {
            parent.version == Version::Two || parent.path.join(SOCKET_LIMIT).exists()
        })
    }

    /// Returns whether its memory has reached the limit in this turn, or at any time if that is
    /// counted.
    pub(crate) fn reached_limit(&self, limit: Bytes) -> bool {
        const AT_ONCE: u64 = 1 << 20;
        let Some((path, version)) = &self.memory else { return false };
        let read = |name: &str| fs::read_to_string(path.join(name)).unwrap_or_default();
        match version {
            Version::One => {
                let peak = read("memory.max_usage_in_bytes").trim().parse().unwrap_or(u64::MAX);
                peak.saturating_add(AT_ONCE) >= limit.0
            }
            Version::Two => !read("memory.events").lines().any(|line| line == "oom 0"),
        }
    }

    /// Names the files that the launcher reads.
    pub(crate) fn counters(&self) -> Vec<(Counter, PathBuf)> {
        let mut counters = Vec::new();
        let mut add = |counter, path: &Path, name: &str| {
            counters.push((counter, path.join(name)));
        };
        if let Some((path, version)) = &self.memory {
            let (peak, now, kills) = match version {
                Version::One => {
                    ("memory.max_usage_in_bytes", "memory.usage_in_bytes", "memory.oom_control")
                }
                Version::Two => ("memory.peak", "memory.current", "memory.events"),
            };
            if path.join(peak).exists() {
                add(Counter::MemoryPeak, path, peak);
            }
            add(Counter::MemoryNow, path, now);
            add(Counter::MemoryStatistics, path, "memory.stat");
            add(Counter::MemoryKills, path, kills);
            if let Some(path) = self.entered() {
                add(Counter::MemoryEntry, path, ENTRY);
            }
            if path.join(KILL_ALL).exists() {
                add(Counter::MemoryKillsAll, path, KILL_ALL);
            }
            if path.join(SOCKET_PEAK).exists() {
                add(Counter::SocketPeak, path, SOCKET_PEAK);
            }
        }
        if let Some((path, _)) = &self.processes {
            add(Counter::ProcessRefusals, path, "pids.events");
        }
        match &self.cpu {
            Some((path, Version::One)) => add(Counter::CpuNanoseconds, path, "cpuacct.usage"),
            Some((path, Version::Two)) => add(Counter::CpuStatistics, path, "cpu.stat"),
            None => {}
        }
        if let Some(path) = &self.stall
            && path.join("cpu.pressure").exists()
        {
            add(Counter::Pressure, path, "cpu.pressure");
        }
        counters
    }

    fn remove(&mut self) {
        let end = std::time::Instant::now() + REMOVAL;
        while let Some(path) = self.all.last() {
            let gone = match fs::remove_dir(path) {
                Ok(()) => true,
                Err(error) => error.kind() == std::io::ErrorKind::NotFound,
            };
            if gone {
                self.all.pop();
            } else if std::time::Instant::now() > end {
                tracing::warn!(path = %path.display(), "a control group could not be removed");
                self.all.pop();
            } else {
                std::thread::sleep(Duration::from_micros(200));
            }
        }
    }
}

impl Drop for SeatGroup {
    fn drop(&mut self) {
        self.remove();
    }
}

/// File of version 1 to which a thread is written to move it alone.
const ENTRY: &str = "tasks";
/// File of version 2 by which one kill kills the whole group; since Linux 4.19.
const KILL_ALL: &str = "memory.oom.group";

fn write(path: &Path, value: impl ToString) -> Result<(), SandboxError> {
    fs::write(path, value.to_string()).step(&format!("write `{}`", path.display()))
}

/// Limit of version 1 for socket buffers. It counts them separately from the memory, and only once
/// they are limited; version 2 counts them as memory.
const SOCKET_LIMIT: &str = "memory.kmem.tcp.limit_in_bytes";
const SOCKET_PEAK: &str = "memory.kmem.tcp.max_usage_in_bytes";
/// Divisor of the memory limit: the part that socket buffers may take in addition, with its bounds.
const SOCKET_SHARE: u64 = 16;
const MOST_SOCKETS: u64 = 16 << 20;
const LEAST_SOCKETS: u64 = 1 << 20;

fn limit_sockets(path: &Path, memory: Bytes) -> Result<(), SandboxError> {
    let limit = path.join(SOCKET_LIMIT);
    if limit.exists() {
        write(&limit, (memory.0 / SOCKET_SHARE).clamp(LEAST_SOCKETS, MOST_SOCKETS))?;
    }
    Ok(())
}

/// Memory that the kernel charges ahead of its use, bytes; more is somebody's.
const CHARGED_AHEAD: u64 = 1 << 20;

fn in_use(path: &Path, version: Version) -> u64 {
    let file = match version {
        Version::One => "memory.usage_in_bytes",
        Version::Two => "memory.current",
    };
    let text = fs::read_to_string(path.join(file));
    text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

fn limit_memory(path: &Path, version: Version, limit: u64) -> Result<(), SandboxError> {
    match version {
        Version::One => {
            // Exists only with swap accounting. It must never be the lower one of the two.
            let both = path.join("memory.memsw.limit_in_bytes");
            if both.exists() {
                write(&both, -1)?;
            }
            write(&path.join("memory.limit_in_bytes"), limit)?;
            if both.exists() {
                write(&both, limit)?;
            }
        }
        Version::Two => {
            write(&path.join("memory.max"), limit)?;
            let swap = path.join("memory.swap.max");
            if swap.exists() {
                write(&swap, 0)?;
            }
        }
    }
    Ok(())
}
