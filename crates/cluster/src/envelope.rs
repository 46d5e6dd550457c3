//! Envelope: the versioned binary format of messages.
//!
//! It consists of a magic word, two bytes with the version of the format, one byte with the kind of
//! the message, and the body in MessagePack with named fields. (Fields need names, because a plan
//! leaves some out.) Logs are bytes. The version is read before the rest, so that an error can name
//! both versions.

use std::io::{self, Read};

use joust_model::BuildHash;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::message::{Announcement, Batch, Report, Stage};

/// The version of the format; increased with every change after the first release.
pub const VERSION: u16 = 1;

/// The largest envelope that is written or read, bytes.
pub const MOST_BYTES: usize = 128 << 20;

/// The largest message of a transport, bytes. Longer ones are stored, and a [`StoredMessage`]
/// refers to them.
pub const MOST_MESSAGE: usize = 8 << 20;

/// The most reads of an envelope: a value of one byte may take a hundred in memory. A result of two
/// seats has about 500.
const MOST_READS: usize = 1 << 24;

const WORD: [u8; 5] = *b"joust";
const HEAD: usize = WORD.len() + 3;

/// Message that can be put into an envelope; `wire_message!` implements it.
pub trait WireMessage: Serialize + DeserializeOwned {
    /// Byte that identifies the kind of message.
    const KIND: u8;
    /// Name of the message in errors.
    const NAME: &'static str;
}

/// Bounds of envelopes that are decoded together.
pub(crate) struct DecodeLimits {
    bytes: usize,
    reads: usize,
}

impl Default for DecodeLimits {
    fn default() -> Self {
        Self { bytes: MOST_BYTES, reads: MOST_READS }
    }
}

/// Reader of an envelope's body that fails when `left` reads are made.
struct ValueReader<'a> {
    bytes: &'a [u8],
    left: &'a mut usize,
}

impl Read for ValueReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let many = || io::Error::other(format!("it has more than {MOST_READS} names and values"));
        *self.left = self.left.checked_sub(1).ok_or_else(many)?;
        self.bytes.read(into)
    }
}

/// Implements [`WireMessage`] for a type.
macro_rules! wire_message {
    ($letter:ty, $kind:literal, $name:literal) => {
        impl $crate::envelope::WireMessage for $letter {
            const KIND: u8 = $kind;
            const NAME: &'static str = $name;
        }
    };
}

/// Reference to a message that is stored because it exceeds the server's limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredMessage {
    /// Its hash, which is its name in the store.
    pub hash: BuildHash,
}

/// Reference to a report that is stored in parts because it exceeds the limit of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredReport {
    /// Its hash.
    pub hash: BuildHash,
    /// Numbers of its parts in their stream, in their order.
    pub parts: Vec<u64>,
}

/// Returns the hash of an encoded message.
pub fn hash_of(letter: &[u8]) -> BuildHash {
    BuildHash::of("joust-letter-1", &[letter])
}

wire_message!(Batch, 1, "batch of plans");
wire_message!(Report, 2, "report of results");
wire_message!(Stage, 3, "stage of a tournament");
wire_message!(Announcement, 4, "announcement of a worker");
wire_message!(StoredMessage, 5, "name of a stored letter");
wire_message!(StoredReport, 6, "name of a stored report");

/// Failure to encode or decode a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// The message exceeds the limit.
    #[error("a {what} has {bytes} bytes, more than the {most} that are allowed")]
    TooLarge {
        /// Kind of message.
        what: &'static str,
        /// Length in bytes.
        bytes: usize,
        /// Longest length allowed, bytes.
        most: usize,
    },
    /// The bytes are not a message of Joust.
    #[error("{bytes} bytes that are no {what}")]
    Foreign {
        /// Expected kind of message.
        what: &'static str,
        /// Length in bytes.
        bytes: usize,
    },
    /// The message has a version that this program does not know.
    #[error("a {what} in form {theirs}, and this version reads form {ours}")]
    OtherVersion {
        /// Expected kind of message.
        what: &'static str,
        /// The message's version.
        theirs: u16,
        /// The version that this program reads.
        ours: u16,
    },
    /// The message is damaged.
    #[error("a {what} that is damaged: {reason}")]
    Damaged {
        /// Kind of message.
        what: &'static str,
        /// Error of the decoder.
        reason: String,
    },
}

/// Encodes `letter` into an envelope.
///
/// # Errors
///
/// [`EnvelopeError::TooLarge`] when it would be longer than [`MOST_BYTES`].
pub fn write<L: WireMessage>(letter: &L) -> Result<Vec<u8>, EnvelopeError> {
    let mut bytes = WORD.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.push(L::KIND);
    rmp_serde::encode::write_named(&mut bytes, letter)
        .map_err(|error| damaged::<L>(error.to_string()))?;
    within::<L>(bytes.len(), MOST_BYTES)?;
    Ok(bytes)
}

/// Returns whether `bytes` begin like a message of this kind.
pub fn is<L: WireMessage>(bytes: &[u8]) -> bool {
    bytes.starts_with(&WORD) && bytes.get(HEAD - 1) == Some(&L::KIND)
}

/// Decodes a message that [`write()`] encoded.
///
/// # Errors
///
/// [`EnvelopeError`] for any other bytes.
pub fn read<L: WireMessage>(bytes: &[u8]) -> Result<L, EnvelopeError> {
    read_within(bytes, &mut DecodeLimits::default())
}

/// As [`read()`], but fails when the envelopes that were decoded with `limits` exceed them together.
pub(crate) fn read_within<L: WireMessage>(
    bytes: &[u8],
    limits: &mut DecodeLimits,
) -> Result<L, EnvelopeError> {
    within::<L>(bytes.len(), limits.bytes)?;
    limits.bytes -= bytes.len();
    let foreign = EnvelopeError::Foreign { what: L::NAME, bytes: bytes.len() };
    let Some(&[a, b, kind]) = bytes.get(WORD.len()..HEAD) else { return Err(foreign) };
    if !bytes.starts_with(&WORD) {
        return Err(foreign);
    }
    let theirs = u16::from_le_bytes([a, b]);
    if theirs != VERSION {
        return Err(EnvelopeError::OtherVersion { what: L::NAME, theirs, ours: VERSION });
    }
    if kind != L::KIND {
        return Err(foreign);
    }
    let mut body = ValueReader { bytes: &bytes[HEAD..], left: &mut limits.reads };
    let letter =
        rmp_serde::from_read(&mut body).map_err(|error| damaged::<L>(error.to_string()))?;
    match body.bytes.len() {
        0 => Ok(letter),
        more => Err(damaged::<L>(format!("{more} bytes follow its end"))),
    }
}

fn within<L: WireMessage>(bytes: usize, most: usize) -> Result<(), EnvelopeError> {
    if bytes > most {
        return Err(EnvelopeError::TooLarge { what: L::NAME, bytes, most });
    }
    Ok(())
}

fn damaged<L: WireMessage>(reason: String) -> EnvelopeError {
    EnvelopeError::Damaged { what: L::NAME, reason }
}
