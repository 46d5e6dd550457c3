//! Replies of a launcher.

use std::time::Duration;

use super::codec::{Malformed, Reader, Writer};
use crate::{Bytes, Ending, LimitsHit, Start, Used};

/// The sandbox stands. Follows an [offer](Reply::Offered) of the folder that holds
/// the scratch and the other writable folders, and of the sockets that listen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) shortfalls: Vec<Shortfall>,
}

/// A feature that is not enforced in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shortfall {
    pub(crate) feature: String,
    /// Cause of the shortfall.
    pub(crate) reason: String,
}

impl Ready {
    /// Tells that `feature` is not enforced in full, and what decided it.
    pub(crate) fn lacks(&mut self, feature: impl Into<String>, reason: impl Into<String>) {
        let (feature, reason) = (feature.into(), reason.into());
        self.shortfalls.push(Shortfall { feature, reason });
    }
}

/// A step failed; the launcher ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) step: String,
    /// 0 when it was not the kernel that refused; then `reason` says what.
    pub(crate) errno: i32,
    pub(crate) reason: String,
}

/// A turn is over and every process of it is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) ending: Ending,
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    /// True if `cpu` counts the whole tree.
    pub(crate) cpu_complete: bool,
    pub(crate) stall: Duration,
    pub(crate) peak: Bytes,
    pub(crate) hits: LimitsHit,
    /// True if the machine, not its limit, killed it for want of memory.
    pub(crate) killed_outside: bool,
    pub(crate) left_over: u32,
    pub(crate) children_refused: u32,
    /// True if it made System V objects, whose numbers continue in the next turn.
    pub(crate) made_objects: bool,
    pub(crate) start: Start,
    pub(crate) stdout_seen: u64,
    pub(crate) stderr_seen: u64,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Reply of a launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Ready(Ready),
    Failed(Failure),
    Done(Done),
    /// A program that stays was started. Follows an [offer](Reply::Offered) of what to
    /// write to and what to read from, if it has pipes.
    Started,
    /// Descriptors for the caller: their numbers in the launcher, to be taken and
    /// [answered](super::OfferAnswer); without numbers they come with this message.
    Offered(Vec<u32>),
    /// Resources that a running program has used.
    Used(Used),
    /// A running program has connected to the port of that number. Comes with the other end,
    /// where the network is the host's.
    Arrived(u8),
}

impl Reply {
    pub(crate) fn encode(&self) -> Vec<u8> {
        match self {
            Self::Ready(ready) => encode_ready(ready),
            Self::Failed(failure) => encode_failure(failure),
            Self::Done(done) => done.encode(),
            Self::Started => Writer::message(4).finish(),
            Self::Offered(numbers) => encode_offer(numbers),
            Self::Used(used) => encode_used(used),
            Self::Arrived(door) => {
                let mut writer = Writer::message(6);
                writer.byte(*door);
                writer.finish()
            }
        }
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let (kind, mut reader) = Reader::message(bytes)?;
        let reply = match kind {
            1 => Self::Ready(read_ready(&mut reader)?),
            2 => Self::Failed(read_failure(&mut reader)?),
            3 => Self::Done(Done::read(&mut reader)?),
            4 => Self::Started,
            5 => Self::Used(read_used(&mut reader)?),
            6 => Self::Arrived(reader.byte()?),
            7 => {
                Self::Offered((0..reader.count()?).map(|_| reader.int()).collect::<Result<_, _>>()?)
            }
            _ => return Err(Malformed("a reply of unknown kind")),
        };
        reader.end()?;
        Ok(reply)
    }
}

fn encode_ready(ready: &Ready) -> Vec<u8> {
    let mut writer = Writer::message(1);
    writer.count(ready.shortfalls.len());
    for shortfall in &ready.shortfalls {
        writer.bytes(shortfall.feature.as_bytes());
        writer.bytes(shortfall.reason.as_bytes());
    }
    writer.finish()
}

fn read_ready(reader: &mut Reader<'_>) -> Result<Ready, Malformed> {
    let shortfalls = (0..reader.count()?)
        .map(|_| Ok(Shortfall { feature: reader.text()?, reason: reader.text()? }))
        .collect::<Result<_, _>>()?;
    Ok(Ready { shortfalls })
}

