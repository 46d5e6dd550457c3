//! Analysis of the bots before and after the change, before anything is built.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::base::{BaseBot, ChangeBase, EarlierResults};
use super::change::{
    ChangeKind, ChangedBot, HeadBot, MANIFESTS, SourceHashes, compare, mark_unreadable,
};
use super::files::{changed_files, game_files};
use super::owners::OwnerRules;
use super::refuse::empty_report;
use super::report::{
    BotReport, BotState, ChangeReport, EventChangeReport, FileProblem, RebuiltBot,
};
use super::repository_path::{display_path, first_beneath, repository_path};
use super::request::{CheckRequest, CiError, insist_on_running};
use super::settings::EffectiveSettings;
use crate::machine::Machine;
use joust_bots::{self as bots, BotSource, PerOwner};
use joust_config::{Event, Tournament};

/// Bots of an event, before and now.
pub(super) struct EventChanges<'a> {
    pub(super) event: &'a Event,
    pub(super) base: Vec<BaseBot>,
    pub(super) head: Vec<HeadBot>,
    pub(super) entries: Vec<ChangedBot>,
    rebuilt: Vec<RebuiltBot>,
    pub(super) one_per_owner: bool,
    /// Bots whose manifest cannot be used; the others play.
    pub(super) unreadable: Vec<BotSource>,
}

/// Result of the analysis, before anything is built.
pub(super) struct ChangeAnalysis<'a> {
    pub(super) events: Vec<EventChanges<'a>>,
    pub(super) problems: Vec<bots::BotProblem>,
    /// True when only single bots have errors, so that the others can play.
    pub(super) is_playable: bool,
}

/// Finds the bots of each event, now and in the base.
pub(super) async fn survey<'a>(
    tournament: &Tournament,
    machine: &Machine,
    base: &mut ChangeBase,
    results: &EarlierResults,
    events: &[&'a Event],
) -> Result<ChangeAnalysis<'a>, CiError> {
    let (mut compared, mut problems) = (Vec::new(), Vec::new());
    let mut is_playable = true;
    for event in events {
        let top = top(base);
        let (sources, mut wrong) = machine.find_bots(tournament, event, PerOwner::Any);
        let (head, unreadable) = read_sources(sources, machine, event, base)?;
        is_playable &= wrong.is_empty();
        wrong.extend(unreadable.iter().flat_map(|bot| bot.unreadable.clone()));
        let places = wrong.iter().filter_map(|problem| repository_path(&problem.file, &top));
        let places: Vec<_> = places.collect();
        problems.extend(wrong);
        if let Some(store) = &results.store {
            base.find_renamed(store, &event.id, &head).await?;
        }
        let before = base.field(machine, event)?;
        let mut entries = compare(&before, &head);
        mark_unreadable(&mut entries, &places);
        let mut rebuilt = results.rebuilt(&head, machine, event).await?;
        let changed: BTreeSet<&str> = entries.iter().map(ChangedBot::name).collect();
        rebuilt.retain(|bot| !changed.contains(bot.bot.as_str()));
        let earlier = base.tournament.as_ref().and_then(|earlier| earlier.event(&event.id));
        compared.push(EventChanges {
            event,
            base: before,
            head,
            entries,
            rebuilt,
            one_per_owner: earlier.unwrap_or(event).one_per_owner,
            unreadable,
        });
    }
    let top = top(base);
    let heads = compared.iter().flat_map(|event| &event.head);
    let mut paths: Vec<_> = heads.map(|bot| bot.path.clone()).collect();
    paths.extend(problems.iter().filter_map(|problem| repository_path(&problem.file, &top)));
    base.insist_on_submodules(&paths)?;
    Ok(ChangeAnalysis { events: compared, problems, is_playable })
}

/// Reads an event's bots as they are now; returns those that can be read, and the others.
fn read_sources(
    sources: Vec<BotSource>,
    machine: &Machine,
    event: &Event,
    base: &ChangeBase,
) -> Result<(Vec<HeadBot>, Vec<BotSource>), CiError> {
    let top = top(base);
    insist_on_running(&base.cancel)?;
    let (mut head, mut unreadable) = (Vec::new(), Vec::new());
    for mut source in sources {
        insist_on_running(&base.cancel)?;
        match SourceHashes::of(&source, machine.languages().sources()) {
            Ok(hashes) => {
                let key = machine.builder(event).key(&source).ok();
                let path = display_path(&source.found, &top);
                head.push(HeadBot { source, path, hashes, key });
            }
            Err(problem) => {
                if source.unreadable.is_empty() {
                    source.unreadable.push(problem);
                }
                unreadable.push(source);
            }
        }
    }
    Ok((head, unreadable))
}

/// The top of the repository, else this folder.
pub(super) fn top(base: &ChangeBase) -> PathBuf {
    base.repository.as_ref().map_or_else(|| PathBuf::from("."), |found| found.root.clone())
}

