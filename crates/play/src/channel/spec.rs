//! List of the channels, with the name of each, the lifetime of its bots, its requirements and the
//! function that opens it.
//!
//! A game names its channel, and everything else about channels is here. No other code compares a
//! channel's name.

use joust_referee::Parts;
use serde::{Deserialize, Serialize};

use super::live::{LiveChannel, PythonClass, TcpLine};
use super::{Argv, Channel, ChannelError, FilesChannel, Http, Lines, Opening, argv, http};

/// Opens a channel to a seat's bot.
pub type Open<C> = fn(Opening) -> Result<Box<C>, ChannelError>;

/// Lifetime of a bot's process, with the function that opens the channel.
#[derive(Clone, Copy, Debug)]
pub enum ProcessLifetime {
    /// One process per request, which ends with its answer.
    PerTurn(Open<dyn Channel>),
    /// One process per bout of a turn-based game.
    PerBout(Open<dyn Channel>),
    /// One process per bout of a game with a clock; opening does not start it.
    OnClock(Open<dyn LiveChannel>),
}

/// Method of measuring the cost of a bot's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalibrationMethod {
    /// By complete runs of a do-nothing program, whose duration is added to the limits.
    WholeRuns,
    /// Not measured: the bot starts once, with a limit of its own for that.
    None,
}

/// Connection of bots to Joust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Port {
    /// Bots do not connect.
    #[default]
    None,
    /// Bots are clients of a server at the game's port.
    OfTheGame,
    /// Bots are servers, each at a port of its own, and Joust is their client.
    OfTheBot,
}

/// A channel.
#[derive(Clone, Copy, Debug)]
pub struct ChannelSpec {
    /// Name by which games refer to it.
    pub name: &'static str,
    /// Lifetime of a bot's process.
    pub lifetime: ProcessLifetime,
    /// Method of measuring the cost of a bot's language.
    pub calibration_method: CalibrationMethod,
    /// Connection of bots to Joust.
    pub port: Port,
    /// Checks that the channel can pass a view to a bot.
    pub carries: fn(&Parts) -> Result<(), ChannelError>,
}

/// Accepts every view.
fn any(_: &Parts) -> Result<(), ChannelError> {
    Ok(())
}

/// All channels.
pub static ALL: &[ChannelSpec] = &[
    ChannelSpec {
        name: "argv",
        lifetime: ProcessLifetime::PerTurn(|opening| Ok(Box::new(Argv::open(opening)?))),
        calibration_method: CalibrationMethod::WholeRuns,
        port: Port::None,
        carries: argv::carries,
    },
    ChannelSpec {
        name: "files",
        lifetime: ProcessLifetime::PerTurn(|opening| Ok(Box::new(FilesChannel::open(opening)?))),
        calibration_method: CalibrationMethod::WholeRuns,
        port: Port::None,
        carries: any,
    },
    // Parts of a view: `method`, `path` and, where the request has a body, `content-type` and
    // `body`. Parts of an answer: `status` in digits, `content-type` if it has one, and `body`,
    // also an empty one. Their names are in `joust_referee::http`.
    ChannelSpec {
        name: "http",
        lifetime: ProcessLifetime::PerBout(|opening| Ok(Box::new(Http::open(opening)?))),
        calibration_method: CalibrationMethod::None,
        port: Port::OfTheBot,
        carries: http::carries,
    },
    ChannelSpec {
        name: "lines",
        lifetime: ProcessLifetime::PerBout(|opening| Ok(Box::new(Lines::open(opening)?))),
        calibration_method: CalibrationMethod::None,
        port: Port::None,
        carries: any,
    },
    ChannelSpec {
        name: "python-class",
        lifetime: ProcessLifetime::OnClock(|opening| Ok(Box::new(PythonClass::open(opening)?))),
        calibration_method: CalibrationMethod::None,
        port: Port::None,
        carries: any,
    },
    ChannelSpec {
        name: "tcp-line",
        lifetime: ProcessLifetime::OnClock(|opening| Ok(Box::new(TcpLine::open(opening)?))),
        calibration_method: CalibrationMethod::WholeRuns,
        port: Port::OfTheGame,
        carries: any,
    },
];

impl ChannelSpec {
    /// Returns whether bots stay for a bout in which they are asked and waited for.
    pub(crate) fn has_bots_that_wait(&self) -> bool {
        matches!(self.lifetime, ProcessLifetime::PerBout(_))
    }
}

/// Returns the channel called `name`.
///
/// # Errors
///
/// [`ChannelError::Unknown`] when no channel has the name.
pub fn find(name: &str) -> Result<&'static ChannelSpec, ChannelError> {
    let found = ALL.iter().find(|channel| channel.name == name);
    found.ok_or_else(|| ChannelError::Unknown(name.to_owned()))
}

/// Opens the channel with the name `name` to a bot of a turn-based game.
///
/// # Errors
///
/// [`ChannelError`] when the sandbox cannot be made or no such channel has the name.
pub fn open(name: &str, opening: Opening) -> Result<Box<dyn Channel>, ChannelError> {
    match find(name)?.lifetime {
        ProcessLifetime::PerTurn(open) | ProcessLifetime::PerBout(open) => open(opening),
        ProcessLifetime::OnClock(_) => Err(ChannelError::OnTheClock(name.to_owned())),
    }
}

/// Opens the channel with the name `name` to a bot of a game with a clock, without starting the
/// bot.
///
/// # Errors
///
/// As [`open`].
pub fn open_live(name: &str, opening: Opening) -> Result<Box<dyn LiveChannel>, ChannelError> {
    match find(name)?.lifetime {
        ProcessLifetime::OnClock(open) => open(opening),
        ProcessLifetime::PerTurn(_) | ProcessLifetime::PerBout(_) => {
            Err(ChannelError::IsAsked(name.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_is_played_over_a_channel_of_the_list() {
        for game in &joust_referee::Catalogue::built_in() {
            let channel = &game.spec().channel;
            assert!(find(channel).is_ok(), "{} over {channel}", game.id());
        }
    }

    #[test]
    fn games_know_whether_their_bots_stay_and_are_asked() {
        for game in &joust_referee::Catalogue::built_in() {
            let channel = find(&game.spec().channel).expect("it is in the list");
            let waits = game.spec().has_bots_that_wait();
            assert_eq!(waits, channel.has_bots_that_wait(), "{}", game.id());
        }
    }

    #[test]
    fn names_are_unique_and_another_name_is_an_error() {
        for (index, channel) in ALL.iter().enumerate() {
            assert!(ALL[..index].iter().all(|other| other.name != channel.name));
        }
        let error = find("carrier-pigeon").expect_err("there is none");
        assert_eq!(error.to_string(), "there is no channel `carrier-pigeon`");
    }
}
