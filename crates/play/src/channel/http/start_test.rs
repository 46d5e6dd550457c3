//! Test whether a server gets to listen, where seats have no network of their own.
//!
//! If the machine keeps it from listening, that is not its fault, so it is tested before it plays:
//! it is started once, alone, and has its start limit to listen.

use std::time::{Duration, Instant};

use super::super::live::{AbsenceCause, BotTask, ConnectOutcome, reason};
use super::super::{ChannelError, Opening};
use super::Http;
use crate::channel::live::wait_for;

/// Longest time between checks for a stop of the run.
const LOOK: Duration = Duration::from_millis(100);

const SERVER: BotTask = BotTask {
    task: "listen at the port in `PORT`",
    network: "it can listen for TCP connections of this machine alone",
};

/// Tests whether the server of `opening` listens within its start limit. Stops waiting when
/// `is_stopped` returns true.
///
/// # Errors
///
/// [`ChannelError`] when the machine failed.
pub fn test_server(
    opening: Opening,
    is_stopped: &dyn Fn() -> bool,
) -> Result<ConnectOutcome, ChannelError> {
    let (tier, patience) = (opening.host.tier(), opening.limits.start);
    let mut server = Http::open(opening)?;
    let listens = server.listens(Instant::now() + patience, is_stopped);
    let has_ended = server.bot.program.ended();
    let ended = server.bot.program.end();
    server.bot.program.close()?;
    if listens? {
        return Ok(ConnectOutcome::Connected);
    }
    let ended = ended?;
    let cause = match has_ended?.is_some() || !ended.verdict.is_ok() {
        true => AbsenceCause::Ended,
        false => AbsenceCause::TooLong(patience),
    };
    Ok(ConnectOutcome::NotConnected { reason: reason(tier, &ended, cause, SERVER) })
}

impl Http {
    /// Starts the server; returns whether it listens before it ends and before `until`.
    fn listens(
        &mut self,
        until: Instant,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<bool, ChannelError> {
        self.bot.restart_clock(self.start);
        self.start()?;
        while !self.connect()? {
            let now = Instant::now();
            if self.bot.program.ended()?.is_some() || now >= until || is_stopped() {
                return Ok(false);
            }
            let mut wanted = Vec::new();
            self.bot.program.descriptors(&mut wanted, false);
            wait_for(&wanted, self.next_attempt().min(now + LOOK).min(until))?;
            self.bot.seen = Instant::now();
        }
        Ok(true)
    }
}
