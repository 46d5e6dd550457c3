//! Roll call: whoever is called says under its own name that it is there.

use async_recursion::async_recursion as boxed;
use std::collections::BTreeMap;

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use super::accounts::worker_of;
use super::voices::Voices;
use super::{ALL_ANSWER, Address, Line, away};
use crate::message::Announcement;
use crate::transport::TransportError;

/// Roll call of the workers at a server.
pub struct Roll {
    line: Line,
    voices: Mutex<Voices>,
}

impl Roll {
    /// Connects to a server.
    ///
    /// # Errors
    ///
    /// [`TransportError::Refused`] when there is none, it lets nobody in, or the key is a worker's.
    #[boxed]
    pub async fn connect(address: &Address<'_>) -> Result<Self, TransportError> {
        Line::started(address, Self::start).await
    }

    #[boxed]
    async fn start(line: Line) -> Result<Self, TransportError> {
        if let Some(worker) = worker_of(&line).await {
            return Err(TransportError::Refused(format!(
                "this is the key of worker `{worker}`, which may not ask who is there; one of \
                 `joust workers invite NAME --coordinator` may"
            )));
        }
        let voices = Mutex::new(Voices::of(&line).await?);
        Ok(Self { line, voices })
    }

    /// Returns every worker that is there, by name.
    ///
    /// # Errors
    ///
    /// [`TransportError`] when the server cannot be asked.
    #[boxed]
    pub async fn call(&self) -> Result<Vec<Announcement>, TransportError> {
        let mut voices = self.voices.lock().await;
        voices.forget();
        self.line.client.publish("joust.roll", "".into()).await.map_err(away)?;
        self.line.client.flush().await.map_err(away)?;
        let end = Instant::now() + ALL_ANSWER;
        let mut there = BTreeMap::new();
        while let Ok(Some(said)) = timeout_at(end, voices.next()).await {
            there.insert(said.worker.clone(), said);
        }
        Ok(there.into_values().collect())
    }
}
