//! Trial of a client, where seats have no network of their own: whether it comes.
//!
//! There it can connect to the port of its game on 127.0.0.1 and to nothing else. A client
//! that has the name of a server in its source finds none, nor does one whose runtime wants
//! a list of interfaces before it resolves a name. That is not its fault, so it is found
//! out before it plays: the client is started once, alone, and has its start limit to come.

use std::time::{Duration, Instant};

use joust_sandbox::Tier;

use super::events::EventReader;
use super::{Event, LiveChannel};
use crate::channel::{Answered, ChannelError, Opening, open_live};
use joust_model::{Exit, Reason, escaped_bytes};

/// Time between checks for a stop.
const LOOK: Duration = Duration::from_millis(100);

/// Result of waiting for a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectOutcome {
    /// It connected.
    Connected,
    /// It did not connect.
    NotConnected {
        /// Action of the client in its place.
        reason: Reason,
    },
}

/// Returns whether the machine lacks what gives every seat a network.
#[must_use]
pub fn needs_connection_test(tier: Tier) -> bool {
    matches!(tier, Tier::C | Tier::D)
}

/// Finds out whether the client of `opening`, over the channel called `name`, comes to
/// the port of its game. Waits for it; not when `is_stopped` says so.
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
            reason: reason(tier, &ended?, AbsenceCause::TooLong(patience)),
        },
        Connecting::Exited(answered) => {
            ConnectOutcome::NotConnected { reason: reason(tier, &answered, AbsenceCause::Ended) }
        }
    })
}

enum Connecting {
    Accepted,
    TimedOut,
    Exited(Box<Answered>),
}

#[derive(Clone, Copy)]
enum AbsenceCause {
    Ended,
    TooLong(Duration),
}

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

/// Returns the reason, with what a person has to know to fix it.
fn reason(tier: Tier, answered: &Answered, cause: AbsenceCause) -> Reason {
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
        "it was to connect to `JOUST_HOST` at `JOUST_PORT` and {did}; seats have no network of \
         their own here (tier {tier}): nothing but 127.0.0.1 and that port can be reached, the \
         server's name is not known, and there are no interfaces to list"
    );
    Reason { ours, stderr: last_line(&answered.stderr), ..Reason::default() }
}

/// Returns the last line with something in it, escaped.
fn last_line(stderr: &[u8]) -> String {
    let mut lines = stderr.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.rfind(|line| !line.is_empty()).map(escaped_bytes).unwrap_or_default()
}
