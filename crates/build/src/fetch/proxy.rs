//! Proxy of a fetch: the one way out of the seat in which a package manager fetches.
//!
//! It speaks plain HTTP and `CONNECT`, over a listener that lies in the seat's own network, and
//! connects to admitted hosts alone. Those are names and ports: an address of this machine or its
//! neighbours is reached only where the organiser's own configuration names it. The proxy does not
//! read the contents of a tunnel. The organiser's passwords stay here: the proxy adds them to plain
//! requests, and to requests to the organiser's own proxy. Plain requests may therefore only read,
//! and have no body: with a body, untrusted code could store something in a registry, or hide a
//! second request.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use parking_lot::Mutex;

use super::route::{Authority, Routes, Upstream};

/// Methods of plain requests.
const READING: [&str; 2] = ["GET", "HEAD"];
/// Header lines of plain requests that are passed on, beside conditions. With others a server could
/// act for another method, another user or another place.
const PASSED: [&str; 8] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "authorization",
    "cache-control",
    "pragma",
    "range",
    "user-agent",
];
/// Start of the names of conditions.
const CONDITIONS: &str = "if-";
/// Largest size of a request before its body, bytes.
const LONGEST_HEAD: usize = 32 << 10;
/// Largest number of header lines of a request.
const MOST_HEADERS: usize = 100;
/// Largest number of connections at a time.
const MOST_CONNECTIONS: usize = 128;
/// Largest number of refused hosts that are remembered.
const MOST_REMEMBERED: usize = 10;
/// Time for a connection to be made, for each address of a host.
const CONNECTING: Duration = Duration::from_secs(15);
/// Time in which a connection may be silent.
const SILENCE: Duration = Duration::from_secs(300);
/// Interval at which a listener checks whether it has to stop.
const GLANCE_MS: u8 = 100;

/// Hosts that a proxy connects to.
#[derive(Debug)]
pub(crate) enum Admission {
    /// These hosts alone.
    Only(BTreeSet<Authority>),
    /// Any host, because no untrusted code makes requests; the hosts are remembered.
    Learning,
}

/// Observations of a proxy.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProxyActivity {
    /// Hosts that it connected to, or tried to.
    pub(crate) asked: BTreeSet<Authority>,
    /// Hosts that were asked for and not admitted.
    pub(crate) refused: BTreeSet<Authority>,
    /// The first admitted host that did not answer, and why.
    pub(crate) unreachable: Option<String>,
}

/// A proxy for one seat at a time.
#[derive(Debug)]
pub(crate) struct Proxy {
    admission: Admission,
    routes: Routes,
    seen: Mutex<ProxyActivity>,
    connections: AtomicUsize,
}

/// Service on one listener; it ends when this is dropped.
pub(crate) struct ProxyService {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for ProxyService {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked had stopped serving: there is nothing to report.
            let _ = thread.join();
        }
    }
}

/// One of the connections that a proxy counts, until this is dropped.
struct CountedConnection(Arc<Proxy>);

impl Drop for CountedConnection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection to a server, by the kind of request.
enum ServerConnection {
    /// A tunnel, in both directions.
    Tunnel(TcpStream),
    /// A plain request, whose head this is.
    Plain(TcpStream, Vec<u8>),
}

/// Answers that the proxy gives itself.
enum Denial {
    Malformed,
    /// A plain request that would change something.
    Writes,
    NotAdmitted(Authority),
    Unreachable(String),
}

impl Proxy {
    pub(crate) fn new(admission: Admission, routes: Routes) -> Arc<Self> {
        let (seen, connections) = (Mutex::default(), AtomicUsize::new(0));
        Arc::new(Self { admission, routes, seen, connections })
    }

    /// Returns its observations so far.
    pub(crate) fn activity(&self) -> ProxyActivity {
        self.seen.lock().clone()
    }

