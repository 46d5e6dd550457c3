//! `joust config`.

use std::path::PathBuf;

use clap::Subcommand;

use super::DEFAULT_FILE;

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every value that is in force, as YAML
    #[command(after_help = "Example:\n  joust config show tournament.yaml")]
    Show {
        /// The tournament's file
        #[arg(value_name = "FILE", default_value = DEFAULT_FILE)]
        file: PathBuf,
    },
    /// Print every key of a tournament.yaml with its help and its default or an example
    ///
    /// What is printed is a tournament.yaml with all defaults written out.
    #[command(after_help = "Example:\n  joust config reference > all-keys.yaml")]
    Reference,
    /// Print the JSON Schema by which editors complete and check a file
    ///
    /// An editor with the YAML language server finds it by the file's first line,
    /// `# yaml-language-server: $schema=tournament.schema.json`.
    #[command(after_help = "Examples:\n  joust config schema > tournament.schema.json\n  joust \
                            config schema bot > bot.schema.json")]
    Schema {
        /// File it is for: `tournament`, `bot`, `game`, or the folder of a game of one's own,
        /// whose options a tournament can then name
        #[arg(value_name = "FILE", default_value = "tournament")]
        file: String,
    },
}
