//! Server: connections of spectators, within bounds of number, time and memory.

use std::net::{IpAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use joust_model::{ConnectionCaps, ConnectionSlots, network_of};
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

use crate::feed::{Feed, Stage};
use crate::settings::Caps;

/// Pause when the machine can accept no connection.
const PAUSE: Duration = Duration::from_millis(200);

/// The longest head of a request, bytes.
const HEAD: usize = 16 << 10;

/// The most headers of a request.
const HEADERS: usize = 64;

/// Bytes that the system holds for a spectator who reads nothing.
const SENT: usize = 128 << 10;

/// Longest time that answers under way may take once the server stops.
const GRACE: Duration = Duration::from_millis(500);

/// Accepts connections until it is to stop, and waits for the answers under way.
pub(crate) async fn run(listener: TcpListener, router: Router, caps: Caps, feed: &Arc<Feed>) {
    let listener = match tokio::net::TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "no page can be served"),
    };
    let slots = Arc::<ConnectionSlots>::default();
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
        // Without a slot the connection is closed.
        let caps_of_peer = slot_caps(peer.ip(), &caps);
        let Some(slot) = slots.take(peer.ip(), caps_of_peer) else { continue };
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
    // Connections work without these settings, too, but use more resources.
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
    // A connection error concerns the spectator alone and is not reported.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = feed.reached(Stage::Stopped) => connection.as_mut().graceful_shutdown(),
    }
    _ = tokio::time::timeout(GRACE, connection).await;
}

/// Returns how many connections there may be, seen from an address. This machine's own address may
/// have them all, because a proxy forwards the connections of many spectators.
fn slot_caps(address: IpAddr, caps: &Caps) -> ConnectionCaps {
    let is_own = network_of(address).is_loopback();
    let per_address = if is_own { usize::MAX } else { caps.per_address };
    ConnectionCaps { connections: caps.connections, per_address }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_one_address_and_this_machine_is_none() {
        let caps = Caps { connections: 5, per_address: 1, ..Caps::default() };
        let slots = Arc::<ConnectionSlots>::default();
        let take = |text: &str| {
            let address = text.parse().expect("an address");
            slots.take(address, slot_caps(address, &caps))
        };
        let _one = take("2001:db8::1").expect("a slot");
        assert!(take("2001:db8::2").is_none());
        let _other = take("2001:db8:0:1::2").expect("a slot");
        let own: Vec<_> = (0..4).filter_map(|_| take("127.0.0.1")).collect();
        assert_eq!(own.len(), 3);
    }
}
