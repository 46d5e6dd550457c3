//! Webhooks of `joust run`: the leaders, broken bots, and the end of the run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use joust_config::{Tournament, read_plain};
use joust_live::webhooks::{
    Address, EventOutcome, Handle, Message, Undelivered, Webhooks, parse_addresses,
};
use joust_model::escaped;
use joust_model::notices::{Listener, Notice};
use joust_orchestrator::board::count;
use joust_orchestrator::pipeline::{EventReport, RunOutcome, RunReport};
use joust_report::site::event_titles;
use joust_store::{Access, Store, StoreError};
use parking_lot::Mutex;
use tokio::task::JoinSet;

use crate::error::Failure;
use crate::output::Screen;

/// The variable that has addresses.
const VARIABLE: &str = "JOUST_WEBHOOKS";

/// The largest file of addresses, bytes.
const LARGEST: u64 = 64 << 10;

/// The webhooks of a run.
pub(super) struct RunWebhooks {
    webhooks: Webhooks,
    announcer: Arc<RunAnnouncer>,
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
    let webhooks =
        Webhooks::start(addresses, complain).map_err(|error| Failure::machine(&error))?;
    let announcer = RunAnnouncer::new(tournament, webhooks.handle.clone()).await;
    Ok(Some(RunWebhooks { webhooks, announcer: Arc::new(announcer), screen }))
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
        Failure::usage(message).hint("an address a line, such as `https://…` or `slack https://…`")
    })
}

/// Reads the file of addresses, which must not be where others get a copy.
fn read(file: &Path, name: &str, tournament: &Tournament) -> Result<String, Failure> {
    let cannot =
        |error: std::io::Error| Failure::usage(format!("`{name}` cannot be read: {error}"));
    let place = fs::canonicalize(file).map_err(cannot)?;
    let root = root_of(&tournament.folder);
    if place.starts_with(&root) {
        let message = format!("`{name}` lies in the folder of the tournament or its repository");
        return Err(Failure::usage(message).hint(
            "addresses of webhooks are secrets: keep the file elsewhere, such as in ~/.config",
        ));
    }
    let bytes = read_plain(&place, LARGEST).map_err(|error| cannot(error.into()))?;
    String::from_utf8(bytes)
        .map_err(|_| Failure::usage(format!("`{name}` is no list of addresses")))
}

/// Returns the repository in which a folder is, or the folder itself.
fn root_of(folder: &Path) -> PathBuf {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let root = folder.ancestors().find(|folder| folder.join(".git").exists());
    root.unwrap_or(&folder).to_owned()
}

impl RunWebhooks {
    /// Returns the listener that reports bots that are not built, and new leaders of a run that
    /// follows its bots.
    pub(super) fn listener(&self) -> Arc<dyn Listener> {
        Arc::new(WebhookListener(Arc::clone(&self.announcer)))
    }

    /// Sends the outcome of the run and waits until it is sent.
    pub(super) async fn finish(self, report: &RunReport, store: &Store) {
        let after = leaders_of(store).await.unwrap_or_default();
        let announcer = &self.announcer;
        for failing in report.events.iter().flat_map(|event| &event.failing) {
            announcer.report_broken(&failing.bot, "failed in every turn");
        }
        let readings = std::mem::take(&mut *announcer.readings.lock());
        readings.join_all().await;
        announcer.announce(&after);
        let outcome = |event: &EventReport| EventOutcome {
            event: event.event.clone(),
            title: announcer.title_of(&event.event),
            leaders: after.get(&event.event).cloned().unwrap_or_default(),
            bouts: event.share - event.missing.min(event.share),
            missing: event.missing,
        };
        announcer.handle.send(Message::RunFinished {
            tournament: announcer.tournament.clone(),
            ended: ended_word(&report.ended),
            events: report.events.iter().map(outcome).collect(),
        });
        self.flush();
    }

    /// Waits a moment until all announced messages are sent.
    pub(super) fn flush(self) {
        let Self { webhooks, announcer, screen } = self;
        // The sender ends when the last handle to it is dropped.
        drop(announcer);
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

/// Listener of a run. Bots that are not built are reported once each, and without the reason,
/// which may be private.
struct WebhookListener(Arc<RunAnnouncer>);

impl Listener for WebhookListener {
    fn notice(&self, notice: &Notice) {
        let announcer = &self.0;
        match notice {
            // A run that follows its bots has played everything.
            Notice::Waiting { .. } => {
                let reading = Arc::clone(announcer).read_and_announce();
                announcer.readings.lock().spawn(reading);
            }
            Notice::NotBuilt { bot, .. } if announcer.unbuilt.lock().insert(bot.clone()) => {
                announcer.report_broken(bot, "not built");
            }
            _ => {}
        }
    }
}

/// Leaders of each event.
type Leaders = BTreeMap<String, Vec<String>>;

/// Announces broken bots, and new leaders, each once.
struct RunAnnouncer {
    database: PathBuf,
    tournament: String,
    /// Titles by the events' ids.
    titles: BTreeMap<String, String>,
    handle: Handle,
    /// Leaders that were announced, or led when the run began.
    announced: Mutex<Leaders>,
    /// Bots that were reported as not built.
    unbuilt: Mutex<BTreeSet<String>>,
    /// Readings of the database that are under way.
    readings: Mutex<JoinSet<()>>,
}

impl RunAnnouncer {
    async fn new(tournament: &Tournament, handle: Handle) -> Self {
        let database = tournament.database.clone();
        let events = tournament.events.iter();
        let events: Vec<_> = events.map(|event| (event.id.as_str(), event.game.id())).collect();
        let announced = match database.exists() {
            true => read_leaders(&database).await,
            false => Leaders::new(),
        };
        Self {
            database,
            tournament: tournament.name.clone(),
            titles: event_titles(&tournament.games, &events, &tournament.site),
            handle,
            announced: Mutex::new(announced),
            unbuilt: Mutex::default(),
            readings: Mutex::default(),
        }
    }

    /// Returns what people call an event.
    fn title_of(&self, event: &str) -> String {
        self.titles.get(event).map_or(event, String::as_str).to_owned()
    }

    fn report_broken(&self, bot: &str, problem: &'static str) {
        let (tournament, bot) = (self.tournament.clone(), bot.to_owned());
        self.handle.send(Message::BotBroken { tournament, bot, problem });
    }

    /// Announces the leaders of all events, unless that was done before.
    fn announce(&self, leaders: &Leaders) {
        for (event, leaders) in leaders {
            let before = self.announced.lock().insert(event.clone(), leaders.clone());
            let before = before.unwrap_or_default();
            if *leaders != before && !leaders.is_empty() {
                self.handle.send(Message::NewLeader {
                    tournament: self.tournament.clone(),
                    event: event.clone(),
                    title: self.title_of(event),
                    leaders: leaders.clone(),
                    before,
                });
            }
        }
    }

    /// Reads the database while the run continues, and announces its leaders.
    async fn read_and_announce(self: Arc<Self>) {
        self.announce(&read_leaders(&self.database).await);
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
