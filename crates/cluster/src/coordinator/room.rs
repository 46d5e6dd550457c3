//! Room of a coordinator at its transport: made, kept, and filled with batches.

use std::time::Duration;

use joust_play::executor::ExecutorLost;

use super::{Desk, Inspect, LONELY};
use crate::message::Stage;
use crate::news::News;
use crate::transport::{CoordinatorSide, Found, Published, TransportError};

/// Lays the builds of a stage where workers find them, and makes room for its batches.
async fn make_room<T: CoordinatorSide, I: Inspect>(
    transport: &T,
    inspect: &I,
    stage: &Stage,
) -> Result<(), TransportError> {
    lay_builds(transport, inspect, stage).await?;
    transport.open(stage).await
}

async fn lay_builds<T: CoordinatorSide, I: Inspect>(
    transport: &T,
    inspect: &I,
    stage: &Stage,
) -> Result<(), TransportError> {
    for needed in stage.work.needed() {
        transport.lay(&needed.build, || inspect.packed(&needed.build)).await?;
    }
    Ok(())
}

impl<T: CoordinatorSide, I: Inspect> Desk<T, I> {
    pub(super) async fn keep(&mut self, now: Duration) -> Result<(), ExecutorLost> {
        self.stage.classes = self.ledger.classes(now);
        self.stage.is_watched = self.inspect.is_watched();
        match self.kept().await {
            Ok(found) => {
                if self.away.take().is_some_and(|since| now > since + LONELY) {
                    self.inspect.news(News::Back);
                }
                if found == Found::Wiped {
                    self.inspect.news(News::Wiped);
                    self.ledger.wiped(now);
                }
                self.lacks_builds |= found != Found::AsItWas;
                self.lay_again().await;
                Ok(())
            }
            Err(TransportError::Refused(why)) => Err(ExecutorLost(why)),
            Err(error) => {
                if self.away.is_none() {
                    self.inspect.news(News::Away(error.to_string()));
                }
                self.away.get_or_insert(now);
                Ok(())
            }
        }
    }

    /// Checks the transport, after making room in it if there is none.
    pub(super) async fn kept(&mut self) -> Result<Found, TransportError> {
        if !self.has_room {
            make_room(&*self.transport, &*self.inspect, &self.stage).await?;
            self.has_room = true;
        }
        self.transport.keep(&self.stage).await
    }

    /// Lays the builds again that the transport lost.
    pub(super) async fn lay_again(&mut self) {
        if !self.lacks_builds {
            return;
        }
        match lay_builds(&*self.transport, &*self.inspect, &self.stage).await {
            Ok(()) => self.lacks_builds = false,
            Err(error) => tracing::warn!(%error, "the builds are not laid again yet"),
        }
    }

    /// Hands out what may be out.
    pub(super) async fn hand_out(&mut self) {
        // One that had no room is asked again when it is looked after, and not at every turn.
        if !self.has_room && self.away.is_none() && self.keep(self.now()).await.is_err() {
            return;
        }
        while self.has_room {
            let now = self.now();
            let Some(batch) = self.ledger.cut(now) else { return };
            let number = batch.number;
            if !self.stage.classes.iter().any(|class| class.id == batch.class)
                && self.keep(now).await.is_err()
            {
                return self.ledger.not_handed_out(number);
            }
            match self.transport.publish(&batch).await {
                Ok(Published::Waiting) => self.is_stuck = false,
                Ok(Published::Full) => return self.ledger.not_handed_out(number),
                Err(error) => {
                    tracing::warn!(%error, number, "a batch is not handed out");
                    if matches!(error, TransportError::Refused(_))
                        && !std::mem::replace(&mut self.is_stuck, true)
                    {
                        self.inspect.news(News::Stuck(error.to_string()));
                    }
                    return self.ledger.not_handed_out(number);
                }
            }
        }
    }
}
