//! Gamekit: the protocol between Joust and a referee that is a program of its own.
//!
//! `PROTOCOL.md` describes it in words, `schema/` as JSON Schema, `golden/` by examples;
//! this crate has its types ([`ToReferee`], [`FromReferee`]) and the state machine that
//! refuses messages out of order ([`Session`]). It is pure: bytes and messages go in,
//! messages and the reason of a refusal come out. The caller starts the program, waits for it
//! and speaks to bots.
//!
//! ```
//! use joust_gamekit::{ExpectedGame, FromReferee, LineReader, Session, ToReferee};
//!
//! let game = ExpectedGame { id: "coin".into(), version: "1".into(), can: vec![] };
//! let mut session = Session::new(game);
//! let hello = session.send(&ToReferee::hello("joust 0.1", "coin"))?;
//! assert_eq!(hello, "{\"t\":\"hello\",\"protocol\":1,\"runner\":\"joust 0.1\",\"game\":\"coin\"}\n");
//!
//! let mut lines = LineReader::default();
//! lines.push(b"{\"t\":\"game\",\"protocol\":1,\"id\":\"coin\",\"version\":\"1\"}\n");
//! let line = lines.next_line()?.expect("it is whole");
//! assert!(matches!(session.accept_line(&line)?, Some(FromReferee::Game(_))));
//!
//! // No bout has been started, so nothing can be asked.
//! let breach = session.accept_line(b"{\"t\":\"ask\",\"b\":1,\"n\":1,\"to\":[]}").unwrap_err();
//! assert_eq!(breach.to_string(), "message 2 (bout 1): `ask` names a bout that was never started \
//!     (`b` is the number of the bout in `start`)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod bout;
mod breach;
mod framing;
pub mod kits;
mod message;
mod parse;
mod scene;
mod session;
mod unique;

pub use bout::{MOST_NUMBER_NAMES, Numbers, is_number_name};
pub use breach::{Breach, Misuse};
pub use framing::{LINE_BYTES, LineReader};
pub use message::{
    Answer, AnswerVerdict, Answers, AskMessage, AskSeat, Capability, DropBout, EndMessage,
    ErrorMessage, FaultMessage, FileTexts, FromReferee, GameMessage, Hello, LogMessage, OutMessage,
    Position, StartMessage, TellMessage, ToReferee,
};
pub use scene::{Legend, PictureLayer, PictureLine, PictureMark, PictureText, Scene};
pub use session::{BOUT_BYTES, ExpectedGame, STEP_BYTES, Session};

/// The version of the protocol that this crate speaks.
pub const PROTOCOL: u32 = 1;

/// The messages as JSON Schema (2020-12).
pub const SCHEMA: &str = include_str!("../schema/protocol.schema.json");
