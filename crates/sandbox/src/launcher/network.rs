//! What of the caller the seat's programs can reach by connecting.

use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::OwnedFd;

use crate::error::{SandboxError, Step};
use crate::mechanism::landlock;
use crate::wire::Ready;

/// Listens on ports of the seat's own loopback interface.
pub(super) fn listen(ports: &[u16]) -> Result<Vec<OwnedFd>, SandboxError> {
    let listen = |port: &u16| {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, *port));
        listener.map(OwnedFd::from).step(&format!("listen on port {port}"))
    };
    ports.iter().map(listen).collect()
}

/// Where the network is the host's: allows connections to `ports` alone.
pub(super) fn restrict(ports: &[u16], ready: &mut Ready) {
    if ports.is_empty() {
        // No socket can be made at all.
        return;
    }
    if let Err(reason) = landlock::restrict_connections(ports) {
        ready.shortfalls.push(("connections to the seat's own ports only".to_owned(), reason));
    }
}

#[cfg(test)]
mod tests;
