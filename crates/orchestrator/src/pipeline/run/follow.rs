//! Following: a run without end between bots that are added, changed and removed.
//!
//! Theory of operation. A [`SourceWatch`] reports when a bot was added, changed or removed and its
//! files have stopped changing. Then no more bouts are started; when those under way are over, the
//! bots are discovered again, new ones are built (nothing is played meanwhile: a build would take
//! processor time from the bouts), and the bouts without a result are played. When none is left, it
//! waits.
//!
//! A bot whose files are being changed plays its earlier version; a new one waits until its files
//! have stopped changing. A bot that could not be built is tried again when it has changed, or
//! after a minute where the machine or the network was at fault.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use joust_bots::{BotProblem, BotSource, discover::expand};
use joust_config::Event;
use joust_model::notices::Notice;
use joust_store::GroupCommitter;
use joust_toolchain::NotBuilt;

use super::prepared::{EventEntries, PreparedEvent};
use super::{Run, RunError, RunReport};
use crate::pipeline::league::RunOutcome;
use crate::pipeline::roster::BuildState;
use crate::pipeline::watch::{SourceWatch, Stamp, TakenSources};

/// Time between checks for events while nothing is left to play.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(100);

/// Time before another try after a fault of the machine.
const BEFORE_ANOTHER_TRY: Duration = Duration::from_secs(60);

/// A bot of an event.
type EntryKey = (String, PathBuf);

/// Bot that could not be built, in the state that failed.
struct FailedEntry {
    stamp: Stamp,
    unreadable: Vec<BotProblem>,
    reason: NotBuilt,
}

/// Memory that is carried from one check of the bots to the next.
#[derive(Default)]
struct FollowMemory {
    /// The sources as they were found last.
    sources: BTreeMap<EntryKey, BotSource>,
    /// Entries that could not be built, with the state in which they failed.
    failed: BTreeMap<EntryKey, FailedEntry>,
    /// Problems that were reported already.
    told: BTreeSet<String>,
}

