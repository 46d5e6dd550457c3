//! Messages between the orchestrating process and a seat's launcher, how seats are isolated, and the
//! names that both use.
//!
//! Both ends are the same program, but neither trusts what it reads: any bytes give
//! a message or [`MalformedMessage`], never a panic and never an allocation much larger
//! than the bytes at hand.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;

use crate::{
    Children, Ending, Network, Pipes, ProgramLimits, ResourceUsage, SeatLimits, TurnReport,
    WarmServer,
};

/// First argument that makes a program a launcher.
pub(crate) const LAUNCHER_ARGUMENT: &str = "__seat";

/// Feature that a seat on the host's network lacks when its kernel hands no calls over.
pub(crate) const CONNECTIONS: &str = "connections to its own game";
/// Feature that a seat lacks when its kernel hands no calls over: then nobody notices what the
/// kernel continues to count.
pub(crate) const OBJECT_NUMBERS: &str = "numbers of System V objects and sockets";
/// Feature that keeps a seat's programs from files, where its kernel can.
pub(crate) const LANDLOCK: &str = "landlock";
/// Feature that a seat counts in part only when its kernel does not report sockets.
pub(crate) const SOCKET_BUFFERS: &str = "memory of socket buffers";

/// Names of the folders below the one that holds all that is writable: the scratch itself.
pub(crate) const SCRATCH: &str = "scratch";
/// Folder that appears as `/tmp`.
pub(crate) const TEMPORARY: &str = "tmp";
/// Folder that appears as `/dev/shm`.
pub(crate) const SHARED_MEMORY: &str = "shm";
/// Written part of the programs' own folder.
pub(crate) const WRITTEN: &str = "written";

/// Bytes that are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MalformedMessage;

/// Room for most messages of a turn, bytes.
const MOST_SHORT: usize = 512;

/// Encodes a [`Request`] or a [`Reply`].
pub(crate) fn encode(message: &impl Serialize) -> Vec<u8> {
    postcard::to_extend(message, Vec::with_capacity(MOST_SHORT)).expect("a message is plain data")
}

/// Decodes a [`Request`] or a [`Reply`], which all bytes have to belong to.
pub(crate) fn decode<M: DeserializeOwned>(bytes: &[u8]) -> Result<M, MalformedMessage> {
    let (message, rest) = postcard::take_from_bytes(bytes).map_err(|_| MalformedMessage)?;
    if rest.is_empty() { Ok(message) } else { Err(MalformedMessage) }
}

/// Kind of a seat's isolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Mode {
    /// Name spaces made by root, a user of the host's per seat.
    Root,
    /// Name spaces under a user name space that holds subordinate ids, one of them per seat.
    Subordinate,
    /// Name spaces under a user name space of the caller's own id.
    UserNameSpace,
    /// Root without the right to make name spaces: a user of the host's per seat.
    Container,
    /// Nothing but the caller's own user.
    Plain,
}

/// Ownership of a scratch's file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileSystem {
    /// The seat's alone, with a size of its own.
    Own,
    /// The host's, which others use too.
    Shared,
}

impl Mode {
    /// Returns whether a seat has mounts, processes, a network and objects of its own.
    pub(crate) fn has_name_spaces(self) -> bool {
        match self {
            Self::Root | Self::Subordinate | Self::UserNameSpace => true,
            Self::Container | Self::Plain => false,
        }
    }

    /// Returns whether its first process holds the name spaces for one launcher after the other.
    /// Programs must not be able to send signals to a launcher that is not the first process.
    pub(crate) fn holds_name_spaces(self, network: Network) -> bool {
        network == Network::None && matches!(self, Self::Root | Self::Subordinate)
    }

    /// Returns the kind of its scratch's file system.
    pub(crate) fn file_system(self) -> FileSystem {
        match self.has_name_spaces() {
            true => FileSystem::Own,
            false => FileSystem::Shared,
        }
    }
}

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
    /// [answered](OfferAnswer); without numbers they come with this message.
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

#[cfg(test)]
mod tests;
