//! Processor time of making pages: of the maker's thread, and of those that read the database
//! for it.
//!
//! The thread of a connection is named after the one that opened it (`joust_store`), so the
//! kernel's list of threads tells whose it is.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The name of the maker's thread.
pub(crate) const MAKER: &str = "joust-pages";

/// Returns how long the calling thread, if it is the maker's, and its connections have used
/// processors. Threads that have ended are left out.
pub(crate) fn used() -> Duration {
    let own = Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default();
    own + of_connections(MAKER)
}

/// Returns how long the threads of connections that a thread of this name opened have used
/// processors; nothing where the kernel does not tell.
fn of_connections(opener: &str) -> Duration {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return Duration::ZERO };
    let used = threads.flatten().filter_map(|thread| of_connection(&thread.path(), opener));
    Duration::from_nanos(used.sum())
}

fn of_connection(thread: &Path, opener: &str) -> Option<u64> {
    let name = fs::read_to_string(thread.join("comm")).ok()?;
    name.strip_prefix(opener)?.strip_prefix(':')?;
    let times = fs::read_to_string(thread.join("schedstat")).ok()?;
    times.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::thread::Builder;

    use joust_model::Seed;
    use joust_store::{Access, Store, TournamentRow};

    use super::*;

    /// Writes a database for a while on a thread of this name, and returns how long its
    /// connections have used processors for it.
    fn used_by(name: &'static str) -> Duration {
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let folder = tempfile::tempdir().expect("a folder");
                let path = folder.path().join("results.db");
                let store = Store::open(&path, Access::CreateOrOpen).await.expect("a database");
                for seed in 0..50 {
                    let row = TournamentRow {
                        name: "Cup".to_owned(),
                        seed: Seed(seed),
                        seed_is_drawn: false,
                    };
                    store.put_tournament(&row).await.expect("it is written");
                }
                let used = of_connections(name);
                assert_eq!(of_connections("pages"), Duration::ZERO, "it is no other's");
                store.close().await;
                used
            })
        };
        let thread = Builder::new().name(name.to_owned()).spawn(work).expect("a thread");
        thread.join().expect("it ends well")
    }

    #[test]
    fn what_the_database_takes_counts_as_its_readers() {
        assert!(used_by("pages-1") > Duration::from_micros(100));
    }
}
