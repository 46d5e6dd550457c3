//! Host at this terminal: who comes while a bout is waited for, what guests do while
//! it is played, and the key that skips whoever is waited for.

use std::net::SocketAddr;
use std::time::Duration;

use joust_orchestrator::cancel::Cancel;
use joust_orchestrator::channel::{HostSide, LobbyHost, LobbyNews, Order, Waiting};
use joust_orchestrator::model::escaped;

use super::people::LOOK;
use crate::keyboard::{self, Key, Typing};
use crate::terminal_mode::SingleKeys;
use crate::terminal_session::TerminalSession;

/// The key that skips a guest.
const SKIP: u8 = b's';

/// The host's side of a table.
pub(super) struct HostTable(TerminalSession);

impl HostTable {
    pub(super) fn new(desk: &TerminalSession) -> Self {
        Self(desk.clone())
    }
}

impl HostSide for HostTable {
    fn tell(&mut self, text: &str) {
        self.0.tell(text);
    }

    fn waits_for(&mut self, name: &str) -> Box<dyn Waiting> {
        let keys = keyboard::is_terminal().then(SingleKeys::hold).and_then(Result::ok);
        let skips = if keys.is_some() { "; s skips this turn" } else { "" };
        let text = format!("waiting for {name}{skips}");
        if self.0.has_picture() {
            self.0.status(&text);
        } else {
            self.0.tell(&format!("{text}\n"));
        }
        Box::new(SkipKey { desk: self.0.clone(), keys })
    }
}

/// The host's key while somebody is waited for.
struct SkipKey {
    desk: TerminalSession,
    keys: Option<SingleKeys>,
}

impl Waiting for SkipKey {
    fn is_over(&mut self) -> bool {
        self.keys.is_some() && keyboard::keys(Duration::ZERO).contains(&SKIP)
    }
}

impl Drop for SkipKey {
    fn drop(&mut self) {
        if self.desk.has_picture() {
            self.desk.status("");
        }
    }
}

/// Person at this keyboard while guests come in.
pub(super) struct LobbyKeyboard {
    desk: TerminalSession,
    cancel: Cancel,
    typing: Option<(Typing, SingleKeys)>,
}

impl LobbyKeyboard {
    pub(super) fn new(desk: &TerminalSession, cancel: &Cancel) -> Self {
        let keys = keyboard::is_terminal().then(SingleKeys::hold).and_then(Result::ok);
        let typing = keys.map(|keys| (Typing::default(), keys));
        Self { desk: desk.clone(), cancel: cancel.clone(), typing }
    }

    /// Waits for a line; at a terminal what is typed stays whoever comes meanwhile.
    fn line(&mut self) -> Key {
        let Some((typing, _)) = &mut self.typing else { return keyboard::line(LOOK) };
        let before = typing.text().to_owned();
        let key = typing.line(LOOK);
        match &key {
            Key::Line(line) => {
                self.desk.input(Some(line));
                self.desk.input(None);
            }
            _ if before != typing.text() => self.desk.input(Some(typing.text())),
            _ => {}
        }
        key
    }

    pub(super) fn announce(&self, address: SocketAddr, how: &str) {
        self.desk.borrow();
        let mut text = format!("listening at {address}\n");
        if !address.ip().is_loopback() {
            text.push_str(
                "warning: whoever reaches this address can join; nothing is encrypted and nobody \
                 has to say who they are\n",
            );
        }
        let (ip, port) = (address.ip(), address.port());
        text.push_str(&format!(
            "{how} `nc {ip} {port}` or `telnet {ip} {port}`; type `start` when all are here, \
             `end` to call it off\n"
        ));
        self.desk.tell(&text);
        self.show_input();
    }

    fn show_input(&self) {
        if let Some((typing, _)) = &self.typing {
            self.desk.input(Some(typing.text()));
        }
    }
}

impl Drop for LobbyKeyboard {
    fn drop(&mut self) {
        self.desk.input(None);
    }
}

impl LobbyHost for LobbyKeyboard {
    fn hear(&mut self, news: &LobbyNews) {
        let text = match news {
            LobbyNews::Joined { name, here } => format!("{name} has joined ({here} here)\n"),
            LobbyNews::Left { name, here } => format!("{name} has left ({here} here)\n"),
            LobbyNews::TooFew { here, fewest } => {
                format!("{here} here, and it takes {fewest}: not started\n")
            }
        };
        self.desk.tell(&text);
        self.show_input();
    }

    fn order(&mut self) -> Order {
        match self.line() {
            _ if self.cancel.is_cancelled() => Order::End,
            Key::Line(line) => match line.trim() {
                "start" => Order::Start,
                "end" | "quit" => Order::End,
                other => {
                    let text = format!("`{}`? type `start` or `end`\n", escaped(other));
                    self.desk.tell(&text);
                    self.show_input();
                    Order::Wait
                }
            },
            Key::Nothing => Order::Wait,
            Key::End => Order::End,
        }
    }
}
