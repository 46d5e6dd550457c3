//! A lobby over loopback, whose guests come from wherever the tests say.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;

use super::nameless::PLACES;
use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

/// A host who waits.
struct Patient(Vec<LobbyNews>);

impl Host for Patient {
    fn hear(&mut self, news: &LobbyNews) {
        self.0.push(news.clone());
    }

    fn order(&mut self) -> Order {
        Order::Wait
    }
}

/// A host who hears nothing.
struct Deaf;

impl HostSide for Deaf {
    fn tell(&mut self, _: &str) {}

    fn waits_for(&mut self, _: &str) -> Box<dyn Waiting> {
        Box::new(Self)
    }
}

impl Waiting for Deaf {
    fn is_over(&mut self) -> bool {
        false
    }
}

/// A lobby with so many seats, and its host.
struct Table(Lobby, Patient);

impl Table {
    fn with(seats: usize, caps: LobbyCaps) -> Self {
        let admission =
            Admission { fewest: 1, most: seats, names: Vec::new(), patience: None, caps };
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let lobby = Lobby::open(address, admission, Arc::new(|| false)).expect("a port is free");
        lobby.listener.set_nonblocking(false).expect("it can be set");
        Self(lobby, Patient(Vec::new()))
    }

    fn of(seats: usize) -> Self {
        Self::with(seats, LobbyCaps::default())
    }

    /// Lets somebody in as if it came from the address that ends with `number`.
    fn come(&mut self, number: u8) -> End {
        let lobby = &mut self.0;
        let stream = TcpStream::connect(lobby.address().expect("it listens")).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("it can be set");
        let (accepted, _) = lobby.listener.accept().expect("it has come");
        let from = SocketAddr::from(([192, 0, 2, number], 1));
        let guest = guest::let_in(accepted, from, &lobby.places, &lobby.stopped);
        guest.into_iter().for_each(|guest| lobby.welcome(guest));
        End(stream)
    }

    /// Somebody who sits down.
    fn sit(&mut self, number: u8, name: &str) -> End {
        let mut end = self.come(number);
        end.hear("your name: ");
        end.say(name);
        let before = self.0.named.len();
        self.until(|lobby| lobby.named.len() > before);
        end
    }

    fn until(&mut self, is_so: impl Fn(&Lobby) -> bool) {
        let since = std::time::Instant::now();
        while !is_so(&self.0) {
            assert!(since.elapsed() < PATIENCE, "it does not come to pass");
            sleep(Duration::from_millis(2));
            self.0.hear_the_nameless(&mut self.1);
            self.0.hear_the_named(&mut self.1);
            self.0.hear_who_looks_on();
            self.0.offer_seats();
        }
    }
}

/// A guest's end of the connection.
struct End(TcpStream);

impl End {
    fn say(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).expect("it is open");
    }

    fn hear(&mut self, text: &str) {
        let (mut heard, mut byte) = (Vec::new(), [0]);
        while !heard.ends_with(text.as_bytes()) {
            let count = self.0.read(&mut byte).expect("it comes in time");
            assert_ne!(count, 0, "no `{text}` in {:?}", String::from_utf8_lossy(&heard));
            heard.push(byte[0]);
        }
    }

    /// Returns all that it is told until the connection ends.
    fn hear_out(mut self) -> String {
        let mut told = String::new();
        self.0.read_to_string(&mut told).expect("it is ended");
        told
    }
}

#[test]
fn silent_connections_keep_nobody_out() {
    let mut table = Table::of(2);
    let silent: Vec<End> = (0..PLACES).map(|_| table.come(1)).collect();
    let _honest = table.sit(2, "ann");
    assert_eq!(table.1.0, [LobbyNews::Joined { name: "ann".to_owned(), here: 1 }]);
    let told = silent.into_iter().next().expect("there are some").hear_out();
    assert_eq!(told, "your name: \r\nothers wait, and you have told no name: come again\r\n");
    assert_eq!(table.0.nameless.len(), PLACES - 1);
    let _one = table.come(1);
    let told = table.come(1).hear_out();
    assert_eq!(told, "many have come from your address just now: come again in 10 seconds\r\n");
}

#[test]
fn a_seat_that_becomes_free_is_offered_in_the_order_of_coming() {
    let mut table = Table::of(1);
    let ann = table.sit(1, "ann");
    let (mut bob, mut eve) = (table.come(2), table.come(3));
    bob.hear("every seat is taken\r\nyou will look on, unless one is free before\r\n");
    drop(ann);
    table.until(|lobby| lobby.nameless.len() == 1);
    bob.hear("a seat is free, for 20 seconds\r\nyour name: ");
    bob.say("bob");
    table.until(|lobby| lobby.named.len() == 1);
    drop(bob);
    table.until(|lobby| lobby.nameless.len() == 1);
    eve.hear("your name: ");
}

#[test]
fn who_looked_on_and_left_takes_no_place() {
    let mut table = Table::of(1);
    let _ann = table.sit(1, "ann");
    let gone: Vec<End> = (0..MOST_ONLOOKERS).map(|_| table.come(2)).collect();
    assert_eq!(table.come(3).hear_out(), "every seat is taken\r\n");
    drop(gone);
    table.until(|lobby| lobby.looking_on.is_empty());
    let mut late = table.come(3);
    late.hear("every seat is taken\r\nyou will look on");
    assert_eq!(table.0.looking_on.len(), 1);
}

#[test]
fn who_looks_on_at_a_bout_and_leaves_takes_no_place() {
    let mut table = Table::of(1);
    let _ann = table.sit(1, "ann");
    let gone: Vec<End> = (0..MOST_ONLOOKERS).map(|_| table.come(2)).collect();
    let address = table.0.address().expect("it listens");
    table.0.listener.set_nonblocking(true).expect("it can be set");
    let guests = table.0.close(Box::new(Deaf)).expect("the system is well");
    let come = || {
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("it can be set");
        End(stream)
    };
    assert_eq!(come().hear_out(), "");
    drop(gone);
    sleep(Duration::from_millis(500));
    come().hear("the game has begun; you look on\r\n");
    guests.company.end(&|_| String::new());
}

#[test]
fn an_address_has_as_many_connections_as_it_may() {
    let caps = LobbyCaps { connections: 3, per_address: 2 };
    let mut table = Table::with(2, caps);
    let refused = "as many are here as may be, or as many from your address\r\n";
    let (one, _other) = (table.come(1), table.come(1));
    assert_eq!(table.come(1).hear_out(), refused);
    let _third = table.come(2);
    assert_eq!(table.come(3).hear_out(), refused);
    drop(one);
    table.until(|lobby| lobby.nameless.len() == 2);
    table.come(1).hear("your name: ");
}
