//! What is typed at this terminal, line by line.
//!
//! One thread reads standard input from the first question on, so that Ctrl-C
//! is heard while somebody is waited for.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// The longest line that is read; what follows is another line.
const LONGEST_LINE: u64 = 4096;
/// Lines that wait to be used.
const MOST_WAITING: usize = 64;

/// What has been typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// A line, without its end and without control characters.
    Line(String),
    /// Nothing in this time.
    Nothing,
    /// Standard input has ended.
    End,
}

/// Waits at most `patience` for a line.
pub(crate) fn wait(patience: Duration) -> Key {
    static LINES: OnceLock<Mutex<Receiver<String>>> = OnceLock::new();
    let lines = LINES.get_or_init(|| Mutex::new(read()));
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    match lines.recv_timeout(patience) {
        Ok(line) => Key::Line(line),
        Err(RecvTimeoutError::Timeout) => Key::Nothing,
        Err(RecvTimeoutError::Disconnected) => Key::End,
    }
}

fn read() -> Receiver<String> {
    let (sender, lines) = sync_channel(MOST_WAITING);
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        let mut line = Vec::new();
        while matches!((&mut stdin).take(LONGEST_LINE).read_until(b'\n', &mut line), Ok(1..)) {
            let text = String::from_utf8_lossy(&line);
            let text = text.chars().filter(|character| !character.is_control()).collect();
            if sender.send(text).is_err() {
                return;
            }
            line.clear();
        }
    });
    lines
}
