//! Threads that share one piece of work; fewer where the machine cannot start them all.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{OnceLock, RwLock};
use std::thread::{self, Builder};

/// Stack size of a thread that only waits, bytes.
const SMALL_STACK: usize = 64 << 10;

/// Threads that a compiler may want, and every machine has.
const OF_COMPILER: usize = 32;

/// Calls `work` in `count` threads at once, this one included, and returns when all have
/// done it. A machine that cannot start them does it with fewer.
fn run_in_parallel(count: usize, work: impl Fn() + Sync) {
    thread::scope(|scope| {
        let start = |_| Builder::new().spawn_scoped(scope, &work).map(drop);
        let started = (1..count).try_for_each(start);
        if let Err(error) = started {
            tracing::debug!(%error, "fewer threads than wanted");
        }
        work();
    });
}

/// Calls `work` with the place and the value of every item, in `count` threads at most; returns
/// the results in the order of the items.
pub fn map_in_parallel<T: Sync, R: Send + Sync>(
    count: usize,
    items: &[T],
    work: impl Fn(usize, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Vec<OnceLock<R>> = items.iter().map(|_| OnceLock::new()).collect();
    run_in_parallel(count.min(items.len()), || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(place) else { return };
            results[place].get_or_init(|| work(place, item));
        }
    });
    results.into_iter().filter_map(OnceLock::into_inner).collect()
}

/// Returns the error if the threads that a compiler may want cannot be started at once.
pub fn shortage() -> Option<String> {
    let error = try_to_have(OF_COMPILER).err()?;
    Some(format!("{OF_COMPILER} threads cannot be started: {error}"))
}

/// Starts so many threads at once for a moment.
///
/// # Errors
///
/// Why the machine cannot start them.
pub fn try_to_have(count: usize) -> io::Result<()> {
    let all_are_there = RwLock::new(());
    let holding = all_are_there.write();
    thread::scope(|scope| {
        let wait = || drop(all_are_there.read());
        let start = |_| {
            let thread = Builder::new().stack_size(SMALL_STACK);
            thread.spawn_scoped(scope, wait).map(drop)
        };
        let started = (0..count).try_for_each(start);
        drop(holding);
        started
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_thread_does_the_work_once() {
        let done = AtomicUsize::new(0);
        run_in_parallel(3, || {
            done.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(done.into_inner(), 3);
        assert!(try_to_have(4).is_ok());
    }
}
