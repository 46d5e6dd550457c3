//! Host of guests: a person at this terminal, with a key that skips a guest's turn.

use std::net::SocketAddr;
use std::time::Duration;

use joust_model::cancel::Cancel;
use joust_model::escaped;
use joust_play::channel::{HostCommand, HostDisplay, HostWait, LobbyEvent, LobbyHost};

use crate::keyboard::{self, CHECK_INTERVAL, TypedInput, TypedLine};
use crate::terminal_mode::SingleKeys;
use crate::terminal_session::TerminalSession;

/// The key that skips a guest.
const SKIP: u8 = b's';

/// The host's side of a table.
pub(super) struct HostTable(pub(super) TerminalSession);

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
