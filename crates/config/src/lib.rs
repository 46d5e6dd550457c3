//! The configuration: a `tournament.yaml`, read, checked and completed.
//!
//! Every problem is reported at once, with file, line, column and a hint. A
//! value comes from the event, else from `defaults:`, else from the game's own
//! defaults, else from Joust's.
#![forbid(unsafe_code)]

mod bots_only;
mod derived_schema;
mod duration;
mod entries;
mod event;
mod events;
mod flow;
mod game_defaults;
mod games;
mod key_file;
mod keys;
mod limits;
mod load;
mod node;
mod options;
mod plain_file;
mod problem;
mod quantity;
mod read;
mod reference;
mod rejection;
pub mod schema;
mod show;
mod size;
mod source_location;
mod suggest;
#[cfg(test)]
mod tests;
mod tournament;
mod values;
pub mod yaml;

pub use bots_only::{differ_in_bots_only, have_equal_comments};
pub use duration::{parse_duration, show_duration};
pub use entries::{Entries, Login, OtherFiles, Unowned};
pub use event::{DEFAULT_MATCHES_PER_BOT, Event, Pattern, Requirements};
pub use games::{
    ExternalGame, GAME_FILE, RefereeProgram, RemoteGame, is_game_folder, is_id as is_game_id,
    read_game_folder, read_remote_game,
};
pub use key_file::KeyFile;
pub use keys::event::{Dependencies, Examples, Logs};
pub use keys::libraries::Provided;
pub use keys::limits::{BuildLimits, Network};
pub use load::{load, parse, parse_with_games_in};
pub use node::{MapEntry, Node, NodeValue};
pub use plain_file::{PlainFileError, folder_of, open_plain, read_plain, read_start};
pub use problem::{ConfigErrors, Problem, Severity, SourceText};
pub use reference::reference;
pub use rejection::Rejection;
pub use show::show;
pub use size::parse_size;
pub use source_location::SourceLocation;
pub use suggest::did_you_mean;
pub use tournament::{SeedSource, Tournament};
pub use values::{Count, Memory, Size, Time, Word};
pub use yaml::LARGEST_FILE;
