//! Load for a measurement: the other processors of a worker are busy, as they are when bouts are
//! played.

use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use joust_sandbox::affinity;

/// Processors that are busy as long as this is there.
pub(crate) struct LoadGenerator {
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl LoadGenerator {
    /// Keeps these processors busy, as far as there are threads for it.
    pub(crate) fn on(processors: &[usize]) -> Self {
        let is_over = Arc::<AtomicBool>::default();
        let start = |number: &usize| {
            let (number, is_over) = (*number, Arc::clone(&is_over));
            let spin = move || {
                // A thread that may be anywhere would slow what is measured.
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
