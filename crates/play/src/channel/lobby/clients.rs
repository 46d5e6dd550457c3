//! Remote clients of a game over TCP: programs, or people who type the protocol. They receive
//! nothing before the game begins, because the game's original server sends nothing either.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};

use super::{Host, HostCommand, LobbyEvent, command_of, listen, next_connection};
use crate::transfer::at_once;

/// A connected client: a provisional name until it registers, and its connection.
pub type Client = (String, TcpStream);

/// Waiting room for a bout over TCP.
pub struct ClientLobby {
    listener: TcpListener,
    fewest: usize,
    most: usize,
    here: Vec<Client>,
    so_far: u32,
}

impl ClientLobby {
    /// Listens at `address` for `fewest` to `most` clients.
    ///
    /// # Errors
    ///
    /// The system's, when it cannot listen at the address.
    pub fn open(address: SocketAddr, fewest: usize, most: usize) -> io::Result<Self> {
        let listener = listen(address)?;
        Ok(Self { listener, fewest, most, here: Vec::new(), so_far: 0 })
    }

    /// Returns the address, with the port that the system chose.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Waits until the host begins or cancels; `None` if the host cancels. Clients are named in
    /// order of arrival.
    ///
    /// # Errors
    ///
    /// The system's, when no connections can be accepted any more.
    pub fn gather(mut self, host: &mut dyn Host) -> io::Result<Option<Vec<Client>>> {
        loop {
            self.accept(host)?;
            self.remove_gone_clients(host);
            match command_of(host, self.here.len(), self.fewest) {
                HostCommand::Start => return Ok(Some(self.here)),
                HostCommand::End => return Ok(None),
                HostCommand::Wait => {}
            }
        }
    }

    /// Accepts waiting connections, and closes those above the maximum.
    fn accept(&mut self, host: &mut dyn Host) -> io::Result<()> {
        while let Some((stream, _)) = next_connection(&self.listener)? {
            if self.here.len() < self.most && stream.set_nonblocking(true).is_ok() {
                self.so_far += 1;
                let name = format!("Guest {}", self.so_far);
                self.here.push((name.clone(), stream));
                host.handle_event(&LobbyEvent::Joined { name, here: self.here.len() });
            }
        }
        Ok(())
    }

    fn remove_gone_clients(&mut self, host: &mut dyn Host) {
        for (name, stream) in std::mem::take(&mut self.here) {
            if is_here(&stream) {
                self.here.push((name, stream));
            } else {
                host.handle_event(&LobbyEvent::Left { name, here: self.here.len() });
            }
        }
    }
}

/// Returns whether the client is connected, without consuming its bytes.
fn is_here(stream: &TcpStream) -> bool {
    matches!(at_once(|| stream.peek(&mut [0])), Ok(None | Some(1)))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// A host that gives these orders in turn, and records the events.
    struct Script(Vec<(usize, HostCommand)>, Vec<LobbyEvent>);

    impl Host for Script {
        fn handle_event(&mut self, event: &LobbyEvent) {
            self.1.push(event.clone());
        }

        fn next_command(&mut self) -> HostCommand {
            std::thread::sleep(std::time::Duration::from_millis(2));
            match self.0.first() {
                Some((after, order)) if self.1.len() >= *after => {
                    let order = *order;
                    self.0.remove(0);
                    order
                }
                _ => HostCommand::Wait,
            }
        }
    }

    fn lobby(most: usize) -> (ClientLobby, SocketAddr) {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let lobby = ClientLobby::open(any, 1, most).expect("a port is free");
        let address = lobby.address().expect("it listens");
        (lobby, address)
    }

    #[test]
    fn who_comes_is_numbered_and_what_they_send_is_kept() {
        let (lobby, address) = lobby(2);
        let streams: Vec<TcpStream> =
            (0..3).map(|_| TcpStream::connect(address).expect("it listens")).collect();
        (&streams[0]).write_all(b"early").expect("it is open");
        let mut host = Script(vec![(2, HostCommand::Start)], Vec::new());
        let here = lobby.gather(&mut host).expect("the system is well").expect("it was begun");
        let names: Vec<_> = here.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Guest 1", "Guest 2"]);
        let mut early = [0; 5];
        here[0].1.set_nonblocking(false).expect("it is open");
        here[0].1.peek(&mut early).expect("it came");
        assert_eq!(&early, b"early");
    }

    #[test]
    fn it_takes_enough_and_who_leaves_is_missed() {
        let (lobby, address) = lobby(2);
        let gone = TcpStream::connect(address).expect("it listens");
        let leaving = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            drop(gone);
        });
        let script = vec![(2, HostCommand::Start), (3, HostCommand::End)];
        let mut host = Script(script, Vec::new());
        assert!(lobby.gather(&mut host).expect("the system is well").is_none());
        let name = || "Guest 1".to_owned();
        let expected = [
            LobbyEvent::Joined { name: name(), here: 1 },
            LobbyEvent::Left { name: name(), here: 0 },
            LobbyEvent::TooFew { here: 0, fewest: 1 },
        ];
        assert_eq!(host.1, expected);
        leaving.join().expect("it left");
    }
}
