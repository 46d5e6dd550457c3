//! Misuse: what a runner must not send. A mistake in Joust, never the referee's.

use std::fmt;

use crate::Breach;

/// Why a message may not be sent now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misuse {
    /// The first message is `hello`, and it is said once.
    Hello,
    /// The referee has not said which game it is.
    NotReady,
    /// This bout's number was used already.
    BoutAgain(u32),
    /// The referee plays one bout in a process.
    OneBoutOnly,
    /// There is no bout of this number under way.
    NoBout(u32),
    /// The bout waits for something else than these answers.
    Answers(u32),
    /// The referee broke the protocol, as reported; nothing is said to it any more.
    Broken(Box<Breach>),
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello => f.write_str("`hello` is the first message, and is said once"),
            Self::NotReady => f.write_str("the referee has not said which game it is"),
            Self::BoutAgain(bout) => write!(f, "bout {bout} was started before"),
            Self::OneBoutOnly => f.write_str("the referee plays one bout in a process"),
            Self::NoBout(bout) => write!(f, "bout {bout} is not under way"),
            Self::Answers(bout) => write!(f, "these answers are not what bout {bout} waits for"),
            Self::Broken(breach) => breach.fmt(f),
        }
    }
}

impl std::error::Error for Misuse {}
