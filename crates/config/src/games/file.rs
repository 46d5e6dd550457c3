//! Values of a `game.yaml`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::super::event::Provided;
use joust_model::Bytes;
use joust_referee::{AnswerForm, ChessClock, OptionSpec, ViewerSpec};

/// The channels by which bots of such a game can be spoken to.
pub(super) const CHANNELS: [(&str, &str); 3] =
    [("lines", "lines"), ("argv", "argv"), ("files", "files")];

/// Location of a game's file.
pub(super) struct Where<'a> {
    pub(super) file: &'a Path,
    pub(super) folder: &'a Path,
    /// Id in the tournament; empty for that of the file.
    pub(super) id: &'a str,
}

/// Values of a `game.yaml`.
#[derive(Default)]
pub(in super::super) struct GameFile {
    pub(super) id: Option<String>,
    pub(super) title: Option<String>,
    pub(super) version: Option<String>,
    pub(super) seats: Seats,
    pub(super) language: Option<String>,
    pub(super) entry: Option<String>,
    pub(super) build: Option<String>,
    pub(super) run: Option<String>,
    pub(super) provides: BTreeMap<String, Provided>,
    pub(super) channel: &'static str,
    pub(super) answer: Option<AnswerForm>,
    pub(super) times: Times,
    pub(super) placeholders: bool,
    pub(super) simultaneous: bool,
    pub(super) options: Vec<OptionSpec>,
    pub(super) can: Vec<String>,
    pub(super) rules: Option<String>,
    pub(super) files: Vec<String>,
    pub(super) limits: RefereeLimits,
    pub(super) viewer: ViewerSpec,
}

/// `seats:`
#[derive(Default)]
pub(super) struct Seats {
    pub(super) min: u32,
    pub(super) max: u32,
}

/// `times:`
#[derive(Default)]
pub(super) struct Times {
    pub(super) per_move: Option<Duration>,
    pub(super) first: Option<Duration>,
    pub(super) bank: Option<Duration>,
    pub(super) clock: Option<ChessClock>,
}

/// `limits:` of a referee.
#[derive(Default)]
pub(super) struct RefereeLimits {
    pub(super) start: Duration,
    pub(super) step: Duration,
    pub(super) memory: Bytes,
    pub(super) processes: u32,
    pub(super) disk: Bytes,
}
