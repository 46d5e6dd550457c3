//! Webhooks of `joust run`: who leads, which bots are broken, that the run has ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use joust_orchestrator::config::Tournament;
use joust_orchestrator::live::webhooks::{
    Address, EventOutcome, Handle, Message, Undelivered, Webhooks, parse_addresses,
};
use joust_orchestrator::model::escaped;
use joust_orchestrator::notices::{Listener, Notice};
use joust_orchestrator::pipeline::{Ended, RunReport};
use joust_orchestrator::report::site::{EventGame, titles_of};
use joust_orchestrator::store::Store;

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
pub(super) struct Called {
    pub(super) tournament: String,
    /// By the events' ids.
    titles: BTreeMap<String, String>,
}

impl Called {
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
pub(super) struct Hooks {
    webhooks: Webhooks,
    called: Called,
    lookout: Arc<LeaderWatcher>,
    screen: Screen,
}

/// Begins to send, if there is an address in the variable or in `file`.
pub(super) async fn start(
    file: Option<&Path>,
    tournament: &Tournament,
    screen: Screen,
) -> Result<Option<Hooks>, Failure> {
    let addresses = addresses(file, tournament)?;
    if addresses.is_empty() {
        return Ok(None);
    }
    let complain = move |undelivered: &_| warn(screen, undelivered);
    let webhooks = Webhooks::start(addresses, complain)
        .map_err(|error| Failure::from_error(Status::Machine, &error))?;
    let called = Called::of(tournament);
    let lookout =
        LeaderWatcher::start(&tournament.database, called.clone(), webhooks.handle().clone());
    let lookout = lookout.await.map_err(|error| Failure::from_error(Status::Machine, &error))?;
    Ok(Some(Hooks { webhooks, called, lookout: Arc::new(lookout), screen }))
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

impl Hooks {
    /// Returns who tells of bots that are not built.
    pub(super) fn listener(&self) -> Arc<dyn Listener> {
        let (handle, tournament) = (self.webhooks.handle().clone(), self.called.tournament.clone());
        let lookout = Arc::clone(&self.lookout);
        Arc::new(WebhookListener { handle, tournament, lookout, told: Mutex::default() })
    }

    /// Tells what came of the run and waits until that is sent.
    pub(super) async fn finish(self, report: &RunReport, store: &Store) {
        let after = leaders::of(store).await.unwrap_or_default();
        let handle = self.webhooks.handle();
        for event in &report.events {
            for failing in &event.failing {
                handle.tell(Message::BotBroken {
                    tournament: self.called.tournament.clone(),
                    bot: failing.bot.clone(),
                    problem: "failed in every turn",
                });
            }
            self.lookout.tell(&event.event, after.get(&event.event));
        }
        let outcome = |event: &joust_orchestrator::pipeline::EventReport| EventOutcome {
            event: event.event.clone(),
            title: self.called.title_of(&event.event),
            leaders: after.get(&event.event).cloned().unwrap_or_default(),
            bouts: event.share - event.missing.min(event.share),
            missing: event.missing,
        };
        handle.tell(Message::RunFinished {
            tournament: self.called.tournament.clone(),
            ended: said(&report.ended),
            events: report.events.iter().map(outcome).collect(),
        });
        self.flush();
    }

    /// Waits a moment until what was told is sent.
    pub(super) fn flush(self) {
        let Self { webhooks, lookout, screen, .. } = self;
        lookout.end();
        // The sender ends when nobody has anything to say any more.
        drop(lookout);
        webhooks.finish().iter().for_each(|undelivered| warn(screen, undelivered));
    }
}

fn warn(screen: Screen, undelivered: &Undelivered) {
    screen.error(&format!("warning: {undelivered}\n"));
}

fn said(ended: &Ended) -> &'static str {
    match ended {
        Ended::Complete => "complete",
        Ended::BudgetUsedUp => "budget used up",
        Ended::Interrupted => "interrupted",
        Ended::MachineFailed(_) => "machine failed",
    }
}

/// Tells of bots that are not built, of each once, and not why: that may be private.
struct WebhookListener {
    handle: Handle,
    tournament: String,
    lookout: Arc<LeaderWatcher>,
    told: Mutex<BTreeSet<String>>,
}

impl Listener for WebhookListener {
    fn notice(&self, notice: &Notice) {
        match notice {
            Notice::BoutFinished(_) => self.lookout.hear(),
            Notice::Closing => self.lookout.end(),
            Notice::NotBuilt { bot, .. } => self.tell_of(bot),
            _ => {}
        }
    }
}

impl WebhookListener {
    fn tell_of(&self, bot: &str) {
        if self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(bot.to_owned()) {
            let (tournament, bot) = (self.tournament.clone(), bot.to_owned());
            self.handle.tell(Message::BotBroken { tournament, bot, problem: "not built" });
        }
    }
}
