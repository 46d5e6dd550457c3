//! Lobby for people who come over the network: plain TCP from another terminal.
//!
//! A [`Lobby`] listens, asks each connection for a name, and hands over all who
//! are there once the host says so: seats are taken in the order of arrival, and
//! when all are taken, or the bout has begun, nobody else is let in. It is for friends on one machine or in one
//! room: nothing is encrypted and nobody is authenticated. What a stranger can
//! do is bounded all the same: so many connections, so many of them without a name, so long a line, so many
//! lines waiting, so much time to take what is shown and to give a name; and no byte of one guest reaches
//! the host's or another guest's terminal unless it is escaped.

mod clients;
mod connection;
mod line_decoder;
mod participants;

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::TryRecvError;
use std::time::{Duration, Instant};

pub use self::clients::{Client, ClientLobby};
use self::connection::{GuestConnection, SeatedPlayer};
pub use self::participants::{HostDisplay, HostWait, Participants};
use super::Person;
use joust_model::{ConnectionCaps, ConnectionSlots, escaped, network_of};

/// The longest name, characters.
const LONGEST_NAME: usize = 24;
/// Connections that may wait without a name.
const MOST_NAMELESS: usize = 64;
/// Number of connections that may come from one address.
const MOST_OF_ADDRESS: usize = 16;
/// Time that a guest may take to give a name.
const NAME_PATIENCE: Duration = Duration::from_secs(60);
/// Lines of one guest that are read before it is somebody else's turn.
const LINES_AT_ONCE: usize = 16;

/// Returns whether the run is being stopped, so that nobody is waited for.
pub type StopCheck = Arc<dyn Fn() -> bool + Send + Sync>;

/// Conditions for admitting guests.
#[derive(Clone, Debug)]
pub struct Admission {
    /// Fewest guests the bout can begin with.
    pub fewest: usize,
    /// Most guests there are seats for.
    pub most: usize,
    /// Names that are taken by others.
    pub names: Vec<String>,
    /// Time that a guest is waited for in a turn; for ever if `None`.
    pub patience: Option<Duration>,
    /// Maximum numbers of connections.
    pub caps: ConnectionCaps,
}

/// Order of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// To wait for more guests.
    Wait,
    /// To begin with those who are here.
    Start,
    /// To call it off.
    End,
}

/// Event in the lobby. Names are escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LobbyEvent {
    /// A guest gave a name.
    Joined {
        /// The name.
        name: String,
        /// Number of guests here.
        here: usize,
    },
    /// Somebody with a name has gone.
    Left {
        /// The name.
        name: String,
        /// Number of guests here.
        here: usize,
    },
    /// The host wants to begin and too few are here.
    TooFew {
        /// Number of guests here.
        here: usize,
        /// Number of guests that are needed.
        fewest: usize,
    },
}

/// Host of the lobby.
pub trait Host {
    /// Receives news of the lobby.
    fn handle_event(&mut self, event: &LobbyEvent);

    /// Returns the order to follow. Called again and again; it should wait a moment.
    fn next_command(&mut self) -> HostCommand;

    /// Returns the time when the game begins, as a guest reads it: "the game begins …".
    fn describe_start(&self) -> &'static str {
        "when the host starts it"
    }
}

/// Guests who came, in the order in which they gave their names.
pub struct GatheredGuests {
    /// Names and people.
    pub people: Vec<(String, Box<dyn Person>)>,
    /// Everybody who is shown how the bout proceeds.
    pub participants: Participants,
}

/// A place to wait for a bout.
pub struct Lobby {
    listener: TcpListener,
    admission: Admission,
    stopped: StopCheck,
    slots: Arc<ConnectionSlots>,
    logins: Vec<PendingLogin>,
    named: Vec<(String, GuestConnection)>,
}

/// Somebody who has given no name yet.
struct PendingLogin {
    guest: GuestConnection,
    since: Instant,
}

impl Lobby {
    /// Begins to listen at `address`.
    ///
    /// # Errors
    ///
    /// The system's, when the address cannot be listened at.
    pub fn open(address: SocketAddr, admission: Admission, stopped: StopCheck) -> io::Result<Self> {
        let listener = listen(address)?;
        let (logins, named) = Default::default();
        let slots = Arc::default();
        Ok(Self { listener, admission, stopped, slots, logins, named })
    }

    /// Returns the address, with the port the system chose.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits until the host begins or calls it off; `None` in the latter case. While
    /// the bout is played `host_side` is sent what guests are sent.
    ///
    /// # Errors
    ///
    /// The system's, when nobody can be accepted any more.
    pub fn gather(
        mut self,
        host: &mut dyn Host,
        host_side: Box<dyn HostDisplay>,
    ) -> io::Result<Option<GatheredGuests>> {
        loop {
            self.serve_connections(host)?;
            match command_of(host, self.named.len(), self.admission.fewest) {
                HostCommand::Start => return self.close(host_side).map(Some),
                HostCommand::End => return Ok(None),
                HostCommand::Wait => {}
            }
        }
    }

    /// Handles every connection once, including new ones.
    fn serve_connections(&mut self, host: &mut dyn Host) -> io::Result<()> {
        self.accept()?;
        self.poll_logins(host);
        self.poll_players(host);
        Ok(())
    }

