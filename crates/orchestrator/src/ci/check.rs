//! The whole of `joust ci`: what changed, whether it may, what came of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tempfile::TempDir;

use super::base::{Base, BaseBot, BaseError, copy};
use super::change::{Change, Entry, Hashes, HeadBot, compare, is_within, relative};
use super::gate::{Duel, GateSettings};
use super::owners::{EventBots, Rules};
use super::place;
use super::report::{
    BotReport, EventReport, Fault, Outcome, Planned, Problem, Rating, RatingMoved, Refusal, Report,
    Table,
};
use super::trial::trial;
use crate::bots::{self, BotSource, NotBuilt};
use crate::config::{Event, Tournament};
use crate::pipeline::{
    self, Cancel, Ended, Listener, Mode, Notice, RunError, RunOptions, RunReport, Workshop,
    WorkshopError,
};
use crate::ratings::event::rate;
use crate::standings::{self, Movement, moved};
use crate::store::{Access, Store, StoreError, TournamentRow};

/// How many lines of a failed build's log are shown.
const LOG_LINES: usize = 40;
/// How many characters of one of these lines.
const LINE_WIDTH: usize = 300;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Request {
    /// The commit to compare with, by any name.
    pub base: Option<String>,
    /// The database with the results before the change.
    pub base_database: Option<PathBuf>,
    /// Who proposes the change; `None` when owners are not asked.
    pub author: Option<String>,
    /// Share of faulty turns above which a bot counts as broken, percent.
    pub max_faults: u8,
    /// Whether a changed bot must be stronger than the one it replaces, and how that
    /// is found out; needs a commit to compare with.
    pub gate: Option<GateSettings>,
    /// How it is played.
    pub run: RunOptions,
}

