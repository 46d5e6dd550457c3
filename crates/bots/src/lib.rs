//! Bots: found, described, built and measured.
//!
//! Discovery reads files only. Builds and calibration run what a bot brought,
//! always inside the sandbox.
#![forbid(unsafe_code)]

pub mod archive;
mod attempt;
pub mod build;
mod build_files;
pub mod build_log;
mod build_seat;
pub mod builder;
mod context;
pub mod detect;
pub mod discover;
pub mod doctor;
mod fetch;
pub mod git;
mod installed;
pub mod language;
mod layout;
mod legacy;
mod libraries;
mod library_set;
mod line_ends;
mod machine_error;
pub mod manifest;
pub mod name;
mod new_files;
pub mod not_built;
pub mod pack;
pub mod placed;
mod prebuilt;
pub mod problem;
mod program;
pub mod reasons;
mod recipe;
mod registries;
mod requirements;
pub mod scaffold;
pub mod schema;
mod search_path;
pub mod seat;
mod shortage;
mod side_files;
pub mod source;
pub mod source_language;
mod staging;
pub mod store;
mod system_program;
mod template;
pub mod threads;
pub mod trace;
mod warm;

pub use build::{Build, Damage};
pub use builder::Builder;
pub use detect::{Machine, Missing, NoTools, Toolchain, Toolchains, barrier};
pub use discover::{BotGlob, BotSource, PerOwner, Search, read_bot, survey};
pub use language::{Language, LanguageError, Languages};
pub use layout::{BOT, MADE};
pub use libraries::{Fetched, NotFetched};
pub use library_set::{Library, LibrarySet, PathVariable};
pub use manifest::Manifest;
pub use new_files::NewFiles;
pub use not_built::{BuildLimit, NotBuilt};
pub use placed::{NotPlaced, PlacedBuild, Placing};
pub use problem::{Fault, Problem, escape};
pub use recipe::BuildNetwork;
pub use requirements::Requirements;
pub use seat::{SCRATCH, seat_limits, seat_spec, turn_limits};
pub use source::{SourceHash, SourceTree};
pub use source_language::{SourceLanguage, SourceLanguages};
pub use store::{
    BuildStore, Exported, FetchedBuild, FolderStore, MemoryStore, NewBuild, StoreError, StoredBuild,
};

/// Returns a game that ships with Joust.
#[cfg(test)]
fn game(id: &str) -> joust_referee::Game {
    joust_referee::Catalogue::built_in().find(id).expect("it ships with Joust").clone()
}
