//! Company at a lobby: the host, guests who play and guests who look on, and what
//! each of them is told while a bout is played.
//!
//! Whoever is waited for is named to all others, whoever leaves is missed at once,
//! and who has no turn, being out or without a seat, is shown every round.

use std::io::ErrorKind;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use joust_referee::{Scene, Seat};

use super::super::Paint;
use super::{Stopped, guest};
use joust_model::escaped;

/// Guests who look on, at most.
pub(super) const MOST_ONLOOKERS: usize = 16;
/// How often somebody at the door is looked for.
const LOOK: Duration = Duration::from_millis(100);
/// How long one who looks on may refuse to take a picture.
const PICTURE_PATIENCE: Duration = Duration::from_millis(200);
/// The number of no seat.
const NO_SEAT: Seat = Seat(u8::MAX);

/// The host, as far as guests matter.
pub trait HostSide: Send {
    /// Hears what all others are told.
    fn tell(&mut self, text: &str);

    /// Hears who is waited for, until what is returned is dropped.
    fn waits_for(&mut self, name: &str) -> Box<dyn Waiting>;
}

/// A host who waits for somebody.
pub trait Waiting {
    /// Says whether the host has had enough of it.
    fn is_over(&mut self) -> bool;
}

/// Everybody at a lobby.
#[derive(Clone)]
pub struct Company(Arc<Mutex<Lobby>>);

struct Lobby {
    host: Box<dyn HostSide>,
    guests: Vec<Member>,
    is_over: bool,
}

/// A guest.
struct Member {
    /// Escaped; empty for one who looks on.
    name: String,
    /// `None` for one who looks on.
    seat: Option<Seat>,
    stream: TcpStream,
    is_here: bool,
    /// Whether it had a turn in the round under way.
    had_turn: bool,
    /// Whether it knows that it has no turn any more.
    knows: bool,
}

impl Company {
    pub(super) fn new(host: Box<dyn HostSide>) -> Self {
        Self(Arc::new(Mutex::new(Lobby { host, guests: Vec::new(), is_over: false })))
    }

    /// Adds a guest who plays.
    pub(super) fn join(&self, name: &str, stream: TcpStream) {
        self.lobby().guests.push(Member::new(escaped(name), stream));
    }

    /// Adds one who looks on; who is too many is turned away.
    pub(super) fn look_on(&self, mut stream: TcpStream) {
        let mut lobby = self.lobby();
        let looking = lobby.guests.iter().filter(|guest| guest.is_here && guest.name.is_empty());
        if looking.count() >= MOST_ONLOOKERS {
            return;
        }
        let is_ready = stream.set_nonblocking(false).is_ok()
            && stream.set_write_timeout(Some(PICTURE_PATIENCE)).is_ok();
        if is_ready && guest::write(&mut stream, "the game has begun; you look on\n\n") {
            lobby.host.tell("somebody looks on\n");
            lobby.guests.push(Member::new(String::new(), stream));
        }
    }

    /// Says where the guests who play sit: in a row, in the order in which they came.
    pub fn sit(&self, first: usize) {
        let mut lobby = self.lobby();
        let playing = lobby.guests.iter_mut().filter(|guest| !guest.name.is_empty());
        for (seat, guest) in (first..).zip(playing) {
            guest.seat = u8::try_from(seat).ok().map(Seat);
        }
    }

    /// Lets whoever comes while the game is played look on.
    pub(super) fn open_the_door(&self, listener: TcpListener, stopped: Stopped) {
        let company = self.clone();
        thread::spawn(move || {
            while !stopped() && !company.lobby().is_over {
                match listener.accept() {
                    Ok((stream, _)) => company.look_on(stream),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(LOOK),
                    Err(error)
                        if matches!(
                            error.kind(),
                            ErrorKind::ConnectionAborted | ErrorKind::Interrupted
                        ) => {}
                    Err(_) => return,
                }
            }
        });
    }

