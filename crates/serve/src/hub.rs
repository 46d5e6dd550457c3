//! The task that owns the game and the clock.

use std::collections::BTreeMap;
use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use joust_referee::{Connection, GameServer, SendTo, ServerEffect, ServerReport};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::accounts::{Accounts, Done, Task};
use super::checks::{Check, Neighbours, Urgency};
use super::connection::{Client, ClientEvent, Patience, Role};
use super::newcomers::Origin;
use super::{Caps, Listeners, ServeError, ServerNotice, Settings};

/// Size of the hub's queue of events; clients that send more are delayed.
const EVENTS: usize = 4096;

/// The longest time that the end of a window waits for awaited password checks.
const CHECKING: Duration = Duration::from_secs(5);

/// Pause before the next connection is accepted when descriptors have run out.
const FULL: Duration = Duration::from_millis(50);

/// Runs the server until `stop` is ready.
pub(super) async fn run(
    settings: Settings,
    listeners: Listeners,
    accounts: Accounts,
    stop: impl Future<Output = ()>,
    mut tell: impl FnMut(ServerNotice) + Send,
) -> Result<(), ServeError> {
    let Listeners { players, spectators } = listeners;
    tell(ServerNotice::Listening(players.address));
    if let Some(bound) = &spectators {
        tell(ServerNotice::Spectators(bound.address));
    }
    let players = players.listener;
    let spectators = spectators.map(|bound| bound.listener);
    let (tasks, to_do) = mpsc::unbounded_channel();
    let (news, mut done) = mpsc::unbounded_channel();
    let worker = tokio::spawn(accounts.work(to_do, news));
    let (events, mut arrived) = mpsc::channel(EVENTS);
    let mut hub = Hub::new(settings, tasks, events, tell);
    hub.begin();
    let mut due = Instant::now() + hub.until_next();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            () = sleep_until(due) => {
                due = hub.advance_clock(due, &mut arrived, &mut done).await;
            }
            Some(news) = done.recv() => hub.handle_done(news),
            Some(event) = arrived.recv() => hub.handle_event(event),
            (stream, from) = accept(Some(&players)) => hub.admit_client(stream, from, Role::Player),
            (stream, from) = accept(spectators.as_ref()) => {
                hub.admit_client(stream, from, Role::Spectator);
            }
        }
    }
    let mut tell = hub.into_tell();
    let _ = worker.await;
    while let Ok(news) = done.try_recv() {
        if let Done::Failed(error) = news {
            tell(ServerNotice::NotStored(error));
        }
    }
    Ok(())
}

/// Accepts the next connection. When descriptors have run out, waits for some to be freed.
async fn accept(listener: Option<&TcpListener>) -> (TcpStream, SocketAddr) {
    let Some(listener) = listener else { return std::future::pending().await };
    loop {
        match listener.accept().await {
            Ok(came) => return came,
            Err(_) => sleep(FULL).await,
        }
    }
}

/// State of a connection.
struct ClientState {
    client: Client,
    from: Origin,
    bytes_in_tick: usize,
    wrong_passwords: u32,
    /// True if one of its passwords was checked in this window.
    had_check: bool,
}

struct Hub<T> {
    caps: Caps,
    server: Box<dyn GameServer>,
    clients: BTreeMap<Connection, ClientState>,
    neighbours: Neighbours,
    next_connection: u32,
    /// Number of checks that the window waits for.
    awaited: usize,
    is_stuck: bool,
    tasks: mpsc::UnboundedSender<Task>,
    events: mpsc::Sender<ClientEvent>,
    tell: T,
}

impl<T: FnMut(ServerNotice)> Hub<T> {
    fn new(
        settings: Settings,
        tasks: mpsc::UnboundedSender<Task>,
        events: mpsc::Sender<ClientEvent>,
        tell: T,
    ) -> Self {
        Self {
            caps: settings.caps,
            server: settings.server,
            clients: BTreeMap::new(),
            neighbours: Neighbours::default(),
            next_connection: 0,
            awaited: 0,
            is_stuck: false,
            tasks,
            events,
            tell,
        }
    }

    /// Closes all connections and returns the notice callback.
    fn into_tell(self) -> T {
        self.tell
    }

    fn begin(&mut self) {
        self.with_server(|server, out| server.begin(out));
    }

    fn until_next(&self) -> Duration {
        Duration::from_millis(self.server.pace().until_next_ms.into())
    }

    /// Advances the clock by a tick. Input that has arrived is handled first, and a window waits
    /// for its awaited password checks. Returns the time of the next tick, counted from when this
    /// one was due, so that a late tick does not delay others.
    async fn advance_clock(
        &mut self,
        due: Instant,
        arrived: &mut mpsc::Receiver<ClientEvent>,
        done: &mut mpsc::UnboundedReceiver<Done>,
    ) -> Instant {
        for _ in 0..EVENTS {
            let Ok(event) = arrived.try_recv() else { break };
            self.handle_event(event);
        }
        self.with_server(|server, out| server.flush(out));
        let mut next = due;
        let was_window = self.server.pace().is_registration;
        if was_window && self.awaited > 0 {
            let patience = Instant::now() + CHECKING;
            while self.awaited > 0 {
                let Ok(Some(news)) = timeout_at(patience, done.recv()).await else { break };
                self.handle_done(news);
            }
            next = Instant::now();
        }
        self.with_server(|server, out| server.strike(out));
        self.clients.values_mut().for_each(|state| state.bytes_in_tick = 0);
        if !was_window && self.server.pace().is_registration {
            self.neighbours.begin_window();
            self.clients.values_mut().for_each(|state| state.had_check = false);
        }
        next + self.until_next()
    }

