//! One connection: a thread that reads its lines, and a way to write to it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::Duration;

use super::super::Person;
use super::Stopped;
use super::lines::Lines;

/// Lines of a guest that wait to be used; with more the guest has to wait.
const MOST_WAITING: usize = 64;
/// How long a guest may refuse to take what is shown before it counts as gone.
const WRITE_PATIENCE: Duration = Duration::from_secs(2);
/// How often a guest that is waited for is left for a look at the run.
const LOOK: Duration = Duration::from_millis(100);

/// Somebody at the other end of a connection.
pub(super) struct Guest {
    pub(super) from: SocketAddr,
    lines: Receiver<String>,
    stream: TcpStream,
    stopped: Stopped,
}

impl Guest {
    /// Begins to read from `stream`.
    pub(super) fn greet(stream: TcpStream, from: SocketAddr, stopped: Stopped) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_write_timeout(Some(WRITE_PATIENCE))?;
        stream.set_nodelay(true)?;
        let reading = stream.try_clone()?;
        let (sender, lines) = sync_channel(MOST_WAITING);
        thread::Builder::new()
            .name("joust-guest".to_owned())
            .spawn(move || read_lines(reading, &sender))?;
        Ok(Self { from, lines, stream, stopped })
    }

    /// Returns a line that has come, without waiting.
    pub(super) fn poll(&mut self) -> Result<String, TryRecvError> {
        self.lines.try_recv()
    }

    /// Writes a text; a guest that takes nothing is gone.
    pub(super) fn tell(&mut self, text: &str) {
        write(&mut self.stream, text);
    }

    /// Returns a second way to write to this guest.
    pub(super) fn outlet(&self) -> io::Result<TcpStream> {
        self.stream.try_clone()
    }

    pub(super) fn hang_up(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Person for Guest {
    fn show(&mut self, text: &str) {
        self.tell(text);
    }

    fn line(&mut self) -> Option<String> {
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Timeout) if !(self.stopped)() => {}
                Err(_) => return None,
            }
        }
    }
}

/// Writes `text` with the line ends of a terminal; a connection that takes
/// nothing is closed.
pub(super) fn write(stream: &mut TcpStream, text: &str) {
    let text = text.replace('\n', "\r\n");
    if stream.write_all(text.as_bytes()).is_err() {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// Reads until the connection ends, breaks the line limit or is not wanted.
fn read_lines(mut stream: TcpStream, sender: &SyncSender<String>) {
    let (mut lines, mut buffer) = (Lines::new(), [0; 1024]);
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
