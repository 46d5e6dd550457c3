//! Many machines: a coordinator hands bouts to workers over a transport.
//!
//! The coordinator is an [`Executor`](joust_play::executor::Executor) like the local one; a worker
//! is a loop around an executor of its own machine. The transport between them may lose, repeat,
//! delay and reorder messages, and be wiped at any time. The coordinator's database is the only
//! record: a bout without a row there has not been played. So this crate does not make results
//! durable; it repeats lost bouts and accepts one result per bout.
//!
//! ```text
//! league → Coordinator → Ledger → batches → transport → Worker → Local
//!        ←  inspection ← Ledger ← reports ← transport ←        ←
//! ```
#![forbid(unsafe_code)]

mod coordinator;
pub mod envelope;
mod ledger;
mod message;
mod notice;
mod spectator_feed;
pub mod transport;
mod worker;

pub use coordinator::{Coordinator, CoordinatorConfig, ResultValidator};
pub use joust_play::executor::MachineOffer;
pub use message::{
    Announcement, Batch, Class, ClassId, Position, Report, RequiredBuild, RequiredReferee, Stage,
    Work, WorkerState, beat_of, has_plausible_times,
};
pub use notice::CoordinatorNotice;
pub use spectator_feed::SpectatorFeed;
pub use worker::{
    ExitConditions, PreparedStage, Refusal, Worker, WorkerExit, WorkerHost, WorkerNotice,
};
