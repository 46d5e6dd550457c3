//! Requests to a launcher.

use std::time::Duration;

use super::Mode;
use super::codec::{Malformed, Reader, Writer};
use crate::{Bytes, ColdCost, Pipes, SeatLimits, TurnLimits};

/// Identity of a seat's programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Kind of isolation.
    pub(crate) mode: Mode,
    /// User and group of its programs as the launcher sees them.
    pub(crate) user: u32,
}

/// A file from which a number is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    /// The largest memory since it was last reset, in bytes.
    MemoryPeak,
    /// The memory now, in bytes.
    MemoryNow,
    /// Socket buffers at their largest since it was last reset, in bytes, where they are no memory.
    SocketPeak,
    /// `active_file` and `inactive_file` are bytes of files kept in memory.
    MemoryStatistics,
    /// `oom_kill` counts kills by the memory limit.
    MemoryKills,
    /// Membership file: the process that writes `0` to it is in the group whose memory is limited;
    /// the launcher is not.
    MemoryEntry,
    /// While it is `1`, one kill by the memory limit is a kill of all programs.
    MemoryKillsAll,
    /// `oom_kill` counts programs killed for want of memory of the machine or the group around all
    /// seats.
    KillsOutside,
    /// `max` counts refused forks.
    ProcessRefusals,
    /// Processor time in nanoseconds.
    CpuNanoseconds,
    /// `usage_usec` is processor time in microseconds.
    CpuStatistics,
    /// `total` of the line `some` is stall in microseconds.
    Pressure,
}

const COUNTERS: [Counter; 12] = [
    Counter::MemoryPeak,
    Counter::MemoryNow,
    Counter::SocketPeak,
    Counter::MemoryStatistics,
    Counter::MemoryKills,
    Counter::MemoryEntry,
    Counter::MemoryKillsAll,
    Counter::KillsOutside,
    Counter::ProcessRefusals,
    Counter::CpuNanoseconds,
    Counter::CpuStatistics,
    Counter::Pressure,
];

/// The sandbox to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SetUp {
    pub(crate) identity: Identity,
    /// Path of each folder inside.
    pub(crate) folders: Vec<Vec<u8>>,
    /// Path of each of them on the host.
    pub(crate) host_folders: Vec<Vec<u8>>,
    /// Folders inside that appear empty.
    pub(crate) hidden: Vec<Vec<u8>>,
    /// The folder inside that programs may write to; empty where there is none.
    pub(crate) written: Vec<u8>,
    /// `NAME=value`.
    pub(crate) environment: Vec<Vec<u8>>,
    pub(crate) scratch: Vec<u8>,
    /// Path of the scratch on the host; empty when it is mounted inside.
    pub(crate) host_scratch: Vec<u8>,
    pub(crate) limits: SeatLimits,
    /// 0: none but its own loopback; 1: the host's.
    pub(crate) network: u8,
    /// 0: processes may be started; 1: they are refused.
    pub(crate) children: u8,
    pub(crate) cores: Vec<u32>,
    /// Counters, each with the host's file that has its value.
    pub(crate) counters: Vec<(Counter, Vec<u8>)>,
    /// Ports of this computer that can be connected to. In a network of the
    /// seat's own the launcher listens on them and hands the sockets out; elsewhere
    /// it makes the connections and hands on each.
    pub(crate) ports: Vec<u16>,
    /// Names that stand for this computer.
    pub(crate) hosts: Vec<Vec<u8>>,
    /// Program that is started as a copy of a server.
    pub(crate) warm: Option<WarmRequest>,
}

/// A program to keep warm.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WarmRequest {
    /// The beginning of its commands.
    pub(crate) stem: Vec<Vec<u8>>,
    /// `NAME=value` of its server alone.
    pub(crate) variables: Vec<Vec<u8>>,
    /// Words for its server.
    pub(crate) words: Vec<Vec<u8>>,
    /// The name of its file.
    pub(crate) file: Vec<u8>,
    /// Text of that file.
    pub(crate) text: Vec<u8>,
    /// Extra cost of a start from nothing.
    pub(crate) cold: ColdCost,
}

/// One program to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TurnRequest {
    pub(crate) command: Vec<Vec<u8>>,
    pub(crate) folder: Vec<u8>,
    pub(crate) limits: TurnLimits,
}

/// Preparation that a launcher can do before its set-up is known. Not answered; a failure is the
/// answer to the set-up that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prepare {
    pub(crate) mode: Mode,
    /// As in [`SetUp`].
    pub(crate) network: u8,
}

