//! Participants of a lobby: the host and the playing guests, with the texts that each receives
//! during a bout.
//!
//! If the bout waits for a participant or one leaves, all others are informed. A participant who
//! has no more turns is shown every round. In games where seats take turns, a participant who is
//! not asked in a round is not out yet, and sees the board at its next turn.

use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use joust_referee::{Scene, Seat};
use parking_lot::Mutex;

use super::super::Paint;
use super::connection;
use joust_model::escaped;

/// A number that is no seat's.
const NO_SEAT: Seat = Seat(u8::MAX);

/// The host's display, for events about guests.
pub trait HostDisplay: Send {
    /// Shows a text that all others receive, too.
    fn tell(&mut self, text: &str);

    /// Shows that the bout waits for `name`, until the returned value is dropped.
    fn waits_for(&mut self, name: &str) -> Box<dyn HostWait>;
}

/// A wait for a participant, as the host sees it.
pub trait HostWait {
    /// Returns whether the host wants to end the wait.
    fn is_over(&mut self) -> bool;
}

/// All participants of a lobby.
#[derive(Clone)]
pub struct Participants(Arc<Mutex<ParticipantList>>);

struct ParticipantList {
    host: Box<dyn HostDisplay>,
    guests: Vec<Player>,
    /// Number of seats of the bout, of guests and others.
    seats: usize,
    is_over: bool,
}

/// A guest.
struct Player {
    /// The name, escaped.
    name: String,
    /// `None` until the bout begins.
    seat: Option<Seat>,
    stream: TcpStream,
    is_here: bool,
    /// True if it had a turn in the current round.
    had_turn: bool,
    /// Number of rounds since its last turn.
    idle: usize,
    /// The board after a round without a turn, until it is shown.
    unseen: Option<String>,
    /// True if it was informed that it has no more turns.
    knows: bool,
}

impl Participants {
    pub(super) fn new(host: Box<dyn HostDisplay>) -> Self {
        Self(Arc::new(Mutex::new(ParticipantList {
            host,
            guests: Vec::new(),
            seats: 0,
            is_over: false,
        })))
    }

    /// Adds a guest who plays.
    pub(super) fn join(&self, name: &str, stream: TcpStream) {
        self.0.lock().guests.push(Player::new(escaped(name), stream));
    }

    /// Assigns consecutive seats from `first` to the guests in order of arrival, in a bout with
    /// `seats` seats.
    pub fn sit(&self, first: usize, seats: usize) {
        let mut list = self.0.lock();
        list.seats = seats;
        for (seat, guest) in (first..).zip(&mut list.guests) {
            guest.seat = u8::try_from(seat).ok().map(Seat);
        }
    }

    /// Marks a guest as gone; all others are informed, once.
    pub(super) fn mark_gone(&self, name: &str) {
        let mut list = self.0.lock();
        let name = escaped(name);
        let gone = list.guests.iter_mut().find(|guest| guest.is_here && guest.name == name);
        let Some(gone) = gone else { return };
        gone.is_here = false;
        if !list.is_over {
            let text = format!("{name} has left; the seat does nothing from now on\n");
            list.send_to_others(&name, &text);
            list.host.tell(&text);
        }
    }

    /// Announces that a guest's turn is skipped.
    pub(super) fn skip(&self, name: &str) {
        let text = format!("{} has taken too long and is skipped\n", escaped(name));
        let mut list = self.0.lock();
        list.send_to_others("", &text);
        list.host.tell(&text);
    }

    /// Informs all others that the bout waits for `name`.
    pub(super) fn wait_for(&self, name: &str) -> Box<dyn HostWait> {
        let (mut list, name) = (self.0.lock(), escaped(name));
        list.send_to_others(&name, &format!("waiting for {name}\n"));
        list.host.waits_for(&name)
    }

    /// Announces that the bout waits for a person at the host's keyboard.
    pub fn waits_for_host(&self, name: &str) {
        let name = escaped(name);
        self.0.lock().send_to_others(&name, &format!("waiting for {name}\n"));
    }

    /// Begins the turn of `seat`.
    pub fn turn(&self, seat: u8) {
        let mut list = self.0.lock();
        let own = list.guests.iter_mut().find(|guest| guest.seat == Some(Seat(seat)));
        own.into_iter().for_each(Player::begin_turn);
    }

    /// Shows a round to participants who have no more turns, if they may see it.
    pub fn show_round(&self, scene: &dyn Fn() -> Scene, paint: &Paint) {
        let mut list = self.0.lock();
        let (seats, mut shown) = (list.seats, None);
        for guest in list.guests.iter_mut().filter(|guest| guest.is_here) {
            if guest.ends_round_without_turn() {
                let scene: &Scene = shown.get_or_insert_with(scene);
                let picture = paint(&scene.seen_by(guest.seat.unwrap_or(NO_SEAT)));
                guest.look(picture, seats);
            }
        }
    }

