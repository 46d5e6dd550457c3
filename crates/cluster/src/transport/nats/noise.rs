//! Noise: who sends reports that nobody can read, and whose are not looked at any more.

use std::collections::{HashMap, HashSet};

/// How many letters of a worker may be unreadable before that is told.
const MOST_UNREADABLE: u32 = 10;
/// Of how many workers that is counted.
const MOST_WORKERS: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Noise {
    unreadable: HashMap<String, u32>,
    /// Workers of which that is not told yet.
    found: Vec<String>,
    ignored: HashSet<String>,
}

impl Noise {
    /// Counts a letter that came from `worker` and cannot be read, or is somebody else's.
    pub(super) fn count(&mut self, worker: &str) {
        if !self.unreadable.contains_key(worker) && self.unreadable.len() >= MOST_WORKERS {
            return;
        }
        let count = self.unreadable.entry(worker.to_owned()).or_default();
        *count = count.saturating_add(1);
        if *count == MOST_UNREADABLE {
            self.found.push(worker.to_owned());
        }
    }

    pub(super) fn take_found(&mut self) -> Vec<String> {
        std::mem::take(&mut self.found)
    }

    pub(super) fn ignore(&mut self, worker: &str) {
        self.ignored.insert(worker.to_owned());
    }

    pub(super) fn is_ignored(&self, worker: &str) -> bool {
        self.ignored.contains(worker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sends_much_that_cannot_be_read_is_told_of_once() {
        let mut noise = Noise::default();
        (1..MOST_UNREADABLE).for_each(|_| noise.count("one"));
        assert!(noise.take_found().is_empty());
        (0..99).for_each(|_| noise.count("one"));
        assert_eq!(noise.take_found(), ["one"]);
        assert!(noise.take_found().is_empty() && !noise.is_ignored("one"));
    }
}
