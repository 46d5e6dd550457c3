//! What a run is asked.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::pipeline::workshop::Isolation;
use crate::workers::WorkersOptions;
use joust_model::Shard;
use joust_play::executor::Sharing;

/// What is to be run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Only these events; empty for all.
    pub events: Vec<String>,
    /// Only the matches of these bots; empty for all.
    pub only: Vec<String>,
    /// By event, bots of which alone the matches are played and expected, in rounds that are
    /// on record; events that are not here are played whole.
    pub only_in: BTreeMap<String, Vec<String>>,
    /// Only the bouts of this shard; `None` for all.
    pub shard: Option<Shard>,
    /// Bouts at once; `None` for as many as there are cores.
    pub jobs: Option<usize>,
    /// Whether bouts may exceed the cores.
    pub sharing: Sharing,
    /// How bouts get to workers; `None` for bouts on this machine.
    pub workers: Option<WorkersOptions>,
    /// When to stop, counted from the beginning.
    pub budget: Option<Duration>,
    /// Whether bouts that have a result are played again.
    pub replay: Replay,
    /// What a bot that cannot be built does to the run.
    pub strictness: Strictness,
    /// Whether a machine without isolation may be used.
    pub isolation: Isolation,
    /// Whether anything is played.
    pub mode: Mode,
    /// Where builds are kept.
    pub cache: PathBuf,
}

/// Whether bouts that have a result are played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// They are not.
    Unfinished,
    /// They are.
    Everything,
}

/// What a bot that cannot be built does to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// It loses its place.
    Lenient,
    /// It ends the run before anything is played.
    Strict,
}

/// Whether anything is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Yes.
    Play,
    /// Everything is made ready and an estimate is made.
    MakeReady,
    /// An estimate is made; nothing is built or measured.
    DryRun,
}
