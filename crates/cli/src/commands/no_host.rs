//! Door of a table that stands: nobody sits at this keyboard, and a bout begins as soon as
//! enough guests are there.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use joust_orchestrator::cancel::Cancel;
use joust_orchestrator::channel::{Admission, Lobby, LobbyHost, LobbyNews, Order, Stopped};

use super::people::LOOK;
use crate::terminal_session::TerminalSession;

/// Longest time for closing the port of the bout before.
const CLOSING: Duration = Duration::from_secs(5);

/// Nobody at the door.
pub(super) struct NoHost {
    desk: TerminalSession,
    cancel: Cancel,
    here: usize,
    fewest: usize,
}

impl NoHost {
    pub(super) fn new(desk: &TerminalSession, cancel: &Cancel, fewest: usize) -> Self {
        Self { desk: desk.clone(), cancel: cancel.clone(), here: 0, fewest }
    }

    /// Begins to listen, as soon as the bout before has let go of the address.
    pub(super) fn open(
        &self,
        address: SocketAddr,
        admission: &Admission,
        stopped: &Stopped,
    ) -> io::Result<Lobby> {
        let until = Instant::now() + CLOSING;
        loop {
            match Lobby::open(address, admission.clone(), Arc::clone(stopped)) {
                Err(error) if error.kind() == ErrorKind::AddrInUse && Instant::now() < until => {
                    thread::sleep(LOOK);
                }
                Err(error) => return Err(error),
                Ok(lobby) => {
                    let (ip, port) = (address.ip(), address.port());
                    let many = self.fewest;
                    self.desk.tell(&format!(
                        "listening at {address} for {many} or more: people join with `nc {ip} {port}` or `telnet {ip} {port}`\n"
                    ));
                    return Ok(lobby);
                }
            }
        }
    }
}

impl LobbyHost for NoHost {
    fn hear(&mut self, news: &LobbyNews) {
        let (LobbyNews::Joined { here, .. }
        | LobbyNews::Left { here, .. }
        | LobbyNews::TooFew { here, .. }) = news;
        self.here = *here;
        match news {
            LobbyNews::Joined { name, .. } => self.desk.tell(&format!("{name} has joined\n")),
            LobbyNews::Left { name, .. } => self.desk.tell(&format!("{name} has left\n")),
            LobbyNews::TooFew { .. } => {}
        }
    }

    fn begins(&self) -> &'static str {
        "when everybody is here"
    }

    fn order(&mut self) -> Order {
        match () {
            () if self.cancel.is_cancelled() => Order::End,
            () if self.here >= self.fewest => Order::Start,
            () => {
                thread::sleep(LOOK);
                Order::Wait
            }
        }
    }
}
