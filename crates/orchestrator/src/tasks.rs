//! Tasks: a queue of blocking ones that run side by side and whose results come in order, and waiting
//! that ends when the run is stopped.

use std::collections::VecDeque;
use std::panic::resume_unwind;

use joust_model::cancel::Cancel;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, spawn_blocking};

/// Tasks that run side by side, oldest first.
pub(crate) struct TaskQueue<T> {
    most: usize,
    tasks: VecDeque<JoinHandle<T>>,
}

impl<T: Send + 'static> TaskQueue<T> {
    /// Makes a queue that runs at most `most` tasks at once.
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), tasks: VecDeque::new() }
    }

    /// Starts a task. Where as many run as may, the oldest is awaited first and its result
    /// returned.
    pub(crate) async fn push(&mut self, task: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let oldest = if self.tasks.len() < self.most { None } else { self.next().await };
        self.tasks.push_back(spawn_blocking(task));
        oldest
    }

    /// Waits for the oldest task; `None` when there is none.
    pub(crate) async fn next(&mut self) -> Option<T> {
        let oldest = self.tasks.pop_front()?.await;
        Some(oldest.unwrap_or_else(|error| resume_unwind(error.into_panic())))
    }
}

/// Awaits `work`, such as the answer of a server, until the run is stopped; returns `None` when it
/// is.
pub(crate) async fn unless_stopped<T>(cancel: &Cancel, work: impl Future<Output = T>) -> Option<T> {
    let (sender, stopped) = oneshot::channel();
    let _registration = cancel.on_cancel(move || _ = sender.send(()));
    tokio::select! {
        biased;
        _ = stopped => None,
        done = work => Some(done),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn results_come_in_the_order_of_the_tasks() {
        let (mut queue, mut results) = (TaskQueue::new(2), Vec::new());
        for number in 0..5_u64 {
            let task = move || {
                std::thread::sleep(std::time::Duration::from_millis(5 - number));
                number
            };
            results.extend(queue.push(task).await);
        }
        assert_eq!(results, [0, 1, 2]);
        while let Some(result) = queue.next().await {
            results.push(result);
        }
        assert_eq!(results, [0, 1, 2, 3, 4]);
    }

    #[tokio::test]
    async fn work_that_never_ends_is_dropped_when_the_run_is_stopped() {
        let cancel = Cancel::default();
        let later = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            later.cancel();
        });
        let endless = unless_stopped(&cancel, std::future::pending::<()>());
        let ended = tokio::time::timeout(Duration::from_secs(20), endless).await;
        assert_eq!(ended, Ok(None));
    }

    #[tokio::test]
    async fn work_of_a_run_that_goes_on_is_done() {
        assert_eq!(unless_stopped(&Cancel::default(), async { 1 }).await, Some(1));
    }
}
