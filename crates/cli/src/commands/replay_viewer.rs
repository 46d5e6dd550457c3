//! A recorded bout at a terminal: each position in the place of the one before, with keys.

use std::time::{Duration, Instant};

use joust_model::cancel::Cancel;
use joust_play::channel::live::{END, HOME, first_key};
use joust_referee::Scene;
use joust_report::Colours;

use crate::error::Status;
use crate::keyboard::{self, CHECK_INTERVAL};
use crate::output::Screen;
use crate::scene::{broken, lines};
use crate::signals;
use crate::terminal_session::{TerminalSession, width};

/// Default time for which a position is shown.
const USUAL_DELAY: Duration = Duration::from_millis(200);

/// A position, and the actions just before it.
pub(super) struct ReplayPosition {
    pub(super) scene: Scene,
    pub(super) actions: String,
}

/// Effect of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplayKey {
    Pause,
    Forward,
    Back,
    First,
    Last,
    Quit,
}

/// The replay and where it is.
struct ReplayPlayer<'a> {
    positions: &'a [ReplayPosition],
    at: usize,
    is_playing: bool,
    /// True if a key was pressed: a person who steps wants to look at the end, too.
    is_stepped: bool,
}

/// Shows positions one after the other until the last, or until the user quits. `delay` is the time
/// for each position; zero for the default.
pub(super) fn watch(positions: &[ReplayPosition], delay: Duration, screen: Screen) -> Status {
    let cancel = Cancel::default();
    signals::stop_on_signal(cancel.clone(), |_| {});
    let delay = if delay.is_zero() { USUAL_DELAY } else { delay };
    let terminal = TerminalSession::new(screen);
    terminal.set_footer("space pauses, arrows step, home and end, q quits");
    let mut player = ReplayPlayer { positions, at: 0, is_playing: true, is_stepped: false };
    let left = loop {
        player.show(&terminal, screen.colours());
        if player.has_ended() {
            break Status::Done;
        }
        match player.next(delay, &cancel) {
            Some(ReplayKey::Quit) => break Status::Done,
            Some(key) => player.press(key),
            None if cancel.is_cancelled() => break Status::Interrupted,
            None => player.at += 1,
        }
    };
    terminal.set_footer("");
    terminal.status("");
    terminal.release();
    left
}

impl ReplayPlayer<'_> {
    fn show(&self, terminal: &TerminalSession, colors: Colours) {
        let position = &self.positions[self.at];
        let width = width();
        let mut picture = lines(&position.scene, colors, width);
        picture.extend(broken(position.actions.trim_end(), width));
        let paused = if self.is_playing { "" } else { ", paused" };
        terminal.status(&format!("{} of {}{paused}", self.at + 1, self.positions.len()));
        terminal.show_lines(picture);
    }

    fn is_last(&self) -> bool {
        self.at + 1 >= self.positions.len()
    }

    fn has_ended(&self) -> bool {
        self.is_last() && !self.is_stepped
    }

    /// Waits for a key, or while it plays for the next position's time.
    fn next(&mut self, delay: Duration, cancel: &Cancel) -> Option<ReplayKey> {
        let until = Instant::now() + delay;
        loop {
            let waits = !self.is_playing || self.is_last();
            let left = until.saturating_duration_since(Instant::now());
            if let Some(key) =
                key(&keyboard::keys(if waits { CHECK_INTERVAL } else { left.min(CHECK_INTERVAL) }))
            {
                return Some(key);
            }
            if cancel.is_cancelled() || !waits && Instant::now() >= until {
                return None;
            }
        }
    }

    fn press(&mut self, key: ReplayKey) {
        self.is_stepped = true;
        let last = self.positions.len() - 1;
        match key {
            ReplayKey::Pause => self.is_playing = !self.is_playing,
            ReplayKey::Forward => (self.at, self.is_playing) = ((self.at + 1).min(last), false),
            ReplayKey::Back => (self.at, self.is_playing) = (self.at.saturating_sub(1), false),
            ReplayKey::First => (self.at, self.is_playing) = (0, false),
            ReplayKey::Last => (self.at, self.is_playing) = (last, false),
            ReplayKey::Quit => {}
        }
    }
}

/// Returns the first of the pressed keys that has a meaning.
fn key(mut bytes: &[u8]) -> Option<ReplayKey> {
    while let Some((pressed, length)) = first_key(bytes) {
        bytes = &bytes[length..];
        match pressed {
            '\u{2192}' => return Some(ReplayKey::Forward),
            '\u{2190}' => return Some(ReplayKey::Back),
            HOME => return Some(ReplayKey::First),
            END => return Some(ReplayKey::Last),
            ' ' => return Some(ReplayKey::Pause),
            'q' | 'Q' | '\u{4}' => return Some(ReplayKey::Quit),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_from_what_surrounds_them() {
        assert_eq!(key(b"x\x1b[C"), Some(ReplayKey::Forward));
        assert_eq!(key(b"\x1b[4~ "), Some(ReplayKey::Last));
        assert_eq!(
            (key(b" "), key(b"q"), key(b"\x1b[A"), key(b"")),
            (Some(ReplayKey::Pause), Some(ReplayKey::Quit), None, None)
        );
    }
}
