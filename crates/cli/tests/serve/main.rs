//! The standing game server: the real binary, real sockets on loopback.

mod accounts;
mod clients;
mod hostile;
mod stop;
mod watch;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command};
use std::time::Duration;

use joust_testkit::env::TestEnv;

/// Longer than anything takes that is not broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// A quick game on a small board.
const QUICK: &[&str] = &[
    "-o",
    "tick_ms=50",
    "-o",
    "window_ms=300",
    "-o",
    "turns=10",
    "-o",
    "rows=5",
    "-o",
    "columns=5",
];

fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_joust"))
}

/// A running server; it is killed when dropped.
struct Running {
    child: Child,
    said: BufReader<std::process::ChildStderr>,
    players: SocketAddr,
    spectators: SocketAddr,
}

impl Running {
    fn start(env: &TestEnv, arguments: &[&str]) -> Self {
        let places = ["--listen", "127.0.0.1:0", "--spectators", "127.0.0.1:0"];
        let mut child =
            env.start(["serve", "uwcs-bomberman"].iter().chain(&places).chain(arguments));
        let mut said = BufReader::new(child.stderr.take().expect("standard error is a pipe"));
        let players = place(&mut said, "players: ");
        let spectators = place(&mut said, "spectators: ");
        Self { child, said, players, spectators }
    }

    fn client(&self) -> Client {
        Client::connect(self.players)
    }

    /// Sends a signal and returns the exit status and the last output.
    fn end_with(mut self, signal: &str) -> (Option<i32>, String) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill can be started").success());
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).expect("it can be read");
        (self.child.wait().expect("it can be waited for").code(), rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn place(said: &mut impl BufRead, label: &str) -> SocketAddr {
    loop {
        let mut line = String::new();
        let count = said.read_line(&mut line).expect("it can be read");
        assert!(count > 0, "`{label}` was never said");
        if let Some(address) = line.strip_prefix(label) {
            return address.trim().parse().expect("it is an address");
        }
    }
}

/// A client over a real socket.
struct Client {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Client {
    fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("it can be set");
        let lines = BufReader::new(stream.try_clone().expect("a socket can be shared"));
        Self { stream, lines }
    }

    fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).expect("the server reads");
    }

    /// Returns the next line; `None` when the connection was closed.
    fn next(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.lines.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end_matches('\n').to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("nothing came: {error}"),
        }
    }

    /// Reads up to the first line that begins with `start`; returns all of them.
    fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.next().unwrap_or_else(|| panic!("closed before `{start}`: {lines:?}"));
            lines.push(line);
            if lines.last().is_some_and(|line| line.starts_with(start)) {
                return lines;
            }
        }
    }

    /// Sends a command and returns its answer: the first line that can be one.
    fn ask(&mut self, command: &str) -> String {
        self.send(command);
        loop {
            let line = self.next().expect("the server answers");
            let is_answer = line.starts_with("E_")
                || ["REGISTERED", "UP", "DOWN", "LEFT", "RIGHT", "BOMB"].contains(&&*line);
            if is_answer {
                return line;
            }
        }
    }

    /// Waits for a window and registers in it.
    fn register(&mut self, name: &str, password: &str) -> String {
        loop {
            self.until("INIT");
            let answer = self.ask(&format!("REGISTER {name} {password}\n"));
            if answer != "E_NOT_INIT" {
                return answer;
            }
        }
    }

    /// Reads on until the connection is closed.
    fn drain(&mut self) {
        while self.next().is_some() {}
    }
}
