//! `joust completions`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell, or man for the manual
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) target: CompletionTarget,
    /// Write the files to this folder, created if missing, instead of
    /// printing; man has one page for each command
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

/// Kind of file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletionTarget {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
    /// Manual pages; without a folder, the page of joust itself is printed.
    Man,
}
