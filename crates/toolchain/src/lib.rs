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
mod layout;
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
pub use layout::{BOT, MADE, PATH_VARIABLE, PORT, PORT_VARIABLE, PRIVATE};
pub use library_set::{Library, LibrarySet, PathVariable, place_inside};
pub use recipe::{
    BuildNetwork, EventProvisions, Recipe, RecipeInputs, ResolvedStart, StartCommand,
    StartLibraries, TableBuild,
};
pub use system_program::SystemProgram;
pub use template::PlaceholderValues;
pub use xml::parse_xml;
