//! What there is and was, before anything is built.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::base::{Base, BaseBot};
use super::before::Before;
use super::change::{
    Change, Entry, Hashes, HeadBot, compare, is_within, relative, tell_unreadable,
};
use super::owners::{EventBots, Rules};
use super::report::{BotReport, BotState, EventReport, Outcome, Problem, Rebuilt, Report};
use super::request::{CiError, Request};
use super::settings::InForce;
use crate::pipeline::{Mode, Workshop};
use joust_bots::{self as bots, BotSource};
use joust_config::{Event, ExternalGame, Tournament};
use joust_tables::standings::Movement;

/// Files that say what a bot is.
const MANIFESTS: [&str; 2] = ["bot.yaml", "bot.json"];

/// What an event's bots are, and were.
pub(super) struct Compared<'a> {
    pub(super) event: &'a Event,
    pub(super) base: Vec<BaseBot>,
    pub(super) head: Vec<HeadBot>,
    pub(super) entries: Vec<Entry>,
    rebuilt: Vec<Rebuilt>,
    one_per_owner: bool,
    /// Bots whose manifest cannot be used; the others play.
    unreadable: Vec<BotSource>,
}

impl Compared<'_> {
    /// Returns the bots of the event as they are now.
    pub(super) fn sources(&self) -> Vec<BotSource> {
        let head = self.head.iter().map(|bot| bot.source.clone());
        let mut all: Vec<BotSource> = head.chain(self.unreadable.iter().cloned()).collect();
        all.sort_by(|a, b| a.name().cmp(b.name()));
        all
    }
}

/// Everything that was found, before anything is built.
pub(super) struct Survey<'a> {
    pub(super) events: Vec<Compared<'a>>,
    problems: Vec<bots::Problem>,
    /// Whether nothing but single bots is wrong, so that the others can play.
    pub(super) is_playable: bool,
}

