//! Webhooks of `joust run`: who leads, which bots are broken, that the run has ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use joust_config::Tournament;
use joust_live::webhooks::{
    Address, EventOutcome, Handle, Message, Undelivered, Webhooks, parse_addresses,
};
use joust_model::escaped;
use joust_model::notices::{Listener, Notice};
use joust_orchestrator::pipeline::{RunOutcome, RunReport};
use joust_report::site::{EventGame, titles_of};
use joust_store::Store;

use super::leaders::{self, LeaderWatcher};
use crate::error::Failure;
use crate::exit_code::Status;
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
        let games: Vec<_> = tournament
            .events
            .iter()
            .map(|event| EventGame { id: &event.id, game: event.game.id() })
            .collect();
        let titles = titles_of(&tournament.games, &games, &tournament.site);
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
    watcher: Arc<LeaderWatcher>,
    screen: Screen,
}

/// Begins to send, if there is an address in the variable or in `file`.
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
    let watcher =
        LeaderWatcher::start(&tournament.database, called.clone(), webhooks.handle().clone());
    let watcher = watcher.await.map_err(|error| Failure::from_error(Status::Machine, &error))?;
    Ok(Some(RunWebhooks { webhooks, called, watcher: Arc::new(watcher), screen }))
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
    /// Returns who tells of bots that are not built.
    pub(super) fn listener(&self) -> Arc<dyn Listener> {
        let (handle, tournament) = (self.webhooks.handle().clone(), self.called.tournament.clone());
        let watcher = Arc::clone(&self.watcher);
        Arc::new(WebhookListener { handle, tournament, watcher, told: Mutex::default() })
    }

    /// Tells what came of the run and waits until that is sent.
    pub(super) async fn finish(self, report: &RunReport, store: &Store) {
        let after = leaders::of(store).await.unwrap_or_default();
        let handle = self.webhooks.handle();
        for event in &report.events {
            for failing in &event.failing {
                handle.send(Message::BotBroken {
                    tournament: self.called.tournament.clone(),
                    bot: failing.bot.clone(),
                    problem: "failed in every turn",
                });
            }
            self.watcher.announce(&event.event, after.get(&event.event));
        }
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

    /// Waits a moment until what was told is sent.
    pub(super) fn flush(self) {
        let Self { webhooks, watcher, screen, .. } = self;
        watcher.end();
        // The sender ends when nobody has anything to say any more.
        drop(watcher);
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

/// Tells of bots that are not built, of each once, and not why: that may be private.
struct WebhookListener {
    handle: Handle,
    tournament: String,
    watcher: Arc<LeaderWatcher>,
    told: Mutex<BTreeSet<String>>,
}

impl Listener for WebhookListener {
    fn notice(&self, notice: &Notice) {
        match notice {
            Notice::BoutFinished(_) => self.watcher.note_bout_end(),
            Notice::Closing => self.watcher.end(),
            Notice::NotBuilt { bot, .. } => self.report_unbuilt(bot),
            _ => {}
        }
    }
}

impl WebhookListener {
    fn report_unbuilt(&self, bot: &str) {
        if self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(bot.to_owned()) {
            let (tournament, bot) = (self.tournament.clone(), bot.to_owned());
            self.handle.send(Message::BotBroken { tournament, bot, problem: "not built" });
        }
    }
}
