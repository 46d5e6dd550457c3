//! Leaders of a tournament's events, and a lookout that tells webhooks when others lead.
//!
//! While a run goes on, a thread reads the table now and then, if bouts have ended. It takes at
//! most a fiftieth of a core. Who leads only for a moment is not told: the same bots have to lead at two
//! looks in a row, in an event where everybody has played.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use joust_live::webhooks::{Handle, Message};
use joust_orchestrator::board::count;
use joust_standings::standings::Standings;
use joust_store::{Access, Store, StoreError};

use super::webhooks::TournamentTitles;

/// The shortest time between two looks at the table.
const BETWEEN_LOOKS: Duration = Duration::from_secs(10);

/// Factor by which the pause between two looks exceeds the time of a look.
const REST: u32 = 50;

/// Number of looks that follow a bout's end.
const LOOKS: u32 = 2;

/// Leaders of each event.
pub(super) type Leaders = BTreeMap<String, Vec<String>>;

/// Tells when others lead.
pub(super) struct LeaderWatcher {
    watched: Arc<LeaderPoll>,
    thread: Mutex<Option<WatcherThread>>,
}

/// A thread that looks.
struct WatcherThread {
    end: SyncSender<()>,
    thread: JoinHandle<()>,
}

struct LeaderPoll {
    database: PathBuf,
    called: TournamentTitles,
    handle: Handle,
    state: Mutex<LeaderState>,
}

#[derive(Default)]
struct LeaderState {
    /// Leaders that were announced, or led when the run began.
    told: Leaders,
    /// Leaders at the last look.
    seen: Leaders,
    /// Number of looks that are due.
    due: u32,
}

impl LeaderState {
    /// Returns the events in which others lead than was told, and did so at the last look.
    fn poll(&mut self, now: Leaders) -> Vec<String> {
        let is_new = |(event, leaders): &(&String, &Vec<String>)| {
            self.seen.get(*event) == Some(*leaders) && self.told.get(*event) != Some(*leaders)
        };
        let events = now.iter().filter(is_new).map(|(event, _)| event.clone()).collect();
        self.seen = now;
        events
    }
}

impl LeaderPoll {
    fn state(&self) -> MutexGuard<'_, LeaderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells who leads an event, unless that was told before.
    fn announce(&self, event: &str, leaders: &[String]) {
        let mut state = self.state();
        let before = state.told.get(event).cloned().unwrap_or_default();
        if leaders == before || leaders.is_empty() {
            return;
        }
        state.told.insert(event.to_owned(), leaders.to_vec());
        self.handle.send(Message::NewLeader {
            tournament: self.called.tournament.clone(),
            event: event.to_owned(),
            title: self.called.title_of(event),
            leaders: leaders.to_vec(),
            before,
        });
    }

    fn is_due(&self) -> bool {
        let mut state = self.state();
        let is_due = state.due > 0;
        state.due = state.due.saturating_sub(1);
        is_due
    }

    async fn poll(&self) {
        let now = read(&self.database, everybody_has_played).await;
        let events = self.state().poll(now.clone());
        for event in events {
            self.announce(&event, now.get(&event).map_or(&[], Vec::as_slice));
        }
    }
}

impl LeaderWatcher {
    /// Begins to look.
    ///
    /// # Errors
    ///
    /// The machine can start no thread.
    pub(super) async fn start(
        database: &Path,
        called: TournamentTitles,
        handle: Handle,
    ) -> io::Result<Self> {
        let told = match database.exists() {
            true => read(database, |_| true).await,
            false => Leaders::new(),
        };
        let state = Mutex::new(LeaderState { told, ..LeaderState::default() });
        let watched = Arc::new(LeaderPoll { database: database.to_owned(), called, handle, state });
        let (end, ended) = sync_channel(1);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let looked = Arc::clone(&watched);
        let work = move || runtime.block_on(poll_until_ended(&looked, &ended));
        let thread = Builder::new().name("joust-leaders".to_owned()).spawn(work)?;
        Ok(Self { watched, thread: Mutex::new(Some(WatcherThread { end, thread })) })
    }

    /// Notes that a bout has ended.
    pub(super) fn note_bout_end(&self) {
        self.watched.state().due = LOOKS;
    }

    /// Tells who leads an event, unless that was told before.
    pub(super) fn announce(&self, event: &str, leaders: Option<&Vec<String>>) {
        self.watched.announce(event, leaders.map_or(&[], Vec::as_slice));
    }

    /// Stops looking; the database is closed when this returns.
    pub(super) fn end(&self) {
        let looking = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(WatcherThread { end, thread }) = looking {
            drop(end);
            // One that panicked has ended, too.
            _ = thread.join();
        }
    }
}

async fn poll_until_ended(watched: &LeaderPoll, ended: &Receiver<()>) {
    let mut rest = BETWEEN_LOOKS;
    while ended.recv_timeout(rest) == Err(RecvTimeoutError::Timeout) {
        let began = Instant::now();
        if watched.is_due() {
            watched.poll().await;
        }
        rest = BETWEEN_LOOKS.max(began.elapsed() * REST);
    }
}

fn everybody_has_played(table: &Standings) -> bool {
    table.rows.iter().filter(|row| row.rank.is_some()).all(|row| row.bouts.played() > 0)
}

/// Returns who leads in a database; nobody where it cannot be read, which the run itself says.
async fn read(database: &Path, counts: fn(&Standings) -> bool) -> Leaders {
    let Ok(store) = Store::open(database, Access::ReadOnly).await else { return Leaders::new() };
    let found = among(&store, counts).await.unwrap_or_default();
    store.close().await;
    found
}

/// Returns who leads each event that has bouts.
pub(super) async fn of(store: &Store) -> Result<Leaders, StoreError> {
    among(store, |_| true).await
}

async fn among(store: &Store, counts: fn(&Standings) -> bool) -> Result<Leaders, StoreError> {
    let mut all = Leaders::new();
    for settings in store.events().await? {
        let Some(info) = store.event(&settings.id).await? else { continue };
        let count = count(store, &info).await?;
        if count.is_empty() {
            continue;
        }
        let table = count.standings(&info, &settings.tie_breaks);
        if counts(&table) {
            let first = table.rows.iter().filter(|row| row.rank == Some(1));
            all.insert(settings.id, first.map(|row| row.bot.name.clone()).collect());
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaders(bot: &str) -> Leaders {
        Leaders::from([("league".to_owned(), vec![bot.to_owned()])])
    }

    #[test]
    fn who_leads_at_two_looks_in_a_row_is_told_once() {
        let mut state = LeaderState { told: leaders("ann"), ..LeaderState::default() };
        assert!(state.poll(leaders("ann")).is_empty());
        assert!(state.poll(leaders("bob")).is_empty(), "perhaps for a moment");
        assert!(state.poll(leaders("cleo")).is_empty());
        assert_eq!(state.poll(leaders("cleo")), ["league"]);
        state.told = leaders("cleo");
        assert!(state.poll(leaders("cleo")).is_empty());
        assert!(state.poll(Leaders::new()).is_empty());
    }
}
