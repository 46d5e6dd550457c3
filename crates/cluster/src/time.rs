//! Clock of the loops: the machine's, or a virtual one that skips waiting times.
//!
//! [`simulate`] gives its thread a virtual clock. The clock stands still while any task is ready,
//! and then advances to the next timer. Thus the seed of a schedule of faults determines everything
//! in it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Add;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// A point in time, comparable with others of the same process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClockInstant(Duration);

impl ClockInstant {
    /// Returns the current time.
    pub fn now() -> Self {
        let on_virtual = TIMERS.with_borrow(|timers| timers.as_ref().map(|it| it.now));
        Self(on_virtual.unwrap_or_else(|| beginning().elapsed()))
    }

    /// Returns the time that has passed since; zero for the future.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Self::now().since(self)
    }

    /// Returns the time from `earlier` to this; zero if this is not later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for ClockInstant {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        Self(self.0 + span)
    }
}

/// Returns the time of the first call in this process.
fn beginning() -> Instant {
    static BEGINNING: OnceLock<Instant> = OnceLock::new();
    *BEGINNING.get_or_init(Instant::now)
}

/// Waits for `span`.
pub async fn sleep(span: Duration) {
    sleep_until(ClockInstant::now() + span).await;
}

/// Waits until `at`.
pub async fn sleep_until(at: ClockInstant) {
    if TIMERS.with_borrow(Option::is_some) {
        VirtualSleep { at, key: None }.await;
    } else {
        tokio::time::sleep_until((beginning() + at.0).into()).await;
    }
}

/// Waits for `what`, but at most for `span`.
pub async fn timeout<F: Future>(span: Duration, what: F) -> Option<F::Output> {
    tokio::select! {
        biased;
        output = what => Some(output),
        () = sleep(span) => None,
    }
}

/// A periodic timer, whose first tick is due at once. A late tick delays the following ones.
pub(crate) struct Interval {
    next: ClockInstant,
    period: Duration,
}

impl Interval {
    pub(crate) fn every(period: Duration) -> Self {
        Self { next: ClockInstant::now(), period }
    }

    /// Waits for the next tick. Cancelling the wait loses no tick.
    pub(crate) async fn tick(&mut self) {
        sleep_until(self.next).await;
        self.next = ClockInstant::now() + self.period;
    }
}

/// Runs `future` to its end in this thread, on a virtual clock.
///
/// # Panics
///
/// If every task waits and no timer is pending.
pub fn simulate<F: Future>(future: F) -> F::Output {
    TIMERS.set(Some(Timers::default()));
    let runtime =
        tokio::runtime::Builder::new_current_thread().on_thread_park(advance_clock).build();
    let output = runtime.expect("a runtime without drivers starts").block_on(future);
    TIMERS.set(None);
    output
}

/// Advances the clock to the next timer, when no task is ready.
fn advance_clock() {
    let due = TIMERS.with_borrow_mut(|timers| {
        let timers = timers.as_mut()?;
        let (&(at, _), _) = timers.waiting.first_key_value()?;
        timers.now = timers.now.max(at);
        let later = timers.waiting.split_off(&(at, u64::MAX));
        Some(std::mem::replace(&mut timers.waiting, later))
    });
    if let Some(due) = due {
        due.into_values().for_each(Waker::wake);
    }
}

thread_local! {
    /// The virtual clock of this thread, if it has one.
    static TIMERS: RefCell<Option<Timers>> = const { RefCell::new(None) };
}

#[derive(Default)]
struct Timers {
    now: Duration,
    next: u64,
    /// Wakers of waiting tasks, by time and order.
    waiting: BTreeMap<(Duration, u64), Waker>,
}

/// A sleep on the virtual clock.
struct VirtualSleep {
    at: ClockInstant,
    key: Option<(Duration, u64)>,
}

impl Future for VirtualSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        TIMERS.with_borrow_mut(|timers| {
            let Some(timers) = timers.as_mut().filter(|it| it.now < self.at.0) else {
                return Poll::Ready(());
            };
            let at = self.at.0;
            let key = *self.key.get_or_insert_with(|| {
                timers.next += 1;
                (at, timers.next)
            });
            timers.waiting.insert(key, context.waker().clone());
            Poll::Pending
        })
    }
}

impl Drop for VirtualSleep {
    fn drop(&mut self) {
        let Some(key) = self.key else { return };
        // The thread-local clock may have been dropped first.
        let _ = TIMERS.try_with(|timers| {
            if let Ok(mut timers) = timers.try_borrow_mut()
                && let Some(timers) = timers.as_mut()
            {
                timers.waiting.remove(&key);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_pass_in_no_time_and_in_their_order() {
        let began = Instant::now();
        let order = simulate(async {
            let wait = async |hours: u64| {
                sleep(Duration::from_secs(3600 * hours)).await;
                (hours, ClockInstant::now())
            };
            let spawned = tokio::spawn(async move { wait(2).await });
            let first = wait(1).await;
            (first, spawned.await.expect("it ends"))
        });
        assert_eq!((order.0.0, order.1.0), (1, 2));
        assert_eq!(order.1.1.since(order.0.1), Duration::from_secs(3600));
        assert!(began.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn what_takes_too_long_is_not_waited_for() {
        let never = std::future::pending::<()>();
        assert_eq!(simulate(timeout(Duration::from_secs(9), never)), None);
    }
}
