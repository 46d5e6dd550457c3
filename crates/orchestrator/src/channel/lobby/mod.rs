//! People who come over the network: plain TCP from another terminal.
//!
//! A [`Lobby`] listens, asks whoever connects for a name, and hands over all who
//! are there once the host says so. It is for friends on one machine or in one
//! room: nothing is encrypted and nobody is authenticated. What a stranger can
//! do is bounded all the same: so many connections, so long a line, so many
//! lines waiting, so much time to take what is shown and to tell a name; and no
//! byte of one guest reaches the host's or another guest's terminal unless it
//! is escaped.

mod clients;
mod guest;
mod lines;

use std::io::{self, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::TryRecvError;
use std::time::{Duration, Instant};

pub use self::clients::ClientLobby;
use self::guest::Guest;
use super::Person;
use crate::model::escaped;

/// Connections beyond the seats, for those who have not told a name.
const NAMELESS: usize = 8;
/// How long a guest may take to tell a name.
const NAME_PATIENCE: Duration = Duration::from_secs(60);
/// The longest name, characters.
const LONGEST_NAME: usize = 24;
/// Lines of one guest that are heard before it is somebody else's turn.
const LINES_AT_ONCE: usize = 16;

/// Says whether the run is being stopped, so that nobody is waited for.
pub type Stopped = Arc<dyn Fn() -> bool + Send + Sync>;

/// Who may come in.
#[derive(Clone, Debug)]
pub struct Admission {
    /// Fewest guests the bout can begin with.
    pub fewest: usize,
    /// Most guests there are seats for.
    pub most: usize,
    /// Names that are taken by others.
    pub names: Vec<String>,
}

/// What the host wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// To wait for more guests.
    Wait,
    /// To begin with those who are here.
    Start,
    /// To call it off.
    End,
}

/// What happens in the lobby. Names are escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LobbyNews {
    /// Somebody told a name.
    Joined {
        /// The name.
        name: String,
        /// How many are here.
        here: usize,
    },
    /// Somebody with a name has gone.
    Left {
        /// The name.
        name: String,
        /// How many are here.
        here: usize,
    },
    /// The host wants to begin and too few are here.
    TooFew {
        /// How many are here.
        here: usize,
        /// How many it takes.
        fewest: usize,
    },
}

/// Who runs the lobby.
pub trait Host {
    /// Hears what happens.
    fn hear(&mut self, news: &LobbyNews);

    /// Says what to do. Called again and again; it should wait a moment.
    fn order(&mut self) -> Order;
}

/// Who came, in the order of their names' telling.
pub struct Guests {
    /// Names and people.
    pub people: Vec<(String, Box<dyn Person>)>,
    /// A way to tell all of them something when the bout is over.
    pub audience: Audience,
}

/// A way to tell all guests something.
#[derive(Debug, Default)]
pub struct Audience(Vec<TcpStream>);

impl Audience {
    /// Tells everybody who is still there.
    pub fn tell(&mut self, text: &str) {
        self.0.iter_mut().for_each(|stream| guest::write(stream, text));
    }
}

impl Drop for Audience {
    fn drop(&mut self) {
        for stream in &self.0 {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// A place to wait for a bout.
pub struct Lobby {
    listener: TcpListener,
    admission: Admission,
    stopped: Stopped,
    nameless: Vec<(Guest, Instant)>,
    named: Vec<(String, Guest)>,
}

impl Lobby {
    /// Begins to listen at `address`.
    ///
    /// # Errors
    ///
    /// The system's, when the address cannot be listened at.
    pub fn open(address: SocketAddr, admission: Admission, stopped: Stopped) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, admission, stopped, nameless: Vec::new(), named: Vec::new() })
    }

