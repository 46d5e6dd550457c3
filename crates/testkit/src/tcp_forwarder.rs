//! Cable between clients and a server on the loopback, which can be cut and whose ends then notice
//! nothing or everything.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Forwarder of TCP connections, until the process ends.
#[derive(Debug)]
pub struct TcpForwarder {
    port: u16,
    state: Arc<ForwarderState>,
}

#[derive(Debug, Default)]
struct ForwarderState {
    is_silent: AtomicBool,
    fault: Mutex<ConnectionFault>,
    ends: Mutex<Vec<TcpStream>>,
}

/// Fault that no connection survives, at its rate.
#[derive(Debug, Default)]
struct ConnectionFault {
    words: Vec<u8>,
    times: usize,
}

impl ConnectionFault {
    /// Returns whether a connection ends that carries these bytes to the server.
    fn ends(&mut self, bytes: &[u8]) -> bool {
        let ends = self.times > 0 && bytes.windows(self.words.len()).any(|it| it == self.words);
        self.times -= usize::from(ends);
        ends
    }
}

impl TcpForwarder {
    /// Lays a cable to a port of the loopback.
    ///
    /// # Panics
    ///
    /// When no port is free.
    pub fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        let state = Arc::new(ForwarderState::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A server that is away refuses, and so does the cable.
                if let Ok(server) = TcpStream::connect(("127.0.0.1", server)) {
                    forward_between(&shared, &client, &server);
                }
            }
        });
        Self { port, state }
    }

    /// Returns where clients find the server.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Closes every connection; new ones can be made.
    pub fn close_connections(&self) {
        let mut ends = self.state.ends.lock().unwrap_or_else(PoisonError::into_inner);
        for end in ends.drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Closes the connection of a client that says `words` to the server in one piece, so many
    /// times. The server does not hear them.
    ///
    /// # Panics
    ///
    /// Without a word.
    pub fn fail_on(&self, words: &str, times: usize) {
        assert!(!words.is_empty(), "it would tear at anything");
        let fault = ConnectionFault { words: words.into(), times };
        *self.state.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }

    /// Loses every byte from now on, without a word to anybody.
    pub fn drop_bytes(&self) {
        self.state.is_silent.store(true, Ordering::SeqCst);
    }

    /// Carries again. What was lost is lost, so every connection is closed.
    pub fn resume(&self) {
        self.close_connections();
        self.state.is_silent.store(false, Ordering::SeqCst);
    }
}

/// Carries between two ends, until one of them closes.
fn forward_between(state: &Arc<ForwarderState>, client: &TcpStream, server: &TcpStream) {
    for (from, to, is_asking) in [(client, server, true), (server, client, false)] {
        let (Ok(mut from), Ok(mut to)) = (from.try_clone(), to.try_clone()) else { return };
        if let Ok(end) = from.try_clone() {
            state.ends.lock().unwrap_or_else(PoisonError::into_inner).push(end);
        }
        let state = Arc::clone(state);
        std::thread::spawn(move || {
            let mut buffer = [0; 1 << 16];
            while let Ok(count) = from.read(&mut buffer) {
                let is_lost = state.is_silent.load(Ordering::SeqCst);
                let mut fault = state.fault.lock().unwrap_or_else(PoisonError::into_inner);
                if is_asking && fault.ends(&buffer[..count]) {
                    let _ = from.shutdown(Shutdown::Both);
                    break;
                }
                drop(fault);
                if count == 0 || !is_lost && to.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Both);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Sends a byte through the cable to an echo server; `None` without an answer.
    fn echoed(stream: &mut TcpStream) -> Option<u8> {
        stream.write_all(b"x").ok()?;
        let mut answer = [0];
        stream.read_exact(&mut answer).ok()?;
        Some(answer[0])
    }

    fn connected(forwarder: &TcpForwarder) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", forwarder.port())).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        stream
    }

    #[test]
    fn a_cable_carries_is_cut_falls_silent_and_tears() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let forwarder = TcpForwarder::to(listener.local_addr().unwrap().port());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || {
                    std::io::copy(&mut stream.try_clone().unwrap(), &mut &stream).ok()
                });
            }
        });
        let mut stream = connected(&forwarder);
        assert_eq!(echoed(&mut stream), Some(b'x'));
        forwarder.close_connections();
        assert_eq!(echoed(&mut stream), None);
        let mut stream = connected(&forwarder);
        assert_eq!(echoed(&mut stream), Some(b'x'));
        forwarder.drop_bytes();
        assert_eq!(echoed(&mut stream), None);
        forwarder.resume();
        assert_eq!(echoed(&mut connected(&forwarder)), Some(b'x'));
        forwarder.fail_on("x", 2);
        assert_eq!(echoed(&mut connected(&forwarder)), None);
        assert_eq!(echoed(&mut connected(&forwarder)), None);
        assert_eq!(echoed(&mut connected(&forwarder)), Some(b'x'));
    }
}
