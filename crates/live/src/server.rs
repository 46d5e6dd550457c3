//! Server: takes connections as long as there are places.

use std::net::TcpListener;
use std::time::Duration;

use axum::Router;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::connection;
use crate::places::Places;
use crate::settings::Caps;
use crate::shared::stopped;

/// Pause when the machine can take no connection.
const PAUSE: Duration = Duration::from_millis(200);

/// Takes connections until it is to stop, and waits for the answers under way.
pub(crate) async fn run(
    listener: tokio::net::TcpListener,
    router: Router,
    caps: Caps,
    mut stop: watch::Receiver<bool>,
) {
    let places = Places::new(caps.connections, caps.per_address);
    let mut open = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = stopped(&mut stop) => break,
            Some(_) = open.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, peer)) = accepted else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // Who finds no place is told by the closed connection.
        let Some(place) = places.take(peer.ip()) else { continue };
        let serving = connection::serve(stream, router.clone(), caps, stop.clone());
        open.spawn(async move {
            serving.await;
            drop(place);
        });
    }
    drop(listener);
    while open.join_next().await.is_some() {}
}

/// Takes a listener of the standard library into the runtime.
pub(crate) fn listener(listener: TcpListener) -> std::io::Result<tokio::net::TcpListener> {
    listener.set_nonblocking(true)?;
    tokio::net::TcpListener::from_std(listener)
}
