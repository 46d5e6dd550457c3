//! Bots: found, described and read; starters.
//!
//! Files are read only: nothing of a bot is run, imported or built here.
#![forbid(unsafe_code)]

pub mod archive;
pub mod discover;
pub mod git;
pub mod machine_error;
pub mod manifest;
pub mod name;
mod new_files;
pub mod pack;
pub mod problem;
pub mod scaffold;
pub mod search_path;
mod side_files;
pub mod source;
pub mod source_language;
mod tree_writer;

pub use discover::{BotSearch, BotSource, PerOwner, read_bot, survey};
pub use manifest::{Candidate, Manifest};
pub use new_files::NewFiles;
pub use problem::{BotProblem, FaultParty, escape};
pub use side_files::is_document;
pub use source::{SourceHash, SourceTree};
pub use source_language::{ServerSigns, SourceLanguage, SourceLanguages};

/// Returns a game that ships with Joust.
#[cfg(test)]
fn game(id: &str) -> joust_referee::Game {
    joust_referee::Catalogue::built_in().find(id).expect("it ships with Joust").clone()
}
