//! Times for which launchers waited for a processor. What is known by looks alone comes late where
//! the launcher waits, though nothing of the bot does.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

/// Time that each process below this one has waited, by its number.
pub(crate) struct Waits(HashMap<u32, Duration>);

impl Waits {
    pub(crate) fn look() -> Self {
        let parents: HashMap<u32, u32> =
            processes().filter_map(|id| Some((id, parent(id)?))).collect();
        let own = std::process::id();
        let is_below = |id: &u32| {
            std::iter::successors(parents.get(id), |at| parents.get(at))
                .take(99)
                .any(|at| *at == own)
        };
        let below = parents.keys().filter(|id| is_below(id));
        Self(below.filter_map(|id| Some((*id, waited(*id)?))).collect())
    }

    /// Returns what those alive now have waited since they were looked at, or since they were
    /// started. A turn's programs have ended by then: only launchers are left.
    pub(crate) fn grown(&self) -> Duration {
        let now = Self::look().0;
        let grown = |(id, waited): (u32, Duration)| {
            waited.saturating_sub(self.0.get(&id).copied().unwrap_or_default())
        };
        now.into_iter().map(grown).sum()
    }
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn parent(id: u32) -> Option<u32> {
    let stat = fs::read(format!("/proc/{id}/stat")).ok()?;
    let text = String::from_utf8_lossy(&stat);
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn waited(id: u32) -> Option<Duration> {
    let text = fs::read_to_string(format!("/proc/{id}/schedstat")).ok()?;
    text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}
