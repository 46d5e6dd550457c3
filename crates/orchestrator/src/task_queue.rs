//! Queue of blocking tasks that run side by side and whose results come in order.

use std::collections::VecDeque;
use std::panic::resume_unwind;

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

#[cfg(test)]
mod tests {
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
}
