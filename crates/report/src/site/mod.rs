//! A tournament as a static site: pages that need no server, no network and, except for the
//! replays, no script.
//!
//! [`Site`] is shared by all pages; [`EventSite`] is an event made ready. Bouts are passed one at a
//! time, in any order and from several threads, to [`EventSite::bout`], which writes their pages
//! and adds [`Notes`]; after the last one, [`EventSite::pages`] lists the other pages. Files go to
//! a [`Sink`]. The same database gives the same bytes.
//!
//! # Untrusted text
//!
//! Names, reasons, logs and other text from a bot or its author go through `text` (no invisible
//! characters, no e-mail address) and are put into pages by templates that escape every value. No
//! file is named after them. The Content-Security-Policy of every page forbids scripts and styles
//! that are not files of this site, and every request to another place.

mod boards;
mod bot;
mod bout;
mod bout_history;
mod cross;
mod data;
mod event;
mod filters;
mod formatting;
mod histogram;
mod leaderboard;
mod markdown;
mod match_page;
mod names;
mod notes;
mod numbers;
mod overview;
mod page;
mod rating;
pub mod replay;
mod standalone;
mod survey;
mod tournament;
mod versions;

pub use boards::{Board, DrawnBoard, draw_boards};
pub use bout_history::ShownBout;
pub use event::{EventInput, EventSite, Page};
pub use names::replay_file;
pub use notes::Notes;
pub use numbers::spread::Numbers;
pub use overview::EventCard;
pub use page::{Sink, Site, SiteError};
pub use standalone::{StandaloneError, replay_page};
pub use survey::{BoutSelection, BoutSurvey};
pub use tournament::{Logo, SiteOptions, TournamentInput, event_titles};
