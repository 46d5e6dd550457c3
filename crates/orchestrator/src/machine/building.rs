//! Builds of an event's bots: made side by side, looked up, the sample opponent's.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use joust_bots::{
    BotSource,
    scaffold::{self, Starter},
};
use joust_build::{BuildPlacer, Builder, FolderStore, NotFetched, NotPlaced, PlacedBuild};
use joust_config::{Event, ExternalGame};
use joust_model::notices::{Listener, Notice};
use joust_model::{BuildHash, Bytes};
use joust_play::executor;
use joust_toolchain::{LibrarySet, NotBuilt, threads};

use super::Machine;

/// Languages of the sample opponent, the fastest first.
const SAMPLE_LANGUAGES: [&str; 4] = ["c", "bash", "python", "javascript"];

/// Time in which the machine may recover before a step that failed by its fault is tried again.
const BEFORE_ANOTHER_TRY: Duration = Duration::from_millis(500);

/// Result of building a bot.
pub type BuildOutcome = Result<Arc<PlacedBuild>, NotBuilt>;

impl Machine {
    /// Fetches the libraries that the event provides to bots, unless they are here. A failure is
    /// not reported here: it is reported for each bot that cannot be built.
    pub(crate) fn fetch_provided_libraries(
        &self,
        sources: &[BotSource],
        event: &Event,
        listener: &dyn Listener,
    ) {
        let languages: BTreeSet<&str> =
            sources.iter().map(|source| source.manifest.language.as_str()).collect();
        for language in languages {
            let mut is_fetched = false;
            let set = self.builder(event).libraries(language, || {
                is_fetched = true;
                listener.notice(&Notice::LibrariesStarted { language: language.to_owned() });
            });
            if let (true, Ok(Some(set))) = (is_fetched, set) {
                let libraries = set.libraries.iter();
                let libraries =
                    libraries.map(|one| format!("{} {}", one.name, one.version)).collect();
                let language = language.to_owned();
                listener.notice(&Notice::LibrariesFetched { language, libraries });
            }
        }
    }

    /// Fetches the libraries on a bot's own list, unless they are here.
    ///
    /// # Errors
    ///
    /// The error in the list, or the reason why its libraries could not be fetched.
    pub fn fetch(
        &self,
        source: &BotSource,
        event: &Event,
        listener: &dyn Listener,
    ) -> Result<Option<Arc<LibrarySet>>, NotFetched> {
        let language = source.manifest.language.clone();
        let fetching = || listener.notice(&Notice::LibrariesStarted { language });
        self.builder(event).fetch(source, fetching)
    }

    /// Builds every bot, as many at once as there are cores. What the machine was at
    /// fault for is tried once more, one bot after the other.
    pub fn build(
        &self,
        sources: &[BotSource],
        event: &Event,
        listener: &dyn Listener,
    ) -> Vec<BuildOutcome> {
        let builder = self.builder(event);
        let of = sources.len();
        let build = |place: usize, source: &BotSource| {
            let (bot, number) = (source.name().to_owned(), place + 1);
            build_one(&builder, source, &Notice::BuildStarted { bot, number, of }, listener)
        };
        let mut all = threads::map_in_parallel(executor::available().len(), sources, build);
        let is_of_machine = |built: &BuildOutcome| matches!(built, Err(why) if why.is_of_machine());
        if all.iter().any(is_of_machine) && !self.cancel.is_cancelled() {
            thread::sleep(BEFORE_ANOTHER_TRY);
        }
        for (place, (source, built)) in sources.iter().zip(&mut all).enumerate() {
            if is_of_machine(built) && !self.cancel.is_cancelled() {
                *built = build(place, source);
            }
            if let Err(reason @ NotBuilt::Infrastructure(_)) = built {
                let (bot, reason) = (source.name().to_owned(), reason.to_string());
                listener.notice(&Notice::NotBuilt { bot, reason });
            }
        }
        all
    }

    /// Returns the hash that each bot's build has or would have, as many at once as there are
    /// cores, as tools are asked for their versions by starting them; nothing is built.
    pub(crate) fn keys(
        &self,
        sources: &[BotSource],
        event: &Event,
    ) -> Vec<Result<BuildHash, NotBuilt>> {
        let key = |_, source: &BotSource| match self.cancel.is_cancelled() {
            true => Err(NotBuilt::Stopped),
            false => self.builder(event).key(source),
        };
        threads::map_in_parallel(executor::available().len(), sources, key)
    }

    /// Returns a build that was made before, ready to be started with `memory`.
    ///
    /// # Errors
    ///
    /// [`NotPlaced`]: it is here and cannot be started.
    pub fn stored_build(
        &self,
        hash: &BuildHash,
        memory: Bytes,
    ) -> Result<Option<PlacedBuild>, NotPlaced> {
        self.build_of(&self.store, hash, memory)
    }

    /// Returns a build of another store than this machine's own, as [`Machine::stored_build`] does.
    pub(crate) fn build_of(
        &self,
        store: &FolderStore,
        hash: &BuildHash,
        memory: Bytes,
    ) -> Result<Option<PlacedBuild>, NotPlaced> {
        BuildPlacer { store, toolchains: &self.toolchains, memory }.find(hash)
    }

    /// Builds the sample opponent of a game: its starter bot in the first
    /// language that works here.
    pub fn build_sample(&self, event: &Event) -> Option<Arc<PlacedBuild>> {
        SAMPLE_LANGUAGES.iter().find_map(|language| {
            let home = joust_sandbox::temporary_folder().ok()?;
            let folder = home.path().join("sample");
            let starter = Starter { game: event.game.id(), language, folder: &folder, author: "" };
            scaffold::make(&starter).ok()?;
            let source = self.read_bot(&folder, &event.game).ok()?;
            let build = self.builder(event).build(&source).ok()?;
            Some(Arc::new(build))
        })
    }

    /// Builds the sample opponent of a custom game: the first bot in `bots/`, beside its referee,
    /// that works here.
    pub fn build_own_sample(
        &self,
        brought: &ExternalGame,
        event: &Event,
    ) -> Option<Arc<PlacedBuild>> {
        let entries = std::fs::read_dir(brought.folder.join("bots")).ok()?;
        let mut bots: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        bots.sort();
        bots.iter().find_map(|bot| {
            let source = self.read_bot(bot, &event.game).ok()?;
            self.builder(event).build(&source).ok().map(Arc::new)
        })
    }
}

/// Builds a bot and reports the result, unless the machine is at fault.
fn build_one(
    builder: &Builder<'_>,
    source: &BotSource,
    started: &Notice,
    listener: &dyn Listener,
) -> Result<Arc<PlacedBuild>, NotBuilt> {
    let bot = source.name().to_owned();
    match builder.build_announced(source, || listener.notice(started)) {
        Ok(build) => {
            let (cached, took) = (build.cached, build.took);
            listener.notice(&Notice::Built { bot, cached, took });
            Ok(Arc::new(build))
        }
        Err(reason @ (NotBuilt::Stopped | NotBuilt::Infrastructure(_))) => Err(reason),
        Err(reason) => {
            listener.notice(&Notice::NotBuilt { bot, reason: reason.to_string() });
            Err(reason)
        }
    }
}