/// Finds the bots of each event, now and in the base.
pub(super) async fn survey<'a>(
    tournament: &Tournament,
    workshop: &Workshop,
    base: &mut Base,
    results: &Before,
    events: &[&'a Event],
) -> Result<Survey<'a>, CiError> {
    let (mut compared, mut problems) = (Vec::new(), Vec::new());
    let mut is_playable = true;
    for event in events {
        let Found { head, unreadable, problems: mut wrong } = find(tournament, workshop, event);
        is_playable &= wrong.is_empty();
        wrong.extend(unreadable.iter().flat_map(|bot| bot.unreadable.clone()));
        let top = top(base);
        let places: Vec<_> =
            wrong.iter().filter_map(|problem| inside(&problem.file, &top)).collect();
        problems.extend(wrong);
        if let Some(store) = &results.store {
            base.look_for_renamed(store, &event.id, &head).await?;
        }
        let before = base.field(workshop, event);
        let mut entries = compare(&before, &head);
        tell_unreadable(&mut entries, &places);
        let mut rebuilt = results.rebuilt(&head, workshop, event).await?;
        rebuilt.retain(|bot| !entries.iter().any(|entry| entry.name() == bot.bot));
        let earlier = base.tournament.as_ref().and_then(|earlier| earlier.event(&event.id));
        compared.push(Compared {
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
    let paths = compared.iter().flat_map(|event| &event.head);
    let mut paths: Vec<_> = paths.filter_map(|bot| relative(&bot.source, &top)).collect();
    paths.extend(problems.iter().filter_map(|problem| inside(&problem.file, &top)));
    base.insist_on_submodules(&paths)?;
    Ok(Survey { events: compared, problems, is_playable })
}

/// An event's bots as they are now.
struct Found {
    head: Vec<HeadBot>,
    unreadable: Vec<BotSource>,
    /// What is wrong beside bots that cannot be read.
    problems: Vec<bots::Problem>,
}

/// Finds an event's bots as they are now.
fn find(tournament: &Tournament, workshop: &Workshop, event: &Event) -> Found {
    let (sources, problems) = workshop.survey(tournament, event);
    let mut found = Found { head: Vec::new(), unreadable: Vec::new(), problems };
    for mut source in sources {
        match Hashes::of(&source, workshop.languages()) {
            Ok(hashes) => {
                let key = workshop.key(&source, event).ok();
                found.head.push(HeadBot { source, hashes, key });
            }
            Err(problem) => {
                if source.unreadable.is_empty() {
                    source.unreadable.push(problem);
                }
                found.unreadable.push(source);
            }
        }
    }
    found
}

/// The top of the repository, else this folder.
pub(super) fn top(base: &Base) -> PathBuf {
    base.repository.as_ref().map_or_else(|| PathBuf::from("."), |found| found.root.clone())
}

/// Where a file lies in the repository. A link lies where it is, wherever it leads.
pub(super) fn inside(file: &Path, top: &Path) -> Option<PathBuf> {
    let file = std::path::absolute(file).ok()?;
    let file = match file.file_name() {
        Some(name) => file.parent()?.canonicalize().ok()?.join(name),
        None => file.canonicalize().ok()?,
    };
    file.strip_prefix(top.canonicalize().ok()?).ok().map(Path::to_owned)
}

/// A file as people know it: relative to the repository where it is in it.
pub(super) fn shown(file: &Path, top: &Path) -> PathBuf {
    inside(file, top).unwrap_or_else(|| file.to_owned())
}

impl Survey<'_> {
    /// Makes the report of what was found; nothing is played for it.
    pub(super) fn report(&self, request: &Request, base: &Base, in_force: &InForce) -> Report {
        let (top, tournament) = (top(base), &in_force.tournament);
        let rules = Rules { author: request.author.as_deref(), entries: &tournament.entries };
        let of_games = game_files(base, in_force, request);
        let mut others = self.other_files(base, &of_games);
        others.retain(|path| Some(path) != in_force.part_of_bots.as_ref());
        let mut refusals = rules.other_files(&others);
        refusals.extend(rules.outdated(&self.outdated(base, &of_games)));
        for event in &self.events {
            let bots = EventBots {
                event: &event.event.id,
                base: &event.base,
                head: &event.head,
                entries: &event.entries,
                one_per_owner: event.one_per_owner,
            };
            refusals.extend(rules.refusals(&bots, &base.touched));
        }
        for refusal in &mut refusals {
            refusal.file = refusal.file.take().map(|file| shown(&file, &top));
        }
        let mut report = Report {
            outcome: Outcome::InOrder,
            base: base.label.clone(),
            author: request.author.clone(),
            dry_run: request.run.mode != Mode::Play,
            notes: [base.notes.clone(), self.unowned(&rules)].concat(),
            refusals,
            problems: self.problems.iter().map(|problem| as_problem(problem, &top)).collect(),
            other_files: others,
            events: self.events.iter().map(|event| event.report(&top)).collect(),
            gates: Vec::new(),
        };
        report.conclude();
        report
    }

    /// Says of which bots nobody but a maintainer, or anybody, may change.
    fn unowned(&self, rules: &Rules<'_>) -> Vec<String> {
        let heads = self.events.iter().flat_map(|event| &event.head);
        let names: BTreeSet<&str> =
            heads.filter(|bot| !rules.has_owner(bot)).map(|bot| bot.source.name()).collect();
        rules.unowned_note(&names.into_iter().collect::<Vec<_>>()).into_iter().collect()
    }

    /// Returns the files by which a change cannot be judged as they were when it began: the rules,
    /// and bots of which it touches files.
    fn outdated(&self, base: &Base, of_games: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let top = &top(base);
        let before = self.events.iter().flat_map(|event| &event.base);
        let now = self.events.iter().flat_map(|event| &event.head);
        let places = before.filter_map(|bot| bot.path.clone());
        let places = places.chain(now.filter_map(|bot| relative(&bot.source, top)));
        let is_touched = |place: &PathBuf| base.touched.iter().any(|path| is_within(path, place));
        let places: Vec<PathBuf> = places.filter(is_touched).collect();
        let is_outdated = |path: &&PathBuf| {
            of_games.contains(*path)
                || base.rules_since.contains(path)
                || places.iter().any(|place| is_within(path, place))
        };
        base.since.iter().filter(is_outdated).cloned().collect()
    }

    /// Returns the files that were touched and belong to no bot.
    fn other_files(&self, base: &Base, of_games: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let top = &top(base);
        let before = self.events.iter().flat_map(|event| &event.base);
        let mut places: Vec<PathBuf> = before.filter_map(|bot| bot.path.clone()).collect();
        let before = self.events.iter().flat_map(|event| &event.base);
        let beside = before.filter_map(|bot| bot.source.as_ref()).flat_map(BotSource::companions);
        places.extend(beside.filter_map(|file| inside(&file, &base.top)));
        let of_base = places.len();
        let now = self.events.iter().flat_map(|event| &event.head);
        for HeadBot { source, .. } in now {
            places.extend(relative(source, top));
            places.extend(source.companions().iter().filter_map(|file| inside(file, top)));
        }
        let unreadable = self.events.iter().flat_map(|event| &event.unreadable);
        places.extend(unreadable.filter_map(|bot| relative(bot, top)));
        for broken in self.problems.iter().filter_map(|problem| inside(&problem.file, top)) {
            // With a manifest that cannot be read come the files that it is of, unless other bots
            // are beside it.
            let is_manifest = MANIFESTS.iter().any(|name| broken.ends_with(name));
            let folder = broken.parent().filter(|folder| is_manifest && *folder != Path::new(""));
            let folder = folder.filter(|folder| !places.iter().any(|one| is_within(one, folder)));
            places.extend(folder.map(Path::to_owned));
            places.push(broken);
        }
        // A new bot brings its files: what is there already and is no bot's does not become its.
        let is_of = |path: &PathBuf| {
            let is_new = base.top.join(path).symlink_metadata().is_err();
            let places = if is_new { places.as_slice() } else { &places[..of_base] };
            places.iter().any(|place| is_within(path, place))
        };
        let is_other = |path: &&PathBuf| of_games.contains(*path) || !is_of(path);
        base.touched.iter().filter(is_other).cloned().collect()
    }
}

/// Returns the files that the rules of the tournament's own games follow from, before and
/// now: they are no bot's, wherever a path of bots leads.
fn game_files(base: &Base, in_force: &InForce, request: &Request) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut add = |games: &[ExternalGame], top: &Path| {
        for game in games {
            let folder = inside(&game.folder, top);
            files.extend(
                folder.iter().flat_map(|folder| game.files.iter().map(|file| folder.join(file))),
            );
        }
    };
    add(&in_force.tournament.external, &base.top);
    // What cannot be read now decides nothing.
    if let Ok(now) = joust_config::load(&request.file, &request.games) {
        add(&now.external, &top(base));
    }
    files
}

