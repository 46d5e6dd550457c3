//! `joust calibrate`.

use clap::Args;

use super::{FileArg, TextFormat};

#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// Measure this language only; may be given several times
    /// [default: every language whose toolchain is here]
    #[arg(long, value_name = "ID")]
    pub(crate) language: Vec<String>,
    /// The game whose first view the bots read [default: every game]
    #[arg(long, value_name = "ID")]
    pub(crate) game: Vec<String>,
    /// Runs per language [default: the tournament's calibration.runs, or 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: Option<u32>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
    /// Measure without the isolation this machine lacks (tier D)
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
}
