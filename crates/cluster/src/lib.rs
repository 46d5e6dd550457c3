//! Many machines: a coordinator hands bouts to workers over a transport.
//!
//! The coordinator is an [`Executor`](joust_play::executor::Executor) like the local one;
//! a worker is a loop around an executor of its own machine. Between them lies a transport,
//! which may lose, repeat, delay and reorder what it carries, and be wiped at any time: the
//! record is the coordinator's database alone, and a bout without a row there has not been
//! played. So nothing here makes a result durable; it makes lost bouts played again, and
//! takes one result a bout.
//!
//! ```text
//! league → Coordinator → Ledger → batches → transport → Worker → Local
//!        ←  inspection ← Ledger ← reports ← transport ←        ←
//! ```
#![forbid(unsafe_code)]

mod coordinator;
pub mod envelope;
mod failure_rates;
mod ledger;
mod message;
mod notice;
mod spectator_feed;
pub mod time;
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