/// Why a change could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CiError {
    /// Nothing was named to compare with.
    #[error("nothing to compare with")]
    NoBase,
    /// The base cannot be told.
    #[error(transparent)]
    Base(#[from] BaseError),
    /// The machine cannot be made ready.
    #[error(transparent)]
    Workshop(#[from] WorkshopError),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A folder cannot be made.
    #[error("a folder for the base cannot be made")]
    Folder(#[source] std::io::Error),
}

impl From<super::GitError> for CiError {
    fn from(error: super::GitError) -> Self {
        Self::Base(BaseError::Git(error))
    }
}

/// Checks a change: builds and plays what it needs and nothing else, unless it
/// may not be made. How the run ended is the second value; `None` when nothing
/// was run.
///
/// # Errors
///
/// [`CiError`] when the base cannot be told or the machine failed; what is wrong
/// with the change itself is part of the report.
pub async fn check(
    tournament: &Tournament,
    request: &Request,
    listener: Arc<dyn Listener>,
    cancel: Cancel,
) -> Result<(Report, Option<Ended>), CiError> {
    let began = Instant::now();
    let before = Before::open(tournament, request).await?;
    let base = match (&request.base, &before.store, &request.base_database) {
        (Some(name), ..) => Base::of_commit(name, tournament)?,
        (None, Some(store), Some(path)) => Base::of_database(path, store).await?,
        _ => return Err(CiError::NoBase),
    };
    if let Some(refusal) = foreign_programs(tournament, request, &base) {
        leave_a_database(tournament, request).await?;
        return Ok((refused(refusal, request, &base), None));
    }
    let workshop =
        Workshop::open(tournament, &request.run.cache, request.run.isolation)?.stopped_by(&cancel);
    let events = chosen(tournament, &request.run.events)?;
    let survey = survey(tournament, &workshop, &base, &events)?;
    let report = survey.report(request, &base, tournament);
    let until = request.run.budget.map(|budget| began + budget);
    let check = Check { tournament, request, workshop, before, base, until };
    check.finish(survey, report, listener, cancel).await
}

/// Begins with the results before the change, unless there are some already.
async fn take_over_results(tournament: &Tournament, request: &Request) -> Result<(), StoreError> {
    let named = request.base_database.as_deref();
    match named.filter(|_| !tournament.database.exists()) {
        Some(from) => Store::copy(from, &tournament.database).await,
        None => Ok(()),
    }
}

/// A shard that plays nothing has a database all the same, so that those of all
/// can be joined.
async fn leave_a_database(tournament: &Tournament, request: &Request) -> Result<(), StoreError> {
    if request.run.shard.is_none() {
        return Ok(());
    }
    take_over_results(tournament, request).await?;
    let store = Store::open(&tournament.database, Access::CreateOrOpen).await?;
    let row = TournamentRow { name: tournament.name.clone(), seed: tournament.seed };
    store.put_tournament(&row).await?;
    store.close().await;
    Ok(())
}

/// The programs of `languages:` are asked for their versions outside the sandbox,
/// so a stranger may not name others.
fn foreign_programs(tournament: &Tournament, request: &Request, base: &Base) -> Option<Refusal> {
    let earlier = base.tournament.as_ref()?;
    if earlier.languages == tournament.languages {
        return None;
    }
    let author = request.author.as_deref()?;
    let rules = Rules { author: None, entries: &earlier.entries, now: &tournament.entries };
    (!rules.is_maintainer(author)).then(|| Refusal {
        event: None,
        bot: None,
        file: Some(shown(&tournament.file, &top(base))),
        reason: format!(
            "`languages` names programs that run outside the sandbox: only a maintainer may \
             change it, not `{author}`"
        ),
    })
}

/// A report of a change of which nothing was even looked at.
fn refused(refusal: Refusal, request: &Request, base: &Base) -> Report {
    Report {
        outcome: Outcome::Refused,
        base: base.label.clone(),
        author: request.author.clone(),
        notes: base.notes.clone(),
        refusals: vec![refusal],
        problems: Vec::new(),
        other_files: base.touched.clone(),
        events: Vec::new(),
        gates: Vec::new(),
    }
}

/// The results before the change.
struct Before {
    /// A copy of the base's database; `None` when there is none.
    store: Option<Store>,
    _folder: Option<TempDir>,
}

impl Before {
    /// Copies the database with the results before the change, or what the
    /// tournament's own has before this run.
    async fn open(tournament: &Tournament, request: &Request) -> Result<Self, CiError> {
        let named = request.base_database.as_deref();
        let own = Some(tournament.database.as_path()).filter(|path| path.exists());
        let Some(path) = named.or(own) else { return Ok(Self { store: None, _folder: None }) };
        let folder = TempDir::new().map_err(CiError::Folder)?;
        let store = copy(path, &folder.path().join("base.db")).await?;
        Ok(Self { store: Some(store), _folder: Some(folder) })
    }

    async fn table(&self, event: &str) -> Result<Option<Table>, StoreError> {
        match &self.store {
            Some(store) => table_of(store, event).await,
            None => Ok(None),
        }
    }
}

async fn table_of(store: &Store, event: &str) -> Result<Option<Table>, StoreError> {
    let Some(info) = store.event(event).await? else { return Ok(None) };
    let results = store.results(event).await?;
    let mut standings = standings::table(&info, &results, &info.settings.tie_breaks);
    standings.head = store.head().await?;
    let bots: Vec<_> = standings.playing().iter().map(|row| row.bot.name.as_str()).collect();
    let ratings = rate(&info, &bots, &results);
    Ok(Some(Table { standings, ratings }))
}

/// Returns how each bot was rated under the name it had, and is now.
fn ratings(
    before: Option<&Table>,
    after: &Table,
    movement: &Movement,
    renamed: &HashMap<String, String>,
) -> Vec<RatingMoved> {
    let rating = |table: Option<&Table>, bot: &str| {
        let row = table?.ratings.of(bot)?;
        Some(Rating { rating: row.rating?, low: row.low, high: row.high })
    };
    let moved = |bot: &String| RatingMoved {
        bot: bot.clone(),
        before: rating(before, renamed.get(bot).unwrap_or(bot)),
        after: rating(Some(after), bot),
    };
    movement.bots.iter().map(|one| moved(&one.bot)).collect()
}

fn chosen<'a>(tournament: &'a Tournament, wanted: &[String]) -> Result<Vec<&'a Event>, RunError> {
    if let Some(unknown) = wanted.iter().find(|id| tournament.event(id).is_none()) {
        return Err(RunError::NoSuchEvent(unknown.clone()));
    }
    let all = tournament.events.iter();
    Ok(all.filter(|event| wanted.is_empty() || wanted.contains(&event.id)).collect())
}

