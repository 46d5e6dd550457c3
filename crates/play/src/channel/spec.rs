//! List of the channels: what each is called, how long its bots live, what it
//! needs and how it is opened.
//!
//! A game names its channel; everything else about it is here.
//! Nothing else compares a channel's name.

use joust_referee::Parts;
use serde::{Deserialize, Serialize};

use super::live::{LiveChannel, PythonClass, TcpLine};
use super::{Argv, Channel, ChannelError, FilesChannel, Lines, Opening, argv};

/// Opens a channel to a seat's bot.
pub type Open<C> = fn(Opening) -> Result<Box<C>, ChannelError>;

/// Lifetime of a bot's process, with the function that opens such a channel.
#[derive(Clone, Copy, Debug)]
pub enum ProcessLifetime {
    /// One process a request, which ends with its answer.
    PerTurn(Open<dyn Channel>),
    /// One process a bout, which is asked and waited for.
    PerBout(Open<dyn Channel>),
    /// One process a bout on a clock, which is opened without being started.
    OnClock(Open<dyn LiveChannel>),
}

/// Method of measuring the cost of a bot's language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalibrationMethod {
    /// By whole runs of a program that does nothing: what they take is added to
    /// the limits.
    WholeRuns,
    /// Not at all: the bot starts once, against a limit of its own.
    None,
}

/// Connection of bots to Joust.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Port {
    /// They do not connect.
    #[default]
    None,
    /// They are clients of a server at a port of their game.
    OfTheGame,
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
    /// Checks that a view can be carried to a bot.
    pub carries: fn(&Parts) -> Result<(), ChannelError>,
}

/// Every view can be carried.
fn any(_: &Parts) -> Result<(), ChannelError> {
    Ok(())
}

/// Every channel there is.
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

/// Returns the channel called `name`.
///
/// # Errors
///
/// [`ChannelError::Unknown`] when there is none.
pub fn find(name: &str) -> Result<&'static ChannelSpec, ChannelError> {
    let found = ALL.iter().find(|channel| channel.name == name);
    found.ok_or_else(|| ChannelError::Unknown(name.to_owned()))
}

/// Opens the channel called `name` to a bot that is asked and waited for.
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

/// Opens the channel called `name` to a bot of a game on a clock, without starting it.
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
    fn names_are_unique_and_another_name_is_an_error() {
        for (index, channel) in ALL.iter().enumerate() {
            assert!(ALL[..index].iter().all(|other| other.name != channel.name));
        }
        let error = find("carrier-pigeon").expect_err("there is none");
        assert_eq!(error.to_string(), "there is no channel `carrier-pigeon`");
    }
}
