//! Toolchains: the languages table, the tools of this machine, and recipes by which bots are built
//! and started.
//!
//! Tools are asked about themselves; nothing of a bot is run here.
#![forbid(unsafe_code)]

pub mod build_error;
pub mod detect;
pub mod doctor;
pub mod installed;
pub mod language;
mod legacy;
mod library_set;
mod recipe;
pub mod schema;
mod system_program;
mod template;
pub mod threads;
mod xml;

pub use build_error::{BuildLimit, NotBuilt};
pub use detect::{Machine, Missing, NoTools, Toolchain, Toolchains, closed_folder};
pub use language::{Language, LanguageError, Languages};
pub use library_set::{Library, LibrarySet, PathVariable, place_inside};
pub use recipe::{
    BuildNetwork, EventProvisions, Recipe, RecipeInputs, ResolvedStart, StartCommand,
    StartLibraries, TableBuild,
};
pub use system_program::SystemProgram;
pub use template::PlaceholderValues;
pub use xml::parse_xml;

/// Folder of a bot, in its build and in its turns.
pub const BOT: &str = "/bot";
/// Folder in which a build leaves its result; hidden, so no source can be there.
pub(crate) const OUT: &str = "/bot/.joust";
/// Name of that folder in the bot's folder.
pub const MADE: &str = ".joust";
/// Folder for those files of a build that are thrown away.
pub const PRIVATE: &str = "/bot/.build";
/// Folders in which programs are searched when a manifest names them without a folder.
pub(crate) const SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// Port of a web server in its command and its variables; its channel replaces it.
pub const PORT: &str = "$PORT";
/// Variable with the port at which a web server listens. Set in a build if its manifest gives the
/// port.
pub const PORT_VARIABLE: &str = "PORT";
/// Variable with the prefix of the paths of all requests to a web server.
pub const PATH_VARIABLE: &str = "JOUST_PATH";
