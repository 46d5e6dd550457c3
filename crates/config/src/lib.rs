//! The configuration: a `tournament.yaml`, read, checked and completed.
//!
//! Every problem is reported at once, with file, line, column and a hint. A
//! value comes from the event, else from `defaults:`, else from the game's own
//! defaults, else from Joust's.
#![forbid(unsafe_code)]

mod derived_schema;
mod events;
mod games;
mod keys;
mod limits;
mod load;
mod node;
mod options;
mod plain_file;
mod problem;
mod quantity;
mod read;
mod rejection;
pub mod schema;
mod show;

#[cfg(test)]
mod tests;
mod tournament;
mod values;
pub mod yaml;

pub use games::{
    ExternalGame, GAME_FILE, RefereeProgram, RemoteGame, is_game_folder, is_id as is_game_id,
    read_game_folder, read_remote_game,
};
pub use keys::event::{Dependencies, Examples, Logs};
pub use keys::libraries::Provided;
pub use keys::limits::{BuildLimits, Network};
pub use keys::tournament::{Entries, Login, OtherFiles, Unowned};
pub use load::{differ_in_bots_only, have_equal_comments, load, parse, parse_with_games_in};
pub use node::{MapEntry, Node, NodeValue, SourceLocation};
pub use plain_file::{PlainFileError, folder_of, open_plain, read_plain, read_start};
pub use problem::{ConfigErrors, Problem, Severity, SourceText};
pub use quantity::{parse_duration, parse_size, show_duration};
pub use read::KeyFile;
pub use rejection::{Rejection, did_you_mean};
pub use show::{reference, show};
pub use tournament::{
    DEFAULT_MATCHES_PER_BOT, Event, Pattern, Requirements, SeedSource, Tournament,
};
pub use values::{Count, Memory, Size, Time, Word};
pub use yaml::LARGEST_FILE;
