//! Messages between the orchestrating process and a seat's launcher, and the names that both use.
//!
//! Both ends are the same program, but neither trusts what it reads: any bytes give
//! a message or [`Malformed`], never a panic and never an allocation much larger
//! than the bytes at hand.

mod mode;
mod reply;
mod request;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use mode::{FileSystem, Mode};
pub(crate) use reply::{Failure, Reply, SetUpReport, Shortfall, Traces, TurnResult};
pub(crate) use request::{
    Counter, LiveRequest, OfferAnswer, Prepare, ProgramCommand, Request, SeatIdentity, SetUp,
    Strings, TurnRequest, strings,
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

#[cfg(test)]
mod tests;