fn encode_offer(numbers: &[u32]) -> Vec<u8> {
    let mut writer = Writer::message(7);
    writer.count(numbers.len());
    numbers.iter().for_each(|number| writer.int(*number));
    writer.finish()
}

fn encode_failure(failure: &Failure) -> Vec<u8> {
    let mut writer = Writer::message(2);
    writer.bytes(failure.step.as_bytes());
    writer.signed(failure.errno);
    writer.bytes(failure.reason.as_bytes());
    writer.finish()
}

fn read_failure(reader: &mut Reader<'_>) -> Result<Failure, Malformed> {
    Ok(Failure { step: reader.text()?, errno: reader.signed()?, reason: reader.text()? })
}

fn encode_used(used: &Used) -> Vec<u8> {
    let mut writer = Writer::message(5);
    writer.time(used.wall);
    writer.time(used.cpu);
    writer.byte(u8::from(used.cpu_complete));
    writer.time(used.stall);
    writer.long(used.peak_memory.0);
    writer.short(used.limits_hit.0);
    writer.finish()
}

fn read_used(reader: &mut Reader<'_>) -> Result<Used, Malformed> {
    Ok(Used {
        wall: reader.time()?,
        cpu: reader.time()?,
        cpu_complete: reader.byte()? != 0,
        stall: reader.time()?,
        peak_memory: Bytes(reader.long()?),
        limits_hit: LimitsHit(reader.short()?),
    })
}

fn ending_code(ending: Ending) -> (u8, i32) {
    match ending {
        Ending::MemoryLimit => (0, 0),
        Ending::OutputLimit => (1, 0),
        Ending::CpuLimit => (2, 0),
        Ending::WallLimit => (3, 0),
        Ending::NotStarted(errno) => (4, errno),
        Ending::Signalled(signal) => (5, signal),
        Ending::Exited(status) => (6, status),
        Ending::Stopped => (7, 0),
    }
}

fn read_ending(code: u8, value: i32) -> Result<Ending, Malformed> {
    Ok(match code {
        0 => Ending::MemoryLimit,
        1 => Ending::OutputLimit,
        2 => Ending::CpuLimit,
        3 => Ending::WallLimit,
        4 => Ending::NotStarted(value),
        5 => Ending::Signalled(value),
        6 => Ending::Exited(value),
        7 => Ending::Stopped,
        _ => return Err(Malformed("an unknown ending")),
    })
}

fn write_start(writer: &mut Writer, start: &Start) {
    match start {
        Start::Cold => writer.byte(0),
        Start::Warm => writer.byte(1),
        Start::ColdBecause(reason) => {
            writer.byte(2);
            writer.bytes(reason.as_bytes());
        }
    }
}

fn read_start(reader: &mut Reader<'_>) -> Result<Start, Malformed> {
    Ok(match reader.byte()? {
        0 => Start::Cold,
        1 => Start::Warm,
        2 => Start::ColdBecause(reader.text()?),
        _ => return Err(Malformed("an unknown start")),
    })
}

impl Done {
    fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::message(3);
        let (code, value) = ending_code(self.ending);
        writer.byte(code);
        writer.signed(value);
        writer.time(self.wall);
        writer.time(self.cpu);
        writer.byte(u8::from(self.cpu_complete));
        writer.time(self.stall);
        writer.long(self.peak.0);
        writer.short(self.hits.0);
        writer.byte(u8::from(self.killed_outside));
        writer.int(self.left_over);
        writer.int(self.children_refused);
        writer.byte(u8::from(self.made_objects));
        write_start(&mut writer, &self.start);
        writer.long(self.stdout_seen);
        writer.long(self.stderr_seen);
        writer.bytes(&self.stdout);
        writer.bytes(&self.stderr);
        writer.finish()
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            ending: read_ending(reader.byte()?, reader.signed()?)?,
            wall: reader.time()?,
            cpu: reader.time()?,
            cpu_complete: reader.byte()? != 0,
            stall: reader.time()?,
            peak: Bytes(reader.long()?),
            hits: LimitsHit(reader.short()?),
            killed_outside: reader.byte()? != 0,
            left_over: reader.int()?,
            children_refused: reader.int()?,
            made_objects: reader.byte()? != 0,
            start: read_start(reader)?,
            stdout_seen: reader.long()?,
            stderr_seen: reader.long()?,
            stdout: reader.bytes()?.to_vec(),
            stderr: reader.bytes()?.to_vec(),
        })
    }
}
