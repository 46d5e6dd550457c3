//! Processors of a worker: those that no other worker of its cache has and, while there are enough,
//! those that no other process of Joust on this machine has.
//!
//! Each is a file with a lock, which the system releases when the process ends.

use std::fs::{self, File, TryLockError};
use std::hint::spin_loop;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use joust_play::executor::{CoreClaim, available};
use joust_sandbox::affinity;

/// Processors that are this worker's as long as this is there.
#[derive(Debug)]
pub(crate) struct ClaimedProcessors {
    pub(crate) numbers: Vec<usize>,
    _locks: Vec<File>,
    _claims: Vec<CoreClaim>,
}

/// Reason why there are no processors.
#[derive(Debug, thiserror::Error)]
pub enum ProcessorError {
    /// Other workers have too many.
    #[error(
        "{} wanted, and {free} of this machine's {there} are free: other workers here have the rest",
        joust_model::counted(*wanted, "core")
    )]
    Taken {
        /// Number of processors wanted.
        wanted: usize,
        /// Number of processors that no other worker has.
        free: usize,
        /// Number of processors in all.
        there: usize,
    },
    /// Nobody can see which are free.
    #[error("the cores cannot be claimed in `{folder}`")]
    Folder {
        /// Folder in which they are claimed.
        folder: String,
        /// Error of the machine.
        #[source]
        source: io::Error,
    },
}

impl ClaimedProcessors {
    /// Claims `wanted` processors with files in `folder`; `None` for all that are free.
    pub(crate) fn claim(folder: &Path, wanted: Option<usize>) -> Result<Self, ProcessorError> {
        let all = available();
        let there = all.len();
        let mut claimed = Self { numbers: Vec::new(), _locks: Vec::new(), _claims: Vec::new() };
        let most = wanted.unwrap_or(there);
        let failed =
            |source| ProcessorError::Folder { folder: folder.display().to_string(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        let mut by_claim: Vec<_> =
            all.iter().map(|number| (*number, CoreClaim::take(*number))).collect();
        by_claim.sort_by_key(|(_, claim)| claim.is_none());
        for (number, claim) in by_claim {
            if claimed.numbers.len() == most {
                break;
            }
            let file = File::create(folder.join(number.to_string())).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {
                    claimed.numbers.push(number);
                    claimed._locks.push(file);
                    claimed._claims.extend(claim);
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
        let free = claimed.numbers.len();
        if free < wanted.unwrap_or(1) {
            return Err(ProcessorError::Taken { wanted: wanted.unwrap_or(1), free, there });
        }
        Ok(claimed)
    }
}

/// Processors that are busy as long as this is there.
pub(crate) struct LoadGenerator {
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl LoadGenerator {
    /// Keeps these processors busy, with as many threads as can be started.
    pub(crate) fn on(processors: &[usize]) -> Self {
        let is_over = Arc::<AtomicBool>::default();
        let start = |number: &usize| {
            let (number, is_over) = (*number, Arc::clone(&is_over));
            let spin = move || {
                // A thread that is not pinned could disturb the measurement.
                if affinity::pin_this_thread(&[number]).is_err() {
                    return;
                }
                while !is_over.load(Ordering::Relaxed) {
                    spin_loop();
                }
            };
            thread::Builder::new().name(format!("busy-{number}")).spawn(spin).ok()
        };
        let threads = processors.iter().filter_map(start).collect();
        Self { is_over, threads }
    }
}

impl Drop for LoadGenerator {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that does nothing does not panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_processor_is_two_workers_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let first = ClaimedProcessors::claim(folder.path(), Some(1)).unwrap();
        assert_eq!(first.numbers.len(), 1);
        match ClaimedProcessors::claim(folder.path(), None) {
            Ok(rest) => assert!(!rest.numbers.contains(&first.numbers[0])),
            Err(ProcessorError::Taken { free, there, .. }) => assert_eq!((free, there), (0, 1)),
            Err(other) => panic!("{other}"),
        }
        let all = available().len();
        let text = ClaimedProcessors::claim(folder.path(), Some(all)).unwrap_err().to_string();
        assert!(text.contains("other workers here have the rest"), "{text}");
        drop(first);
        assert_eq!(ClaimedProcessors::claim(folder.path(), None).unwrap().numbers.len(), all);
    }
}