    /// Serves what comes in at `listener`, which does not block.
    pub(crate) fn serve(self: &Arc<Self>, listener: TcpListener) -> ProxyService {
        let stop = Arc::new(AtomicBool::new(false));
        let (proxy, stopping) = (Arc::clone(self), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            while !stopping.load(Ordering::Relaxed) {
                let mut waits = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
                let _ = poll(&mut waits, PollTimeout::from(GLANCE_MS));
                while let Ok((client, _)) = listener.accept() {
                    proxy.accept_connection(client);
                }
            }
        });
        ProxyService { stop, thread: Some(thread) }
    }

    /// Serves a connection in threads of its own. A connection above the limit is closed, and one
    /// for which the machine has no thread.
    pub(crate) fn accept_connection(self: &Arc<Self>, client: TcpStream) {
        let counted = CountedConnection(Arc::clone(self));
        if self.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            return;
        }
        // A client that hung up needs no answer.
        let serve = move || drop(counted.0.handle(client));
        let _ = thread::Builder::new().spawn(serve);
    }

    fn handle(&self, mut client: TcpStream) -> io::Result<()> {
        client.set_nonblocking(false)?;
        bound_silence(&client)?;
        let (head, rest) = read_head(&mut client)?;
        match self.open(&head) {
            Ok(ServerConnection::Tunnel(mut server)) => {
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
                server.write_all(&rest)?;
                relay(client, server)
            }
            // Bytes behind the head are dropped: a plain request has no body.
            Ok(ServerConnection::Plain(mut server, head)) => {
                server.write_all(&head)?;
                io::copy(&mut server, &mut client).map(drop)
            }
            Err(denied) => self.deny(&mut client, denied),
        }
    }

    /// Opens the connection that a request asks for.
    fn open(&self, head: &[u8]) -> Result<ServerConnection, Denial> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        let is_whole = request.parse(head).is_ok_and(|status| status.is_complete());
        let (Some(method), Some(target)) = (request.method, request.path) else {
            return Err(Denial::Malformed);
        };
        if !is_whole {
            return Err(Denial::Malformed);
        }
        if method == "CONNECT" {
            let host = Authority::of_connect(target).ok_or(Denial::Malformed)?;
            return self
                .connect(&host, self.routes.tunnel(&host), true)
                .map(ServerConnection::Tunnel);
        }
        if !READING.contains(&method) {
            return Err(Denial::Writes);
        }
        let (host, path) = Authority::of_plain(target).ok_or(Denial::Malformed)?;
        let upstream = self.routes.plain(&host);
        let server = self.connect(&host, upstream, false)?;
        let shown = match upstream {
            Some(_) => format!("http://{}{path}", host.of_http()),
            None => path.to_owned(),
        };
        let mut first = format!("{method} {shown} HTTP/1.1\r\nHost: {host}\r\n").into_bytes();
        let password = self.routes.password(&host, path);
        for header in request.headers.iter() {
            let name = header.name.to_ascii_lowercase();
            let is_passed = PASSED.contains(&name.as_str()) || name.starts_with(CONDITIONS);
            if is_passed && !(name == "authorization" && password.is_some()) {
                first.extend_from_slice(header.name.as_bytes());
                first.extend_from_slice(b": ");
                first.extend_from_slice(header.value);
                first.extend_from_slice(b"\r\n");
            }
        }
        let mut add = |name: &str, value: Option<&str>| {
            if let Some(value) = value {
                first.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
            }
        };
        add("Authorization", password);
        add("Proxy-Authorization", upstream.and_then(|one| one.password.as_deref()));
        first.extend_from_slice(b"Connection: close\r\n\r\n");
        Ok(ServerConnection::Plain(server, first))
    }

    fn connect(
        &self,
        host: &Authority,
        upstream: Option<&Upstream>,
        is_tunnel: bool,
    ) -> Result<TcpStream, Denial> {
        self.admit(host)?;
        let address = upstream.map_or(host, |one| &one.address);
        let connected = connect_to(address).and_then(|mut stream| {
            if let Some(upstream) = upstream.filter(|_| is_tunnel) {
                upstream.ask_for_tunnel(&mut stream, host)?;
            }
            Ok(stream)
        });
        connected.map_err(|error| {
            let by =
                if upstream.is_some() { format!(" through `{address}`") } else { String::new() };
            let reason = format!("`{host}` cannot be reached{by}: {error}");
            self.seen.lock().unreachable.get_or_insert(reason.clone());
            Denial::Unreachable(reason)
        })
    }

    fn admit(&self, host: &Authority) -> Result<(), Denial> {
        let mut seen = self.seen.lock();
        let is_admitted = match &self.admission {
            Admission::Only(hosts) => hosts.contains(host),
            Admission::Learning => true,
        };
        let list = if is_admitted { &mut seen.asked } else { &mut seen.refused };
        if list.len() < MOST_REMEMBERED {
            list.insert(host.clone());
        }
        if is_admitted { Ok(()) } else { Err(Denial::NotAdmitted(host.clone())) }
    }

    fn deny(&self, client: &mut TcpStream, denied: Denial) -> io::Result<()> {
        let (status, text) = match denied {
            Denial::Malformed => ("400 Bad Request", "not a request that is understood".to_owned()),
            Denial::Writes => {
                ("405 Method Not Allowed", "plain requests are `GET` and `HEAD`".to_owned())
            }
            Denial::NotAdmitted(host) => (
                "403 Forbidden",
                format!("`{host}` is not a host of the organiser's configuration"),
            ),
            Denial::Unreachable(reason) => ("502 Bad Gateway", reason),
        };
        let length = text.len() + 1;
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
             Connection: close\r\n\r\n{text}\n"
        );
        client.write_all(answer.as_bytes())
    }
}

/// Reads a request's head; returns it with the bytes behind it.
fn read_head(client: &mut impl Read) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let read = client.read(&mut buffer)?;
        // The end of a head may have come in two pieces.
        let from = bytes.len().saturating_sub(3);
        bytes.extend_from_slice(&buffer[..read]);
        if let Some(at) = bytes[from..].windows(4).position(|end| end == b"\r\n\r\n") {
            let rest = bytes.split_off(from + at + 4);
            return Ok((bytes, rest));
        }
        if read == 0 || bytes.len() > LONGEST_HEAD {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
    }
}

fn connect_to(address: &Authority) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in (address.name(), address.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECTING) {
            Ok(stream) => {
                bound_silence(&stream)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn bound_silence(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(SILENCE))?;
    stream.set_write_timeout(Some(SILENCE))
}

/// Copies both ways until both are over.
fn relay(client: TcpStream, server: TcpStream) -> io::Result<()> {
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    let up = thread::Builder::new().spawn(move || {
        let _ = io::copy(&mut from_client, &mut to_server);
        let _ = to_server.shutdown(Shutdown::Write);
    })?;
    let (mut from_server, mut to_client) = (server, client);
    let copied = io::copy(&mut from_server, &mut to_client);
    // The other direction ends with the connection.
    let _ = to_client.shutdown(Shutdown::Both);
    let _ = from_server.shutdown(Shutdown::Both);
    let _ = up.join();
    copied.map(drop)
}

#[cfg(test)]
mod tests;