    /// Announces the end; `text` returns each seat's version.
    pub fn end(&self, text: &dyn Fn(Option<u8>) -> String) {
        let mut list = self.0.lock();
        list.is_over = true;
        for guest in list.guests.iter_mut().filter(|guest| guest.is_here) {
            let last = guest.unseen.take().map(|picture| format!("{picture}\n"));
            let text = text(guest.seat.map(|seat| seat.0));
            guest.tell(&(last.unwrap_or_default() + &text));
            let _ = guest.stream.shutdown(Shutdown::Both);
        }
    }
}

impl ParticipantList {
    fn send_to_others(&mut self, name: &str, text: &str) {
        let others = self.guests.iter_mut().filter(|guest| guest.name != name || name.is_empty());
        others.filter(|guest| guest.is_here).for_each(|guest| guest.tell(text));
    }
}

impl Player {
    fn new(name: String, stream: TcpStream) -> Self {
        let (seat, unseen) = (None, None);
        let (is_here, had_turn, idle, knows) = (true, false, 0, false);
        Self { name, seat, stream, is_here, had_turn, idle, unseen, knows }
    }

    /// Shows the board to a guest at the beginning of its turn.
    fn begin_turn(&mut self) {
        self.had_turn = true;
        self.unseen = None;
    }

    fn ends_round_without_turn(&mut self) -> bool {
        self.idle = if std::mem::take(&mut self.had_turn) { 0 } else { self.idle + 1 };
        self.idle > 0
    }

    /// Handles a round without a turn of this guest. The guest is out only if each of the `seats`
    /// could have had a turn since the guest's last one; before that, its turn is still to come.
    fn look(&mut self, picture: String, seats: usize) {
        if self.idle <= seats {
            self.unseen = Some(picture);
            return;
        }
        self.unseen = None;
        let is_news = !std::mem::replace(&mut self.knows, true);
        let news = if is_news { "you have no turn any more; you look on\n" } else { "" };
        self.tell(&format!("{news}{picture}\n"));
    }

    /// Sends a text to the guest; a failure is noticed when its input is read.
    fn tell(&mut self, text: &str) {
        connection::write(&mut self.stream, text);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;

    /// A host that ignores all texts and never waits.
    struct Deaf;

    impl HostDisplay for Deaf {
        fn tell(&mut self, _: &str) {}

        fn waits_for(&mut self, _: &str) -> Box<dyn HostWait> {
            Box::new(Deaf)
        }
    }

    impl HostWait for Deaf {
        fn is_over(&mut self) -> bool {
            false
        }
    }

    /// Makes participants with one guest after another, in a bout of two seats, and the guests'
    /// ends.
    fn table(names: &[&str]) -> (Participants, Vec<TcpStream>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
        let address = listener.local_addr().expect("it listens");
        let participants = Participants::new(Box::new(Deaf));
        let mut ends = Vec::new();
        for name in names {
            ends.push(TcpStream::connect(address).expect("it listens"));
            participants.join(name, listener.accept().expect("it is there").0);
        }
        participants.sit(0, 2);
        (participants, ends)
    }

    /// Plays a number of rounds; `asked` returns the seat of each.
    fn play(participants: &Participants, rounds: u16, asked: &dyn Fn(u16) -> u8) {
        let paint: Paint = Arc::new(|scene: &Scene| format!("board {}\n", scene.width));
        for round in 1..=rounds {
            participants.turn(asked(round));
            participants.show_round(&|| Scene { width: round, ..Scene::default() }, &paint);
        }
        participants.end(&|_| "the game is over\n".to_owned());
    }

    fn told(mut end: TcpStream) -> String {
        let mut text = String::new();
        end.read_to_string(&mut text).expect("it is told the end");
        text.replace("\r\n", "\n")
    }

    #[test]
    fn who_is_asked_in_turn_is_not_out_and_sees_how_it_ended() {
        let (participants, ends) = table(&["ann", "bob"]);
        play(&participants, 5, &|round| u8::from(round.is_multiple_of(2)));
        let told: Vec<String> = ends.into_iter().map(told).collect();
        assert_eq!(told, ["the game is over\n", "board 5\n\nthe game is over\n"]);
    }

    #[test]
    fn who_is_out_is_told_once_and_sees_every_round_from_then_on() {
        let (participants, mut ends) = table(&["ann", "bob"]);
        play(&participants, 4, &|_| 0);
        assert_eq!(
            told(ends.remove(1)),
            "you have no turn any more; you look on\nboard 3\n\nboard 4\n\nthe game is over\n"
        );
    }
}
