//! Connection of a spectator, within bounds of time and memory.

use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_io_timeout::TimeoutStream;

use crate::settings::Caps;
use crate::shared::stopped;

/// The longest head of a request, bytes.
const HEAD: usize = 16 << 10;

/// The most headers of a request.
const HEADERS: usize = 64;

/// Bytes that the system holds for a spectator who reads nothing.
const SENT: usize = 128 << 10;

/// Longest time that answers under way may take once the server stops.
const GRACE: Duration = Duration::from_millis(500);

/// Answers the requests of a connection until either side ends it.
pub(crate) async fn serve(
    stream: TcpStream,
    router: Router,
    caps: Caps,
    stop: watch::Receiver<bool>,
) {
    bound(&stream);
    let mut timed = TimeoutStream::new(stream);
    timed.set_write_timeout(Some(caps.stalled));
    let mut stop = stop;
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
        () = stopped(&mut stop) => connection.as_mut().graceful_shutdown(),
    }
    _ = tokio::time::timeout(GRACE, connection).await;
}

/// Without these settings connections work as well, only less thriftily.
fn bound(stream: &TcpStream) {
    _ = stream.set_nodelay(true);
    _ = SockRef::from(stream).set_send_buffer_size(SENT);
}
