//! Replies of a launcher.

use serde::{Deserialize, Serialize};

use crate::{Ending, ResourceUsage, TurnReport};

/// The sandbox stands. Follows an [offer](Reply::Offered) of the folder that holds
/// the scratch and the other writable folders, and of the sockets that listen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SetUpReport {
    pub(crate) shortfalls: Vec<Shortfall>,
}

/// A feature that is not enforced in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shortfall {
    pub(crate) feature: String,
    /// Cause of the shortfall.
    pub(crate) reason: String,
}

impl SetUpReport {
    /// Tells that `feature` is not enforced in full, and what decided it.
    pub(crate) fn lacks(&mut self, feature: impl Into<String>, reason: impl Into<String>) {
        let (feature, reason) = (feature.into(), reason.into());
        self.shortfalls.push(Shortfall { feature, reason });
    }
}

/// A step failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) step: String,
    /// 0 when it was not the kernel that refused; then `reason` says what.
    pub(crate) errno: i32,
    pub(crate) reason: String,
}

/// A turn is over and every process of it is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TurnResult {
    /// Report as the launcher knows it, without files.
    pub(crate) report: TurnReport,
    /// True if the machine, not its limit, killed it for want of memory.
    pub(crate) killed_outside: bool,
    pub(crate) traces: Traces,
}

/// Traces of programs in the name spaces of their seat: what the kernel continues to count there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Traces {
    #[default]
    None,
    /// In the network alone, from sockets of the internet's families.
    Network,
    /// Numbers of System V objects, unix sockets that are left, or nobody knows.
    Anywhere,
}

impl TurnResult {
    /// Report of a turn in which nothing ran.
    pub(crate) fn without_start(ending: Ending) -> Self {
        let report = TurnReport::without_start(ending);
        Self { report, killed_outside: false, traces: Traces::None }
    }
}

/// Reply of a launcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reply {
    Ready(SetUpReport),
    Failed(Failure),
    /// The launcher is on other processors.
    Pinned,
    /// The launcher and all that it started have ended.
    Ended,
    /// The launcher has ended by itself; true if it was killed.
    Gone(bool),
    Done(Box<TurnResult>),
    /// A program that stays was started. Follows an [offer](Reply::Offered) of what to
    /// write to and what to read from, if it has pipes.
    Started,
    /// Descriptors for the caller: their numbers in the launcher, to be taken and
    /// [answered](super::OfferAnswer); without numbers they come with this message.
    Offered(Vec<u32>),
    /// Resources that a running program has used.
    Used(ResourceUsage),
    /// A running program has connected to a port of its seat. Comes with the other end, where the
    /// network is the host's.
    Connection,
    /// A running program does not listen at the port, so no socket is [offered](Reply::Offered);
    /// these are the others at which it does, if they were asked for.
    NotConnected(Vec<u16>),
}
