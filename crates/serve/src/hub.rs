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
use super::checks::{Check, Urgency};
use super::connection::{Client, Event, Patience, Role};
use super::doors::Doors;
use super::neighbours::Neighbours;
use super::newcomers::Origin;
use super::{Caps, Happened, ServeError, Settings};

/// Events that wait for the hub; clients that send more wait themselves.
const EVENTS: usize = 4096;

/// Time that the end of a window waits for passwords that are being checked and awaited.
const CHECKING: Duration = Duration::from_secs(5);

/// Delay of the next connection when there is no descriptor for it.
const FULL: Duration = Duration::from_millis(50);

/// Runs the server until `stop` is ready.
pub(super) async fn run(
    settings: Settings,
    doors: Doors,
    accounts: Accounts,
    stop: impl Future<Output = ()>,
    mut tell: impl FnMut(Happened) + Send,
) -> Result<(), ServeError> {
    let Doors { players, spectators } = doors;
    tell(Happened::Listening(players.address));
    if let Some(door) = &spectators {
        tell(Happened::Spectators(door.address));
    }
    let players = players.listener;
    let spectators = spectators.map(|door| door.listener);
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
                due = hub.strike(due, &mut arrived, &mut done).await;
            }
            Some(news) = done.recv() => hub.take_done(news),
            Some(event) = arrived.recv() => hub.take_event(event),
            (stream, from) = accept(Some(&players)) => hub.welcome(stream, from, Role::Player),
            (stream, from) = accept(spectators.as_ref()) => {
                hub.welcome(stream, from, Role::Spectator);
            }
        }
    }
    let mut tell = hub.into_tell();
    let _ = worker.await;
    while let Ok(news) = done.try_recv() {
        if let Done::Failed(error) = news {
            tell(Happened::NotKept(error));
        }
    }
    Ok(())
}

/// Takes the next connection. Out of descriptors it waits for some to be freed.
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
struct Guest {
    client: Client,
    from: Origin,
    bytes_in_tick: usize,
    wrong_passwords: u32,
    /// True if it had a password checked in this window.
    had_check: bool,
}

struct Hub<T> {
    caps: Caps,
    server: Box<dyn GameServer>,
    guests: BTreeMap<Connection, Guest>,
    neighbours: Neighbours,
    next_connection: u32,
    /// Checks that the window waits for.
    awaited: usize,
    is_stuck: bool,
    tasks: mpsc::UnboundedSender<Task>,
    events: mpsc::Sender<Event>,
    tell: T,
}

impl<T: FnMut(Happened)> Hub<T> {
    fn new(
        settings: Settings,
        tasks: mpsc::UnboundedSender<Task>,
        events: mpsc::Sender<Event>,
        tell: T,
    ) -> Self {
        Self {
            caps: settings.caps,
            server: settings.server,
            guests: BTreeMap::new(),
            neighbours: Neighbours::default(),
            next_connection: 0,
            awaited: 0,
            is_stuck: false,
            tasks,
            events,
            tell,
        }
    }

    /// Lets go of all connections, and gives no task any more.
    fn into_tell(self) -> T {
        self.tell
    }

    fn begin(&mut self) {
        self.do_with(|server, out| server.begin(out));
    }

    fn until_next(&self) -> Duration {
        Duration::from_millis(self.server.pace().until_next_ms.into())
    }

    /// The clock strikes. What has arrived is handled first, and a window waits
    /// for the passwords that are being checked. Returns when it strikes next:
    /// counted from when it was due, so that a late stroke moves no other.
    async fn strike(
        &mut self,
        due: Instant,
        arrived: &mut mpsc::Receiver<Event>,
        done: &mut mpsc::UnboundedReceiver<Done>,
    ) -> Instant {
        for _ in 0..EVENTS {
            let Ok(event) = arrived.try_recv() else { break };
            self.take_event(event);
        }
        self.do_with(|server, out| server.flush(out));
        let mut next = due;
        let was_window = self.server.pace().is_registration;
        if was_window && self.awaited > 0 {
            let patience = Instant::now() + CHECKING;
            while self.awaited > 0 {
                let Ok(Some(news)) = timeout_at(patience, done.recv()).await else { break };
                self.take_done(news);
            }
            next = Instant::now();
        }
        self.do_with(|server, out| server.strike(out));
        self.guests.values_mut().for_each(|guest| guest.bytes_in_tick = 0);
        if !was_window && self.server.pace().is_registration {
            self.neighbours.begin_window();
            self.guests.values_mut().for_each(|guest| guest.had_check = false);
        }
        next + self.until_next()
    }

