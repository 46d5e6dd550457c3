//! Clock of the loops: the machine's, or a virtual one on which hours pass in no time.
//!
//! [`simulate`] gives its thread a virtual clock that stands while anybody has something to
//! do and then advances to what is due next. With it everything in a schedule of faults
//! follows from its seed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Add;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// A point in time, for comparing with others of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClockInstant(Duration);

impl ClockInstant {
    /// Returns the present.
    #[must_use]
    pub fn now() -> Self {
        let on_virtual = TIMERS.with_borrow(|timers| timers.as_ref().map(|it| it.now));
        Self(on_virtual.unwrap_or_else(|| beginning().elapsed()))
    }

    /// Returns how long ago it was; nothing for the future.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Self::now().since(self)
    }

    /// Returns how long after `earlier` it is; nothing when it is not.
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

/// Returns the time at which this process first asked for it.
fn beginning() -> Instant {
    static BEGINNING: OnceLock<Instant> = OnceLock::new();
    *BEGINNING.get_or_init(Instant::now)
}

/// Waits for as long as `span`.
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

/// Waits for `what`, at most as long as `span`.
pub async fn timeout<F: Future>(span: Duration, what: F) -> Option<F::Output> {
    tokio::select! {
        biased;
        output = what => Some(output),
        () = sleep(span) => None,
    }
}

/// Something that is due again and again, the first time at once. What is late puts off
/// what follows.
pub(crate) struct Interval {
    next: ClockInstant,
    period: Duration,
}

impl Interval {
    pub(crate) fn every(period: Duration) -> Self {
        Self { next: ClockInstant::now(), period }
    }

    /// Waits until it is due; who stops waiting misses nothing.
    pub(crate) async fn tick(&mut self) {
        sleep_until(self.next).await;
        self.next = ClockInstant::now() + self.period;
    }
}

/// Runs `future` to its end in this thread, on a virtual clock.
///
/// # Panics
///
/// When everybody waits for something that will never be.
pub fn simulate<F: Future>(future: F) -> F::Output {
    TIMERS.set(Some(Timers::default()));
    let runtime =
        tokio::runtime::Builder::new_current_thread().on_thread_park(advance_clock).build();
    let output = runtime.expect("a runtime without drivers starts").block_on(future);
    TIMERS.set(None);
    output
}

/// Advances to what is due next, when nobody has anything to do.
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
    /// Waiting tasks, by time and order.
    waiting: BTreeMap<(Duration, u64), Waker>,
}

/// Waiting on the virtual clock.
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
        // The clock itself may be gone first.
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
