//! People at a terminal of 80 columns: every mode is played in a pseudo terminal and
//! the screen is read.

mod consoles;
mod dungeon;
mod guests;
mod replay;
mod uwcs;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use joust_testkit::env::TestEnv;
use joust_testkit::pty::Pty;

/// Longer than a spinner waits before it draws, and several of its steps.
const A_WHILE: Duration = Duration::from_millis(700);

/// Starts `joust play` with these arguments in a terminal.
fn play(env: &TestEnv, arguments: &[&str]) -> Pty {
    Pty::start(&env.command(["play"].iter().chain(arguments)))
}

/// No row of a screen is wider than the terminal, so whatever is too wide has been
/// broken by the terminal instead of by us: then the next row begins in the middle of
/// a word. Returns the rows that hold `text`.
fn rows<'a>(screen: &'a str, text: &str) -> Vec<&'a str> {
    screen.lines().filter(|row| row.contains(text)).collect()
}

/// Somebody at another terminal.
struct Guest(TcpStream, String);

impl Guest {
    fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        Self(stream, String::new())
    }

    fn join(host: &mut Pty, name: &str) -> Self {
        let mut guest = Self::connect(address(host));
        guest.hear("your name: ");
        guest.say(name);
        host.until(&format!("{name} has joined"));
        guest
    }

    fn say(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).expect("it is open");
    }

    /// Reads up to `text` and returns the output since the last call.
    #[track_caller]
    fn hear(&mut self, text: &str) -> String {
        let mut byte = [0; 512];
        loop {
            if let Some(end) = self.1.find(text) {
                return self.1.drain(..end + text.len()).collect();
            }
            let count = self.0.read(&mut byte).expect("it comes in time");
            assert_ne!(count, 0, "no `{text}` in {:?}", self.1);
            self.1.push_str(&String::from_utf8_lossy(&byte[..count]));
        }
    }
}

/// Reads the address of a lobby off its host's screen.
fn address(host: &mut Pty) -> SocketAddr {
    let screen = host.until("`end` to call it off");
    let after = screen.split("listening at ").nth(1).expect("an address");
    after.split_whitespace().next().expect("an address").parse().expect("an address")
}
