//! Connection to a server in its own words.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use data_encoding::BASE64URL_NOPAD;
use nkeys::KeyPair;
use serde_json::{Value, json};

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

    /// Says whether somebody is still there to take it.
    pub(crate) fn send(&mut self, Message { subject, reply, body }: &Message) -> bool {
        let head = format!("PUB {subject} {reply} {}\r\n", body.len());
        let parts = [head.as_bytes(), body, b"\r\n"];
        parts.into_iter().all(|part| self.0.write_all(part).is_ok())
    }
}

pub(crate) struct Message {
    pub(crate) subject: String,
    pub(crate) reply: String,
    pub(crate) body: Vec<u8>,
}
