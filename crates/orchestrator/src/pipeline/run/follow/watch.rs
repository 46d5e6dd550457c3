//! Watch over the bots of a tournament: which of them came, changed or went, once they are still.
//!
//! A thread looks at every path that `bots:` selects, again and again, by file names, sizes and
//! times. A bot that is being written looks another way each time; it is news when it has
//! looked the same a few times in a row. After each look the thread rests for a multiple of
//! the time that the look took, so that an idle watch costs little however many files there are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use joust_bots::discover::{expand, globs};
use joust_config::{Event, Tournament};

use crate::pipeline::stamp::Stamp;

/// The shortest time between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// Number of checks for which a bot has to stay the same.
const STILL: u32 = 3;

/// A look takes at most one part in so many of a core.
const REST: u32 = 100;

/// Stamps of every bot.
type Stamps = BTreeMap<PathBuf, Stamp>;

/// Sources as last seen, and as taken.
#[derive(Debug, Default)]
struct Looks {
    /// As it was when it was last taken.
    taken: Stamps,
    last: Stamps,
    /// Number of checks for which each path has been as it is; one that was never seen is not here.
    same_for: BTreeMap<PathBuf, u32>,
}

impl Looks {
    /// Takes everything for still.
    fn first(now: Stamps) -> Self {
        let same_for = now.keys().map(|path| (path.clone(), STILL)).collect();
        Self { taken: Stamps::new(), last: now, same_for }
    }

    fn look(&mut self, now: Stamps) {
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

    /// Returns whether a bot that is still is another than was taken.
    fn has_news(&self) -> bool {
        let differs = |path: &&PathBuf| self.taken.get(*path) != self.last.get(*path);
        self.same_for.keys().filter(differs).any(|path| self.is_still(path))
    }

    /// Takes all that is still; returns the paths of the rest.
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

/// State of the bots' sources that was taken.
#[derive(Debug)]
pub(super) struct Taken {
    /// Paths of bots whose files are being changed.
    pub(super) moving: BTreeSet<PathBuf>,
    /// Stamps of the others.
    pub(super) seen: Stamps,
}

/// A watch that goes on until it is dropped.
pub(super) struct Watch {
    shared: Arc<Shared>,
    thread: Option<thread::JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

struct State {
    looks: Looks,
    is_over: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Places where bots may be.
struct Places {
    folder: PathBuf,
    globs: Vec<String>,
}

impl Places {
    fn look(&self) -> Stamps {
        let paths = self.globs.iter().filter_map(|glob| expand(&self.folder, glob).ok()).flatten();
        paths.map(|path| (Stamp::of(&path), path)).map(|(stamp, path)| (path, stamp)).collect()
    }
}

impl Watch {
    /// Begins to watch the bots of `events`. What is there counts as still.
    ///
    /// # Errors
    ///
    /// The machine can start no thread.
    pub(super) fn start(tournament: &Tournament, events: &[&Event]) -> std::io::Result<Self> {
        let globs = events.iter().flat_map(|event| globs(event)).map(|glob| glob.text);
        let places = Places { folder: tournament.folder.clone(), globs: globs.collect() };
        let state = State { looks: Looks::first(places.look()), is_over: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), ended: Condvar::new() });
        let watched = Arc::clone(&shared);
        let work = move || watch(&places, &watched);
        let thread = thread::Builder::new().name("joust-watch".to_owned()).spawn(work)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Returns whether a bot has come, changed or gone since [`Watch::take`], and is still.
    pub(super) fn has_news(&self) -> bool {
        self.shared.state().looks.has_news()
    }

    /// Takes the bots as they are.
    pub(super) fn take(&self) -> Taken {
        let mut state = self.shared.state();
        let moving = state.looks.take();
        Taken { moving, seen: state.looks.taken.clone() }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        self.shared.ended.notify_all();
        // One that panicked has ended, too.
        _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

fn watch(places: &Places, shared: &Shared) {
    let mut rest = BETWEEN_LOOKS;
    loop {
        let is_on = |state: &mut State| !state.is_over;
        let waited = shared.ended.wait_timeout_while(shared.state(), rest, is_on);
        if waited.unwrap_or_else(PoisonError::into_inner).0.is_over {
            return;
        }
        let began = Instant::now();
        let seen = places.look();
        rest = BETWEEN_LOOKS.max(began.elapsed() * REST);
        shared.state().looks.look(seen);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
            Places { folder: self.0.path().to_owned(), globs: vec!["*".to_owned()] }.look()
        }
    }

    fn look(looks: &mut Looks, bots: &Bots, times: u32) {
        (0..times).for_each(|_| looks.look(bots.seen()));
    }

    #[test]
    fn a_bot_is_news_when_it_has_come_changed_or_gone_and_is_still() {
        let (bots, mut looks) = (Bots::new(), Looks::default());
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
        let (bots, mut looks) = (Bots::new(), Looks::default());
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
