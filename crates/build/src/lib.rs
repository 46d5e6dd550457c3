//! Builds of bots: made in the sandbox, each once, kept by content, and placed on this machine to
//! be started.
#![forbid(unsafe_code)]

mod attempt;
mod build;
mod build_files;
pub mod build_log;
mod build_seat;
mod builder;
mod context;
pub mod error_extract;
mod fetch;
mod libraries;
pub mod placed;
mod prebuilt;
mod registries;
pub mod store;
pub mod trace;
mod warm;

pub use build::{Build, Damage};
pub use builder::Builder;
pub use libraries::NotFetched;
pub use placed::{BuildPlacer, NotPlaced, PlacedBuild, SCRATCH, seat_limits, seat_spec};
pub use store::{
    BuildStore, ExportSummary, FetchedBuild, FolderStore, MemoryStore, NewBuild, StoreError,
    StoredBuild,
};
