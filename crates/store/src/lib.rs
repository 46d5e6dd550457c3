//! Storage of a tournament in one SQLite file: the bots, every bout, its logs.
//!
//! Each table has a file here; `migrations/README.md` explains the columns. A bout is stored whole
//! or not at all, and once per id. This crate does not play, judge or rank bots.
#![forbid(unsafe_code)]

mod accounts;
mod bots;
mod bounds;
mod bout_scan;
mod bouts;
mod builds;
mod calibrations;
mod chain;
mod columns;
mod commit;
mod database_path;
mod db;
mod decisions;
mod document;
mod documents;
mod error;
mod hasher;
mod history;
mod in_order;
mod insert;
mod insert_results;
mod lock;
mod pages;
mod reconcile;
mod result_hash;
mod results;
mod row;
mod rows;
mod schedule;
mod schema;
mod seats;
pub mod shard;
mod sources;
mod tournament;
mod versions;
mod wal_checkpoint;
mod writing;

pub use accounts::AccountRow;
pub use bots::RegisteredBot;
pub use bouts::{CountedSeat, PastBout, PastSeat};
pub use builds::BuildRow;
pub use chain::{CheckScope, Inconsistency, Ledger, LinkKind, LinkSummary};
pub use commit::{Committer, GroupCommitter, MOST_WAITING};
pub use db::{Access, Changes, Store};
pub use error::StoreError;
pub use in_order::ResultsInOrder;
pub use lock::RunLock;
pub use pages::{BoutPage, ChainMark, RecordedBout};
pub use reconcile::{Reconciled, ScheduleComparison};
pub use result_hash::refuse_misfit;
pub use results::UnjudgedBout;
pub use schedule::{BoutPlace, BoutSet, Finder, Scheduled};
pub use shard::DatabaseSummary;
pub use sources::{SourceDetail, SourceRow};
pub use tournament::TournamentRow;
pub use wal_checkpoint::CheckpointOutcome;

pub use joust_model::{
    BotRow, BoutSummary, Change, Decision, DecisionRow, EventInfo, EventSettings, HistoryRow,
    Mirror, SeatSummary, StoredBout,
};
