//! Keyboard client of a game over TCP, for a person in a seat: single keys become messages of a
//! client.
//!
//! There is no real connection: the game sees a simulated one, and the game's own client for people
//! reads the server's output. That client registers by itself, and sends one key per tick.

use std::sync::Arc;
use std::time::Instant;

use joust_referee::{ClientReply, Game, Parts, RequestId};

use super::{ClockControl, Event, Keys, LiveChannel, News, PollTarget, SeatConnection};
use crate::channel::{Answered, ChannelError, Usage};

/// The number of the only connection.
const ONLY: SeatConnection = SeatConnection(0);

/// Channel to a person in a bout over TCP.
pub struct KeyboardClient {
    keys: Keys,
    game: Game,
    name: String,
    /// Output of the server after its last line end.
    unread: Vec<u8>,
    ticks: u32,
    said: Vec<String>,
    is_closed: bool,
    seated_at: Instant,
}

impl KeyboardClient {
    /// Seats a person, with the name `name` in the protocol and the keys of `game`.
    pub fn new(keys: Keys, game: Game, name: &str) -> Self {
        Self {
            keys,
            game,
            name: name.to_owned(),
            unread: Vec::new(),
            ticks: 0,
            said: Vec::new(),
            is_closed: false,
            seated_at: Instant::now(),
        }
    }

    fn handle_line(&mut self, line: &str) -> Result<(), ChannelError> {
        match self.game.receive_line(line, &self.name) {
            ClientReply::Nothing => Ok(()),
            ClientReply::Says(words) => {
                self.said.push(words);
                Ok(())
            }
            ClientReply::MayAct => {
                self.ticks += 1;
                self.keys.ask(RequestId(self.ticks), &Parts::none())
            }
        }
    }

    fn message(&self, bytes: &[u8], at: Instant) -> Option<News> {
        let event = Event::Message { connection: ONLY, bytes: bytes.into() };
        (!self.is_closed).then_some(News { at, event })
    }
}

impl LiveChannel for KeyboardClient {
    fn start(&mut self) -> Result<(), ChannelError> {
        self.keys.start()
    }

    fn descriptors<'a>(&'a self, wanted: &mut Vec<PollTarget<'a>>) {
        self.keys.descriptors(wanted);
    }

    fn wake_at(&self) -> Option<Instant> {
        if self.said.is_empty() { self.keys.wake_at() } else { Some(self.seated_at) }
    }

    fn receive(&mut self, news: &mut Vec<News>) -> Result<(), ChannelError> {
        let at = Instant::now();
        for words in std::mem::take(&mut self.said) {
            news.extend(self.message(words.as_bytes(), at));
        }
        let mut pressed = Vec::new();
        self.keys.receive(&mut pressed)?;
        for one in pressed {
            match one.event {
                Event::Ready => {
                    news.push(News { at: one.at, event: Event::Opened(ONLY) });
                    news.push(one);
                }
                Event::Answer { parts, .. } => {
                    news.extend(self.message(parts.get("").unwrap_or_default(), one.at));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn send(&mut self, _: SeatConnection, bytes: &Arc<[u8]>) -> Result<(), ChannelError> {
        self.unread.extend_from_slice(bytes);
        while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            self.handle_line(&String::from_utf8_lossy(&line[..end]))?;
        }
        Ok(())
    }

    fn disconnect(&mut self, _: SeatConnection) -> Result<(), ChannelError> {
        self.is_closed = true;
        Ok(())
    }

    fn clock_control(&self) -> ClockControl {
        self.keys.clock_control()
    }

    fn on_tick(&mut self) {
        self.keys.on_tick();
    }

    fn usage(&mut self) -> Result<Usage, ChannelError> {
        self.keys.usage()
    }

    fn end(&mut self) -> Result<Answered, ChannelError> {
        self.keys.end()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, PipeWriter, Write};
    use std::os::fd::OwnedFd;

    use joust_referee::Catalogue;

    use super::super::Keyboard;
    use super::*;

    fn person() -> (KeyboardClient, PipeWriter) {
        let (reader, writer) = io::pipe().expect("a pipe can be made");
        let games = Catalogue::built_in();
        let game = games.find("uwcs-bomberman").expect("it is there").clone();
        let input = OwnedFd::from(reader).into();
        let keyboard = Keyboard { input, notify: Box::new(|_| {}) };
        let keys = Keys::new(keyboard, &game.spec().people.keys);
        let mut hand = KeyboardClient::new(keys, game, "Player");
        let mut news = Vec::new();
        hand.receive(&mut news).expect("nothing can fail");
        let events: Vec<_> = news.into_iter().map(|news| news.event).collect();
        assert!(matches!(events[..], [Event::Opened(ONLY), Event::Ready]), "{events:?}");
        (hand, writer)
    }

    fn hear(hand: &mut KeyboardClient, text: &str) {
        hand.send(ONLY, &Arc::from(text.as_bytes())).expect("nothing can fail");
    }

    /// Returns the server's output so far. A key must have been pressed first, because this waits
    /// for the keyboard.
    fn said(hand: &mut KeyboardClient) -> String {
        let mut news = Vec::new();
        hand.receive(&mut news).expect("nothing can fail");
        let said = news.into_iter().map(|news| match news.event {
            Event::Message { bytes, .. } => String::from_utf8_lossy(&bytes).into_owned(),
            other => panic!("{other:?}"),
        });
        said.collect()
    }

    #[test]
    fn a_person_registers_by_itself_and_acts_once_a_tick() {
        let (mut hand, mut writer) = person();
        writer.write_all(b"dw").expect("it is read");
        let now = Instant::now();
        hear(&mut hand, "INI");
        assert!(hand.wake_at().is_none(), "half a line is none");
        hear(&mut hand, "T\n");
        assert!(hand.wake_at().is_some_and(|at| at <= now), "it is due");
        assert_eq!(said(&mut hand), "REGISTER Player Player\n");
        hear(&mut hand, "REGISTERED\nTICK 1\n");
        assert_eq!(said(&mut hand), "ACTION RIGHT\n");
        writer.write_all(b" ").expect("it is read");
        hear(&mut hand, "ACTIONS 0\nTICK 2\n");
        assert_eq!(said(&mut hand), "ACTION UP\n");
    }
}
