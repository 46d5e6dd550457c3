//! Webhooks of `joust run`: the leaders, broken bots, and the end of the run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use joust_config::Tournament;
use joust_live::webhooks::{
    Address, EventOutcome, Handle, Message, Undelivered, Webhooks, parse_addresses,
};
use joust_model::escaped;
use joust_model::notices::{Listener, Notice};
use joust_orchestrator::board::count;
use joust_orchestrator::pipeline::{RunOutcome, RunReport};
use joust_report::site::event_titles;
use joust_store::{Access, Store, StoreError};
use parking_lot::Mutex;
use tokio::task::JoinSet;

use crate::error::{Failure, Status};
use crate::output::Screen;

/// The variable that has addresses.
const VARIABLE: &str = "JOUST_WEBHOOKS";

/// The largest file of addresses, bytes.
const LARGEST: u64 = 64 << 10;

/// Names of a tournament and its events in messages.
#[derive(Clone, Debug)]
pub(super) struct TournamentTitles {
    pub(super) tournament: String,
    /// By the events' ids.
    titles: BTreeMap<String, String>,
}

impl TournamentTitles {
    fn of(tournament: &Tournament) -> Self {
        let events = tournament.events.iter();
        let events: Vec<_> = events.map(|event| (event.id.as_str(), event.game.id())).collect();
        let titles = event_titles(&tournament.games, &events, &tournament.site);
        Self { tournament: tournament.name.clone(), titles }
    }

    /// Returns what people call an event.
    pub(super) fn title_of(&self, event: &str) -> String {
        self.titles.get(event).map_or(event, String::as_str).to_owned()
    }
}

/// The webhooks of a run.
pub(super) struct RunWebhooks {
    webhooks: Webhooks,
    called: TournamentTitles,
    leaders: Arc<LeaderAnnouncer>,
    screen: Screen,
}

/// Starts to send, if there is an address in the variable or in `file`.
pub(super) async fn start(
    file: Option<&Path>,
    tournament: &Tournament,
    screen: Screen,
) -> Result<Option<RunWebhooks>, Failure> {
    let addresses = addresses(file, tournament)?;
    if addresses.is_empty() {
        return Ok(None);
    }
    let complain = move |undelivered: &_| warn(screen, undelivered);
    let webhooks = Webhooks::start(addresses, complain)
        .map_err(|error| Failure::from_error(Status::Machine, &error))?;
    let called = TournamentTitles::of(tournament);
    let leaders =
        LeaderAnnouncer::new(&tournament.database, called.clone(), webhooks.handle().clone());
    let leaders = Arc::new(leaders.await);
    Ok(Some(RunWebhooks { webhooks, called, leaders, screen }))
}

fn addresses(file: Option<&Path>, tournament: &Tournament) -> Result<Vec<Address>, Failure> {
    let mut addresses = Vec::new();
    if let Some(text) = std::env::var_os(VARIABLE).filter(|text| !text.is_empty()) {
        addresses.extend(parsed(&text.to_string_lossy(), VARIABLE)?);
    }
    if let Some(file) = file {
        let name = escaped(&file.display().to_string());
        addresses.extend(parsed(&read(file, &name, tournament)?, &name)?);
    }
    Ok(addresses)
}

fn parsed(text: &str, place: &str) -> Result<Vec<Address>, Failure> {
    parse_addresses(text).map_err(|error| {
        let message = format!("`{place}`: {error}");
        Failure::new(Status::Usage, message)
            .hint("an address a line, such as `https://…` or `slack https://…`")
    })
}

/// Reads the file of addresses, which must not be where others get a copy.
fn read(file: &Path, name: &str, tournament: &Tournament) -> Result<String, Failure> {
    let cannot = |error: std::io::Error| {
        Failure::new(Status::Usage, format!("`{name}` cannot be read: {error}"))
    };
    let place = fs::canonicalize(file).map_err(cannot)?;
    let root = root_of(&tournament.folder);
    if place.starts_with(&root) {
        let message = format!("`{name}` lies in the folder of the tournament or its repository");
        return Err(Failure::new(Status::Usage, message).hint(
            "addresses of webhooks are secrets: keep the file elsewhere, such as in ~/.config",
        ));
    }
    if fs::metadata(&place).map_err(cannot)?.len() > LARGEST {
        return Err(Failure::new(Status::Usage, format!("`{name}` is no list of addresses")));
    }
    fs::read_to_string(&place).map_err(cannot)
}

/// Returns the repository in which a folder is, or the folder itself.
fn root_of(folder: &Path) -> PathBuf {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let root = folder.ancestors().find(|folder| folder.join(".git").exists());
    root.unwrap_or(&folder).to_owned()
}

impl RunWebhooks {
    /// Returns the listener that reports bots that are not built.
    pub(super) fn listener(&self) -> Arc<dyn Listener> {
        let (handle, tournament) = (self.webhooks.handle().clone(), self.called.tournament.clone());
        let leaders = Arc::clone(&self.leaders);
        Arc::new(WebhookListener { handle, tournament, leaders, told: Mutex::default() })
    }

