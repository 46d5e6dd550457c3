//! A tournament as a static site: pages that need no server, no network and,
//! but for the replays, no script.
//!
//! [`Site`] is what every page shares; [`EventSite`] is an event made ready.
//! Bouts come one at a time, in any order and from several threads, to
//! [`EventSite::bout`], which writes their pages and takes [`Notes`]; when all
//! have come, [`EventSite::pages`] names the rest. Files go to a [`Sink`].
//! The same database gives the same bytes.
//!
//! # What strangers supply
//!
//! Names, reasons, logs and whatever else a bot or its author wrote pass
//! `text` (nothing invisible, no e-mail address) and are put into pages by
//! templates that make every value text. No file is named after them. Every
//! page forbids, by its Content-Security-Policy, scripts and styles that are
//! not files of this site, and every request to another place.

mod badge;
mod boards;
mod bot;
mod bout;
mod bout_history;
mod cross;
mod curve;
mod data;
mod error;
mod event;
mod filters;
mod formatting;
mod highlights;
mod histogram;
mod leaderboard;
mod markdown;
mod match_page;
mod names;
mod notes;
mod numbers;
mod opponents;
mod overview;
mod page;
mod picture;
mod played;
mod preview;
mod rating;
pub mod replay;
mod rules;
mod sink;
mod standalone;
mod survey;
mod tournament;
mod verify;
mod versions;

pub use boards::{Board, DrawnBoard, draw_boards};
pub use bout_history::{HistoryEntry, ShownBout};
pub use error::SiteError;
pub use event::{EventInput, EventSite, Page};
pub use names::replay_file;
pub use notes::Notes;
pub use numbers::spread::Numbers;
pub use overview::EventCard;
pub use page::Site;
pub use sink::Sink;
pub use standalone::{StandaloneError, replay_page};
pub use survey::{BoutSelection, BoutSurvey};
pub use tournament::{EventGame, Logo, SiteOptions, TournamentInput, event_titles, titles_of};
