//! Requests to a launcher.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use super::{Mode, Traces};
use crate::{Children, Network, Pipes, ProgramLimits, SeatLimits, WarmServer};

/// Paths, arguments and variables, which are any bytes.
pub(crate) type Strings = Vec<ByteBuf>;

/// Collects bytes for a message.
pub(crate) fn strings<S: Into<Vec<u8>>>(all: impl IntoIterator<Item = S>) -> Strings {
    all.into_iter().map(|one| ByteBuf::from(one.into())).collect()
}

/// Identity of a seat's programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeatIdentity {
    /// Kind of isolation.
    pub(crate) mode: Mode,
    /// User and group of its programs as the launcher sees them.
    pub(crate) user: u32,
}

/// A file from which a number is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Counter {
    /// The largest memory since it was last reset, in bytes.
    MemoryPeak,
    /// The memory now, in bytes.
    MemoryNow,
    /// Socket buffers at their largest since it was last reset, in bytes, where they are no memory.
    SocketPeak,
    /// `active_file` and `inactive_file` are bytes of files kept in memory.
    MemoryStatistics,
    /// `oom_kill` counts kills by the memory limit.
    MemoryKills,
    /// Membership file: the process that writes `0` to it is in the group whose memory is limited;
    /// the launcher is not.
    MemoryEntry,
    /// While it is `1`, one kill by the memory limit is a kill of all programs.
    MemoryKillsAll,
    /// `oom_kill` counts programs killed for want of memory of the machine or the group around all
    /// seats.
    KillsOutside,
    /// `max` counts refused forks.
    ProcessRefusals,
    /// Processor time in nanoseconds.
    CpuNanoseconds,
    /// `usage_usec` is processor time in microseconds.
    CpuStatistics,
    /// `total` of the line `some` is stall in microseconds.
    Pressure,
}

/// The sandbox to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SetUp {
    pub(crate) identity: SeatIdentity,
    /// Path of each folder inside.
    pub(crate) folders: Strings,
    /// Path of each of them on the host.
    pub(crate) host_folders: Strings,
    /// Folders inside that appear empty.
    pub(crate) hidden: Strings,
    /// The folder inside that programs may write to; empty if they may write to none.
    pub(crate) written: ByteBuf,
    /// `NAME=value`.
    pub(crate) environment: Strings,
    pub(crate) scratch: ByteBuf,
    /// Path of the scratch on the host; empty when it is mounted inside.
    pub(crate) host_scratch: ByteBuf,
    pub(crate) limits: SeatLimits,
    pub(crate) network: Network,
    pub(crate) children: Children,
    pub(crate) cores: Vec<u32>,
    /// Ports of this computer that can be connected to. In a network of the
    /// seat's own the launcher listens on them and hands the sockets out; elsewhere
    /// it makes the connections and hands on each.
    pub(crate) ports: Vec<u16>,
    /// Names that stand for this computer.
    pub(crate) hosts: Strings,
    /// Programs may listen, and the caller connects to them.
    pub(crate) may_listen: bool,
    /// Program that is started as a copy of a server.
    pub(crate) warm: Option<WarmServer>,
}

/// One program to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TurnRequest {
    pub(crate) command: Strings,
    pub(crate) folder: ByteBuf,
    pub(crate) limits: ProgramLimits,
}

/// Preparation that a launcher can do before its set-up is known. Not answered; a failure is the
/// answer to the set-up that follows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Prepare {
    pub(crate) mode: Mode,
    /// As in [`SetUp`].
    pub(crate) network: Network,
    /// Counters, each with the host's file that has its value.
    pub(crate) counters: Vec<(Counter, ByteBuf)>,
    /// File to which a thread writes `0` to leave the group that programs enter by themselves;
    /// empty if they do not.
    pub(crate) exit: ByteBuf,
}

/// Request to a launcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    Prepare(Prepare),
    /// Comes with the socket over which the launcher of the seat is asked from then on.
    SetUp(Box<SetUp>),
    /// To end the launcher with all that it started, and to make a new network if that has traces,
    /// where name spaces are held.
    End {
        traces: Traces,
    },
    /// Processors of the launcher and all that it starts from now on, where name spaces are held.
    Pin(Vec<u32>),
    /// Asks for the end of a launcher that is gone, where name spaces are held.
    WhyGone,
    Turn(TurnRequest),
    Live(LiveRequest),
    Command(ProgramCommand),
    Offer(OfferAnswer),
    /// `NAME=value` of every program from now on. Not answered.
    Environment(Strings),
}

/// One program to start and leave running. The launcher answers when it has started,
/// with the caller's ends of the pipes, and sends its report when it ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LiveRequest {
    pub(crate) turn: TurnRequest,
    /// Descriptors of the program that are pipes to the caller.
    pub(crate) pipes: Pipes,
}

/// Request while a program runs. Not answered when none does: its end may have crossed the
/// question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ProgramCommand {
    /// Resources that it has used.
    Usage,
    /// To end it.
    End,
    /// To freeze it. Not answered.
    Pause,
    /// To let it go on. Not answered.
    Resume,
    /// A connection of it has arrived. Not answered.
    Received,
    /// A connection to it, at this port; or the other ports at which it listens.
    Connect { port: u16, lists_others: bool },
}

/// Answer to descriptors that were offered by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OfferAnswer {
    /// They were taken over; the launcher's own can be closed.
    Taken,
    /// This host does not let them be taken; they are to come with a message.
    Refused,
}

impl Prepare {
    /// Returns whether there is a file that counts this.
    pub(crate) fn counts(&self, wanted: Counter) -> bool {
        self.counters.iter().any(|(counter, _)| *counter == wanted)
    }
}
