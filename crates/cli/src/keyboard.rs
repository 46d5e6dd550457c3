//! Keyboard of this terminal: lines and single keys.
//!
//! No thread reads ahead, so that lines and keys can be requested in turn, and no wait is so long
//! that Ctrl-C is missed.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use joust_play::channel::live::{KeyNotice, Keyboard};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use parking_lot::Mutex;

use crate::terminal_mode::SingleKeys;
use crate::terminal_session::TerminalSession;

/// The longest line that is read; the rest becomes another line.
const LONGEST_LINE: usize = 4096;
/// The longest single wait, so that any patience fits into the system's.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Interval at which waiting for a person stops for a check of Ctrl-C.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Bytes that were read and not used yet.
static UNREAD: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Input of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypedInput {
    /// A line, without its end and without control characters.
    Line(String),
    /// Nothing in this time.
    Nothing,
    /// Standard input has ended. At a terminal that is Ctrl-D, and there may be more.
    End,
}

/// Returns whether a person can be asked.
pub(crate) fn is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Waits at most `patience` for a line.
pub(crate) fn line(patience: Duration) -> TypedInput {
    let until = Instant::now().checked_add(patience);
    loop {
        if let Some(line) = take_line(&mut UNREAD.lock()) {
            return TypedInput::Line(line);
        }
        let left = until.map_or(LONGEST_WAIT, |at| at.saturating_duration_since(Instant::now()));
        match read(left.min(LONGEST_WAIT)) {
            Ok(Some(0)) => return take_rest(&mut UNREAD.lock()),
            Ok(Some(_)) => {}
            Ok(None) if until.is_none_or(|at| Instant::now() < at) => {}
            Ok(None) => return TypedInput::Nothing,
            Err(_) => return TypedInput::End,
        }
    }
}

/// Returns the keys that have been pressed, after waiting at most `patience` for one.
pub(crate) fn keys(patience: Duration) -> Vec<u8> {
    if UNREAD.lock().is_empty() {
        let _ = read(patience);
    }
    std::mem::take(&mut *UNREAD.lock())
}

/// A line that is typed key by key, so that it can be shown again under later messages.
#[derive(Debug, Default)]
pub(crate) struct TypedLine(String);

/// The keys of a line that are no characters of it.
const CTRL_D: char = '\u{4}';
const CTRL_U: char = '\u{15}';

impl TypedLine {
    /// Waits at most `patience` for keys; a whole line begins another.
    pub(crate) fn line(&mut self, patience: Duration) -> TypedInput {
        let pressed = keys(patience);
        let text = String::from_utf8_lossy(&pressed);
        for (place, key) in text.char_indices() {
            match key {
                '\n' | '\r' => {
                    UNREAD.lock().extend_from_slice(&text.as_bytes()[place + 1..]);
                    return TypedInput::Line(std::mem::take(&mut self.0));
                }
                CTRL_D if self.0.is_empty() => return TypedInput::End,
                CTRL_U => self.0.clear(),
                '\u{8}' | '\u{7f}' => _ = self.0.pop(),
                key if key.is_control() || self.0.len() >= LONGEST_LINE => {}
                key => self.0.push(key),
            }
        }
        TypedInput::Nothing
    }

    /// Returns the part of the line that has been typed.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

/// Returns the keys of this terminal for a person in a game on a clock. The terminal is as it was
/// when they are dropped; anything else than a terminal is read as it comes.
pub(crate) fn single_keys(terminal: TerminalSession) -> io::Result<Keyboard> {
    let mode = SingleKeys::hold()?;
    let input = io::stdin().as_fd().try_clone_to_owned()?.into();
    let notify = move |notice| {
        let _held = &mode;
        terminal.status(match notice {
            KeyNotice::Held => "paused; Enter resumes",
            KeyNotice::Running => "",
            KeyNotice::NoNewBout => "r: there is no new map here",
            KeyNotice::Leaving => "Ctrl-D again gives your seat away; any other key plays on",
            KeyNotice::Left => "your seat plays on without you; Ctrl-C ends the bout",
        });
    };
    Ok(Keyboard { input, notify: Box::new(notify) })
}

/// Reads the available bytes within that time; `None` if there are none.
fn read(patience: Duration) -> io::Result<Option<usize>> {
    let stdin = io::stdin();
    let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::MAX);
    match poll(&mut [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)], timeout) {
        Ok(0) | Err(Errno::EINTR) => return Ok(None),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    let mut bytes = [0; 1024];
    // Past the buffer of `Stdin`, which `poll` does not see.
    match nix::unistd::read(&stdin, &mut bytes) {
        Ok(count) => {
            UNREAD.lock().extend_from_slice(&bytes[..count]);
            Ok(Some(count))
        }
        Err(Errno::EINTR | Errno::EAGAIN) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn take_line(unread: &mut Vec<u8>) -> Option<String> {
    let end = match unread.iter().position(|byte| *byte == b'\n') {
        Some(end) => end + 1,
        None if unread.len() >= LONGEST_LINE => LONGEST_LINE,
        None => return None,
    };
    let line: Vec<u8> = unread.drain(..end).collect();
    Some(clean(&line))
}

/// Takes the text before the end of standard input as a line.
fn take_rest(unread: &mut Vec<u8>) -> TypedInput {
    match std::mem::take(unread) {
        rest if rest.is_empty() => TypedInput::End,
        rest => TypedInput::Line(clean(&rest)),
    }
}

fn clean(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().filter(|character| !character.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_one_after_the_other_without_control_characters() {
        let mut unread = b"one\r\n\x1b[Atwo\nthr".to_vec();
        assert_eq!(take_line(&mut unread).as_deref(), Some("one"));
        assert_eq!(take_line(&mut unread).as_deref(), Some("[Atwo"));
        assert_eq!(take_line(&mut unread), None);
        assert_eq!(take_rest(&mut unread), TypedInput::Line("thr".to_owned()));
        assert_eq!(take_rest(&mut unread), TypedInput::End);
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let mut unread = vec![b'a'; LONGEST_LINE + 1];
        assert_eq!(take_line(&mut unread).map(|line| line.len()), Some(LONGEST_LINE));
        assert_eq!(take_line(&mut unread), None);
    }
}
