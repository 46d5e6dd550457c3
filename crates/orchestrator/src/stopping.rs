//! Waiting that ends when the run is stopped.

use joust_model::cancel::Cancel;
use tokio::sync::oneshot;

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
