//! Answer of a bot to a request, with the verdict of the machine and what it used.

use joust_model::Exit;
use joust_referee::{LimitSet, Parts, Verdict};

use super::Usage;

/// Result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The raw answer; empty unless `verdict` is `ok`, or the bot left files before
    /// it ended by itself.
    pub parts: Parts,
    /// `ok` as far as the machine can tell, or the fault.
    pub verdict: Verdict,
    /// Limits touched.
    pub limits_hit: LimitSet,
    /// Resources that it used.
    pub usage: Usage,
    /// Exit of the main process.
    pub exit: Exit,
    /// Standard output as it came, capped, also when it does not count.
    pub output: Vec<u8>,
    /// The first part of standard error.
    pub stderr: Vec<u8>,
    /// A short reason where the verdict alone does not tell.
    pub reason: String,
    /// Lines that came before it was asked and were dropped.
    pub unasked: u32,
    /// True if it was kept waiting for a processor for so long that nobody knows whether it would
    /// have been in time.
    pub is_starved: bool,
}

impl Answered {
    /// Makes the answer of a program that has ended well, or of a person: nothing
    /// of it is measured.
    #[must_use]
    pub fn with(parts: Parts) -> Self {
        Self { parts, ..Self::without(Verdict::Ok, Exit::Status(0)) }
    }

    /// Makes a fault for which the bot was ended.
    #[must_use]
    pub fn fault(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::without(verdict, Exit::Killed) }
    }

    /// Makes a fault with which the bot plays on.
    #[must_use]
    pub fn passing_fault(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::without(verdict, Exit::Running) }
    }

    /// Makes what is left of somebody who was there to the end and whose process,
    /// if there is one, is not ours to measure.
    #[must_use]
    pub fn still_there() -> Self {
        Self::without(Verdict::Ok, Exit::Running)
    }

    fn without(verdict: Verdict, exit: Exit) -> Self {
        Self {
            parts: Parts::none(),
            verdict,
            limits_hit: LimitSet::default(),
            usage: Usage::default(),
            exit,
            output: Vec::new(),
            stderr: Vec::new(),
            reason: String::new(),
            unasked: 0,
            is_starved: false,
        }
    }

    /// Adds a limit that was touched.
    #[must_use]
    pub fn hitting(mut self, limit: joust_referee::Limit) -> Self {
        self.limits_hit.insert(limit);
        self
    }
}
