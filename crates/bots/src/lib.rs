//! Bots: found, described, built and measured.
//!
//! Discovery reads files only. Builds and calibration run what a bot brought,
//! always inside the sandbox.
#![forbid(unsafe_code)]

pub mod archive;
pub mod build;
mod build_files;
pub mod build_log;
mod build_seat;
pub mod builder;
pub mod changed;
pub mod detect;
pub mod discover;
pub mod doctor;
mod fetch;
pub mod git;
mod installed;
mod jar;
pub mod language;
mod library_set;
pub mod manifest;
pub mod name;
mod new_files;
pub mod not_built;
pub mod pack;
pub mod placed;
pub mod problem;
pub mod reasons;
mod recipe;
mod requirements;
pub mod scaffold;
pub mod schema;
mod search_path;
pub mod seat;
mod side_files;
pub mod source;
pub mod store;
mod system_program;
mod template;
pub mod threads;
pub mod trace;
mod trouble;
mod warm;

pub use build::{Build, Damage};
pub use builder::Builder;
pub use changed::{Change, changed};
pub use detect::{Machine, Missing, NoTools, Toolchain, Toolchains, barrier};
pub use discover::{BotGlob, BotSource, PerOwner, Search, read_bot, survey};
pub use language::{Language, LanguageError, Languages};
pub use library_set::{Fetched, Library, LibrarySet, NotFetched, PathVariable};
pub use manifest::Manifest;
pub use new_files::NewFiles;
pub use not_built::{BuildLimit, NotBuilt};
pub use placed::{NotPlaced, PlacedBuild, Placing};
pub use problem::{Fault, Problem, escape};
pub use recipe::{BOT, BuildNetwork, MADE};
pub use requirements::Requirements;
pub use seat::{SCRATCH, seat_limits, seat_spec, turn_limits};
pub use source::{SourceHash, SourceTree};
pub use store::{
    BuildStore, Exported, FetchedBuild, FolderStore, MemoryStore, NewBuild, StoreError, StoredBuild,
};

/// Returns a game that ships with Joust.
#[cfg(test)]
fn game(id: &str) -> joust_referee::Game {
    joust_referee::Catalogue::built_in().find(id).expect("it ships with Joust").clone()
}
