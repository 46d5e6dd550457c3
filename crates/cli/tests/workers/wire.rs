//! Connection to a server in its own words.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use serde_json::{Value, json};

/// Time in which a server answers a request.
const ANSWER_TIME: Duration = Duration::from_secs(30);

/// A connection in the server's own words, without whatever a client would refuse to send.
pub(crate) struct Wire(TcpStream);

impl Wire {
    /// Connects, with a key where there is one.
    pub(crate) fn to(port: u16, seed: Option<&str>) -> Option<Self> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        let mut greeting = String::new();
        BufReader::new(&stream).read_line(&mut greeting).ok()?;
        let greeting: Value = serde_json::from_str(greeting.strip_prefix("INFO ")?).ok()?;
        let mut words = json!({"verbose": false});
        if let Some(seed) = seed {
            let key = KeyPair::from_seed(seed).expect("it is a seed");
            let signed = key.sign(greeting["nonce"].as_str()?.as_bytes()).expect("it can sign");
            words["nkey"] = json!(key.public_key());
            words["sig"] = json!(BASE64URL_NOPAD.encode(&signed));
        }
        write!(stream, "CONNECT {words}\r\n").ok()?;
        Some(Self(stream))
    }

    /// Sends a request and waits until the server has answered.
    pub(crate) fn request(&mut self, subject: &str, body: Vec<u8>) {
        let reply = "_INBOX.request".to_owned();
        write!(self.0, "SUB {reply} 1\r\nUNSUB 1 1\r\n").expect("the server is there");
        assert!(self.send(&Message { subject: subject.to_owned(), reply, body }));
        self.0.set_read_timeout(Some(ANSWER_TIME)).expect("a time above 0");
        let mut lines = BufReader::new(&self.0).lines().map(|line| line.expect("an answer"));
        assert!(lines.any(|line| line.starts_with("MSG ")), "the server went away");
    }

    /// Sends a message; returns whether the other side is still there to take it.
    pub(crate) fn send(&mut self, Message { subject, reply, body }: &Message) -> bool {
        let head = format!("PUB {subject} {reply} {}\r\n", body.len());
        let parts = [head.as_bytes(), body, b"\r\n"];
        parts.into_iter().all(|part| self.0.write_all(part).is_ok())
    }
}

/// Answers to a question at a server, until this is dropped.
pub(crate) struct Answering {
    stream: TcpStream,
    thread: Option<JoinHandle<()>>,
}

impl Wire {
    /// Answers every question at `subject` with `answer`.
    pub(crate) fn answering(port: u16, subject: &str, answer: Vec<u8>) -> Answering {
        let mut wire = Self::to(port, None).expect("the server is there");
        write!(wire.0, "SUB {subject} 1\r\n").expect("the server is there");
        let stream = wire.0.try_clone().expect("it is open");
        let mut lines = BufReader::new(wire.0.try_clone().expect("it is open")).lines();
        let thread = std::thread::spawn(move || {
            while let Some(Ok(line)) = lines.next() {
                let words: Vec<&str> = line.split(' ').collect();
                match words[..] {
                    ["PING"] => _ = wire.0.write_all(b"PONG\r\n"),
                    ["MSG", _, _, reply, _] => {
                        let (subject, body) = (reply.to_owned(), answer.clone());
                        wire.send(&Message { subject, reply: String::new(), body });
                    }
                    _ => {}
                }
            }
        });
        Answering { stream, thread: Some(thread) }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

pub(crate) struct Message {
    pub(crate) subject: String,
    pub(crate) reply: String,
    pub(crate) body: Vec<u8>,
}
