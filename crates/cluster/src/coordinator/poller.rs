//! Poller of a coordinator: it requests messages from a transport in a loop.

use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::TICK;
use crate::transport::TransportError;

/// Messages that a background task receives; dropping this ends the task.
pub(super) struct Poller<M> {
    pub(super) messages: Receiver<M>,
    _task: JoinSet<()>,
}

/// Calls `next` in a loop, with pauses while it fails; at most `ahead` messages are queued.
pub(super) fn poll<M, F>(ahead: usize, next: impl Fn() -> F + Send + 'static) -> Poller<M>
where
    M: Send + 'static,
    F: Future<Output = Result<M, TransportError>> + Send,
{
    let (sender, messages) = mpsc::channel(ahead);
    let mut task = JoinSet::new();
    task.spawn(async move {
        loop {
            match next().await {
                Ok(message) => {
                    if sender.send(message).await.is_err() {
                        return;
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "no message comes");
                    sleep(TICK).await;
                }
            }
        }
    });
    Poller { messages, _task: task }
}