fn as_problem(problem: &bots::Problem, top: &Path) -> Problem {
    Problem {
        file: shown(&problem.file, top),
        line: problem.place.map(|(line, _)| line),
        column: problem.place.map(|(_, column)| column),
        message: problem.message.clone(),
        hint: problem.hint.clone(),
    }
}

impl Compared<'_> {
    fn report(&self, top: &Path) -> EventReport {
        EventReport {
            event: self.event.id.clone(),
            planned: None,
            played: 0,
            missing: 0,
            left: 0,
            bots: self.entries.iter().map(|entry| bot_report(entry, top)).collect(),
            rebuilt: self.rebuilt.clone(),
            movement: Movement::default(),
            ratings: Vec::new(),
            table: None,
        }
    }

    /// Returns the bots that are new, changed or built anew.
    pub(super) fn bots_that_play_again(&self) -> Vec<String> {
        let here = self.entries.iter().filter(|entry| entry.head.is_some());
        let rebuilt = self.rebuilt.iter().map(|one| one.bot.clone());
        here.map(|entry| entry.name().to_owned()).chain(rebuilt).collect()
    }

    /// Returns what bots of a new name were called.
    pub(super) fn renamed(&self) -> BTreeMap<String, String> {
        let renamed = self.entries.iter().filter_map(|entry| match &entry.change {
            Change::Renamed { from } => Some((entry.name().to_owned(), from.clone())),
            _ => None,
        });
        renamed.collect()
    }
}

fn bot_report(entry: &Entry, top: &Path) -> BotReport {
    let source = entry.head.as_ref().map(|head| &head.source);
    let before = || entry.base.as_ref().and_then(|base| base.path.clone());
    BotReport {
        bot: entry.name().to_owned(),
        change: entry.change.clone(),
        author: source.and_then(|source| source.manifest.author.clone()),
        language: source.map(|source| source.manifest.language.clone()),
        path: source.map_or_else(before, |source| Some(shown(&manifest(source), top))),
        not_built: None,
        trial: None,
        state: match entry.change {
            Change::Unreadable => BotState::Broken,
            _ => BotState::Fine,
        },
    }
}

/// The file that says what a bot is.
fn manifest(source: &BotSource) -> PathBuf {
    let inside = MANIFESTS.map(|name| source.found.join(name));
    inside.into_iter().find(|file| file.is_file()).unwrap_or_else(|| source.found.clone())
}
