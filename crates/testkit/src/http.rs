//! HTTP client for tests of servers: one request a connection, every byte as it was written.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Time of an answer before a test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its status, such as 200.
    pub status: u16,
    /// Its head, line by line, names in lower case.
    pub head: Vec<String>,
    /// Its body.
    pub body: String,
}

impl Answer {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let value = |line: &'_ String| Some(line.strip_prefix(name)?.strip_prefix(':')?.len());
        let found = self.head.iter().find_map(|line| Some((line, value(line)?)))?;
        Some(found.0[found.0.len() - found.1..].trim())
    }
}

/// Asks for a page.
///
/// # Panics
///
/// When there is no answer.
pub fn get(address: SocketAddr, path: &str) -> Answer {
    ask(address, &format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
}

/// Sends a request unchanged and returns the answer.
///
/// # Panics
///
/// If no answer comes.
pub fn ask(address: SocketAddr, request: &str) -> Answer {
    let mut connection = connect(address);
    connection.write_all(request.as_bytes()).expect("the request is taken");
    let mut text = Vec::new();
    connection.read_to_end(&mut text).expect("the answer ends");
    let text = String::from_utf8_lossy(&text).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let lower = |line: &str| match line.split_once(':') {
        Some((name, value)) => format!("{}:{value}", name.to_lowercase()),
        None => line.to_owned(),
    };
    Answer {
        status: status.unwrap_or_else(|| panic!("no answer: {text:?}")),
        head: lines.map(lower).collect(),
        body: body.to_owned(),
    }
}

/// Opens a connection to the server.
///
/// # Panics
///
/// If no server listens.
pub fn connect(address: SocketAddr) -> TcpStream {
    let connection = TcpStream::connect(address).expect("somebody listens");
    connection.set_read_timeout(Some(PATIENCE)).expect("a time that can be set");
    connection
}

/// A stream of server-sent events.
#[derive(Debug)]
pub struct Events(BufReader<TcpStream>);

impl Events {
    /// Follows the stream at `path`.
    ///
    /// # Panics
    ///
    /// If there is no such stream.
    pub fn follow(address: SocketAddr, path: &str) -> Self {
        let mut connection = connect(address);
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        connection.write_all(request.as_bytes()).expect("the request is taken");
        Self(BufReader::new(connection))
    }

    /// Waits for the next event and returns its data; `None` when the stream has ended.
    pub fn next_data(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(data.trim_end().to_owned());
            }
        }
    }
}
