//! Events of an executor: plain data that can be written to a wire.

use joust_model::{BoutId, BoutResult};
use serde::{Deserialize, Serialize};

/// Something that an executor says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExecutorEvent {
    /// A bout begins.
    BoutStarted(BoutId),
    /// These bouts were taken and are not delivered yet.
    Heartbeat(Vec<BoutId>),
    /// A bout has a result, or none.
    Delivered(Box<Delivery>),
}

/// What came of a planned bout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The bout.
    pub bout: BoutId,
    /// Its result, or why the machine failed to play it.
    pub result: Result<BoutResult, Failure>,
}

impl From<Delivery> for ExecutorEvent {
    fn from(delivery: Delivery) -> Self {
        Self::Delivered(Box::new(delivery))
    }
}

/// Why a bout has no result. Never a bot's fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Failure {
    /// The machine failed; the texts say why, outermost first.
    #[error("{0}")]
    Infrastructure(String),
    /// The run is being stopped.
    #[error("stopped")]
    Cancelled,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_executor_says_survives_a_wire() {
        let bout = BoutId([7; 8]);
        let failed = Failure::Infrastructure("the power failed".to_owned());
        let events = [
            ExecutorEvent::BoutStarted(bout),
            ExecutorEvent::Heartbeat(vec![bout, BoutId([9; 8])]),
            Delivery { bout, result: Err(failed) }.into(),
            Delivery { bout, result: Err(Failure::Cancelled) }.into(),
        ];
        for event in events {
            let text = serde_json::to_string(&event).expect("it is plain data");
            assert_eq!(serde_json::from_str::<ExecutorEvent>(&text).expect("it is whole"), event);
        }
    }
}