    fn handle_done(&mut self, news: Done) {
        match news {
            Done::Checked { connection, from, urgency, is_right } => {
                self.awaited -= usize::from(urgency == Urgency::Awaited);
                self.with_server(|server, out| server.checked(connection, is_right, out));
                if !is_right {
                    self.neighbours.was_wrong(from);
                    self.count_wrong_password(connection);
                }
            }
            Done::NameRefused(why) => (self.tell)(ServerNotice::NameRefused(why)),
            Done::Failed(error) => (self.tell)(ServerNotice::NotStored(error)),
        }
    }

    fn count_wrong_password(&mut self, connection: Connection) {
        let most = self.caps.wrong_passwords;
        let Some(state) = self.clients.get_mut(&connection) else { return };
        state.wrong_passwords += 1;
        if state.wrong_passwords > most {
            self.remove_client(connection);
        }
    }

    fn handle_event(&mut self, event: ClientEvent) {
        match event {
            ClientEvent::Message(connection, bytes) => {
                let most = self.caps.bytes_per_tick;
                let Some(state) = self.clients.get_mut(&connection) else { return };
                state.bytes_in_tick += bytes.len();
                if state.bytes_in_tick > most {
                    return self.remove_client(connection);
                }
                self.with_server(|server, out| server.receive(connection, &bytes, out));
            }
            ClientEvent::Quiet(connection) => {
                self.with_server(|server, out| server.quiet(connection, out));
            }
            ClientEvent::Gone(connection) => self.remove_client(connection),
        }
    }

    fn admit_client(&mut self, stream: TcpStream, from: SocketAddr, role: Role) {
        let caps = self.caps;
        let from = Origin::from(from.ip());
        let neighbours = self.neighbours.count(from);
        if self.clients.len() >= caps.connections || neighbours >= caps.per_address {
            return;
        }
        self.neighbours.come(from);
        let connection = Connection(self.next_connection);
        self.next_connection += 1;
        let quiet = Duration::from_millis(self.server.quiet_ms().into());
        let patience = Patience { idle: caps.idle, quiet };
        let client = Client::start(stream, connection, role, patience, self.events.clone());
        let state =
            ClientState { client, from, bytes_in_tick: 0, wrong_passwords: 0, had_check: false };
        self.clients.insert(connection, state);
        self.server.open(connection);
    }

    /// Removes a closed connection.
    fn remove_client(&mut self, connection: Connection) {
        self.server.close(connection);
        let Some(state) = self.clients.remove(&connection) else { return };
        let _ = self.tasks.send(Task::Forget(connection, state.from));
        self.neighbours.go(state.from);
    }

    fn with_server(&mut self, tell: impl FnOnce(&mut dyn GameServer, &mut Vec<ServerEffect>)) {
        let mut effects = Vec::new();
        tell(self.server.as_mut(), &mut effects);
        for effect in effects {
            match effect {
                ServerEffect::Send { to: SendTo::All, bytes } => {
                    let all: Vec<Connection> = self.clients.keys().copied().collect();
                    all.into_iter().for_each(|connection| self.send(connection, &bytes));
                }
                ServerEffect::Send { to: SendTo::Connection(to), bytes } => self.send(to, &bytes),
                ServerEffect::Check { connection, name, password } => {
                    let Some(state) = self.clients.get_mut(&connection) else { continue };
                    let from = state.from;
                    let urgency = match std::mem::replace(&mut state.had_check, true) {
                        false => self.neighbours.first_check(from),
                        true => Urgency::Spare,
                    };
                    self.awaited += usize::from(urgency == Urgency::Awaited);
                    let check = Check { connection, from, urgency, name, password };
                    let _ = self.tasks.send(Task::Check(check));
                }
                ServerEffect::Close { connection } => self.remove_client(connection),
                ServerEffect::Over(report) => self.finish(report),
                ServerEffect::Stuck { why } => {
                    if !std::mem::replace(&mut self.is_stuck, true) {
                        (self.tell)(ServerNotice::Stuck(why));
                    }
                }
            }
        }
    }

    /// Sends bytes to a client; disconnects it if its queue is full.
    fn send(&mut self, connection: Connection, bytes: &std::sync::Arc<[u8]>) {
        let most = self.caps.unsent_bytes;
        let Some(state) = self.clients.get(&connection) else { return };
        if !state.client.send(bytes, most) {
            self.remove_client(connection);
        }
    }

    /// Reports the end of a game, which may have had no players.
    fn finish(&mut self, report: Option<ServerReport>) {
        self.is_stuck = false;
        let Some(report) = report else { return };
        let scores = report.scores.iter().map(|score| (score.name.clone(), score.points));
        let _ = self.tasks.send(Task::Add(scores.collect()));
        (self.tell)(ServerNotice::GameOver(report));
    }
}
