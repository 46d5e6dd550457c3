//! Hosts of guests: a person at this terminal, with a key that skips a guest's turn, or no person
//! at all.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use joust_model::cancel::Cancel;
use joust_model::escaped;
use joust_play::channel::{
    Admission, HostCommand, HostDisplay, HostWait, Lobby, LobbyEvent, LobbyHost, StopCheck,
};

use crate::keyboard::{self, CHECK_INTERVAL, TypedInput, TypedLine};
use crate::terminal_mode::SingleKeys;
use crate::terminal_session::TerminalSession;

/// The key that skips a guest.
const SKIP: u8 = b's';

/// Longest time to wait until the port of the bout before is closed.
const CLOSING: Duration = Duration::from_secs(5);

/// The host's side of a table.
pub(super) struct HostTable(TerminalSession);

impl HostTable {
    pub(super) fn new(terminal: &TerminalSession) -> Self {
        Self(terminal.clone())
    }
}

impl HostDisplay for HostTable {
    fn tell(&mut self, text: &str) {
        self.0.print(text);
    }

    fn waits_for(&mut self, name: &str) -> Box<dyn HostWait> {
        let keys = keyboard::is_terminal().then(SingleKeys::hold).and_then(Result::ok);
        let skips = if keys.is_some() { "; s skips this turn" } else { "" };
        let text = format!("waiting for {name}{skips}");
        if self.0.has_picture() {
            self.0.status(&text);
        } else {
            self.0.print(&format!("{text}\n"));
        }
        Box::new(SkipKey { terminal: self.0.clone(), keys })
    }
}

/// The host's key while the game waits for a guest.
struct SkipKey {
    terminal: TerminalSession,
    keys: Option<SingleKeys>,
}

impl HostWait for SkipKey {
    fn is_over(&mut self) -> bool {
        self.keys.is_some() && keyboard::keys(Duration::ZERO).contains(&SKIP)
    }
}

impl Drop for SkipKey {
    fn drop(&mut self) {
        if self.terminal.has_picture() {
            self.terminal.status("");
        }
    }
}

/// Host at this keyboard while guests join.
pub(super) struct LobbyKeyboard {
    terminal: TerminalSession,
    cancel: Cancel,
    typing: Option<(TypedLine, SingleKeys)>,
}

impl LobbyKeyboard {
    pub(super) fn new(terminal: &TerminalSession, cancel: &Cancel) -> Self {
        let keys = keyboard::is_terminal().then(SingleKeys::hold).and_then(Result::ok);
        let typing = keys.map(|keys| (TypedLine::default(), keys));
        Self { terminal: terminal.clone(), cancel: cancel.clone(), typing }
    }

    /// Waits for a line; at a terminal, typed text stays when a guest joins meanwhile.
    fn line(&mut self) -> TypedInput {
        let Some((typing, _)) = &mut self.typing else { return keyboard::line(CHECK_INTERVAL) };
        let before = typing.text().to_owned();
        let key = typing.line(CHECK_INTERVAL);
        match &key {
            TypedInput::Line(line) => {
                self.terminal.input(Some(line));
                self.terminal.input(None);
            }
            _ if before != typing.text() => self.terminal.input(Some(typing.text())),
            _ => {}
        }
        key
    }

    pub(super) fn announce(&self, address: SocketAddr, how: &str) {
        self.terminal.take_terminal();
        let mut text = format!("listening at {address}\n");
        if !address.ip().is_loopback() {
            text.push_str(
                "warning: anyone who reaches this address can join; nothing is encrypted, and there is \
                 no password\n",
            );
        }
        let (ip, port) = (address.ip(), address.port());
        text.push_str(&format!(
            "{how} `nc {ip} {port}` or `telnet {ip} {port}`; type `start` when all are here, \
             `end` to call it off\n"
        ));
        self.terminal.print(&text);
        self.show_input();
    }

    fn show_input(&self) {
        if let Some((typing, _)) = &self.typing {
            self.terminal.input(Some(typing.text()));
        }
    }
}

impl Drop for LobbyKeyboard {
    fn drop(&mut self) {
        self.terminal.input(None);
    }
}

impl LobbyHost for LobbyKeyboard {
    fn handle_event(&mut self, event: &LobbyEvent) {
        let text = match event {
            LobbyEvent::Joined { name, here } => format!("{name} has joined ({here} here)\n"),
            LobbyEvent::Left { name, here } => format!("{name} has left ({here} here)\n"),
            LobbyEvent::TooFew { here, fewest } => {
                format!("{here} here, and it takes {fewest}: not started\n")
            }
        };
        self.terminal.print(&text);
        self.show_input();
    }

    fn next_command(&mut self) -> HostCommand {
        match self.line() {
            _ if self.cancel.is_cancelled() => HostCommand::End,
            TypedInput::Line(line) => match line.trim() {
                "start" => HostCommand::Start,
                "end" | "quit" => HostCommand::End,
                other => {
                    let text = format!("`{}`? type `start` or `end`\n", escaped(other));
                    self.terminal.print(&text);
                    self.show_input();
                    HostCommand::Wait
                }
            },
            TypedInput::Nothing => HostCommand::Wait,
            TypedInput::End => HostCommand::End,
        }
    }
}

/// Host of a standing table, without a person at this keyboard: a bout begins as soon as enough
/// guests are there.
pub(super) struct AutomaticHost {
    terminal: TerminalSession,
    cancel: Cancel,
    here: usize,
    fewest: usize,
}

impl AutomaticHost {
    pub(super) fn new(terminal: &TerminalSession, cancel: &Cancel, fewest: usize) -> Self {
        Self { terminal: terminal.clone(), cancel: cancel.clone(), here: 0, fewest }
    }

    /// Starts to listen, as soon as the bout before has released the address.
    pub(super) fn open(
        &self,
        address: SocketAddr,
        admission: &Admission,
        stopped: &StopCheck,
    ) -> io::Result<Lobby> {
        let until = Instant::now() + CLOSING;
        loop {
            match Lobby::open(address, admission.clone(), Arc::clone(stopped)) {
                Err(error) if error.kind() == ErrorKind::AddrInUse && Instant::now() < until => {
                    thread::sleep(CHECK_INTERVAL);
                }
                Err(error) => return Err(error),
                Ok(lobby) => {
                    let (ip, port) = (address.ip(), address.port());
                    let many = self.fewest;
                    self.terminal.print(&format!(
                        "listening at {address} for {many} or more: people join with `nc {ip} {port}` or `telnet {ip} {port}`\n"
                    ));
                    return Ok(lobby);
                }
            }
        }
    }
}

impl LobbyHost for AutomaticHost {
    fn handle_event(&mut self, event: &LobbyEvent) {
        let (LobbyEvent::Joined { here, .. }
        | LobbyEvent::Left { here, .. }
        | LobbyEvent::TooFew { here, .. }) = event;
        self.here = *here;
        match event {
            LobbyEvent::Joined { name, .. } => self.terminal.print(&format!("{name} has joined\n")),
            LobbyEvent::Left { name, .. } => self.terminal.print(&format!("{name} has left\n")),
            LobbyEvent::TooFew { .. } => {}
        }
    }

    fn describe_start(&self) -> &'static str {
        "when everybody is here"
    }

    fn next_command(&mut self) -> HostCommand {
        match () {
            () if self.cancel.is_cancelled() => HostCommand::End,
            () if self.here >= self.fewest => HostCommand::Start,
            () => {
                thread::sleep(CHECK_INTERVAL);
                HostCommand::Wait
            }
        }
    }
}
