//! A lobby over loopback, whose guests come from wherever the tests say.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

/// A host who always waits.
struct Patient(Vec<LobbyEvent>);

impl Host for Patient {
    fn handle_event(&mut self, event: &LobbyEvent) {
        self.0.push(event.clone());
    }

    fn next_command(&mut self) -> HostCommand {
        HostCommand::Wait
    }
}

/// A lobby and its host.
struct Table(Lobby, Patient);

impl Table {
    fn with(seats: usize, caps: ConnectionCaps) -> Self {
        let admission =
            Admission { fewest: 1, most: seats, names: Vec::new(), patience: None, caps };
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let lobby = Lobby::open(address, admission, Arc::new(|| false)).expect("a port is free");
        lobby.listener.set_nonblocking(false).expect("it can be set");
        Self(lobby, Patient(Vec::new()))
    }

    fn of(seats: usize) -> Self {
        Self::with(seats, ConnectionCaps::default())
    }

    /// Connects a guest whose address ends with `number`.
    fn come(&mut self, number: u8) -> End {
        let lobby = &mut self.0;
        let stream = TcpStream::connect(lobby.address().expect("it listens")).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("it can be set");
        let (accepted, _) = lobby.listener.accept().expect("it has come");
        let from = SocketAddr::from(([192, 0, 2, number], 1));
        let guest =
            connection::admit(accepted, from, &lobby.slots, lobby.admission.caps, &lobby.stopped);
        guest.into_iter().for_each(|guest| lobby.add_login(guest));
        End(stream)
    }

    /// Connects a guest and gives its name.
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
            self.0.poll_logins(&mut self.1);
            self.0.poll_players(&mut self.1);
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

    /// Returns everything that the guest receives until the connection ends.
    fn hear_out(mut self) -> String {
        let mut told = String::new();
        self.0.read_to_string(&mut told).expect("it is ended");
        told
    }
}

#[test]
fn silent_connections_of_one_address_keep_nobody_else_out() {
    let mut table = Table::of(2);
    let silent: Vec<End> = (0..MOST_OF_ADDRESS).map(|_| table.come(1)).collect();
    let refused = "too many wait here without a name: come again in a minute\r\n";
    assert_eq!(table.come(1).hear_out(), refused);
    let _honest = table.sit(2, "ann");
    assert_eq!(table.1.0, [LobbyEvent::Joined { name: "ann".to_owned(), here: 1 }]);
    drop(silent);
    table.until(|lobby| lobby.logins.is_empty());
    table.come(1).hear("your name: ");
}

#[test]
fn so_many_wait_without_a_name_wherever_they_come_from() {
    let mut table = Table::of(2);
    let number = |index: usize| u8::try_from(index / MOST_OF_ADDRESS).expect("few addresses");
    let silent: Vec<End> = (0..MOST_NAMELESS).map(|index| table.come(number(index))).collect();
    let told = table.come(200).hear_out();
    assert!(told.starts_with("too many wait here"), "{told}");
    drop(silent);
}

#[test]
fn seats_are_taken_in_the_order_of_arrival_and_a_free_one_by_whoever_comes_next() {
    let mut table = Table::of(1);
    let ann = table.sit(1, "ann");
    assert_eq!(table.come(2).hear_out(), "every seat is taken\r\n");
    drop(ann);
    table.until(|lobby| lobby.named.is_empty());
    let _bob = table.sit(2, "bob");
    assert_eq!(table.0.named[0].0, "bob");
}

#[test]
fn a_browser_is_no_guest() {
    let mut table = Table::of(1);
    let mut browser = table.come(1);
    browser.say("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\neve");
    table.until(|lobby| lobby.logins.is_empty());
    assert!(table.0.named.is_empty());
    browser.hear("this is no web server\r\n");
    let _ann = table.sit(2, "ann");
}

#[test]
fn an_address_has_as_many_connections_as_it_may() {
    let caps = ConnectionCaps { connections: 3, per_address: 2 };
    let mut table = Table::with(2, caps);
    let refused = "as many are here as may be, or as many from your address\r\n";
    let (one, _other) = (table.come(1), table.come(1));
    assert_eq!(table.come(1).hear_out(), refused);
    let _third = table.come(2);
    assert_eq!(table.come(3).hear_out(), refused);
    drop(one);
    table.until(|lobby| lobby.logins.len() == 2);
    table.come(1).hear("your name: ");
}