impl ChangeAnalysis<'_> {
    /// Makes the report of the analysis; nothing is played for it.
    ///
    /// # Errors
    ///
    /// [`CiError`] once the run is being stopped.
    pub(super) fn report(
        &self,
        request: &CheckRequest,
        base: &ChangeBase,
        in_force: &EffectiveSettings,
    ) -> Result<ChangeReport, CiError> {
        let (top, tournament) = (top(base), &in_force.tournament);
        let rules = OwnerRules::new(request.author.as_deref(), &tournament.entries);
        let of_games = game_files(base, in_force, request);
        let (bot_files, other_files) = changed_files(self, base, in_force, request, &of_games)?;
        let mut refusals = rules.other_files(&other_files);
        let file = display_path(&request.file, &top);
        refusals.extend(rules.entry_changes(&in_force.entry_changes, &file));
        let entry_notes = in_force.entry_changes.iter().map(|change| {
            format!("`{}` of `bots:` {}: it is not in force", change.path, change.reason)
        });
        refusals.extend(rules.outdated(&self.outdated(base, &of_games)));
        for event in &self.events {
            insist_on_running(&base.cancel)?;
            refusals.extend(rules.refusals(event, &base.exported.touched));
        }
        let mut report = ChangeReport {
            refusals,
            problems: self.problems.iter().map(|problem| as_problem(problem, &top)).collect(),
            bot_files,
            other_files,
            events: self.events.iter().map(|event| event.report(&top)).collect(),
            ..empty_report(request, base)
        };
        report.notes.extend(entry_notes.chain(self.unowned(&rules)));
        report.conclude();
        Ok(report)
    }

    /// Returns the note on bots of the change that have no owner.
    fn unowned(&self, rules: &OwnerRules<'_>) -> Vec<String> {
        let entries = self.events.iter().flat_map(|event| &event.entries);
        let heads = entries.filter_map(|entry| entry.head.as_ref());
        let names: BTreeSet<&str> =
            heads.filter(|bot| !rules.has_owner(bot)).map(|bot| bot.source.name()).collect();
        rules.unowned_note(&names.into_iter().collect::<Vec<_>>()).into_iter().collect()
    }

    /// Returns the files that have changed in the base since the change began and that affect its
    /// judgement: the rules, and the files of bots that it touches.
    fn outdated(&self, base: &ChangeBase, of_games: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let before = self.events.iter().flat_map(|event| &event.base);
        let now = self.events.iter().flat_map(|event| &event.head);
        let places = before.filter_map(|bot| bot.path.clone());
        let places = places.chain(now.map(|bot| bot.path.clone()));
        let is_touched = |place: &PathBuf| first_beneath(&base.exported.touched, place).is_some();
        let places: BTreeSet<PathBuf> = places.filter(is_touched).collect();
        let is_outdated = |path: &&PathBuf| {
            of_games.contains(*path)
                || base.rules_since.contains(path)
                || path.ancestors().any(|place| places.contains(place))
        };
        base.since.iter().filter(is_outdated).cloned().collect()
    }
}

fn as_problem(problem: &bots::BotProblem, top: &Path) -> FileProblem {
    FileProblem {
        file: display_path(&problem.file, top),
        line: problem.place.map(|(line, _)| line),
        column: problem.place.map(|(_, column)| column),
        message: problem.message.clone(),
        hint: problem.hint.clone(),
    }
}

impl EventChanges<'_> {
    /// Returns the bots of the event as they are now.
    pub(super) fn sources(&self) -> Vec<BotSource> {
        let head = self.head.iter().map(|bot| bot.source.clone());
        let mut all: Vec<BotSource> = head.chain(self.unreadable.iter().cloned()).collect();
        all.sort_by(|a, b| a.name().cmp(b.name()));
        all
    }

    fn report(&self, top: &Path) -> EventChangeReport {
        EventChangeReport {
            event: self.event.id.clone(),
            bots: self.entries.iter().map(|entry| bot_report(entry, top)).collect(),
            rebuilt: self.rebuilt.clone(),
            ..EventChangeReport::default()
        }
    }

    /// Returns the bots that are new, changed or rebuilt.
    pub(super) fn bots_that_play_again(&self) -> Vec<String> {
        let here = self.entries.iter().filter(|entry| entry.head.is_some());
        let rebuilt = self.rebuilt.iter().map(|one| one.bot.clone());
        here.map(|entry| entry.name().to_owned()).chain(rebuilt).collect()
    }

    /// Returns the earlier names of renamed bots.
    pub(super) fn renamed(&self) -> BTreeMap<String, String> {
        let renamed = self.entries.iter().filter_map(|entry| match &entry.change {
            ChangeKind::Renamed { from } => Some((entry.name().to_owned(), from.clone())),
            _ => None,
        });
        renamed.collect()
    }
}

fn bot_report(entry: &ChangedBot, top: &Path) -> BotReport {
    let source = entry.head.as_ref().map(|head| &head.source);
    let before = || entry.base.as_ref().and_then(|base| base.path.clone());
    BotReport {
        bot: entry.name().to_owned(),
        change: entry.change.clone(),
        author: source.and_then(|source| source.manifest.author.clone()),
        language: source.map(|source| source.manifest.language.clone()),
        path: source.map_or_else(before, |source| Some(display_path(&manifest(source), top))),
        not_built: None,
        trial: None,
        state: match entry.change {
            ChangeKind::Unreadable => BotState::Broken,
            _ => BotState::Fine,
        },
    }
}

/// Returns the path of a bot's manifest.
fn manifest(source: &BotSource) -> PathBuf {
    let inside = MANIFESTS.map(|name| source.found.join(name));
    inside.into_iter().find(|file| file.is_file()).unwrap_or_else(|| source.found.clone())
}
