//! One client: a task that reads and one that writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use joust_referee::Connection;
use joust_referee::games::uwcs_bomberman::QUIET_MS;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// Bytes of one read.
const READ_BYTES: usize = 64 * 1024;

/// How long a connection that is being closed may still take what was queued.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What a client did.
pub(super) enum Event {
    /// Bytes of one read.
    Message(Connection, Arc<[u8]>),
    /// Nothing more came for a while after bytes without a line end.
    Quiet(Connection),
    /// It has gone, or was quiet for too long.
    Gone(Connection),
}

/// Whether what a client sends is read or thrown away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Player,
    Spectator,
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
        idle: Duration,
        events: mpsc::Sender<Event>,
    ) -> Self {
        // A line that waits to be joined by another comes too late.
        let _ = stream.set_nodelay(true);
        let (reader, writer) = stream.into_split();
        let (queue, queued) = mpsc::unbounded_channel();
        let (reads, read_closed) = oneshot::channel::<()>();
        let (writes, write_closed) = oneshot::channel::<()>();
        let unsent = Arc::new(AtomicUsize::new(0));
        tokio::spawn(write(writer, queued, Arc::clone(&unsent), write_closed));
        tokio::spawn(async move {
            let reading = async {
                match role {
                    Role::Player => read(reader, connection, idle, &events).await,
                    Role::Spectator => throw_away(reader).await,
                }
                let _ = events.send(Event::Gone(connection)).await;
            };
            tokio::select! {
                () = reading => {}
                _ = read_closed => {}
            }
        });
        Self { queue, unsent, _reads: reads, _writes: writes }
    }

    /// Queues bytes, unless more than `most` would wait; then it says so.
    pub(super) fn send(&self, bytes: &Arc<[u8]>, most: usize) -> bool {
        let waiting = self.unsent.fetch_add(bytes.len(), Ordering::Relaxed) + bytes.len();
        waiting <= most && self.queue.send(Arc::clone(bytes)).is_ok()
    }
}

async fn read(
    mut reader: OwnedReadHalf,
    connection: Connection,
    idle: Duration,
    events: &mpsc::Sender<Event>,
) {
    let mut buffer = vec![0; 1024];
    let mut is_mid_line = false;
    loop {
        let patience = if is_mid_line { Duration::from_millis(QUIET_MS.into()) } else { idle };
        let event = match timeout(patience, reader.read(&mut buffer)).await {
            Err(_) if is_mid_line => {
                is_mid_line = false;
                Event::Quiet(connection)
            }
            Err(_) | Ok(Ok(0) | Err(_)) => return,
            Ok(Ok(length)) => {
                is_mid_line = buffer[length - 1] != b'\n';
                let bytes = Arc::from(&buffer[..length]);
                if length == buffer.len() && length < READ_BYTES {
                    buffer.resize(READ_BYTES, 0);
                }
                Event::Message(connection, bytes)
            }
        };
        if events.send(event).await.is_err() {
            return;
        }
    }
}

async fn throw_away(mut reader: OwnedReadHalf) {
    let mut buffer = [0; 1024];
    while reader.read(&mut buffer).await.is_ok_and(|length| length > 0) {
        tokio::task::yield_now().await;
    }
}

/// Who does not take what is queued is not waited for once the connection is
/// being closed.
async fn write(
    mut writer: OwnedWriteHalf,
    mut queue: mpsc::UnboundedReceiver<Arc<[u8]>>,
    unsent: Arc<AtomicUsize>,
    closed: oneshot::Receiver<()>,
) {
    let writing = async {
        while let Some(bytes) = queue.recv().await {
            if writer.write_all(&bytes).await.is_err() {
                return;
            }
            unsent.fetch_sub(bytes.len(), Ordering::Relaxed);
        }
        let _ = writer.shutdown().await;
    };
    tokio::pin!(writing);
    tokio::select! {
        () = &mut writing => {}
        _ = closed => {
            let _ = timeout(LAST_WORDS, writing).await;
        }
    }
}