    /// Hears that somebody has gone; all others are told, once.
    pub(super) fn miss(&self, name: &str) {
        let mut lobby = self.lobby();
        let name = escaped(name);
        let gone = lobby.guests.iter_mut().find(|guest| guest.is_here && guest.name == name);
        let Some(gone) = gone else { return };
        gone.is_here = false;
        if !lobby.is_over {
            let text = format!("{name} has left; the seat does nothing from now on\n");
            lobby.tell_all_but(&name, &text);
            lobby.host.tell(&text);
        }
    }

    /// Hears that somebody's turn goes by.
    pub(super) fn skip(&self, name: &str) {
        let text = format!("{} has taken too long and is skipped\n", escaped(name));
        let mut lobby = self.lobby();
        lobby.tell_all_but("", &text);
        lobby.host.tell(&text);
    }

    /// Hears who is waited for, and tells all others.
    pub(super) fn wait_for(&self, name: &str) -> Box<dyn Waiting> {
        let (mut lobby, name) = (self.lobby(), escaped(name));
        lobby.tell_all_but(&name, &format!("waiting for {name}\n"));
        lobby.host.waits_for(&name)
    }

    /// Hears that somebody at the host's keyboard is waited for.
    pub fn waits_for_host(&self, name: &str) {
        let name = escaped(name);
        self.lobby().tell_all_but(&name, &format!("waiting for {name}\n"));
    }

    /// Hears whose turn it is.
    pub fn turn(&self, seat: u8) {
        let mut lobby = self.lobby();
        let own = lobby.guests.iter_mut().find(|guest| guest.seat == Some(Seat(seat)));
        own.into_iter().for_each(|guest| guest.had_turn = true);
    }

    /// Shows a round to those who had no turn in it, as far as they may see it.
    pub fn show_round(&self, scene: &dyn Fn() -> Scene, paint: &Paint) {
        let mut lobby = self.lobby();
        let has_turn = |guest: &mut Member| std::mem::take(&mut guest.had_turn) || !guest.is_here;
        let mut idle = Vec::new();
        for (number, guest) in lobby.guests.iter_mut().enumerate() {
            if !has_turn(guest) {
                idle.push(number);
            }
        }
        if idle.is_empty() {
            return;
        }
        let scene = scene();
        for number in idle {
            let guest = &mut lobby.guests[number];
            let picture = paint(&scene.seen_by(guest.seat.unwrap_or(NO_SEAT)));
            let is_out = guest.seat.is_some() && !std::mem::replace(&mut guest.knows, true);
            let news = if is_out { "you have no turn any more; you look on\n" } else { "" };
            guest.tell(&format!("{news}{picture}\n"));
        }
    }

    /// Tells everybody how it ended: each guest what `text` says to its seat.
    pub fn end(&self, text: &dyn Fn(Option<u8>) -> String) {
        let mut lobby = self.lobby();
        lobby.is_over = true;
        for guest in lobby.guests.iter_mut().filter(|guest| guest.is_here) {
            guest.tell(&text(guest.seat.map(|seat| seat.0)));
            let _ = guest.stream.shutdown(Shutdown::Both);
        }
    }

    fn lobby(&self) -> MutexGuard<'_, Lobby> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lobby {
    fn tell_all_but(&mut self, name: &str, text: &str) {
        let others = self.guests.iter_mut().filter(|guest| guest.name != name || name.is_empty());
        others.filter(|guest| guest.is_here).for_each(|guest| guest.tell(text));
    }
}

impl Member {
    fn new(name: String, stream: TcpStream) -> Self {
        Self { name, seat: None, stream, is_here: true, had_turn: false, knows: false }
    }

    fn tell(&mut self, text: &str) {
        let is_gone = !guest::write(&mut self.stream, text);
        // One who plays is missed by whoever reads what it types.
        if is_gone && self.name.is_empty() {
            self.is_here = false;
        }
    }
}
