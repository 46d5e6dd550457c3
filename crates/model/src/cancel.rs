//! Cancellation of a run, also for code that waits for programs.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
/// Flag that a run is being stopped. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<CancelState>);

#[derive(Default)]
struct CancelState {
    cancelled: AtomicBool,
    calls: Mutex<Callbacks>,
}

/// Pending callbacks, in the order of registration.
#[derive(Default)]
struct Callbacks {
    next: u64,
    waiting: BTreeMap<u64, Box<dyn FnOnce() + Send>>,
}

impl Cancel {
    /// Requests a stop at the next turn, and calls the callbacks of [`Cancel::on_cancel`] at once.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        let waiting = std::mem::take(&mut self.0.calls.lock().waiting);
        waiting.into_values().for_each(|call| call());
    }

    /// Returns whether the run is being stopped.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// Calls `call` when the run is stopped; at once if it is being stopped already, and never
    /// after the returned value was dropped.
    pub fn on_cancel(&self, call: impl FnOnce() + Send + 'static) -> Registration<'_> {
        let mut calls = self.0.calls.lock();
        if self.0.cancelled.load(Ordering::SeqCst) {
            drop(calls);
            call();
            return Registration { cancel: self, number: u64::MAX };
        }
        let number = calls.next;
        calls.next += 1;
        calls.waiting.insert(number, Box::new(call));
        Registration { cancel: self, number }
    }
}

impl CancelState {}

impl fmt::Debug for CancelState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelState").field("cancelled", &self.cancelled).finish_non_exhaustive()
    }
}

/// Registration of a callback. Dropping it removes the callback.
#[derive(Debug)]
pub struct Registration<'a> {
    cancel: &'a Cancel,
    number: u64,
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        self.cancel.0.calls.lock().waiting.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU32;

    use super::*;

    fn counter() -> (Arc<AtomicU32>, impl FnOnce() + Send + 'static) {
        let count = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&count);
        (count, move || {
            counted.fetch_add(1, Ordering::Relaxed);
        })
    }

    #[test]
    fn a_callback_is_called_once() {
        let cancel = Cancel::default();
        let (count, call) = counter();
        let _registration = cancel.on_cancel(call);
        cancel.clone().cancel();
        cancel.cancel();
        assert_eq!(count.load(Ordering::Relaxed), 1);
        assert!(cancel.is_cancelled());
    }

    #[test]
    fn a_dropped_registration_is_not_called() {
        let cancel = Cancel::default();
        let (count, call) = counter();
        drop(cancel.on_cancel(call));
        cancel.cancel();
        assert_eq!(count.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_late_registration_is_called_at_once() {
        let cancel = Cancel::default();
        cancel.cancel();
        let (count, call) = counter();
        let _registration = cancel.on_cancel(call);
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}