    /// Returns the address, with the port the system chose.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits until the host begins or calls it off; `None` in the latter case.
    ///
    /// # Errors
    ///
    /// The system's, when nobody can be accepted any more.
    pub fn gather(mut self, host: &mut dyn Host) -> io::Result<Option<Guests>> {
        loop {
            self.accept()?;
            self.hear_the_nameless(host);
            self.hear_the_named(host);
            match host.order() {
                Order::Start if self.named.len() >= self.admission.fewest => break,
                Order::Start => host.hear(&LobbyNews::TooFew {
                    here: self.named.len(),
                    fewest: self.admission.fewest,
                }),
                Order::End => return Ok(None),
                Order::Wait => {}
            }
        }
        self.close().map(Some)
    }

    fn close(self) -> io::Result<Guests> {
        for (mut guest, _) in self.nameless {
            guest.tell("\nthe game has begun without you\n");
            guest.hang_up();
        }
        let mut guests = Guests { people: Vec::new(), audience: Audience::default() };
        for (name, mut guest) in self.named {
            guest.tell("the game begins\n\n");
            guests.audience.0.push(guest.outlet()?);
            guests.people.push((name, Box::new(guest)));
        }
        Ok(guests)
    }

    fn accept(&mut self) -> io::Result<()> {
        loop {
            match self.listener.accept() {
                Ok((stream, from)) => self.welcome(stream, from),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                // The connection is gone already, or a signal came.
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::ConnectionAborted | ErrorKind::Interrupted
                    ) => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn welcome(&mut self, mut stream: TcpStream, from: SocketAddr) {
        if self.nameless.len() >= NAMELESS || self.named.len() >= self.admission.most {
            guest::write(&mut stream, "every seat is taken\n");
            return;
        }
        match Guest::greet(stream, from, Arc::clone(&self.stopped)) {
            Ok(mut guest) => {
                guest.tell("your name: ");
                self.nameless.push((guest, Instant::now()));
            }
            Err(error) => tracing::debug!(%from, %error, "a guest could not be welcomed"),
        }
    }

    fn hear_the_nameless(&mut self, host: &mut dyn Host) {
        for (mut guest, since) in std::mem::take(&mut self.nameless) {
            match guest.poll() {
                Ok(line) => self.name(guest, since, &line, host),
                Err(TryRecvError::Empty) if since.elapsed() < NAME_PATIENCE => {
                    self.nameless.push((guest, since));
                }
                Err(_) => guest.hang_up(),
            }
        }
    }

    /// Lets `guest` in as `line`, or asks again.
    fn name(&mut self, mut guest: Guest, since: Instant, line: &str, host: &mut dyn Host) {
        if self.named.len() >= self.admission.most {
            guest.tell("every seat is taken\n");
            return guest.hang_up();
        }
        let name = line.trim();
        if let Err(reason) = self.check(name) {
            guest.tell(&format!("{reason}\nyour name: "));
            return self.nameless.push((guest, since));
        }
        tracing::debug!(from = %guest.from, name = escaped(name), "a guest has joined");
        guest.tell("the game begins when the host starts it\n");
        self.named.push((name.to_owned(), guest));
        let news = LobbyNews::Joined { name: escaped(name), here: self.named.len() };
        self.spread(&news, host);
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

    fn hear_the_named(&mut self, host: &mut dyn Host) {
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
            host.hear(&LobbyNews::Left { name: escaped(&name), here: self.named.len() });
        }
    }

    fn spread(&mut self, news: &LobbyNews, host: &mut dyn Host) {
        host.hear(news);
        let LobbyNews::Joined { name, here } = news else { return };
        let text = format!("{name} is here ({here} of at most {})\n", self.admission.most);
        self.named.iter_mut().for_each(|(_, guest)| guest.tell(&text));
    }
}

/// Takes what a guest types while it waits.
fn is_here(guest: &mut Guest) -> bool {
    for _ in 0..LINES_AT_ONCE {
        match guest.poll() {
            Ok(_) => guest.tell("the host has not started yet\n"),
            Err(TryRecvError::Empty) => return true,
            Err(TryRecvError::Disconnected) => return false,
        }
    }
    true
}
