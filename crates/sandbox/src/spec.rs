//! Specification of a seat and a turn: what to run, and where.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Bytes, ProgramLimits, SeatLimits};

/// A folder of the host that the tree may read under a neutral path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Path on the host. May lie in a home that only its owner enters.
    pub host: PathBuf,
    /// Path inside the tree; absolute. Nothing inside shows the host's path.
    pub inside: PathBuf,
}

/// Network of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    /// Nothing but a loopback interface of its own.
    None,
    /// The host's network. For builds whose recipe opens it.
    Host,
}

/// Permission for a program to start processes. Threads are always allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Children {
    /// Starting processes is allowed.
    Allowed,
    /// Starting one fails with `EPERM` and is counted.
    Refused,
}

/// Treatment of the scratch between turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScratchUse {
    /// New and empty in every turn.
    FreshEachTurn,
    /// Kept as long as the seat lives.
    KeptForSeat,
}

/// A sandbox to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatSpec {
    /// Folders that the tree may read, in addition to the system's own programs and libraries.
    pub folders: Vec<Folder>,
    /// Folders of the system or of `folders`, by their paths inside, that the tree sees as empty.
    /// Without name spaces they stay visible.
    pub hidden: Vec<PathBuf>,
    /// One of `folders`, by its path inside, to which programs may write: into a layer above it
    /// that counts as scratch and is removed with it. Without name spaces it is read-only like the
    /// others.
    pub written: Option<PathBuf>,
    /// The environment of every process started; nothing else is in it.
    pub environment: Vec<(OsString, OsString)>,
    /// Path of the writable, empty scratch; absolute, for instance `/scratch`.
    pub scratch: PathBuf,
    /// Treatment of the scratch between turns.
    pub scratch_use: ScratchUse,
    /// Limits for as long as the seat lives.
    pub limits: SeatLimits,
    /// Network of the tree.
    pub network: Network,
    /// Permission for a program to start processes.
    pub children: Children,
    /// The processors the tree may use; empty for all.
    pub cores: Vec<usize>,
    /// Host sockets that the tree can reach by connecting.
    pub host_sockets: HostSockets,
    /// Program that is started as a copy of a server, in seats that have a process id name space.
    pub warm: Option<WarmServer>,
}

/// A program that is started once and copied for every turn.
///
/// Its server reads the launcher's messages on descriptor 9. The launcher's `server` module
/// documents their protocol. The server must not run code of a stranger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmServer {
    /// The command that makes the server; turns whose commands begin with it are copies.
    pub stem: Vec<OsString>,
    /// Environment variables that it has in addition to the seat's, or in place of them.
    pub variables: Vec<(OsString, OsString)>,
    /// Words that are sent to the server, none of them with a zero byte.
    pub words: Vec<String>,
    /// The name and the text of a file that it finds in [`WarmServer::FOLDER`].
    pub file: (String, String),
    /// Extra cost of a start from nothing; it is added to the limits of a turn that needs one.
    pub cold: ColdCost,
}

/// Extra cost of a start from nothing, compared with a copy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColdCost {
    /// Processor time.
    pub cpu: Duration,
    /// By the wall clock.
    pub wall: Duration,
}

/// A port of the seat on which the caller listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListenPort {
    /// The port, of 127.0.0.1 as the tree sees it.
    pub port: u16,
    /// The environment variable that holds it.
    pub variable: OsString,
}

/// Host sockets reachable from a sandbox without a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostSockets {
    /// The ports; they accept connections from before the first program starts.
    pub listen: Vec<ListenPort>,
    /// Names of this computer inside, for programs that have the
    /// name of a server in their source.
    pub hosts: Vec<String>,
    /// Permission for programs to listen, so that the caller can connect to them. In a network of
    /// their own they may listen in any case.
    pub may_listen: bool,
}

impl WarmServer {
    /// Folder of its file.
    pub const FOLDER: &str = "/etc/warm";
}

/// A file to write into the scratch before a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutFile {
    /// Its path, relative to the scratch; folders are made.
    pub path: String,
    /// Its bytes.
    pub bytes: std::sync::Arc<[u8]>,
}

/// A file to read from the scratch after a turn, when every process has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakeFile {
    /// Its path, relative to the scratch.
    pub path: String,
    /// Maximum size, bytes.
    pub cap: Bytes,
}

/// Pipes between a program that stays and its caller, with their descriptors in the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pipes {
    /// It has none.
    #[default]
    None,
    /// It reads from descriptor 3 and writes to descriptor 4.
    Two,
    /// They are its standard input and its standard output; its output is not kept in the report.
    Streams,
}

/// A program to start in a seat and to leave running.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// The program, an absolute path inside, and its arguments.
    pub command: &'a [OsString],
    /// Folder in which it starts; absolute, inside.
    pub folder: &'a std::path::Path,
    /// Files it finds in the scratch.
    pub put: &'a [PutFile],
    /// Pipes over which the caller speaks to it.
    pub pipes: Pipes,
    /// Its limits.
    pub limits: ProgramLimits,
}

/// One program to run in a seat.
#[derive(Clone, Debug)]
pub struct Turn<'a> {
    /// The program, an absolute path inside, and its arguments.
    pub command: &'a [OsString],
    /// Folder in which it starts; absolute, inside.
    pub folder: &'a std::path::Path,
    /// Files it finds in the scratch.
    pub put: &'a [PutFile],
    /// Files wanted afterwards.
    pub take: &'a [TakeFile],
    /// Its limits.
    pub limits: ProgramLimits,
}
