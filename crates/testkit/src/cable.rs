//! Cable between clients and a server on the loopback, which can be cut and whose ends then notice
//! nothing or everything.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Forwarder of TCP connections, until the process ends.
#[derive(Debug)]
pub struct Cable {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    is_silent: AtomicBool,
    tear: Mutex<Tear>,
    ends: Mutex<Vec<TcpStream>>,
}

/// Fault that no connection survives, at its rate.
#[derive(Debug, Default)]
struct Tear {
    words: Vec<u8>,
    times: usize,
}

impl Tear {
    /// Returns whether a connection ends that carries these bytes to the server.
    fn ends(&mut self, bytes: &[u8]) -> bool {
        let ends = self.times > 0 && bytes.windows(self.words.len()).any(|it| it == self.words);
        self.times -= usize::from(ends);
        ends
    }
}

impl Cable {
    /// Lays a cable to a port of the loopback.
    ///
    /// # Panics
    ///
    /// When no port is free.
    #[must_use]
    pub fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it has an address").port();
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A server that is away refuses, and so does the cable.
                if let Ok(server) = TcpStream::connect(("127.0.0.1", server)) {
                    join(&shared, &client, &server);
                }
            }
        });
        Self { port, state }
    }

    /// Returns where clients find the server.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Closes every connection; new ones can be made.
    pub fn cut(&self) {
        let mut ends = self.state.ends.lock().unwrap_or_else(PoisonError::into_inner);
        for end in ends.drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Closes the connection of whoever says `words` to the server in one piece, so many times. The
    /// server does not hear them.
    ///
    /// # Panics
    ///
    /// Without a word.
    pub fn tear_at(&self, words: &str, times: usize) {
        assert!(!words.is_empty(), "it would tear at anything");
        let tear = Tear { words: words.into(), times };
        *self.state.tear.lock().unwrap_or_else(PoisonError::into_inner) = tear;
    }

    /// Loses every byte from now on, without a word to anybody.
    pub fn fall_silent(&self) {
        self.state.is_silent.store(true, Ordering::SeqCst);
    }

    /// Carries again. What was lost is lost, so every connection is closed.
    pub fn carry(&self) {
        self.cut();
        self.state.is_silent.store(false, Ordering::SeqCst);
    }
}

/// Carries between two ends, until one of them closes.
fn join(state: &Arc<State>, client: &TcpStream, server: &TcpStream) {
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
                let mut tear = state.tear.lock().unwrap_or_else(PoisonError::into_inner);
                if is_asking && tear.ends(&buffer[..count]) {
                    let _ = from.shutdown(Shutdown::Both);
                    break;
                }
                drop(tear);
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

    fn connected(cable: &Cable) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", cable.port())).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        stream
    }

    #[test]
    fn a_cable_carries_is_cut_falls_silent_and_tears() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let cable = Cable::to(listener.local_addr().unwrap().port());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                std::thread::spawn(move || {
                    std::io::copy(&mut stream.try_clone().unwrap(), &mut &stream).ok()
                });
            }
        });
        let mut stream = connected(&cable);
        assert_eq!(echoed(&mut stream), Some(b'x'));
        cable.cut();
        assert_eq!(echoed(&mut stream), None);
        let mut stream = connected(&cable);
        assert_eq!(echoed(&mut stream), Some(b'x'));
        cable.fall_silent();
        assert_eq!(echoed(&mut stream), None);
        cable.carry();
        assert_eq!(echoed(&mut connected(&cable)), Some(b'x'));
        cable.tear_at("x", 2);
        assert_eq!(echoed(&mut connected(&cable)), None);
        assert_eq!(echoed(&mut connected(&cable)), None);
        assert_eq!(echoed(&mut connected(&cable)), Some(b'x'));
    }
}
