//! Referee: the rules of Joust's games.
//!
//! This crate is pure: no clock, file, process, thread, environment or ambient
//! chance. A [`Game`] is fed one [`Input`] after the other and answers with
//! [`Output`]s; the same options, seed and inputs give the same bytes on every
//! machine. Who asks the bots, and how long they may think, is not known here.
//!
//! One bout of BattleBots, seat 0 firing missiles at a bot that stands still:
//!
//! ```
//! use joust_referee::{Input, Options, Output, Outputs, Parts, Seat, Seed, Setup, Verdict};
//! use joust_referee::{log, registry};
//!
//! let kind = registry::find("battlebots").expect("it is registered");
//! let names = ["sniper".to_owned(), "statue".to_owned()];
//! let setup = Setup {
//!     rules: kind.rule_sets()[0],
//!     options: &Options::new(),
//!     seed: Seed(2026),
//!     seats: 2,
//!     names: &names,
//! };
//! let mut out = Outputs::new();
//! let mut game = kind.start(&setup, &mut out)?;
//! let mut writer = log::LogWriter::new();
//!
//! while game.outcome().is_none() {
//!     let asked: Vec<Output> = out.drain().collect();
//!     for output in asked {
//!         let Output::Ask { seat, request, parts, .. } = output else { continue };
//!         let view = parts.get("").expect("a view is one part");
//!         assert_eq!(view[110..].first_chunk(), Some(b"Y hp="));
//!         let answer = if seat == Seat(0) { "M SE\n" } else { "NO\n" };
//!         let parts = Parts::single(answer.as_bytes());
//!         let input = Input::Answer { seat, request, parts, verdict: Verdict::Ok };
//!         writer.push(&input);
//!         game.next(&input, &mut out);
//!     }
//! }
//!
//! let outcome = game.outcome().expect("the bout is over");
//! assert_eq!((outcome.ended, outcome.rounds), ("knock-out", 8));
//! assert_eq!(outcome.seats[Seat(0)].rank, 1);
//! assert_eq!(outcome.seats[Seat(1)].score, 0);
//!
//! // The same inputs give the same bout again.
//! let mut again = kind.start(&setup, &mut Outputs::new())?;
//! for input in log::decode(&writer.to_bytes())? {
//!     again.next(&input, &mut Outputs::new());
//! }
//! assert_eq!(again.state_hash(), game.state_hash());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod decode;
mod game;
mod grid;
mod input;
mod json;
mod keyboard;
mod options;
mod outcome;
mod output;
mod parts;
mod replay;
mod scene;
mod seat;
mod seed;
mod server;
mod sha256;
mod verdict;

pub mod docs;
pub mod games;
pub mod log;
pub mod registry;
pub mod rng;

pub use decode::{Utf32Marks, decode_text};
pub use game::{ClockSpec, Game, GameKind, Setup, StartError, Thinking};
pub use grid::{Direction, Grid, Point};
pub use input::{Connection, Input, RequestId};
pub use keyboard::{Heard, Typed, one_line};
pub use options::{
    OptionKind, OptionSpec, OptionValue, Options, OptionsError, OriginalName,
    complete as complete_options, defaults as default_options,
};
pub use outcome::{Outcome, SeatOutcome, StateHash};
pub use output::{DeadlineClass, Files, Output, Outputs, SendTo};
pub use parts::{Part, Parts};
pub use replay::{PlayerInfo, ReplayRound};
pub use scene::{Cell, Colour, Kind, Layer, Mark, Scene, Seen, Text};
pub use seat::{PerSeat, Seat};
pub use seed::{Seed, bout_seed};
pub use server::{
    GameServer, ServedGame, ServerEffect, ServerPace, ServerReport, ServerScore, Sighting,
    Spectator,
};
pub use sha256::{Sha256, sha256};
pub use verdict::{Limit, LimitSet, Verdict};
