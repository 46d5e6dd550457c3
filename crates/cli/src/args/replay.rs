//! `joust replay`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{BoutArgs, BoutSelector, TextFormat, parse_duration};

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    pub(crate) which: BoutSelector,
    #[command(flatten)]
    pub(crate) source: BoutArgs,
    /// Print this round only, from 0: the position before it and the views
    #[arg(long, value_name = "N")]
    pub(crate) round: Option<u32>,
    /// With --round, print exactly the bytes this seat was shown; without it,
    /// draw no more than it was shown
    #[arg(long, value_name = "N")]
    pub(crate) seat: Option<u8>,
    /// Write the bout to the folder DIR as the game's original laid its replays
    /// out; the layout is entelect
    #[arg(
        long,
        num_args = 2,
        value_names = ["LAYOUT", "DIR"],
        conflicts_with_all = ["round", "format", "turns"]
    )]
    pub(crate) export: Vec<String>,
    /// Write the bout as one page that plays it and needs no other file
    /// [default FILE: bout-ID.html]
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with_all = ["round", "format", "turns", "export"]
    )]
    pub(crate) html: Option<Option<PathBuf>>,
    /// Write the bout as an animation [default FILE: bout-ID.gif]
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with_all = ["round", "format", "turns", "export", "html"]
    )]
    pub(crate) gif: Option<Option<PathBuf>>,
    /// Replace a file or folder that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// Wait this long after each round
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "0ms")]
    pub(crate) delay: Duration,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
    /// With --format json, list every turn
    #[arg(long)]
    pub(crate) turns: bool,
}
