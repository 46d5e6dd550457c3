//! Envelope: the versioned binary form of what goes over a wire.
//!
//! A word that says whose it is, the version of the form in two bytes, what it holds in one,
//! then the body in MessagePack with named fields. (A form without names would not do: a plan
//! leaves fields out.) Logs are bytes. The version is read before anything else, so that
//! an error can name both.

use joust_model::BuildHash;
use serde::{Deserialize, Serialize};

use crate::message::{Announcement, Batch, Report, Stage};

/// The version of the form; higher after every change of it.
pub const VERSION: u16 = 1;

/// The largest envelope that is written or read, bytes.
pub const MOST_BYTES: usize = 128 << 20;

/// The largest message of a transport, bytes; what is longer is stored, and a [`StoredMessage`] names
/// it.
pub const MOST_MESSAGE: usize = 8 << 20;

const WORD: [u8; 5] = *b"joust";
const HEAD: usize = WORD.len() + 3;

/// Message that goes into an envelope; `wire_message!` implements it.
pub trait WireMessage: Sized {
    /// Tells one kind from another.
    const KIND: u8;
    /// Name of the message in errors.
    const NAME: &'static str;

    /// Writes it to the end of `bytes`.
    ///
    /// # Errors
    ///
    /// What the writer says.
    fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), String>;

    /// Reads one, and moves `bytes` to what follows it.
    ///
    /// # Errors
    ///
    /// What the reader says.
    fn decode(bytes: &mut &[u8]) -> Result<Self, String>;
}

/// Makes a type a [`WireMessage`]. Its form is compiled where the type is, once.
macro_rules! wire_message {
    ($letter:ty, $kind:literal, $name:literal) => {
        impl $crate::envelope::WireMessage for $letter {
            const KIND: u8 = $kind;
            const NAME: &'static str = $name;

            fn encode(&self, bytes: &mut Vec<u8>) -> Result<(), String> {
                rmp_serde::encode::write_named(bytes, self).map_err(|error| error.to_string())
            }

            fn decode(bytes: &mut &[u8]) -> Result<Self, String> {
                rmp_serde::from_read(bytes).map_err(|error| error.to_string())
            }
        }
    };
}

/// A message that is stored because it is longer than the server takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredMessage {
    /// Its hash, which is its name.
    pub hash: BuildHash,
}

/// A report that is stored in parts because it is longer than a message may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredReport {
    /// Its hash.
    pub hash: BuildHash,
    /// Its length in bytes.
    pub bytes: usize,
}

/// Returns the hash of an encoded message.
#[must_use]
pub fn hash_of(letter: &[u8]) -> BuildHash {
    BuildHash::of("joust-letter-1", &[letter])
}

wire_message!(Batch, 1, "batch of plans");
wire_message!(Report, 2, "report of results");
wire_message!(Stage, 3, "stage of a tournament");
wire_message!(Announcement, 4, "announcement of a worker");
wire_message!(StoredMessage, 5, "name of a stored letter");
wire_message!(StoredReport, 6, "name of a stored report");

/// Why something is not written or not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// It is longer than is allowed.
    #[error("a {what} has {bytes} bytes, more than the {most} that are allowed")]
    TooLarge {
        /// Kind of message.
        what: &'static str,
        /// Length in bytes.
        bytes: usize,
        /// Longest length allowed, bytes.
        most: usize,
    },
    /// It is nothing of ours.
    #[error("{bytes} bytes that are no {what}")]
    Foreign {
        /// Expected kind of message.
        what: &'static str,
        /// Length in bytes.
        bytes: usize,
    },
    /// It is written in a form that this version does not know.
    #[error("a {what} in form {theirs}, and this version reads form {ours}")]
    OtherVersion {
        /// Expected kind of message.
        what: &'static str,
        /// The version it is written in.
        theirs: u16,
        /// The version that is read.
        ours: u16,
    },
    /// It is damaged.
    #[error("a {what} that is damaged: {reason}")]
    Damaged {
        /// Kind of message.
        what: &'static str,
        /// Error of the decoder.
        reason: String,
    },
}

/// Writes `letter`.
///
/// # Errors
///
/// [`EnvelopeError::TooLarge`] when it would be longer than [`MOST_BYTES`].
pub fn write<L: WireMessage>(letter: &L) -> Result<Vec<u8>, EnvelopeError> {
    let mut bytes = WORD.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.push(L::KIND);
    letter.encode(&mut bytes).map_err(damaged::<L>)?;
    within::<L>(bytes.len())?;
    Ok(bytes)
}

/// Returns whether `bytes` begin as a message of this kind does.
#[must_use]
pub fn is<L: WireMessage>(bytes: &[u8]) -> bool {
    bytes.starts_with(&WORD) && bytes.get(HEAD - 1) == Some(&L::KIND)
}

/// Reads what [`write()`] wrote.
///
/// # Errors
///
/// [`EnvelopeError`] for everything else.
pub fn read<L: WireMessage>(bytes: &[u8]) -> Result<L, EnvelopeError> {
    within::<L>(bytes.len())?;
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
    let mut body = &bytes[HEAD..];
    let letter = L::decode(&mut body).map_err(damaged::<L>)?;
    match body.len() {
        0 => Ok(letter),
        more => Err(damaged::<L>(format!("{more} bytes follow its end"))),
    }
}

fn within<L: WireMessage>(bytes: usize) -> Result<(), EnvelopeError> {
    if bytes > MOST_BYTES {
        return Err(EnvelopeError::TooLarge { what: L::NAME, bytes, most: MOST_BYTES });
    }
    Ok(())
}

fn damaged<L: WireMessage>(reason: String) -> EnvelopeError {
    EnvelopeError::Damaged { what: L::NAME, reason }
}
