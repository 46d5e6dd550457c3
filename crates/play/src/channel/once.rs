//! Single request to a bot that is started for it, for debugging.

use std::time::{Duration, Instant};

use joust_referee::{Parts, RequestId, Verdict};

use super::live::{Event, EventReader, LiveChannel};
use super::{Answered, ChannelError, Open, Opening, ProcessLifetime, Request, find};

/// Starts a bot, passes it one view, and returns its answer with its usage and output. A bot that
/// lives as long as its bout has the start limit to get ready and the turn limit to answer.
/// turn limit to answer.
///
/// # Errors
///
/// [`ChannelError`] when the machine failed or no channel has the name `name`.
pub fn ask_once(
    name: &str,
    opening: Opening,
    request: &Request<'_>,
) -> Result<Answered, ChannelError> {
    match find(name)?.lifetime {
        ProcessLifetime::OnClock(open) => ask_live(open, opening, request.view),
        ProcessLifetime::PerTurn(open) | ProcessLifetime::PerBout(open) => {
            let mut channel = open(opening)?;
            let answered = channel.ask(request);
            channel.close()?;
            answered
        }
    }
}

fn ask_live(
    open: Open<dyn LiveChannel>,
    opening: Opening,
    view: &Parts,
) -> Result<Answered, ChannelError> {
    let (limits, mode) = (&opening.limits, opening.limit_mode);
    let (start, turn) = (mode.within(limits.start), mode.within(limits.turn));
    let mut channel = open(opening)?;
    let outcome = converse(&mut *channel, view, start, turn);
    let ended = channel.end();
    channel.close()?;
    let (outcome, ended) = (outcome?, ended?);
    Ok(match outcome {
        Outcome::Answer(parts) => Answered { parts, verdict: Verdict::Ok, ..ended },
        Outcome::Fault(verdict, reason) => Answered { verdict, reason, ..ended },
        Outcome::End => ended,
    })
}

/// Outcome of the conversation.
enum Outcome {
    Answer(Parts),
    Fault(Verdict, String),
    End,
}

fn converse(
    channel: &mut dyn LiveChannel,
    view: &Parts,
    start: Duration,
    turn: Duration,
) -> Result<Outcome, ChannelError> {
    let mut events = EventReader::start(channel)?;
    let mut until = Instant::now() + start;
    let mut late = "it was not ready when the start limit passed";
    loop {
        match events.next(until)? {
            None => return Ok(Outcome::Fault(Verdict::Timeout, late.to_owned())),
            Some(Event::Ready) => {
                events.channel.ask(RequestId(0), view)?;
                until = Instant::now() + turn;
                late = "it had not answered when the turn limit passed";
            }
            Some(Event::Answer { parts, .. }) => return Ok(Outcome::Answer(parts)),
            Some(Event::Fault { verdict, reason }) => return Ok(Outcome::Fault(verdict, reason)),
            Some(Event::Ended(_)) => return Ok(Outcome::End),
            Some(Event::Opened(_) | Event::Message { .. } | Event::Closed(_)) => {}
        }
    }
}
