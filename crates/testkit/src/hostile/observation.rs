//! Observation of one turn, in or out of a sandbox.

use std::path::PathBuf;
use std::time::Duration;

use joust_referee::{LimitSet, Verdict};

use super::ProcessEnd;

/// Place of a row: real things on the host, so that a program can be sent
/// after it.
#[derive(Clone, Debug)]
pub struct TestSite {
    /// The row's own folder on the host; everything below lies in it.
    pub host: PathBuf,
    /// The folder with the program, readable inside.
    pub program: PathBuf,
    /// The opponent's folder, with a file `state`.
    pub opponent: PathBuf,
    /// A text that only the host may know: in a file and in the environment of
    /// what runs the row.
    pub secret: String,
    /// A unique name for everything the program makes.
    pub run: String,
    /// A port of loopback where the test listens.
    pub port: u16,
    /// A port of loopback without a listener.
    pub free_port: u16,
    /// The process that plays the referee.
    pub referee: u32,
}

/// Content of the place of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerFileState {
    /// A plain file, within its cap.
    Bytes(Vec<u8>),
    /// Nothing.
    Missing,
    /// A file above its cap; none of it was read.
    TooLong,
    /// Something else: a link, a folder, a pipe ...
    NotPlain,
}

/// Observation of one turn, in the words of the catalogue.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The verdict it earned.
    pub verdict: Verdict,
    /// End of the main process.
    pub ended: ProcessEnd,
    /// Limits it ran into.
    pub limits: LimitSet,
    /// Standard output, at most its cap.
    pub stdout: Vec<u8>,
    /// Content of the place of its answer, when it answers by a file.
    pub left: Option<AnswerFileState>,
    /// Standard error, at most what is kept.
    pub stderr: Vec<u8>,
    /// Bytes of standard error before the end.
    pub stderr_seen: u64,
    /// From start to end of the main process.
    pub wall: Duration,
    /// Processor time of the tree.
    pub cpu: Duration,
    /// Time the tree, or the launcher that looks at it, waited for a processor.
    pub stall: Duration,
    /// Largest memory of the tree, in bytes.
    pub peak_bytes: u64,
    /// Processor time the observer itself used meanwhile.
    pub observer_cpu: Duration,
    /// The verdict of each request, of a program that stays.
    pub answers: Vec<Verdict>,
    /// Bytes that were read of its answers.
    pub heard_bytes: u64,
    /// Bytes that came through its own door, connection by connection.
    pub through_door: Vec<Vec<u8>>,
    /// Number of times that the test reached from outside what the program offered.
    pub reached: u32,
    /// Why it was started from nothing, where it was to be a copy of a server.
    pub cold: Option<String>,
    /// The limits that held.
    pub allowed: Allowed,
}

/// The limits of a turn, as a check needs them.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// Processor time.
    pub cpu: Duration,
    /// The wall clock.
    pub turn: Duration,
    /// The letter of the tier.
    pub tier: char,
    /// Memory in bytes.
    pub memory_bytes: u64,
}

impl Observation {
    /// Returns the program's output as text.
    pub fn said(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}
