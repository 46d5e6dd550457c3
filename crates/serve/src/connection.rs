//! One client: a task that reads and one that writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use joust_referee::Connection;
use tokio::io::{AsyncReadExt, AsyncWriteExt, Interest};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Bytes of one read.
const READ_BYTES: usize = 64 * 1024;

/// Time for which a closing connection still sends what is queued.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Event of a client.
pub(super) enum ClientEvent {
    /// Bytes of one read.
    Message(Connection, Arc<[u8]>),
    /// After bytes without a line end, nothing followed for a while.
    Quiet(Connection),
    /// The client has gone, or was idle for too long.
    Gone(Connection),
}

/// Role of a client: its input is read or discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Player,
    Spectator,
}

/// Timeouts of a client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Idle time until it is disconnected.
    pub(super) idle: Duration,
    /// Time without input after which an incomplete line counts as complete.
    pub(super) quiet: Duration,
}

/// The hub's side of a connection; dropping it closes the connection.
pub(super) struct Client {
    queue: mpsc::UnboundedSender<Arc<[u8]>>,
    unsent: Arc<AtomicUsize>,
    _reads: oneshot::Sender<()>,
    _writes: oneshot::Sender<()>,
}

impl Client {
    /// Starts the two tasks of a connection.
    pub(super) fn start(
        stream: TcpStream,
        connection: Connection,
        role: Role,
        patience: Patience,
        events: mpsc::Sender<ClientEvent>,
    ) -> Self {
        // Without it, the kernel may delay lines to combine them.
        let _ = stream.set_nodelay(true);
        let (mut reader, writer) = stream.into_split();
        let (queue, queued) = mpsc::unbounded_channel();
        let (reads, read_closed) = oneshot::channel::<()>();
        let (writes, write_closed) = oneshot::channel::<()>();
        let unsent = Arc::new(AtomicUsize::new(0));
        let (writing, gone) =
            (write(writer, queued, Arc::clone(&unsent), write_closed), events.clone());
        tokio::spawn(async move {
            if !writing.await {
                let _ = gone.send(ClientEvent::Gone(connection)).await;
            }
        });
        tokio::spawn(async move {
            let reading = async {
                let ended = match role {
                    Role::Player => read(&mut reader, connection, patience, &events).await,
                    Role::Spectator => discard_input(&mut reader).await,
                };
                match (ended, role) {
                    (ReadEnd::Over, _) => {}
                    (ReadEnd::HalfClosed, Role::Player) => {
                        let _ = timeout(patience.idle, wait_for_hang_up(&reader)).await;
                    }
                    (ReadEnd::HalfClosed, Role::Spectator) => wait_for_hang_up(&reader).await,
                }
                let _ = events.send(ClientEvent::Gone(connection)).await;
            };
            tokio::select! {
                () = reading => {}
                _ = read_closed => {}
            }
        });
        Self { queue, unsent, _reads: reads, _writes: writes }
    }

    /// Queues bytes unless the queue would exceed `most` bytes; returns whether it has queued them.
    pub(super) fn send(&self, bytes: &Arc<[u8]>, most: usize) -> bool {
        let waiting = self.unsent.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        waiting <= most && self.queue.send(Arc::clone(bytes)).is_ok()
    }
}

/// Reason why reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadEnd {
    /// The client has closed its sending side; it may still receive.
    HalfClosed,
    /// The client has gone or was idle for too long, or the hub has stopped.
    Over,
}

async fn read(
    reader: &mut OwnedReadHalf,
    connection: Connection,
    patience: Patience,
    events: &mpsc::Sender<ClientEvent>,
) -> ReadEnd {
    let mut buffer = vec![0; 1024];
    let mut is_mid_line = false;
    loop {
        let longest = if is_mid_line { patience.quiet } else { patience.idle };
        let event = match timeout(longest, reader.read(&mut buffer)).await {
            Err(_) if is_mid_line => {
                is_mid_line = false;
                ClientEvent::Quiet(connection)
            }
            Ok(Ok(0)) if is_mid_line => {
                // The last line is complete, because no more input can come.
                let _ = events.send(ClientEvent::Quiet(connection)).await;
                return ReadEnd::HalfClosed;
            }
            Ok(Ok(0)) => return ReadEnd::HalfClosed,
            Err(_) | Ok(Err(_)) => return ReadEnd::Over,
            Ok(Ok(length)) => {
                is_mid_line = buffer[length - 1] != b'\n';
                let bytes = Arc::from(&buffer[..length]);
                if length == buffer.len() && length < READ_BYTES {
                    buffer.resize(READ_BYTES, 0);
                }
                ClientEvent::Message(connection, bytes)
            }
        };
        if events.send(event).await.is_err() {
            return ReadEnd::Over;
        }
    }
}

async fn discard_input(reader: &mut OwnedReadHalf) -> ReadEnd {
    let mut buffer = [0; 1024];
    loop {
        match reader.read(&mut buffer).await {
            Ok(0) => return ReadEnd::HalfClosed,
            Ok(_) => tokio::task::yield_now().await,
            Err(_) => return ReadEnd::Over,
        }
    }
}

/// Waits until a client that has closed its sending side is gone. TCP only reports this by
/// rejecting data that is sent to it.
async fn wait_for_hang_up(reader: &OwnedReadHalf) {
    // With every other readiness, Linux also reports the error of such a rejection.
    let _ = reader.ready(Interest::ERROR).await;
}

/// Returns whether the client took the bytes. Once the connection is closing, a slow client is not
/// waited for.
async fn write(
    mut writer: OwnedWriteHalf,
    mut queue: mpsc::UnboundedReceiver<Arc<[u8]>>,
    unsent: Arc<AtomicUsize>,
    closed: oneshot::Receiver<()>,
) -> bool {
    let writing = async {
        while let Some(bytes) = queue.recv().await {
            if writer.write_all(&bytes).await.is_err() {
                return false;
            }
            unsent.fetch_sub(bytes.len(), Ordering::Relaxed);
        }
        let _ = writer.shutdown().await;
        true
    };
    tokio::pin!(writing);
    tokio::select! {
        took = &mut writing => took,
        _ = closed => {
            let _ = timeout(LAST_WORDS, writing).await;
            true
        }
    }
}
