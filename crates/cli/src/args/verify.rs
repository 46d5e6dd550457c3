//! `joust verify`.

use clap::Args;

use super::{BoutArgs, TextFormat};

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Bouts by id, or enough of their first digits; or the names of bots, for all
    /// bouts in which they met [default: the whole database]
    #[arg(value_name = "BOUT|BOT")]
    pub(crate) bouts: Vec<String>,
    #[command(flatten)]
    pub(crate) source: BoutArgs,
    /// The chain's head as it was printed with an earlier leaderboard, or its
    /// first 8 digits at least: says what was recorded since, and whether
    /// anything recorded until then was changed
    #[arg(long, value_name = "HASH", conflicts_with = "bouts", value_parser = parse_head)]
    pub(crate) head: Option<String>,
    /// Bouts judged at once [default: as many as there are cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
}

fn parse_head(text: &str) -> Result<String, String> {
    let is_hash = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash && (8..=64).contains(&text.len()) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("a head has 64 hexadecimal digits, and the first 8 are enough".to_owned())
    }
}