/// What an event's bots are, and were.
struct Compared<'a> {
    event: &'a Event,
    base: Vec<BaseBot>,
    head: Vec<HeadBot>,
    entries: Vec<Entry>,
    one_per_owner: bool,
}

/// Everything that was found, before anything is built.
struct Survey<'a> {
    events: Vec<Compared<'a>>,
    problems: Vec<bots::Problem>,
}

fn survey<'a>(
    tournament: &Tournament,
    workshop: &Workshop,
    base: &Base,
    events: &[&'a Event],
) -> Result<Survey<'a>, CiError> {
    let (mut compared, mut problems) = (Vec::new(), Vec::new());
    for event in events {
        let (sources, wrong) = workshop.survey(tournament, event);
        problems.extend(wrong);
        let mut head = Vec::new();
        for source in sources {
            match Hashes::of(&source, workshop.languages()) {
                Ok(hashes) => {
                    let key = workshop.key(&source, event).ok();
                    head.push(HeadBot { source, hashes, key });
                }
                Err(problem) => problems.push(problem),
            }
        }
        let before = base.field(workshop, event);
        let entries = compare(&before, &head);
        let earlier = base.tournament.as_ref().and_then(|earlier| earlier.event(&event.id));
        compared.push(Compared {
            event,
            base: before,
            head,
            entries,
            one_per_owner: earlier.unwrap_or(event).one_per_owner,
        });
    }
    let top = top(base);
    let paths = compared.iter().flat_map(|event| &event.head);
    let mut paths: Vec<_> = paths.filter_map(|bot| relative(&bot.source, &top)).collect();
    paths.extend(problems.iter().filter_map(|problem| inside(&problem.file, &top)));
    base.insist_on_submodules(&paths)?;
    Ok(Survey { events: compared, problems })
}

/// The top of the repository, else this folder.
fn top(base: &Base) -> PathBuf {
    base.repository.as_ref().map_or_else(|| PathBuf::from("."), |found| found.root.clone())
}

fn inside(file: &Path, top: &Path) -> Option<PathBuf> {
    let file = file.canonicalize().ok()?;
    file.strip_prefix(top.canonicalize().ok()?).ok().map(Path::to_owned)
}

/// A file as people know it: relative to the repository where it is in it.
fn shown(file: &Path, top: &Path) -> PathBuf {
    inside(file, top).unwrap_or_else(|| file.to_owned())
}

impl Survey<'_> {
    /// Makes the report of what was found; nothing is played for it.
    fn report(&self, request: &Request, base: &Base, tournament: &Tournament) -> Report {
        let top = top(base);
        let rules = Rules {
            author: request.author.as_deref(),
            entries: base.tournament.as_ref().map_or(&tournament.entries, |was| &was.entries),
            now: &tournament.entries,
        };
        let others = self.other_files(base, &top);
        let mut refusals = rules.other_files(&others);
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
            notes: base.notes.clone(),
            refusals,
            problems: self.problems.iter().map(|problem| as_problem(problem, &top)).collect(),
            other_files: others,
            events: self.events.iter().map(|event| event.report(&top)).collect(),
            gates: Vec::new(),
        };
        report.conclude();
        report
    }

    /// Returns the files that were touched and belong to no bot.
    fn other_files(&self, base: &Base, top: &Path) -> Vec<PathBuf> {
        let before = self.events.iter().flat_map(|event| &event.base);
        let mut places: Vec<PathBuf> = before.filter_map(|bot| bot.path.clone()).collect();
        let now = self.events.iter().flat_map(|event| &event.head);
        places.extend(now.filter_map(|bot| relative(&bot.source, top)));
        let broken = self.problems.iter().filter_map(|problem| inside(&problem.file, top));
        places.extend(broken);
        let is_other = |path: &&PathBuf| !places.iter().any(|place| is_within(path, place));
        base.touched.iter().filter(is_other).cloned().collect()
    }
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
            bots: self.entries.iter().map(|entry| bot_report(entry, top)).collect(),
            movement: Movement::default(),
            ratings: Vec::new(),
            table: None,
        }
    }

    fn renamed(&self) -> HashMap<String, String> {
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
        broken: false,
    }
}