    /// Sends the outcome of the run and waits until it is sent.
    pub(super) async fn finish(self, report: &RunReport, store: &Store) {
        let after = leaders_of(store).await.unwrap_or_default();
        let handle = self.webhooks.handle();
        for event in &report.events {
            for failing in &event.failing {
                handle.send(Message::BotBroken {
                    tournament: self.called.tournament.clone(),
                    bot: failing.bot.clone(),
                    problem: "failed in every turn",
                });
            }
        }
        self.leaders.finish().await;
        self.leaders.announce(&after);
        let outcome = |event: &joust_orchestrator::pipeline::EventReport| EventOutcome {
            event: event.event.clone(),
            title: self.called.title_of(&event.event),
            leaders: after.get(&event.event).cloned().unwrap_or_default(),
            bouts: event.share - event.missing.min(event.share),
            missing: event.missing,
        };
        handle.send(Message::RunFinished {
            tournament: self.called.tournament.clone(),
            ended: ended_word(&report.ended),
            events: report.events.iter().map(outcome).collect(),
        });
        self.flush();
    }

    /// Waits a moment until all announced messages are sent.
    pub(super) fn flush(self) {
        let Self { webhooks, leaders, screen, .. } = self;
        // The sender ends when the last handle to it is dropped.
        drop(leaders);
        webhooks.finish().iter().for_each(|undelivered| warn(screen, undelivered));
    }
}

fn warn(screen: Screen, undelivered: &Undelivered) {
    screen.error(&format!("warning: {undelivered}\n"));
}

fn ended_word(ended: &RunOutcome) -> &'static str {
    match ended {
        RunOutcome::Complete => "complete",
        RunOutcome::BudgetUsedUp => "budget used up",
        RunOutcome::Interrupted => "interrupted",
        RunOutcome::MachineFailed(_) => "machine failed",
    }
}

/// Reports bots that are not built, each one once, and without the reason, which may be private.
struct WebhookListener {
    handle: Handle,
    tournament: String,
    leaders: Arc<LeaderAnnouncer>,
    told: Mutex<BTreeSet<String>>,
}

impl Listener for WebhookListener {
    fn notice(&self, notice: &Notice) {
        match notice {
            // A run that follows its bots has played everything.
            Notice::Waiting { .. } => self.leaders.read_and_announce(),
            Notice::NotBuilt { bot, .. } => self.report_unbuilt(bot),
            _ => {}
        }
    }
}

impl WebhookListener {
    fn report_unbuilt(&self, bot: &str) {
        if self.told.lock().insert(bot.to_owned()) {
            let (tournament, bot) = (self.tournament.clone(), bot.to_owned());
            self.handle.send(Message::BotBroken { tournament, bot, problem: "not built" });
        }
    }
}

/// Leaders of each event.
type Leaders = BTreeMap<String, Vec<String>>;

/// Announces new leaders, each once.
struct LeaderAnnouncer {
    database: PathBuf,
    titles: TournamentTitles,
    handle: Handle,
    /// Leaders that were announced, or led when the run began.
    announced: Mutex<Leaders>,
    /// Readings of the database that are under way.
    readings: Mutex<JoinSet<()>>,
}

impl LeaderAnnouncer {
    pub(super) async fn new(database: &Path, titles: TournamentTitles, handle: Handle) -> Self {
        let announced = match database.exists() {
            true => read_leaders(database).await,
            false => Leaders::new(),
        };
        let (announced, readings) = (Mutex::new(announced), Mutex::default());
        Self { database: database.to_owned(), titles, handle, announced, readings }
    }

    /// Announces the leaders of all events, unless that was done before.
    pub(super) fn announce(&self, leaders: &Leaders) {
        for (event, leaders) in leaders {
            let before = self.announced.lock().insert(event.clone(), leaders.clone());
            let before = before.unwrap_or_default();
            if *leaders != before && !leaders.is_empty() {
                self.handle.send(Message::NewLeader {
                    tournament: self.titles.tournament.clone(),
                    event: event.clone(),
                    title: self.titles.title_of(event),
                    leaders: leaders.clone(),
                    before,
                });
            }
        }
    }

    /// Reads the database while the run continues, and announces its leaders.
    pub(super) fn read_and_announce(self: &Arc<Self>) {
        let announcer = Arc::clone(self);
        self.readings.lock().spawn(async move {
            announcer.announce(&read_leaders(&announcer.database).await);
        });
    }

    /// Waits for readings under way.
    pub(super) async fn finish(&self) {
        let readings = std::mem::take(&mut *self.readings.lock());
        readings.join_all().await;
    }
}

/// Returns the leaders in a database; none where it cannot be read, which the run itself reports.
async fn read_leaders(database: &Path) -> Leaders {
    let Ok(store) = Store::open(database, Access::ReadOnly).await else { return Leaders::new() };
    let found = leaders_of(&store).await.unwrap_or_default();
    store.close().await;
    found
}

/// Returns the leaders of each event that has bouts.
async fn leaders_of(store: &Store) -> Result<Leaders, StoreError> {
    let mut all = Leaders::new();
    for settings in store.events().await? {
        let Some(info) = store.event(&settings.id).await? else { continue };
        let count = count(store, &info).await?;
        if !count.is_empty() {
            let table = count.standings(&info, &settings.tie_breaks);
            let first = table.rows.iter().filter(|row| row.rank == Some(1));
            all.insert(settings.id, first.map(|row| row.bot.name.clone()).collect());
        }
    }
    Ok(all)
}
