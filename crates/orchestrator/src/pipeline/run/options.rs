//! Options of a run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::workers::WorkersOptions;
use joust_model::Shard;
use joust_play::executor::Sharing;
use joust_sandbox::HostOptions;

/// Options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Choice of the bouts that are played.
    pub selection: BoutFilter,
    /// Bouts at once; `None` for as many as there are cores.
    pub jobs: Option<usize>,
    /// Permission for bouts to exceed the cores.
    pub sharing: Sharing,
    /// Distribution of bouts to workers; `None` for bouts on this machine.
    pub workers: Option<WorkersOptions>,
    /// Time from the beginning after which the run stops.
    pub budget: Option<Duration>,
    /// Treatment of bouts that have a result.
    pub replay: BoutSelection,
    /// Effect of a bot that cannot be built.
    pub strictness: Strictness,
    /// Permission to use a machine without isolation.
    pub isolation: HostOptions,
    /// Choice between playing and a dry run.
    pub mode: RunMode,
    /// Folder of the builds.
    pub cache: PathBuf,
}

/// Choice of the bouts that are played.
#[derive(Clone, Debug, Default)]
pub struct BoutFilter {
    /// Only these events; empty for all.
    pub events: Vec<String>,
    /// Only the matches of these bots; empty for all.
    pub only: Vec<String>,
    /// By event, the only bots whose matches are played and expected, in rounds that are on record;
    /// events that are not listed are played whole.
    pub only_in: BTreeMap<String, Vec<String>>,
    /// Only the bouts of this shard; `None` for all.
    pub shard: Option<Shard>,
}

impl RunOptions {
    /// Returns the options for playing all bouts without a result, on this machine.
    pub fn new(isolation: HostOptions, cache: PathBuf) -> Self {
        Self {
            selection: BoutFilter::default(),
            jobs: None,
            sharing: Sharing::OneBotACore,
            workers: None,
            budget: None,
            replay: BoutSelection::Unfinished,
            strictness: Strictness::Lenient,
            isolation,
            mode: RunMode::Play,
            cache,
        }
    }
}

/// Treatment of bouts that have a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoutSelection {
    /// Bouts without a result are played, others are not.
    Unfinished,
    /// Every bout is played.
    Everything,
}

/// Effect on a run of a bot that cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// The bot loses its place.
    Lenient,
    /// The run ends before anything is played.
    Strict,
}

/// Choice between playing and a dry run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// Bouts are played.
    Play,
    /// Everything is made ready and an estimate is made.
    MakeReady,
    /// An estimate is made; nothing is built or measured.
    DryRun,
}
