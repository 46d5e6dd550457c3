//! Program that serves live pages, for tests of the real binary.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::env::TestEnv;

/// A program that serves pages, with what it says.
#[derive(Debug)]
pub struct Serving {
    program: Child,
    said: BufReader<ChildStderr>,
    /// Address of the pages.
    pub address: SocketAddr,
}

impl Serving {
    /// Starts the binary and waits until it says where its pages are.
    ///
    /// # Panics
    ///
    /// When it does not say so.
    pub fn start(env: &TestEnv, words: &[&str]) -> Self {
        let mut program = env.start(words);
        let mut said = BufReader::new(program.stderr.take().expect("a pipe"));
        let address = loop {
            let line = line_of(&mut said);
            assert!(!line.is_empty(), "no address is said");
            if let Some(address) = line.strip_prefix("live pages: http://") {
                let host = address.split('/').next().unwrap_or_default();
                break host.parse().expect("an address");
            }
        };
        Self { program, said, address }
    }

    /// Waits for the next line that it says.
    ///
    /// # Panics
    ///
    /// When it says none.
    pub fn next_line(&mut self) -> String {
        line_of(&mut self.said)
    }

    /// Waits for its end and returns the rest of what it said.
    ///
    /// # Panics
    ///
    /// When it ends badly.
    #[must_use]
    pub fn end(mut self) -> String {
        let mut rest = String::new();
        self.said.read_to_string(&mut rest).expect("text");
        let status = self.program.wait().expect("it ends");
        assert!(status.success(), "{status}: {rest}");
        rest
    }

    /// Ends it as Ctrl-C does.
    ///
    /// # Panics
    ///
    /// When it ends badly.
    pub fn interrupt(self) {
        let pid = Pid::from_raw(i32::try_from(self.program.id()).expect("a process"));
        kill(pid, Signal::SIGINT).expect("it runs");
        let _ = self.end();
    }
}

fn line_of(said: &mut BufReader<ChildStderr>) -> String {
    let mut line = String::new();
    said.read_line(&mut line).expect("lines");
    line
}