impl Prepare {
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut writer = Writer::message(3);
        writer.byte(self.mode as u8);
        writer.byte(self.network);
        writer.finish()
    }
}

/// Request to a launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Prepare(Prepare),
    SetUp(Box<SetUp>),
    Turn(TurnRequest),
    Live(LiveRequest),
    Watch(Watch),
    Offer(OfferAnswer),
    /// `NAME=value` of every program from now on. Not answered.
    Environment(Vec<Vec<u8>>),
}

/// Encodes [`Request::Environment`].
pub(crate) fn encode_environment(environment: &[Vec<u8>]) -> Vec<u8> {
    let mut writer = Writer::message(7);
    writer.strings(refs(environment));
    writer.finish()
}

/// One program to start and to leave running. Answered when it has started,
/// with the caller's ends of the pipes, and once more, unasked, when it is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LiveRequest {
    pub(crate) turn: TurnRequest,
    /// Descriptors of the program that are pipes to the caller.
    pub(crate) pipes: Pipes,
}

/// Request while a program runs. Not answered when none does: its end may have crossed the
/// question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watch {
    /// Resources that it has used.
    Usage = 1,
    /// To end it.
    End = 2,
    /// To freeze it. Not answered.
    Pause = 3,
    /// To let it go on. Not answered.
    Resume = 4,
}

impl Watch {
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut writer = Writer::message(5);
        writer.byte(self as u8);
        writer.finish()
    }
}

fn read_pipes(byte: u8) -> Result<Pipes, Malformed> {
    [Pipes::None, Pipes::Two, Pipes::Streams]
        .into_iter()
        .find(|pipes| *pipes as u8 == byte)
        .ok_or(Malformed("unknown pipes"))
}

fn read_watch(byte: u8) -> Result<Watch, Malformed> {
    [Watch::Usage, Watch::End, Watch::Pause, Watch::Resume]
        .into_iter()
        .find(|watch| *watch as u8 == byte)
        .ok_or(Malformed("an unknown question"))
}

/// Answer to descriptors that were offered by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfferAnswer {
    /// They were taken over; the launcher's own can be closed.
    Taken = 1,
    /// This host does not let them be taken; they are to come with a message.
    Refused = 2,
}

impl OfferAnswer {
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut writer = Writer::message(6);
        writer.byte(self as u8);
        writer.finish()
    }
}

fn read_offer_answer(byte: u8) -> Result<OfferAnswer, Malformed> {
    [OfferAnswer::Taken, OfferAnswer::Refused]
        .into_iter()
        .find(|answer| *answer as u8 == byte)
        .ok_or(Malformed("an unknown answer to an offer"))
}

impl Request {
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let (kind, mut reader) = Reader::message(bytes)?;
        let request = match kind {
            1 => Self::SetUp(Box::new(SetUp::read(&mut reader)?)),
            2 => Self::Turn(TurnRequest::read(&mut reader)?),
            3 => Self::Prepare(Prepare {
                mode: Mode::read(reader.byte()?)?,
                network: reader.byte()?,
            }),
            4 => Self::Live(LiveRequest {
                pipes: read_pipes(reader.byte()?)?,
                turn: TurnRequest::read(&mut reader)?,
            }),
            5 => Self::Watch(read_watch(reader.byte()?)?),
            7 => Self::Environment(reader.strings()?),
            6 => Self::Offer(read_offer_answer(reader.byte()?)?),
            _ => return Err(Malformed("a request of unknown kind")),
        };
        reader.end()?;
        Ok(request)
    }
}

impl LiveRequest {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::message(4);
        writer.byte(self.pipes as u8);
        let TurnRequest { command, folder, limits } = &self.turn;
        TurnRequest::write(&mut writer, refs(command), folder, limits);
        writer.finish()
    }
}

fn refs(strings: &[Vec<u8>]) -> impl ExactSizeIterator<Item = &[u8]> {
    strings.iter().map(Vec::as_slice)
}