    fn take_done(&mut self, news: Done) {
        match news {
            Done::Checked { connection, from, urgency, is_right } => {
                self.awaited -= usize::from(urgency == Urgency::Awaited);
                self.do_with(|server, out| server.checked(connection, is_right, out));
                if !is_right {
                    self.neighbours.was_wrong(from);
                    self.count_wrong_password(connection);
                }
            }
            Done::NoNewName(why) => (self.tell)(Happened::NoNewName(why)),
            Done::Failed(error) => (self.tell)(Happened::NotKept(error)),
        }
    }

    fn count_wrong_password(&mut self, connection: Connection) {
        let most = self.caps.wrong_passwords;
        let Some(guest) = self.guests.get_mut(&connection) else { return };
        guest.wrong_passwords += 1;
        if guest.wrong_passwords > most {
            self.part(connection);
        }
    }

    fn take_event(&mut self, event: Event) {
        match event {
            Event::Message(connection, bytes) => {
                let most = self.caps.bytes_per_tick;
                let Some(guest) = self.guests.get_mut(&connection) else { return };
                guest.bytes_in_tick += bytes.len();
                if guest.bytes_in_tick > most {
                    return self.part(connection);
                }
                self.do_with(|server, out| server.receive(connection, &bytes, out));
            }
            Event::Quiet(connection) => {
                self.do_with(|server, out| server.quiet(connection, out));
            }
            Event::Gone(connection) => self.part(connection),
        }
    }

    fn welcome(&mut self, stream: TcpStream, from: SocketAddr, role: Role) {
        let caps = self.caps;
        let from = Origin::from(from.ip());
        let neighbours = self.neighbours.count(from);
        if self.guests.len() >= caps.connections || neighbours >= caps.per_address {
            return;
        }
        self.neighbours.come(from);
        let connection = Connection(self.next_connection);
        self.next_connection += 1;
        let quiet = Duration::from_millis(self.server.quiet_ms().into());
        let patience = Patience { idle: caps.idle, quiet };
        let client = Client::start(stream, connection, role, patience, self.events.clone());
        let guest = Guest { client, from, bytes_in_tick: 0, wrong_passwords: 0, had_check: false };
        self.guests.insert(connection, guest);
        self.server.open(connection);
    }

    /// A connection is over, whoever ended it.
    fn part(&mut self, connection: Connection) {
        self.server.close(connection);
        let Some(guest) = self.guests.remove(&connection) else { return };
        let _ = self.tasks.send(Task::Forget(connection, guest.from));
        self.neighbours.go(guest.from);
    }

    fn do_with(&mut self, tell: impl FnOnce(&mut dyn GameServer, &mut Vec<ServerEffect>)) {
        let mut effects = Vec::new();
        tell(self.server.as_mut(), &mut effects);
        for effect in effects {
            match effect {
                ServerEffect::Send { to: SendTo::All, bytes } => {
                    let all: Vec<Connection> = self.guests.keys().copied().collect();
                    all.into_iter().for_each(|connection| self.send(connection, &bytes));
                }
                ServerEffect::Send { to: SendTo::Connection(to), bytes } => self.send(to, &bytes),
                ServerEffect::Check { connection, name, password } => {
                    let Some(guest) = self.guests.get_mut(&connection) else { continue };
                    let from = guest.from;
                    let urgency = match std::mem::replace(&mut guest.had_check, true) {
                        false => self.neighbours.first_check(from),
                        true => Urgency::Spare,
                    };
                    self.awaited += usize::from(urgency == Urgency::Awaited);
                    let check = Check { connection, from, urgency, name, password };
                    let _ = self.tasks.send(Task::Check(check));
                }
                ServerEffect::Close { connection } => self.part(connection),
                ServerEffect::Over(report) => self.finish(report),
                ServerEffect::Stuck { why } => {
                    if !std::mem::replace(&mut self.is_stuck, true) {
                        (self.tell)(Happened::Stuck(why));
                    }
                }
            }
        }
    }

    /// A client that does not take what it is sent is cut off.
    fn send(&mut self, connection: Connection, bytes: &std::sync::Arc<[u8]>) {
        let most = self.caps.unsent_bytes;
        let Some(guest) = self.guests.get(&connection) else { return };
        if !guest.client.send(bytes, most) {
            self.part(connection);
        }
    }

    /// A game is over; nobody may have played it.
    fn finish(&mut self, report: Option<ServerReport>) {
        self.is_stuck = false;
        let Some(report) = report else { return };
        let scores = report.scores.iter().map(|score| (score.name.clone(), score.points));
        let _ = self.tasks.send(Task::Add(scores.collect()));
        (self.tell)(Happened::GameOver(report));
    }
}
