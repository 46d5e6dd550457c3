//! Watch over sources of bots: which of them came, changed or went, once they are still.
//!
//! A thread reads the stamp of every source, again and again: file names, sizes and times. A
//! source that is being written has another stamp each time; it is news when it has had the same a
//! few times in a row. After each reading the thread rests for a multiple of the time that the
//! reading took, so that an idle watch costs little however many files there are.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, thread};

use parking_lot::Mutex;
/// The shortest time between two readings.
const READING_INTERVAL: Duration = Duration::from_millis(500);

/// Number of readings for which a source has to stay the same.
const STILL: u32 = 3;

/// Divisor of a core's time that reading may take at most.
const REST: u32 = 100;

/// Stamp of a source: every file's path, size, mode and time of change, as a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(u64);

impl Stamp {
    /// Reads the stamp of a source, a file or a folder; unreadable entries count as absent.
    pub(super) fn of(source: &Path) -> Self {
        let mut files = Vec::new();
        let mut left = vec![source.to_owned()];
        while let Some(path) = left.pop() {
            let Ok(what) = fs::symlink_metadata(&path) else { continue };
            if what.is_dir() {
                let entries = fs::read_dir(&path).into_iter().flatten().flatten();
                left.extend(entries.map(|entry| entry.path()));
            } else {
                files.push((path, what.len(), what.mode(), what.mtime(), what.mtime_nsec()));
            }
        }
        files.sort_unstable();
        let mut digest = DefaultHasher::new();
        files.hash(&mut digest);
        Self(digest.finish())
    }
}

/// Stamp of every source.
type Stamps = BTreeMap<PathBuf, Stamp>;

/// Sources as last seen, and as taken.
#[derive(Debug, Default)]
struct StampHistory {
    /// As it was when it was last taken.
    taken: Stamps,
    last: Stamps,
    /// Number of checks for which each path is unchanged; a path that was never seen is missing.
    same_for: BTreeMap<PathBuf, u32>,
}

impl StampHistory {
    /// Takes everything for still.
    fn first(now: Stamps) -> Self {
        let same_for = now.keys().map(|path| (path.clone(), STILL)).collect();
        Self { taken: Stamps::new(), last: now, same_for }
    }

    fn add(&mut self, now: Stamps) {
        let paths: BTreeSet<PathBuf> =
            self.taken.keys().chain(self.last.keys()).chain(now.keys()).cloned().collect();
        let mut same_for = BTreeMap::new();
        for path in paths {
            let before = self.same_for.get(&path).copied().unwrap_or(0);
            let is_same = self.last.get(&path) == now.get(&path);
            same_for.insert(path, if is_same { before.saturating_add(1) } else { 0 });
        }
        (self.last, self.same_for) = (now, same_for);
    }

    fn is_still(&self, path: &Path) -> bool {
        self.same_for.get(path).is_none_or(|looks| *looks >= STILL)
    }

    /// Returns whether a source has changed since it was taken, and has stopped changing.
    fn has_news(&self) -> bool {
        let differs = |path: &&PathBuf| self.taken.get(*path) != self.last.get(*path);
        self.same_for.keys().filter(differs).any(|path| self.is_still(path))
    }

    /// Takes all sources that have stopped changing; returns the paths of the others.
    fn take(&mut self) -> BTreeSet<PathBuf> {
        let mut moving = BTreeSet::new();
        for path in self.same_for.keys() {
            if !self.is_still(path) {
                moving.insert(path.clone());
                continue;
            }
            match self.last.get(path) {
                Some(stamp) => self.taken.insert(path.clone(), *stamp),
                None => self.taken.remove(path),
            };
        }
        moving
    }
}

/// State of the sources that was taken.
#[derive(Debug)]
pub struct TakenSources {
    /// Paths of sources whose files are being changed.
    pub moving: BTreeSet<PathBuf>,
    /// Stamps of the others.
    pub seen: Stamps,
}

/// Watch that runs until it is dropped.
pub struct SourceWatch(Arc<Mutex<StampHistory>>);

