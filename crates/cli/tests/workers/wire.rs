//! Connection to a server in its own words.

use std::io::Write;
use std::net::TcpStream;

/// A connection in the server's own words, without whatever a client would refuse to send.
pub(crate) struct Wire(TcpStream);

impl Wire {
    pub(crate) fn to(port: u16) -> Option<Self> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.write_all(b"CONNECT {\"verbose\":false}\r\n").ok()?;
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
