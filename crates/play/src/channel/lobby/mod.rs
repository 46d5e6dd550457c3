//! Lobby for people who connect over the network, with plain TCP from another terminal.
//!
//! A [`Lobby`] listens, asks each connection for a name, and returns all guests when the host
//! starts the bout. Seats are assigned in order of arrival. When all are taken, or the bout has
//! begun, no more guests are admitted. It is for friends on one machine or in one room: there is no
//! encryption and no authentication. Strangers are limited nevertheless: in the number of
//! connections and of those without a name, the length of lines and the number of queued ones, and
//! the time to take output and to give a name. Bytes of a guest are escaped before they reach the
//! host's or another guest's terminal.

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
use crate::transfer::at_once;
use joust_model::{ConnectionCaps, ConnectionSlots, escaped, network_of};

/// The longest name, characters.
const LONGEST_NAME: usize = 24;
/// The most connections without a name.
const MOST_NAMELESS: usize = 64;
/// The most connections from one address.
const MOST_OF_ADDRESS: usize = 16;
/// Time that a guest may take to give a name.
const NAME_PATIENCE: Duration = Duration::from_secs(60);
/// Number of lines of one guest that are handled before the next guest's.
const LINES_AT_ONCE: usize = 16;

/// Answer to a guest who waits.
const BEGINNING: &str = "the game begins when the host starts it\n";

/// Function that returns whether the run is being stopped, in which case all waits end.
pub type StopCheck = Arc<dyn Fn() -> bool + Send + Sync>;

/// Conditions for admitting guests.
#[derive(Clone, Debug)]
pub struct Admission {
    /// The fewest guests of a bout.
    pub fewest: usize,
    /// The most guests of a bout, which is the number of seats.
    pub most: usize,
    /// Names that are in use.
    pub names: Vec<String>,
    /// Time limit of a guest's turn; none if `None`.
    pub patience: Option<Duration>,
    /// Maximum numbers of connections.
    pub caps: ConnectionCaps,
}

/// Command of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostCommand {
    /// Wait for more guests.
    Wait,
    /// Begin with the present guests.
    Start,
    /// Cancel.
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
    /// A guest with a name has left.
    Left {
        /// The name.
        name: String,
        /// Number of guests here.
        here: usize,
    },
    /// The host wants to begin, but there are too few guests.
    TooFew {
        /// Number of guests here.
        here: usize,
        /// Number of guests that are needed.
        fewest: usize,
    },
}

/// Host of the lobby.
pub trait Host {
    /// Handles an event of the lobby.
    fn handle_event(&mut self, event: &LobbyEvent);

    /// Returns the current command. It is called in a loop, so it should wait a moment.
    fn next_command(&mut self) -> HostCommand;
}

/// Guests who came, in the order in which they gave their names.
pub struct GatheredGuests {
    /// Names and people.
    pub people: Vec<(String, Box<dyn Person>)>,
    /// All who are shown the course of the bout.
    pub participants: Participants,
}

/// Waiting room for a bout.
pub struct Lobby {
    listener: TcpListener,
    admission: Admission,
    stopped: StopCheck,
    slots: Arc<ConnectionSlots>,
    logins: Vec<PendingLogin>,
    named: Vec<(String, GuestConnection)>,
}

/// A connection without a name.
struct PendingLogin {
    guest: GuestConnection,
    since: Instant,
}

impl Lobby {
    /// Listens at `address`.
    ///
    /// # Errors
    ///
    /// The system's, when it cannot listen at the address.
    pub fn open(address: SocketAddr, admission: Admission, stopped: StopCheck) -> io::Result<Self> {
        let listener = listen(address)?;
        let (logins, named) = Default::default();
        let slots = Arc::default();
        Ok(Self { listener, admission, stopped, slots, logins, named })
    }

    /// Returns the address, with the port that the system chose.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits until the host begins or cancels; `None` if the host cancels. During the bout,
    /// `host_side` receives the same texts as guests.
    ///
    /// # Errors
    ///
    /// The system's, when no connections can be accepted any more.
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
            participants.join(&name, guest.stream.try_clone()?);
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

    /// Admits a guest with the name `line`, or asks again.
    fn log_in(&mut self, logins: PendingLogin, line: &str, host: &mut dyn Host) {
        if self.is_full() {
            return refuse(logins.guest, "every seat is taken\n");
        }
        let name = line.trim();
        // A web page can have a browser connect here and send lines of its own after these.
        if name.contains(" HTTP/") {
            return refuse(logins.guest, "this is no web server\n");
        }
        if let Err(reason) = self.check(name) {
            let mut logins = logins;
            logins.guest.tell(&format!("{reason}\nyour name: "));
            return self.logins.push(logins);
        }
        let mut guest = logins.guest;
        tracing::debug!(from = %guest.from, name = escaped(name), "a guest has joined");
        guest.tell(BEGINNING);
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
            if is_here(&mut guest) {
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

/// Makes a non-blocking listener.
fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Accepts a waiting connection; `None` when there is none.
fn next_connection(listener: &TcpListener) -> io::Result<Option<(TcpStream, SocketAddr)>> {
    loop {
        match at_once(|| listener.accept()) {
            // The connection has gone already.
            Err(error) if error.kind() == ErrorKind::ConnectionAborted => {}
            accepted => return accepted,
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

/// Answers a waiting guest's lines with when the game begins; returns whether it is still
/// connected.
fn is_here(guest: &mut GuestConnection) -> bool {
    for _ in 0..LINES_AT_ONCE {
        match guest.poll() {
            Ok(_) => guest.tell(BEGINNING),
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