impl<'a> Run<'a> {
    /// Plays until it is stopped.
    pub(super) async fn follow(&self, events: &[&'a Event]) -> Result<RunReport, RunError> {
        let watch = self.watch(events).map_err(RunError::Watch)?;
        let committer = GroupCommitter::start(&self.store);
        let (mut memory, mut ready) = (FollowMemory::default(), Vec::new());
        let ended = loop {
            let taken = watch.take();
            match self.prepare_events(events, &taken, &mut memory).await {
                Ok(made) => ready = made,
                Err(RunError::Interrupted) if !ready.is_empty() => break RunOutcome::Interrupted,
                Err(error) => return Err(error),
            }
            match self.play_events(&mut ready, &committer, &watch).await? {
                RunOutcome::BudgetUsedUp if !self.is_time_over() => {}
                RunOutcome::Complete => {
                    if let Some(ended) = self.wait(&watch, &ready).await {
                        break ended;
                    }
                }
                ended => break ended,
            }
        };
        committer.finish().await;
        self.run_report(ended, &ready).await
    }

    /// Begins to watch the bots of `events`.
    fn watch(&self, events: &[&'a Event]) -> std::io::Result<SourceWatch> {
        let folder = self.tournament.folder.clone();
        let globs = events.iter().flat_map(|event| &event.bots).map(|glob| glob.text.clone());
        let globs: Vec<String> = globs.collect();
        SourceWatch::start(move || {
            globs.iter().filter_map(|glob| expand(&folder, glob).ok()).flatten().collect()
        })
    }

    async fn prepare_events(
        &self,
        events: &[&'a Event],
        taken: &TakenSources,
        memory: &mut FollowMemory,
    ) -> Result<Vec<PreparedEvent<'a>>, RunError> {
        let mut all = Vec::new();
        for event in events {
            let entries = self.entries(event, taken, memory);
            let ready = self.prepare_event(event, entries).await?;
            memory.note_failed(&ready, taken);
            all.push(ready);
        }
        Ok(all)
    }

    /// Finds the bots of an event and reports each other problem once.
    fn entries(
        &self,
        event: &Event,
        taken: &TakenSources,
        memory: &mut FollowMemory,
    ) -> EventEntries {
        let (found, problems) = self.machine.find_entries(self.tournament, event);
        let problems: BTreeSet<String> =
            problems.iter().map(|problem| format!("{}: {problem}", event.id)).collect();
        for problem in problems.difference(&memory.told) {
            self.listener.warn(problem.clone());
        }
        let is_of_another = |told: &String| !told.starts_with(&format!("{}: ", event.id));
        memory.told.retain(is_of_another);
        memory.told.extend(problems);
        memory.sort_entries(&event.id, found, taken)
    }

    /// Plays bouts without a result, until the bots change.
    async fn play_events(
        &self,
        ready: &mut [PreparedEvent<'_>],
        committer: &GroupCommitter,
        watch: &SourceWatch,
    ) -> Result<RunOutcome, RunError> {
        let enough = || watch.has_news();
        for event in ready {
            let ended = self.play(event, committer.committer(), &enough).await?;
            if ended != RunOutcome::Complete {
                return Ok(ended);
            }
            self.listener.notice(&Notice::EventFinished { event: event.event.id.clone() });
        }
        Ok(RunOutcome::Complete)
    }

    /// Waits for changed bots, or for a machine that was at fault; returns the run's outcome if it
    /// ended.
    async fn wait(&self, watch: &SourceWatch, ready: &[PreparedEvent<'_>]) -> Option<RunOutcome> {
        let bots = ready.iter().map(|event| event.field.players().len()).sum();
        self.listener.notice(&Notice::Waiting { bots });
        let is_at_fault = ready.iter().any(|event| event.field.waiting().next().is_some());
        let again = is_at_fault.then(|| Instant::now() + BEFORE_ANOTHER_TRY);
        while !watch.has_news() && again.is_none_or(|again| Instant::now() < again) {
            if self.cancel.is_cancelled() {
                return Some(RunOutcome::Complete);
            }
            if self.is_time_over() {
                return Some(RunOutcome::BudgetUsedUp);
            }
            tokio::time::sleep(BETWEEN_QUESTIONS).await;
        }
        None
    }

    fn is_time_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

impl FollowMemory {
    /// Sorts the found bots by the reason why each is there.
    fn sort_entries(
        &mut self,
        event: &str,
        found: Vec<BotSource>,
        taken: &TakenSources,
    ) -> EventEntries {
        let entry = |path: &Path| (event.to_owned(), path.to_owned());
        let mut entries = EventEntries::default();
        for path in &taken.moving {
            entries.changing.extend(self.sources.get(&entry(path)).cloned());
        }
        self.sources.retain(|(of, path), _| of != event || taken.moving.contains(path));
        for source in found {
            // A bot that is being changed keeps its name meanwhile.
            let has_name = |other: &BotSource| other.name() == source.name();
            let is_second = entries.sources.iter().chain(&entries.changing).any(has_name);
            if taken.moving.contains(&source.found) || is_second {
                continue;
            }
            let key = entry(&source.found);
            self.sources.insert(key.clone(), source.clone());
            let looks = taken.seen.get(&source.found);
            // The name or owner of another bot becomes free when that bot is removed.
            let is_same = |failed: &&FailedEntry| {
                Some(&failed.stamp) == looks && failed.unreadable == source.unreadable
            };
            match self.failed.get(&key).filter(is_same) {
                Some(failed) => entries.failed.push((source, failed.reason.clone())),
                None => entries.sources.push(source),
            }
        }
        entries
    }

    /// Remembers bots that could not be built because of their own fault.
    fn note_failed(&mut self, ready: &PreparedEvent<'_>, taken: &TakenSources) {
        self.failed.retain(|(event, _), _| *event != ready.event.id);
        for participant in &ready.field.participants {
            let BuildState::Nothing(reason) = &participant.made else { continue };
            if let Some(stamp) = taken.seen.get(&participant.source.found) {
                let key = (ready.event.id.clone(), participant.source.found.clone());
                let unreadable = participant.source.unreadable.clone();
                let failed = FailedEntry { stamp: *stamp, unreadable, reason: reason.clone() };
                self.failed.insert(key, failed);
            }
        }
    }
}