    fn close(self, host_side: Box<dyn HostDisplay>) -> io::Result<GatheredGuests> {
        let participants = Participants::new(host_side);
        let mut people: Vec<(String, Box<dyn Person>)> = Vec::new();
        for (name, mut guest) in self.named {
            guest.tell("the game begins\n\n");
            participants.join(&name, guest.outlet()?);
            let patience = self.admission.patience;
            guest.sit(SeatedPlayer {
                name: name.clone(),
                participants: participants.clone(),
                patience,
            });
            people.push((name, Box::new(guest)));
        }
        self.logins.into_iter().for_each(|one| refuse(one.guest, "\nthe game has begun\n"));
        Ok(GatheredGuests { people, participants })
    }

    fn accept(&mut self) -> io::Result<()> {
        while let Some((stream, from)) = next_connection(&self.listener)? {
            let guest =
                connection::admit(stream, from, &self.slots, self.admission.caps, &self.stopped);
            guest.into_iter().for_each(|guest| self.add_login(guest));
        }
        Ok(())
    }

    fn add_login(&mut self, mut guest: GuestConnection) {
        if self.is_full() {
            return refuse(guest, "every seat is taken\n");
        }
        let address = network_of(guest.from.ip());
        let of_address = |one: &&PendingLogin| network_of(one.guest.from.ip()) == address;
        let of_address = self.logins.iter().filter(of_address).count();
        if self.logins.len() >= MOST_NAMELESS || of_address >= MOST_OF_ADDRESS {
            return refuse(guest, "too many wait here without a name: come again in a minute\n");
        }
        guest.tell("your name: ");
        self.logins.push(PendingLogin { guest, since: Instant::now() });
    }

    fn is_full(&self) -> bool {
        self.named.len() >= self.admission.most
    }

    fn poll_logins(&mut self, host: &mut dyn Host) {
        for mut logins in std::mem::take(&mut self.logins) {
            match logins.guest.poll() {
                Ok(line) => self.log_in(logins, &line, host),
                Err(TryRecvError::Empty) if logins.since.elapsed() < NAME_PATIENCE => {
                    self.logins.push(logins);
                }
                Err(_) => logins.guest.hang_up(),
            }
        }
    }

    /// Lets somebody in as `line`, or asks again.
    fn log_in(&mut self, logins: PendingLogin, line: &str, host: &mut dyn Host) {
        if self.is_full() {
            return refuse(logins.guest, "every seat is taken\n");
        }
        let name = line.trim();
        if let Err(reason) = self.check(name) {
            let mut logins = logins;
            logins.guest.tell(&format!("{reason}\nyour name: "));
            return self.logins.push(logins);
        }
        let mut guest = logins.guest;
        tracing::debug!(from = %guest.from, name = escaped(name), "a guest has joined");
        guest.tell(&format!("the game begins {}\n", host.describe_start()));
        self.named.push((name.to_owned(), guest));
        let news = LobbyEvent::Joined { name: escaped(name), here: self.named.len() };
        self.announce(&news, host);
    }

    fn check(&self, name: &str) -> Result<(), &'static str> {
        let taken = self.named.iter().map(|(name, _)| name).chain(&self.admission.names);
        if name.is_empty() || name.chars().count() > LONGEST_NAME {
            return Err("a name has 1 to 24 characters");
        }
        if taken.map(|other| other.to_lowercase()).any(|other| other == name.to_lowercase()) {
            return Err("this name is taken");
        }
        Ok(())
    }

    fn poll_players(&mut self, host: &mut dyn Host) {
        let mut left = Vec::new();
        for (name, mut guest) in std::mem::take(&mut self.named) {
            if is_here(&mut guest, host) {
                self.named.push((name, guest));
            } else {
                guest.hang_up();
                left.push(name);
            }
        }
        for name in left {
            host.handle_event(&LobbyEvent::Left { name: escaped(&name), here: self.named.len() });
        }
    }

    fn announce(&mut self, news: &LobbyEvent, host: &mut dyn Host) {
        host.handle_event(news);
        let LobbyEvent::Joined { name, here } = news else { return };
        let text = format!("{name} is here ({here} of at most {})\n", self.admission.most);
        self.named.iter_mut().for_each(|(_, guest)| guest.tell(&text));
    }
}

/// Listens without blocking.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Accepts a connection that waits; `None` when none does.
fn next_connection(listener: &TcpListener) -> io::Result<Option<(TcpStream, SocketAddr)>> {
    loop {
        match listener.accept() {
            Ok(accepted) => return Ok(Some(accepted)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            // The connection is gone already, or a signal came.
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the host's command; a start with too few guests is refused with an event.
fn command_of(host: &mut dyn Host, here: usize, fewest: usize) -> HostCommand {
    match host.next_command() {
        HostCommand::Start if here < fewest => {
            host.handle_event(&LobbyEvent::TooFew { here, fewest });
            HostCommand::Wait
        }
        order => order,
    }
}

/// Takes what a guest types while it waits.
fn is_here(guest: &mut GuestConnection, host: &dyn Host) -> bool {
    for _ in 0..LINES_AT_ONCE {
        match guest.poll() {
            Ok(_) => guest.tell(&format!("the game begins {}\n", host.describe_start())),
            Err(TryRecvError::Empty) => return true,
            Err(TryRecvError::Disconnected) => return false,
        }
    }
    true
}

/// Sends the reason for a refusal, and closes the connection.
fn refuse(mut guest: GuestConnection, why: &str) {
    guest.tell(why);
    guest.hang_up();
}

#[cfg(test)]
mod tests;
