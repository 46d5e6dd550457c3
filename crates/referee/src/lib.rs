//! Referee: the rules of Joust's games.
//!
//! This crate is pure: no clock, file, process, thread, environment or ambient
//! chance. A [`Game`] of the [`Catalogue`] starts a [`Judge`], which is fed one
//! [`Input`] after the other and answers with [`Output`]s; the same options, seed and inputs give
//! the same bytes on every machine. The caller asks the bots and limits their time.
//!
//! One bout of BattleBots, seat 0 firing missiles at a bot that stands still:
//!
//! ```
//! use joust_referee::{Catalogue, Input, Options, Output, Outputs, Parts, Seat, Seed, Setup};
//! use joust_referee::{Verdict, log};
//!
//! let games = Catalogue::built_in();
//! let game = games.find("battlebots").expect("it ships with Joust");
//! let names = ["sniper".to_owned(), "statue".to_owned()];
//! let setup = Setup {
//!     rules: game.spec().default_rules(),
//!     options: &Options::new(),
//!     seed: Seed(2026),
//!     seats: 2,
//!     names: &names,
//! };
//! let mut out = Outputs::new();
//! let mut judge = game.start(&setup, &mut out)?;
//! let mut writer = log::LogWriter::new();
//!
//! while judge.outcome().is_none() {
//!     let asked: Vec<Output> = out.drain().collect();
//!     for output in asked {
//!         let Output::Ask { seat, request, parts, .. } = output else { continue };
//!         let view = parts.get("").expect("a view is one part");
//!         assert_eq!(view[110..].first_chunk(), Some(b"Y hp="));
//!         let answer = if seat == Seat(0) { "M SE\n" } else { "NO\n" };
//!         let parts = Parts::single(answer.as_bytes());
//!         let input = Input::Answer { seat, request, parts, verdict: Verdict::Ok };
//!         writer.push(&input);
//!         judge.next(&input, &mut out)?;
//!     }
//! }
//!
//! let outcome = judge.outcome().expect("the bout is over");
//! assert_eq!((&*outcome.ended, outcome.rounds), ("knock-out", 8));
//! assert_eq!(outcome.seats[Seat(0)].rank, 1);
//! assert_eq!(outcome.seats[Seat(1)].score.as_whole(), Some(0));
//!
//! // The same inputs give the same bout again.
//! let mut again = game.start(&setup, &mut Outputs::new())?;
//! for input in log::decode(&writer.to_bytes())? {
//!     again.next(&input, &mut Outputs::new())?;
//! }
//! assert_eq!(again.state_hash(), judge.state_hash());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod bytes;
mod catalogue;
mod clocks;
mod external;
mod grid;
mod guard;
mod judge;
mod messages;
mod named;
mod options;
mod outcome;
mod referee;
mod scene;
mod seat;
mod server;
mod spec;
mod verdict;

pub mod docs;
pub mod games;
pub mod http;
pub mod log;
pub mod rng;
pub mod wire;

pub use bytes::{Utf32Marks, decode_text};
pub use catalogue::{Catalogue, Game, IdTaken};
pub use clocks::{Allowance, Clocks};
pub use external::{
    AnswerForm, BoardText, ChessClock, Described, ExternalSpec, Glyph, RefereeHash, TimeRule,
    ViewerSpec,
};
pub use grid::{Direction, Grid, Point};
pub use judge::{
    Judge, JudgeError, LogKind, LogLine, PlayerInfo, Recording, ReplayFolder, ReplayRound,
};
pub use messages::{
    Connection, DeadlineClass, Files, Input, Output, Outputs, Part, Parts, RequestId, SendTo,
};
pub use options::{
    OptionKind, OptionSpec, OptionValue, Options, OptionsError, OriginalName,
    complete as complete_options, defaults as default_options,
};
pub use outcome::{Finite, NotFinite, Outcome, Score, SeatNumber, SeatOutcome, StateHash, sha256};
pub use referee::{
    ClientReply, KeyboardAnswer, PairResult, Referee, ResultsTable, Seed, Setup, StartError,
    one_line,
};
pub use scene::{Cell, Colour, Kind, Layer, Mark, Panel, Rows, Scene, SceneLine, Text, VisibleTo};
pub use seat::{PerSeat, Seat};
pub use server::{
    GameServer, ServedGame, ServerEffect, ServerPace, ServerReport, ServerScore, Spectator,
    SpectatorEvent,
};
pub use spec::{
    AgentModule, ClockRule, ClockSpec, ClockTerm, DefaultLimits, GameSpec, Key, PeopleSeats,
    PeopleSpec, PersonOption, RankBy, Sample, SeatRange, TcpSpec, Thinking,
};
pub use verdict::{Limit, LimitSet, Verdict};