impl SetUp {
    /// Returns whether there is a file that counts this.
    pub(crate) fn counts(&self, wanted: Counter) -> bool {
        self.counters.iter().any(|(counter, _)| *counter == wanted)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::message(1);
        writer.byte(self.identity.mode as u8);
        writer.int(self.identity.user);
        writer.strings(refs(&self.folders));
        writer.strings(refs(&self.host_folders));
        writer.strings(refs(&self.hidden));
        writer.bytes(&self.written);
        writer.strings(refs(&self.environment));
        writer.bytes(&self.scratch);
        writer.bytes(&self.host_scratch);
        write_limits(&mut writer, &self.limits);
        writer.byte(self.network);
        writer.byte(self.children);
        writer.count(self.cores.len());
        self.cores.iter().for_each(|core| writer.int(*core));
        writer.count(self.counters.len());
        for (counter, file) in &self.counters {
            writer.byte(*counter as u8);
            writer.bytes(file);
        }
        writer.count(self.ports.len());
        self.ports.iter().for_each(|port| writer.short(*port));
        writer.strings(refs(&self.hosts));
        writer.count(usize::from(self.warm.is_some()));
        if let Some(warm) = &self.warm {
            writer.strings(refs(&warm.stem));
            writer.strings(refs(&warm.variables));
            writer.strings(refs(&warm.words));
            writer.bytes(&warm.file);
            writer.bytes(&warm.text);
            writer.time(warm.cold.cpu);
            writer.time(warm.cold.wall);
        }
        writer.finish()
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            identity: Identity { mode: Mode::read(reader.byte()?)?, user: reader.int()? },
            folders: reader.strings()?,
            host_folders: reader.strings()?,
            hidden: reader.strings()?,
            written: reader.bytes()?.to_vec(),
            environment: reader.strings()?,
            scratch: reader.bytes()?.to_vec(),
            host_scratch: reader.bytes()?.to_vec(),
            limits: read_limits(reader)?,
            network: reader.byte()?,
            children: reader.byte()?,
            cores: (0..reader.count()?).map(|_| reader.int()).collect::<Result<_, _>>()?,
            counters: (0..reader.count()?)
                .map(|_| Ok((read_counter(reader.byte()?)?, reader.bytes()?.to_vec())))
                .collect::<Result<_, _>>()?,
            ports: (0..reader.count()?).map(|_| reader.short()).collect::<Result<_, _>>()?,
            hosts: reader.strings()?,
            warm: match reader.count()? {
                0 => None,
                _ => Some(WarmRequest {
                    stem: reader.strings()?,
                    variables: reader.strings()?,
                    words: reader.strings()?,
                    file: reader.bytes()?.to_vec(),
                    text: reader.bytes()?.to_vec(),
                    cold: ColdCost { cpu: reader.time()?, wall: reader.time()? },
                }),
            },
        })
    }
}

fn read_counter(byte: u8) -> Result<Counter, Malformed> {
    COUNTERS
        .into_iter()
        .find(|counter| *counter as u8 == byte)
        .ok_or(Malformed("an unknown counter"))
}

fn write_limits(writer: &mut Writer, limits: &SeatLimits) {
    writer.long(limits.memory.0);
    writer.int(limits.processes);
    writer.int(limits.descriptors);
    writer.long(limits.disk.0);
    writer.int(limits.files);
    writer.long(limits.stdout.0);
    writer.long(limits.stderr.0);
    writer.long(limits.stderr_hard.0);
}

fn read_limits(reader: &mut Reader<'_>) -> Result<SeatLimits, Malformed> {
    Ok(SeatLimits {
        memory: Bytes(reader.long()?),
        processes: reader.int()?,
        descriptors: reader.int()?,
        disk: Bytes(reader.long()?),
        files: reader.int()?,
        stdout: Bytes(reader.long()?),
        stderr: Bytes(reader.long()?),
        stderr_hard: Bytes(reader.long()?),
    })
}

impl TurnRequest {
    /// Encodes a turn without copying its command first.
    pub(crate) fn encode<'a>(
        command: impl ExactSizeIterator<Item = &'a [u8]>,
        folder: &[u8],
        limits: &TurnLimits,
    ) -> Vec<u8> {
        let mut writer = Writer::message(2);
        Self::write(&mut writer, command, folder, limits);
        writer.finish()
    }

    fn write<'a>(
        writer: &mut Writer,
        command: impl ExactSizeIterator<Item = &'a [u8]>,
        folder: &[u8],
        limits: &TurnLimits,
    ) {
        writer.strings(command);
        writer.bytes(folder);
        writer.time(limits.cpu);
        writer.time(limits.turn);
        writer.time(limits.kill);
        writer.byte(u8::from(limits.linger));
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(Self {
            command: reader.strings()?,
            folder: reader.bytes()?.to_vec(),
            limits: TurnLimits {
                cpu: reader.time()?,
                turn: reader.time()?,
                kill: reader.time()?,
                linger: reader.byte()? != 0,
            },
        })
    }

    /// Returns the time from the tree's start after which it is killed.
    pub(crate) fn kill_after(&self) -> Duration {
        if self.limits.linger { self.limits.kill.max(self.limits.turn) } else { self.limits.turn }
    }
}
