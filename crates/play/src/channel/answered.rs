//! Answer of a bot to a request, with the machine's verdict and the resources used.

use joust_model::Exit;
use joust_referee::{LimitSet, Parts, Verdict};

use super::Usage;

/// Result of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The raw answer; empty unless `verdict` is `ok`, or the bot left files before it exited.
    pub parts: Parts,
    /// `ok` if the machine has found no fault, or the fault.
    pub verdict: Verdict,
    /// Limits touched.
    pub limits_hit: LimitSet,
    /// Resources that it used.
    pub usage: Usage,
    /// Exit of the main process.
    pub exit: Exit,
    /// Standard output, truncated to its limit, even if it does not count as an answer.
    pub output: Vec<u8>,
    /// The first part of standard error.
    pub stderr: Vec<u8>,
    /// A short reason if the verdict is not specific enough.
    pub reason: String,
    /// Number of lines that came before the request and were dropped.
    pub unasked: u32,
    /// True if it waited for a processor for so long that it is unknown whether it would have been
    /// in time.
    pub is_starved: bool,
}

impl Answered {
    /// Makes the answer of a program that has ended well, or of a person, without measurements.
    pub fn with(parts: Parts) -> Self {
        Self { parts, ..Self::without(Verdict::Ok, Exit::Status(0)) }
    }

    /// Makes a fault that ended the bot.
    pub fn fault(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::without(verdict, Exit::Killed) }
    }

    /// Makes a fault after which the bot plays on.
    pub fn passing_fault(verdict: Verdict, reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::without(verdict, Exit::Running) }
    }

    /// Makes the final report of an occupant who stayed to the end and whose process, if any, was
    /// not measured here.
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

    /// Returns the answer to a later request to an occupant that has ended.
    pub fn again(&self) -> Self {
        Self {
            usage: Usage::default(),
            output: Vec::new(),
            stderr: Vec::new(),
            reason: "the program has ended before".to_owned(),
            ..self.clone()
        }
    }

    /// Adds a limit that was touched.
    #[must_use]
    pub fn hitting(mut self, limit: joust_referee::Limit) -> Self {
        self.limits_hit.insert(limit);
        self
    }
}