/// The file that says what a bot is.
fn manifest(source: &BotSource) -> PathBuf {
    let inside = ["bot.yaml", "bot.json"].map(|name| source.found.join(name));
    inside.into_iter().find(|file| file.is_file()).unwrap_or_else(|| source.found.clone())
}

/// A change that is being checked.
struct Check<'a> {
    tournament: &'a Tournament,
    request: &'a Request,
    workshop: Workshop,
    before: Before,
    base: Base,
    until: Option<Instant>,
}

impl Check<'_> {
    async fn finish(
        self,
        survey: Survey<'_>,
        mut report: Report,
        listener: Arc<dyn Listener>,
        cancel: Cancel,
    ) -> Result<(Report, Option<Ended>), CiError> {
        let tables = self.tables_before(&survey).await?;
        if report.outcome != Outcome::InOrder {
            for (event, table) in report.events.iter_mut().zip(tables) {
                event.table = table;
            }
            leave_a_database(self.tournament, self.request).await?;
            return Ok((report, None));
        }
        take_over_results(self.tournament, self.request).await?;
        let ear = Arc::new(Ear { listener, heard: Mutex::default() });
        let sources = survey.events.iter().map(|event| sources(&event.head)).collect();
        let options = &self.request.run;
        let run =
            pipeline::run_with(self.tournament, options, sources, ear.clone(), cancel.clone())
                .await?;
        ear.tell(&mut report, &run);
        let mut ended = run.ended.clone();
        if options.mode == Mode::Play {
            self.tell_results(&survey, &tables, &run, &mut report).await?;
            report.conclude();
            if report.outcome == Outcome::InOrder && ended == Ended::Complete {
                ended = self.gate(&survey, &mut report, &ear.listener, &cancel).await?;
            }
        }
        report.conclude();
        Ok((report, Some(ended)))
    }

    /// Lets every changed bot meet the one it replaces. A shard leaves that to the
    /// run on all results.
    async fn gate(
        &self,
        survey: &Survey<'_>,
        report: &mut Report,
        listener: &Arc<dyn Listener>,
        cancel: &Cancel,
    ) -> Result<Ended, RunError> {
        let Some(settings) = &self.request.gate else { return Ok(Ended::Complete) };
        if self.request.run.shard.is_some() {
            return Ok(Ended::Complete);
        }
        for event in &survey.events {
            for entry in event.entries.iter().filter(|entry| entry.change == Change::Changed) {
                let Some((head, before)) = both_versions(entry) else { continue };
                let Some(key) = head.key else { continue };
                let duel = Duel {
                    tournament: self.tournament,
                    event: event.event,
                    now: head.source.clone(),
                    key,
                    before: before.clone(),
                    settings,
                    options: &self.request.run,
                    until: self.until,
                };
                let (gate, ended) = duel.fight(listener, cancel).await?;
                report.gates.push(gate);
                if ended != Ended::Complete {
                    return Ok(ended);
                }
            }
        }
        Ok(Ended::Complete)
    }

    async fn tables_before(&self, survey: &Survey<'_>) -> Result<Vec<Option<Table>>, StoreError> {
        let mut tables = Vec::new();
        for event in &survey.events {
            tables.push(self.before.table(&event.event.id).await?);
        }
        Ok(tables)
    }

    async fn tell_results(
        &self,
        survey: &Survey<'_>,
        tables: &[Option<Table>],
        run: &RunReport,
        report: &mut Report,
    ) -> Result<(), StoreError> {
        let store = Store::open(&self.tournament.database, Access::ReadOnly).await?;
        for (place, event) in survey.events.iter().enumerate() {
            let told = &mut report.events[place];
            let Some(after) = table_of(&store, &event.event.id).await? else { continue };
            let (before, renamed) = (tables[place].as_ref(), event.renamed());
            let earlier = before.map(|table| &table.standings);
            told.movement = moved(earlier, &after.standings, &renamed);
            told.ratings = ratings(before, &after, &told.movement, &renamed);
            told.table = Some(after);
            let results = store.results(&event.event.id).await?;
            let failed = run.events.iter().find(|one| one.event == event.event.id);
            let failed = failed.map(|one| one.failed.as_slice()).unwrap_or_default();
            for (bot, entry) in told.bots.iter_mut().zip(&event.entries) {
                let Some(head) = &entry.head else { continue };
                match failed.iter().find(|(name, _)| *name == bot.bot) {
                    Some((_, reason)) => {
                        bot.not_built = Some(self.fault(&head.source, event.event, reason));
                        bot.broken = true;
                    }
                    None => {
                        let trial = trial(&store, &results, &bot.bot).await?;
                        let most = f64::from(self.request.max_faults);
                        bot.broken = trial.faults_percent > most;
                        bot.trial = Some(trial).filter(|trial| trial.bouts > 0);
                    }
                }
            }
        }
        store.close().await;
        Ok(())
    }

    fn fault(&self, source: &BotSource, event: &Event, reason: &NotBuilt) -> Fault {
        let log = self.workshop.failed_log(source, event).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let last = &lines[lines.len().saturating_sub(LOG_LINES)..];
        let place = source.tree(self.workshop.languages()).ok().and_then(|tree| {
            let files: Vec<_> = tree.files.iter().map(|file| file.path.clone()).collect();
            let (file, line) = place::find(&log, &files)?;
            Some((shown(&tree.root.join(file), &top(&self.base)), line))
        });
        Fault {
            word: reason.word(),
            reason: reason.to_string(),
            log: last.iter().map(|line| line.chars().take(LINE_WIDTH).collect()).collect(),
            line: place.as_ref().map(|(_, line)| *line),
            file: place.map(|(file, _)| file),
            ours: matches!(
                reason,
                NotBuilt::Infrastructure(_) | NotBuilt::MissingToolchain(_) | NotBuilt::Stopped
            ),
        }
    }
}

