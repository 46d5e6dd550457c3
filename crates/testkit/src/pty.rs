//! Pseudo terminal of 80 columns with a program in it, and the screen that a
//! person at that terminal sees.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};

/// Columns of the terminal.
pub const COLUMNS: u16 = 80;
/// Rows of the terminal.
pub const ROWS: u16 = 40;
/// Nobody waits longer for what must be seen.
const PATIENCE: Duration = Duration::from_secs(60);
/// Rows that were scrolled off and are kept.
const KEPT: usize = 2000;

/// A program that runs in a terminal of its own.
pub struct Pty {
    child: Child,
    keys: File,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    raw: Vec<u8>,
}

impl Pty {
    /// Starts `command` in a new terminal, which is also the one that its Ctrl-C
    /// comes from.
    ///
    /// # Panics
    ///
    /// When the system has no terminal left or the program cannot be started.
    pub fn start(command: &Command) -> Self {
        let size = Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        let pair = openpty(Some(&size), None).expect("a terminal can be opened");
        let end = |side: &OwnedFd| side.try_clone().expect("a descriptor can be copied");
        let mut inside = Command::new("setsid");
        inside.arg("--ctty").arg(command.get_program()).args(command.get_args()).env_clear();
        inside.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        inside.env_remove("COLUMNS").env_remove("LINES").env("TERM", "xterm");
        if let Some(folder) = command.get_current_dir() {
            inside.current_dir(folder);
        }
        inside.stdin(Stdio::from(end(&pair.slave)));
        inside.stdout(Stdio::from(end(&pair.slave))).stderr(Stdio::from(end(&pair.slave)));
        let child = inside.spawn().expect("the program can be started");
        drop((inside, pair.slave));
        let output = read_aside(File::from(end(&pair.master)));
        let screen = vt100::Parser::new(ROWS, COLUMNS, KEPT);
        Self { child, keys: File::from(pair.master), output, screen, raw: Vec::new() }
    }

    /// Types, without waiting for anything.
    ///
    /// # Panics
    ///
    /// When the terminal is gone.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal is there");
    }

    /// Types a line.
    pub fn enter(&mut self, line: &str) {
        self.press(&format!("{line}\r"));
    }

    /// Waits until the screen shows `text`, and returns the screen.
    ///
    /// # Panics
    ///
    /// When that never happens.
    #[track_caller]
    pub fn until(&mut self, text: &str) -> String {
        self.until_screen(text, |screen| screen.contains(text))
    }

    /// Waits until the screen is as `wanted`, which `what` describes.
    ///
    /// # Panics
    ///
    /// When that never happens.
    #[track_caller]
    pub fn until_screen(&mut self, what: &str, wanted: impl Fn(&str) -> bool) -> String {
        let since = Instant::now();
        loop {
            let shown = self.screen();
            if wanted(&shown) {
                return shown;
            }
            let left = PATIENCE.saturating_sub(since.elapsed());
            assert!(!left.is_zero(), "never shown: {what}\n{shown}");
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("ended without: {what}\n{}", self.screen());
                }
            }
        }
    }

    /// Waits for `time`, and returns the screen.
    pub fn look_for(&mut self, time: Duration) -> String {
        let until = Instant::now() + time;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(_) => break,
            }
        }
        self.screen()
    }

    /// Returns the screen: its rows without the blanks at their ends.
    pub fn screen(&self) -> String {
        let rows: Vec<String> = self.screen.screen().rows(0, COLUMNS).collect();
        let rows: Vec<&str> = rows.iter().map(|row| row.trim_end()).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// Returns the row of the cursor and its column, from 0.
    pub fn cursor(&self) -> (u16, u16) {
        self.screen.screen().cursor_position()
    }

    /// Returns everything that was ever written to the terminal.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// Waits for the program's end; returns its exit status and the last screen.
    ///
    /// # Panics
    ///
    /// When it does not end.
    #[track_caller]
    pub fn end(&mut self) -> (Option<i32>, String) {
        let since = Instant::now();
        loop {
            let left = PATIENCE.saturating_sub(since.elapsed());
            assert!(!left.is_zero(), "it does not end:\n{}", self.screen());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = self.child.wait().expect("it can be waited for");
        (status.code(), self.screen())
    }

    fn take(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.screen.process(bytes);
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the terminal in a thread of its own until no process has it open.
fn read_aside(mut terminal: File) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = terminal.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}