impl SourceWatch {
    /// Starts to watch the sources that `find` returns, which may be others each time. Sources that
    /// exist at the start count as unchanged.
    ///
    /// # Errors
    ///
    /// The machine can start no thread.
    pub fn start(find: impl Fn() -> Vec<PathBuf> + Send + 'static) -> std::io::Result<Self> {
        let watch = Self(Arc::new(Mutex::new(StampHistory::first(stamps(find())))));
        let watched = Arc::downgrade(&watch.0);
        let read = move || {
            let mut rest = READING_INTERVAL;
            loop {
                thread::sleep(rest);
                let Some(history) = watched.upgrade() else { return };
                let began = Instant::now();
                let seen = stamps(find());
                rest = READING_INTERVAL.max(began.elapsed() * REST);
                Self(history).0.lock().add(seen);
            }
        };
        thread::Builder::new().name("joust-watch".to_owned()).spawn(read)?;
        Ok(watch)
    }

    /// Returns whether a source has come, changed or gone since [`SourceWatch::take`], and is
    /// still.
    pub fn has_news(&self) -> bool {
        self.0.lock().has_news()
    }

    /// Takes the sources as they are.
    pub fn take(&self) -> TakenSources {
        let mut history = self.0.lock();
        let moving = history.take();
        TakenSources { moving, seen: history.taken.clone() }
    }
}

fn stamps(sources: Vec<PathBuf>) -> Stamps {
    let stamp = |path: PathBuf| {
        let stamp = Stamp::of(&path);
        (path, stamp)
    };
    sources.into_iter().map(stamp).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bots(tempfile::TempDir);

    impl Bots {
        fn new() -> Self {
            Self(tempfile::tempdir().expect("a folder"))
        }

        fn write(&self, bot: &str, text: &str) {
            let folder = self.0.path().join(bot);
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("main.sh"), text).expect("a file");
        }

        fn seen(&self) -> Stamps {
            let entries = fs::read_dir(self.0.path()).expect("a folder");
            stamps(entries.map(|entry| entry.expect("an entry").path()).collect())
        }
    }

    fn look(looks: &mut StampHistory, bots: &Bots, times: u32) {
        (0..times).for_each(|_| looks.add(bots.seen()));
    }

    #[test]
    fn a_bot_is_news_when_it_has_come_changed_or_gone_and_is_still() {
        let (bots, mut looks) = (Bots::new(), StampHistory::default());
        bots.write("ann", "1");
        look(&mut looks, &bots, STILL);
        assert!(!looks.has_news(), "it may still be copied");
        look(&mut looks, &bots, 1);
        assert!(looks.has_news());
        assert!(looks.take().is_empty() && !looks.has_news());
        bots.write("ann", "22");
        look(&mut looks, &bots, 1 + STILL);
        assert!(looks.has_news() && looks.take().is_empty() && !looks.has_news());
        fs::remove_dir_all(bots.0.path().join("ann")).expect("it is there");
        look(&mut looks, &bots, 1 + STILL);
        assert!(looks.has_news() && looks.take().is_empty());
        look(&mut looks, &bots, 1);
        assert!(looks.taken.is_empty() && looks.same_for.is_empty());
    }

    #[test]
    fn a_bot_that_is_being_written_waits_and_keeps_nobody_waiting() {
        let (bots, mut looks) = (Bots::new(), StampHistory::default());
        bots.write("ann", "1");
        look(&mut looks, &bots, 1 + STILL);
        looks.take();
        for length in 2..9 {
            bots.write("ann", &"x".repeat(length));
            look(&mut looks, &bots, 1);
            assert!(!looks.has_news(), "after {length} looks");
        }
        bots.write("bob", "1");
        for length in 9..14 {
            bots.write("ann", &"x".repeat(length));
            look(&mut looks, &bots, 1);
        }
        assert!(looks.has_news(), "`bob` is still");
        let moving = looks.take();
        assert_eq!(moving.len(), 1);
        assert!(moving.iter().all(|path| path.ends_with("ann")), "{moving:?}");
        assert!(!looks.has_news());
        look(&mut looks, &bots, STILL);
        assert!(looks.has_news(), "now `ann` is");
    }
}
