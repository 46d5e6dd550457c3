//! Connection of one guest: a thread that reads its lines, and a handle to write to it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use joust_model::{ConnectionCaps, ConnectionSlot, ConnectionSlots};

use super::super::{Person, Reply};
use super::StopCheck;
use super::line_decoder::LineDecoder;
use super::participants::Participants;

/// The most lines of a guest that are queued; after that, its input is not read for a while.
const MOST_WAITING: usize = 64;
/// Time without progress of output after which a guest counts as gone.
const WRITE_PATIENCE: Duration = Duration::from_secs(2);
/// Time between checks for a stop of the run while the lobby waits for a guest.
const LOOK: Duration = Duration::from_millis(100);

/// A person at the other end of a connection.
pub(super) struct GuestConnection {
    pub(super) from: SocketAddr,
    lines: Receiver<String>,
    pub(super) stream: TcpStream,
    stopped: StopCheck,
    place: Arc<OnceLock<SeatedPlayer>>,
}

/// Place of a guest in the bout.
pub(super) struct SeatedPlayer {
    pub(super) name: String,
    pub(super) participants: Participants,
    /// Time limit of the guest's turns.
    pub(super) patience: Option<Duration>,
}

impl GuestConnection {
    /// Begins to read from `stream`, which occupies its slot until it ends.
    pub(super) fn start(
        stream: TcpStream,
        from: SocketAddr,
        stopped: StopCheck,
        slot: ConnectionSlot,
    ) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(WRITE_PATIENCE))?;
        stream.set_nodelay(true)?;
        let reading = stream.try_clone()?;
        let (sender, lines) = sync_channel(MOST_WAITING);
        let place: Arc<OnceLock<SeatedPlayer>> = Arc::default();
        let own = Arc::clone(&place);
        thread::Builder::new().name("joust-guest".to_owned()).spawn(move || {
            read_lines(reading, &sender);
            drop(slot);
            if let Some(place) = own.get() {
                place.participants.mark_gone(&place.name);
            }
        })?;
        Ok(Self { from, lines, stream, stopped, place })
    }

    /// Seats the guest.
    pub(super) fn sit(&self, place: SeatedPlayer) {
        let _ = self.place.set(place);
    }

    /// Returns a received line without waiting.
    pub(super) fn poll(&mut self) -> Result<String, TryRecvError> {
        self.lines.try_recv()
    }

    /// Writes a text; a guest that does not take it counts as gone.
    pub(super) fn tell(&mut self, text: &str) {
        write(&mut self.stream, text);
    }

    pub(super) fn hang_up(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Person for GuestConnection {
    fn show(&mut self, text: &str) {
        self.tell(text);
    }

    fn ask(&mut self, question: &str) -> Reply {
        self.tell(question);
        let Some(place) = self.place.get() else { return Reply::Gone };
        let mut waiting = None;
        let until = place.patience.and_then(|patience| Instant::now().checked_add(patience));
        loop {
            match self.lines.recv_timeout(LOOK.min(left(until))) {
                Ok(line) => return Reply::Line(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if (self.stopped)() => return Reply::Gone,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let waiting = waiting.get_or_insert_with(|| place.participants.wait_for(&place.name));
            if left(until).is_zero() || waiting.is_over() {
                write(&mut self.stream, "\n");
                place.participants.skip(&place.name);
                return Reply::Skipped;
            }
        }
        drop(waiting);
        place.participants.mark_gone(&place.name);
        Reply::Gone
    }
}

/// Admits a new connection if a slot is free.
pub(super) fn admit(
    mut stream: TcpStream,
    from: SocketAddr,
    slots: &Arc<ConnectionSlots>,
    caps: ConnectionCaps,
    stopped: &StopCheck,
) -> Option<GuestConnection> {
    let Some(slot) = slots.take(from.ip(), caps) else {
        write(&mut stream, "as many are here as may be, or as many from your address\n");
        return None;
    };
    let guest = GuestConnection::start(stream, from, Arc::clone(stopped), slot);
    guest.inspect_err(|error| tracing::debug!(%from, %error, "a guest could not be welcomed")).ok()
}

/// Returns the time left until `until`.
fn left(until: Option<Instant>) -> Duration {
    until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()))
}

/// Writes `text` with the line ends of a terminal; closes a connection that does not take it.
pub(super) fn write(stream: &mut TcpStream, text: &str) {
    let text = text.replace('\n', "\r\n");
    if stream.write_all(text.as_bytes()).is_err() {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// Reads until the connection ends, exceeds the limit of lines, or is dropped.
fn read_lines(mut stream: TcpStream, sender: &SyncSender<String>) {
    let (mut lines, mut buffer) = (LineDecoder::new(), [0; 1024]);
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        let Ok(complete) = lines.push(&buffer[..count]) else { break };
        for line in complete {
            if sender.send(line).is_err() {
                return;
            }
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}
