//! Processor time of this process and all that it has started, by whose it is.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Sub;
use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};

/// Processor time, by whose it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    /// This process and its launchers.
    pub(crate) own: Duration,
    /// Its launchers alone. They look at their programs a hundred times a second, so what an
    /// ask takes of them grows with the time that it takes on a busy machine.
    pub(crate) launchers: Duration,
    /// Everything that was started and is called a referee.
    pub(crate) referee: Duration,
    /// Everything else that was started.
    pub(crate) bots: Duration,
}

impl Spent {
    pub(crate) fn all(&self) -> Duration {
        self.own + self.referee + self.bots
    }

    /// Returns the share of one of so many.
    pub(crate) fn of_one(self, count: u32) -> Self {
        Self {
            own: self.own / count,
            launchers: self.launchers / count,
            referee: self.referee / count,
            bots: self.bots / count,
        }
    }

    /// Returns the time of all processes that are there now; those that have ended are not in it.
    pub(crate) fn now() -> Self {
        let mut spent = Self::default();
        for (process, time) in processes() {
            let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            let words = String::from_utf8_lossy(&words);
            if words.contains("__seat") {
                spent.launchers += time;
                spent.own += time;
            } else if process == std::process::id() {
                spent.own += time;
            } else if words.contains("referee") {
                spent.referee += time;
            } else {
                spent.bots += time;
            }
        }
        spent
    }
}

impl Sub for Spent {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            own: self.own.saturating_sub(before.own),
            launchers: self.launchers.saturating_sub(before.launchers),
            referee: self.referee.saturating_sub(before.referee),
            bots: self.bots.saturating_sub(before.bots),
        }
    }
}

/// The processor time of one process, all its threads together.
pub(crate) fn of_process(process: u32) -> Duration {
    // Threads of its own that have ended have no file any more.
    if process == std::process::id() {
        return usage_of(UsageWho::RUSAGE_SELF).unwrap_or_default();
    }
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return Duration::ZERO;
    };
    let of = |path: std::path::PathBuf| -> Option<u64> {
        fs::read_to_string(path.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
    };
    Duration::from_nanos(threads.flatten().filter_map(|thread| of(thread.path())).sum())
}

/// This process and everything that came of it.
fn processes() -> BTreeMap<u32, Duration> {
    let mut found = BTreeMap::new();
    let mut to_see = vec![std::process::id()];
    while let Some(process) = to_see.pop() {
        found.insert(process, of_process(process));
        let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { continue };
        for thread in threads.flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            to_see
                .extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
    }
    found
}

/// The processor time of this process, and of everything that it has started and that is
/// gone.
pub(crate) fn with_children() -> Result<Duration, nix::errno::Errno> {
    Ok(usage_of(UsageWho::RUSAGE_SELF)? + usage_of(UsageWho::RUSAGE_CHILDREN)?)
}

fn usage_of(who: UsageWho) -> Result<Duration, nix::errno::Errno> {
    let usage = getrusage(who)?;
    let time = |time: TimeVal| Duration::from_micros(time.num_microseconds().unsigned_abs());
    Ok(time(usage.user_time()) + time(usage.system_time()))
}
