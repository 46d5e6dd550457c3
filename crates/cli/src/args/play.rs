//! `joust play`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use joust_model::ClockMode;
use joust_referee::{Catalogue, Game};

use super::{BoutFormatArgs, GameArg, IsolationArg, RulesArg, parse_duration, parse_some_time};

/// Returns the lines on the keys of every game.
pub(super) fn keys_help() -> String {
    let line = |game: &Game| format!("  {:<16}  {}\n", game.id(), game.spec().people.keys_help);
    Catalogue::built_in().iter().map(line).collect()
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    /// The bots, in seat order: folders, archives, source files, or names of the tournament's field
    #[arg(required_unless_present_any = ["human", "listen"], num_args = 1.., value_name = "BOT")]
    pub(crate) bots: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) people: PeopleArgs,
    #[command(flatten)]
    pub(crate) settings: BoutSettingsArgs,
    #[command(flatten)]
    pub(crate) view: ViewArgs,
    #[command(flatten)]
    pub(crate) clock: ClockArgs,
    #[command(flatten)]
    pub(crate) recording: RecordingArgs,
    /// Build a bot and play the bout again from the start whenever the bot's source changes, until
    /// Ctrl-C
    #[arg(long, conflicts_with = "listen")]
    pub(crate) reload: bool,
    #[command(flatten)]
    pub(crate) result: BoutFormatArgs,
}

/// Settings of the bout.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct BoutSettingsArgs {
    /// The bout's seed; a negative one selects an original's map, in games with `map_seed`
    #[arg(long, value_name = "SEED", default_value_t = 0, value_parser = parse_seed)]
    pub(crate) seed: i128,
    #[command(flatten)]
    pub(crate) rules: RulesArg,
    /// Do not limit time
    #[arg(long)]
    pub(crate) no_limit: bool,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

/// People in the bout.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PeopleArgs {
    /// Seat a person at this keyboard, or N of them who take turns, before the bots. In a game on a
    /// clock, one person plays in real time, after the bots. The keys are listed below
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        value_parser = clap::value_parser!(u8).range(1..=12)
    )]
    pub(crate) human: Vec<u8>,
    /// Wait at this address for people who join from other terminals with nc or
    /// telnet, and seat them before the bots; a bare port listens on localhost
    #[arg(long, value_name = "ADDR", value_parser = super::common::parse_address)]
    pub(crate) listen: Option<SocketAddr>,
    /// With --listen, skip a guest's turn after this time, such as 90s; the host's key s
    /// does the same at any time
    #[arg(long, value_name = "TIME", value_parser = parse_some_time, requires = "listen")]
    pub(crate) guest_time: Option<Duration>,
}

/// Display of the bout.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ViewArgs {
    /// Draw every round in the terminal
    #[arg(long)]
    pub(crate) show: bool,
    /// Draw nothing, which is the default
    #[arg(long, conflicts_with_all = ["show", "human", "single_step"])]
    pub(crate) headless: bool,
    /// With --show, wait this long after each round; not in real time
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "100ms")]
    pub(crate) delay: Duration,
    /// Stop and wait after the first turn in which a bot wrote to standard
    /// error or earned a fault, and name the bot
    #[arg(long)]
    pub(crate) debug: bool,
}

/// Clock of the bout.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ClockArgs {
    /// Pace of the clock, in games on a clock: realtime, eager or lockstep
    #[arg(long, value_name = "PACE", value_parser = parse_pace)]
    pub(crate) clock: Option<ClockMode>,
    /// With --human in a game on a clock, begin paused: Enter resumes
    #[arg(long, requires = "human")]
    pub(crate) start_paused: bool,
    /// With --show or --human in a game on a clock, pause after every tick: Enter
    /// continues
    #[arg(long)]
    pub(crate) single_step: bool,
    /// In a game on a clock, play on with the same bots on a new map, with the
    /// next seed, when a bout is over, until Ctrl-C; the exit status is then 0
    #[arg(long, conflicts_with = "log")]
    pub(crate) endless: bool,
    /// With --show or --human in a game on a clock, keep the last picture for this
    /// long before the result is printed, or until Ctrl-C
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "0s")]
    pub(crate) wait_end: Duration,
}

/// Files that are written while the bout is played.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RecordingArgs {
    /// Write the game's replay folder while playing: in the original's layout, or
    /// views, answers and result of every round
    #[arg(long, value_name = "DIR")]
    pub(crate) log: Option<PathBuf>,
    /// With --log, replace a folder that joust made before
    #[arg(long, requires = "log")]
    pub(crate) force: bool,
    /// Write the game's recording to this file: in the original's format, or every turn
    /// and the result, as --turn-log does
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Write every turn and the result to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) turn_log: Option<PathBuf>,
}

fn parse_pace(text: &str) -> Result<ClockMode, String> {
    let known = ClockMode::ALL.map(ClockMode::name).join(", ");
    text.parse().map_err(|_| format!("the paces are {known}"))
}

/// Reads a seed: 64 bits, or a negative one of 32.
fn parse_seed(text: &str) -> Result<i128, String> {
    let seed: i128 = text.parse().map_err(|_| "not a whole number".to_owned())?;
    let known = i128::from(i32::MIN)..=i128::from(u64::MAX);
    if known.contains(&seed) {
        Ok(seed)
    } else {
        Err(format!("it is from {} to {}", i32::MIN, u64::MAX))
    }
}