fn both_versions(entry: &Entry) -> Option<(&HeadBot, &BotSource)> {
    let before = entry.base.as_ref()?.source.as_ref()?;
    Some((entry.head.as_ref()?, before))
}

fn sources(head: &[HeadBot]) -> Vec<BotSource> {
    head.iter().map(|bot| bot.source.clone()).collect()
}

/// Passes notices on and remembers what the report needs of them.
struct Ear {
    listener: Arc<dyn Listener>,
    heard: Mutex<Heard>,
}

#[derive(Default)]
struct Heard {
    planned: HashMap<String, Planned>,
    played: HashMap<String, u64>,
    event: String,
}

impl Ear {
    fn tell(&self, report: &mut Report, run: &RunReport) {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        let estimates = run.estimate.iter().flat_map(|estimate| &estimate.events);
        for event in &mut report.events {
            let dry = estimates.clone().find(|one| one.event == event.event).map(|one| Planned {
                matches: one.matches,
                bouts: one.bouts,
                seconds: one.time.as_secs(),
            });
            event.planned = heard.planned.get(&event.event).copied().or(dry);
            event.played = heard.played.get(&event.event).copied().unwrap_or(0);
            let done = run.events.iter().find(|one| one.event == event.event);
            event.missing = done.filter(|_| run.estimate.is_none()).map_or(0, |one| one.missing);
        }
    }
}

impl Listener for Ear {
    fn notice(&self, notice: &Notice) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        match notice {
            Notice::Planned { event, matches, bouts, time, .. } => {
                let seconds = time.as_secs();
                let planned = Planned { matches: *matches, bouts: *bouts, seconds };
                heard.planned.insert(event.clone(), planned);
            }
            Notice::Scheduled { event, .. } => heard.event.clone_from(event),
            Notice::BoutFinished(_) => {
                let event = heard.event.clone();
                *heard.played.entry(event).or_default() += 1;
            }
            _ => {}
        }
        drop(heard);
        self.listener.notice(notice);
    }
}
