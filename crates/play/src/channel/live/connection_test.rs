//! Connection test of a client, where seats have no network of their own.
//!
//! On such machines a client can only connect to its game's port on 127.0.0.1. It fails if the name
//! of a server is in its source, or if its runtime needs a list of interfaces to resolve a name.
//! That is not its fault, so it is tested before it plays: the client is started once, alone, and
//! has its start limit to connect.

use std::time::{Duration, Instant};

use joust_sandbox::Tier;

use super::{Event, EventReader, LiveChannel};
use crate::channel::{Answered, ChannelError, Opening, open_live};
use joust_model::{Exit, Reason, escaped_bytes};

/// Time between checks for a stop of the run.
const LOOK: Duration = Duration::from_millis(100);

/// Result of waiting for a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectOutcome {
    /// It connected.
    Connected,
    /// It did not connect.
    NotConnected {
        /// Reason, with what the client did instead.
        reason: Reason,
    },
}

/// Returns whether this tier cannot give every seat a network.
pub fn needs_connection_test(tier: Tier) -> bool {
    matches!(tier, Tier::C | Tier::D)
}

/// Tests whether the client of `opening`, over the channel called `name`, connects to the port of
/// its game. Stops waiting when `is_stopped` returns true.
///
/// # Errors
///
/// [`ChannelError`] when the machine failed.
pub fn test_connection(
    name: &str,
    opening: Opening,
    is_stopped: &dyn Fn() -> bool,
) -> Result<ConnectOutcome, ChannelError> {
    let tier = opening.host.tier();
    let patience = opening.limits.start;
    let mut channel = open_live(name, opening)?;
    let outcome = wait_for_client(&mut *channel, Instant::now() + patience, is_stopped);
    let ended = channel.end();
    channel.close()?;
    Ok(match outcome? {
        Connecting::Accepted => ConnectOutcome::Connected,
        Connecting::TimedOut => ConnectOutcome::NotConnected {
            reason: reason(tier, &ended?, AbsenceCause::TooLong(patience), CLIENT),
        },
        Connecting::Exited(answered) => ConnectOutcome::NotConnected {
            reason: reason(tier, &answered, AbsenceCause::Ended, CLIENT),
        },
    })
}

enum Connecting {
    Accepted,
    TimedOut,
    Exited(Box<Answered>),
}

/// Cause of a missing connection.
#[derive(Clone, Copy)]
pub(in crate::channel) enum AbsenceCause {
    /// The bot ended.
    Ended,
    /// This time passed.
    TooLong(Duration),
}

/// Task of a bot, and what it finds where seats have no network of their own.
#[derive(Clone, Copy)]
pub(in crate::channel) struct BotTask {
    pub(in crate::channel) task: &'static str,
    pub(in crate::channel) network: &'static str,
}

const CLIENT: BotTask = BotTask {
    task: "connect to `JOUST_HOST` at `JOUST_PORT`",
    network: "nothing but 127.0.0.1 and that port can be reached, the server's name is not known, \
              and there are no interfaces to list",
};

fn wait_for_client(
    channel: &mut dyn LiveChannel,
    until: Instant,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Connecting, ChannelError> {
    let mut events = EventReader::start(channel)?;
    while Instant::now() < until && !is_stopped() {
        match events.next(until.min(Instant::now() + LOOK))? {
            Some(Event::Ready) => return Ok(Connecting::Accepted),
            Some(Event::Ended(answered)) => return Ok(Connecting::Exited(answered)),
            _ => {}
        }
    }
    Ok(Connecting::TimedOut)
}

/// Returns the reason, with advice on how to fix it.
pub(in crate::channel) fn reason(
    tier: Tier,
    answered: &Answered,
    cause: AbsenceCause,
    bot: BotTask,
) -> Reason {
    let did = match cause {
        AbsenceCause::Ended => match answered.exit {
            Exit::Status(status) => format!("ended with status {status}"),
            Exit::Signal(signal) => format!("was ended by signal {signal}"),
            Exit::NotStarted(errno) => {
                let error = std::io::Error::from_raw_os_error(errno);
                return Reason::ours(format!("it could not be started: {error}"));
            }
            _ => format!("ended with the verdict `{}`", answered.verdict),
        },
        AbsenceCause::TooLong(patience) => format!("did not within {patience:?}"),
    };
    let ours = format!(
        "it was to {} and {did}; seats have no network of their own here (tier {tier}): {}",
        bot.task, bot.network
    );
    Reason { ours, stderr: last_line(&answered.stderr), ..Reason::default() }
}

/// Returns the last nonempty line, escaped.
fn last_line(stderr: &[u8]) -> String {
    let mut lines = stderr.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.rfind(|line| !line.is_empty()).map(escaped_bytes).unwrap_or_default()
}
