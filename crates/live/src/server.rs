//! Server: connections of spectators, within bounds of number, time and memory.

use std::collections::HashMap;
use std::net::{IpAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use joust_model::network_of;
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

use crate::feed::{Feed, Stage};
use crate::settings::Caps;

/// Pause when the machine can take no connection.
const PAUSE: Duration = Duration::from_millis(200);

/// The longest head of a request, bytes.
const HEAD: usize = 16 << 10;

/// The most headers of a request.
const HEADERS: usize = 64;

/// Bytes that the system holds for a spectator who reads nothing.
const SENT: usize = 128 << 10;

/// Longest time that answers under way may take once the server stops.
const GRACE: Duration = Duration::from_millis(500);

/// Takes connections until it is to stop, and waits for the answers under way.
pub(crate) async fn run(listener: TcpListener, router: Router, caps: Caps, feed: &Arc<Feed>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "no page can be served"),
    };
    let slots = Arc::new(Slots::default());
    let mut open = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = feed.reached(Stage::Stopped) => break,
            Some(_) = open.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Who finds no slot is told by the closed connection.
        let Some(slot) = slots.take(peer.ip(), caps) else { continue };
        let (router, feed) = (router.clone(), Arc::clone(feed));
        open.spawn(async move {
            serve(stream, router, caps, &feed).await;
            drop(slot);
        });
    }
    drop(listener);
    while open.join_next().await.is_some() {}
}

/// Answers the requests of a connection until either side ends it.
async fn serve(stream: TcpStream, router: Router, caps: Caps, feed: &Feed) {
    // Without these settings connections work as well, only less thriftily.
    _ = stream.set_nodelay(true);
    _ = SockRef::from(&stream).set_send_buffer_size(SENT);
    let mut timed = TimeoutStream::new(stream);
    timed.set_write_timeout(Some(caps.stalled));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(caps.head)
        .max_buf_size(HEAD)
        .max_headers(HEADERS)
        .serve_connection(TokioIo::new(Box::pin(timed)), TowerToHyperService::new(router));
    tokio::pin!(connection);
    // An error is the spectator's: there is nobody to tell.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = feed.reached(Stage::Stopped) => connection.as_mut().graceful_shutdown(),
    }
    _ = tokio::time::timeout(GRACE, connection).await;
}

/// Open connections by address.
#[derive(Debug, Default)]
struct Slots(Mutex<HashMap<IpAddr, usize>>);

/// A connection that is open until this is dropped.
#[derive(Debug)]
struct Slot {
    slots: Arc<Slots>,
    address: IpAddr,
}

impl Slots {
    fn open(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot for a connection from `address`; `None` when there is none. This machine's
    /// own addresses may have them all: a proxy speaks for many.
    fn take(self: &Arc<Self>, address: IpAddr, caps: Caps) -> Option<Slot> {
        let address = network_of(address);
        let mut open = self.open();
        let all: usize = open.values().sum();
        let of_address = open.entry(address).or_default();
        if all >= caps.connections || (!address.is_loopback() && *of_address >= caps.per_address) {
            return None;
        }
        *of_address += 1;
        Some(Slot { slots: Arc::clone(self), address })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut open = self.slots.open();
        open.entry(self.address).and_modify(|count| *count -= 1);
        open.retain(|_, count| *count > 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn one_address_cannot_take_every_slot() {
        let caps = Caps { connections: 4, per_address: 2, ..Caps::default() };
        let slots = Arc::new(Slots::default());
        let one: Vec<_> = (0..3).map(|_| slots.take(address("192.0.2.1"), caps)).collect();
        assert!(one[1].is_some() && one[2].is_none());
        assert!(slots.take(address("192.0.2.2"), caps).is_some());
        drop(one);
        assert!(slots.take(address("::ffff:192.0.2.1"), caps).is_some());
        assert!(slots.open().is_empty());
    }

    #[test]
    fn a_network_is_one_address_and_this_machine_is_none() {
        let caps = Caps { connections: 5, per_address: 1, ..Caps::default() };
        let slots = Arc::new(Slots::default());
        let _one = slots.take(address("2001:db8::1"), caps).expect("a slot");
        assert!(slots.take(address("2001:db8::2"), caps).is_none());
        let _other = slots.take(address("2001:db8:0:1::2"), caps).expect("a slot");
        let own: Vec<_> = (0..4).filter_map(|_| slots.take(address("127.0.0.1"), caps)).collect();
        assert_eq!(own.len(), 3);
    }
}
