//! One request to a long-lived bot that is started for it, for people who look
//! for a mistake.

use std::time::{Duration, Instant};

use joust_referee::{Parts, RequestId, Verdict};

use super::{Event, LiveChannel, News, open_live};
use crate::channel::poll::{Interest, Poll};
use crate::channel::{Answered, ChannelError, Limiting, Opening};

/// Longer than anybody waits.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// Starts a bot, shows it one view when it is ready, and returns its answer with
/// all that it used and wrote. It has the start limit to get ready and the turn
/// limit to answer.
///
/// # Errors
///
/// [`ChannelError`] when the machine failed.
pub fn answer_one(name: &str, opening: Opening, view: &Parts) -> Result<Answered, ChannelError> {
    let limits = match opening.limiting {
        Limiting::Configured => (opening.limits.start, opening.limits.turn),
        Limiting::NoTime => (FOR_EVER, FOR_EVER),
    };
    let mut channel = open_live(name, opening)?;
    let heard = converse(&mut *channel, view, limits);
    let ended = channel.end();
    channel.close()?;
    let (heard, ended) = (heard?, ended?);
    Ok(match heard {
        Heard::Answer(parts) => Answered { parts, verdict: Verdict::Ok, ..ended },
        Heard::Fault(verdict, reason) => Answered { verdict, reason, ..ended },
        Heard::End => ended,
    })
}

/// What came of it.
enum Heard {
    Answer(Parts),
    Fault(Verdict, String),
    End,
}

fn converse(
    channel: &mut dyn LiveChannel,
    view: &Parts,
    (start, turn): (Duration, Duration),
) -> Result<Heard, ChannelError> {
    channel.start()?;
    let mut until = Instant::now() + start;
    let mut late = "it was not ready when the start limit passed";
    loop {
        let mut news = Vec::new();
        if !wait(channel, until)? {
            return Ok(Heard::Fault(Verdict::Timeout, late.to_owned()));
        }
        channel.receive(&mut news)?;
        for News { event, .. } in news {
            match event {
                Event::Ready => {
                    channel.ask(RequestId(0), view)?;
                    until = Instant::now() + turn;
                    late = "it had not answered when the turn limit passed";
                }
                Event::Answer { parts, .. } => return Ok(Heard::Answer(parts)),
                Event::Fault { verdict, reason } => return Ok(Heard::Fault(verdict, reason)),
                Event::Ended(_) | Event::Fallen(_) => return Ok(Heard::End),
                Event::Opened(_) | Event::Message { .. } | Event::Closed(_) => {}
            }
        }
    }
}

/// Waits for news; says whether there may be some.
fn wait(channel: &dyn LiveChannel, until: Instant) -> Result<bool, ChannelError> {
    let mut wanted = Vec::new();
    channel.descriptors(&mut wanted);
    let mut poll = Poll::default();
    for one in &wanted {
        let interest = if one.for_writing { Interest::Write } else { Interest::Read };
        poll.add(one.descriptor, interest);
    }
    let wake = channel.wake_at().map_or(until, |at| at.min(until));
    poll.wait(Some(wake))?;
    Ok(Instant::now() < until)
}
