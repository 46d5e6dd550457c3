//! Seats and turns of the suite, and what was seen of them.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use joust_sandbox::{
    Bytes, Children, ColdCost, Ending, FileOutcome, Folder, HostSockets, ListenPort, Network,
    ProgramLimits, ScratchUse, Seat, SeatLimits, SeatSpec, StartKind, TakeFile, Tier, TurnError,
    TurnReport, WarmServer,
};
use joust_testkit::hostile::{
    Allowed, Answer, AnswerFileState, Clocks, Command, GAME_PORT, GAME_VARIABLE, Limit, LimitSet,
    Observation, ProcessEnd, Row, Setting, TestSite, Turn, Verdict, interpreter, verdict,
    verdict_of_file,
};
use joust_testkit::time_scale::scaled;

use crate::calibrate::Calibration;
use crate::talk::Heard;
use crate::tier::letter;

const CPU: Duration = Duration::from_millis(200);
const TURN: Duration = Duration::from_millis(400);
/// The servers of warm starts, and what they load first.
const PYTHON: Server = Server {
    file: "sitecustomize.py",
    text: include_str!("../../../build/src/warm/sitecustomize.py"),
    variable: "PYTHONPATH",
    value: WarmServer::FOLDER,
    loaded: &["json", "random"],
};
const RUBY: Server = Server {
    file: "server.rb",
    text: include_str!("../../../build/src/warm/server.rb"),
    variable: "RUBYOPT",
    value: "-r/etc/warm/server.rb",
    loaded: &["json"],
};
/// Bytes that a file with an answer may have.
const MOVE: Bytes = Bytes::from_kib(4);

/// The seat every row has.
pub(crate) fn seat_spec(row: &Row, place: &TestSite) -> SeatSpec {
    let variable = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
    SeatSpec {
        folders: vec![Folder { host: place.program.clone(), inside: "/program".into() }],
        hidden: Vec::new(),
        written: None,
        environment: vec![
            variable("SCRATCH", "/scratch"),
            variable("PROGRAM", "/program"),
            variable("RUN", &place.run),
        ],
        scratch: "/scratch".into(),
        scratch_use: ScratchUse::FreshEachTurn,
        limits: seat_limits(),
        network: Network::None,
        children: match row.setting.contains(&Setting::NoChildren) {
            true => Children::Refused,
            false => Children::Allowed,
        },
        cores: vec![],
        host_sockets: doors(row),
        warm: warm(row),
    }
}

/// Returns the ending of scripts that are copies of a server because of `JOUST_STARTS`, if they
/// are; the word `cold` only has an interpreter do what is done.
pub(crate) fn starts() -> Option<String> {
    std::env::var("JOUST_STARTS").ok().filter(|word| !word.is_empty())
}

/// The server of the row's scripts.
fn warm(row: &Row) -> Option<WarmServer> {
    let asked = starts().filter(|word| word != "cold");
    let own = row.setting.contains(&Setting::Server).then(|| "exact".to_owned());
    let ending = asked.or(own).filter(|_| starts().is_none_or(|word| word != "cold"))?;
    let script = row.turns.iter().find_map(|turn| match &turn.command {
        Command::Script(script, _) => Some(*script),
        _ => None,
    })?;
    let server = if script.ends_with(".rb") { RUBY } else { PYTHON };
    let stem = interpreter(script).words.iter().map(OsString::from);
    let loaded = server.loaded.iter().copied().map(str::to_owned);
    Some(WarmServer {
        stem: stem.chain([format!("/program/{script}").into()]).collect(),
        variables: vec![(server.variable.into(), server.value.into())],
        words: [ending, String::new()].into_iter().chain(loaded).collect(),
        file: (server.file.to_owned(), server.text.to_owned()),
        cold: ColdCost::default(),
    })
}

/// A server of warm starts.
#[derive(Clone, Copy)]
struct Server {
    file: &'static str,
    text: &'static str,
    variable: &'static str,
    value: &'static str,
    loaded: &'static [&'static str],
}

/// The port of its own game, of a program that has one.
fn doors(row: &Row) -> HostSockets {
    let has_door = |turn: &Turn| turn.talk.as_ref().is_some_and(|talk| talk.has_door);
    if !row.turns.iter().any(has_door) {
        return HostSockets::default();
    }
    let game = ListenPort { port: GAME_PORT, variable: GAME_VARIABLE.into() };
    HostSockets { listen: vec![game], ..HostSockets::default() }
}

fn seat_limits() -> SeatLimits {
    SeatLimits {
        memory: Bytes::from_mib(64),
        processes: 32,
        descriptors: 64,
        disk: Bytes::from_mib(8),
        files: 1000,
        stdout: Bytes::from_kib(64),
        stderr: Bytes::from_kib(64),
        stderr_hard: Bytes::from_mib(8),
    }
}

/// The suite's limits, with what an interpreter needs to start added.
pub(crate) fn limits(calibration: Calibration, clocks: Clocks) -> ProgramLimits {
    let cpu = scaled(clocks.cpu.unwrap_or(CPU)) + calibration.cpu;
    let wall = scaled(clocks.turn.unwrap_or(TURN)) + calibration.wall;
    ProgramLimits { cpu, wall }
}

/// Plays one turn.
pub(crate) fn play(
    seat: &mut Seat,
    command: &[OsString],
    limits: ProgramLimits,
    answer: Answer,
) -> Result<TurnReport, TurnError> {
    let file = TakeFile { path: "move.txt".to_owned(), cap: MOVE };
    let take = if answer == Answer::File { vec![file] } else { Vec::new() };
    seat.turn(&joust_sandbox::Turn {
        command,
        folder: Path::new("/program"),
        put: &[],
        take: &take,
        limits,
    })
}

/// Puts what came of a turn into the words of the catalogue.
pub(crate) fn seen(
    result: Result<TurnReport, TurnError>,
    limits: ProgramLimits,
    tier: Tier,
) -> Observation {
    let allowed = Allowed {
        cpu: limits.cpu,
        turn: limits.wall,
        tier: letter(tier),
        memory_bytes: seat_limits().memory.0,
    };
    match result {
        Ok(report) => of_report(report, allowed),
        Err(TurnError::SeatLost { reason }) => of_failure(ProcessEnd::Lost, &reason, allowed),
        Err(error) => {
            let mut seen = of_failure(ProcessEnd::Lost, &error.to_string(), allowed);
            seen.verdict = Verdict::InfrastructureError;
            seen
        }
    }
}

/// As [`seen`], of a program that stayed.
pub(crate) fn heard(talked: Heard, limits: ProgramLimits, tier: Tier) -> Observation {
    let mut seen = seen(Ok(talked.report), limits, tier);
    let own = [(Verdict::Timeout, Limit::Wall), (Verdict::OutputLimit, Limit::Stdout)];
    for (_, limit) in own.iter().filter(|(verdict, _)| *verdict == talked.verdict) {
        seen.limits.insert(*limit);
    }
    seen.verdict = talked.verdict;
    seen.answers = talked.answers;
    seen.heard_bytes = talked.heard_bytes;
    seen.through_door = talked.through_door;
    seen
}

fn of_report(report: TurnReport, allowed: Allowed) -> Observation {
    let ended = ended(report.ending);
    let left = report.files.into_iter().next().map(|file| left(file.outcome));
    // The sandbox numbers its limits as the referee does.
    let limits = LimitSet(report.usage.limits_hit.0);
    let judged = match &left {
        Some(left) => verdict_of_file(ended, limits, left),
        None => verdict(ended, limits, &report.stdout),
    };
    // The first of the list of verdicts wins.
    let violation = (report.children_refused > 0).then_some(Verdict::ProtocolViolation);
    Observation {
        verdict: judged.min(violation.unwrap_or(judged)),
        left,
        ended,
        limits,
        stdout: report.stdout,
        stderr: report.stderr,
        stderr_seen: report.stderr_seen,
        wall: report.usage.wall,
        cpu: report.usage.cpu,
        stall: report.usage.stall,
        peak_bytes: report.usage.peak_memory.0,
        answers: vec![],
        heard_bytes: 0,
        through_door: vec![],
        observer_cpu: Duration::ZERO,
        reached: 0,
        cold: cold(report.start),
        allowed,
    }
}

fn cold(start: StartKind) -> Option<String> {
    match start {
        StartKind::ColdBecause(reason) => Some(reason),
        StartKind::Cold | StartKind::Warm => None,
    }
}

fn of_failure(ended: ProcessEnd, reason: &str, allowed: Allowed) -> Observation {
    Observation {
        verdict: verdict(ended, Default::default(), b""),
        left: None,
        ended,
        limits: Default::default(),
        stdout: vec![],
        stderr: reason.as_bytes().to_vec(),
        stderr_seen: 0,
        wall: Duration::ZERO,
        cpu: Duration::ZERO,
        stall: Duration::ZERO,
        peak_bytes: 0,
        answers: vec![],
        heard_bytes: 0,
        through_door: vec![],
        observer_cpu: Duration::ZERO,
        reached: 0,
        cold: None,
        allowed,
    }
}

fn left(taken: FileOutcome) -> AnswerFileState {
    match taken {
        FileOutcome::Bytes(bytes) => AnswerFileState::Bytes(bytes),
        FileOutcome::Missing => AnswerFileState::Missing,
        FileOutcome::TooLong => AnswerFileState::TooLong,
        FileOutcome::NotPlain => AnswerFileState::NotPlain,
    }
}

pub(crate) fn ended(ending: Ending) -> ProcessEnd {
    match ending {
        Ending::MemoryLimit => ProcessEnd::MemoryLimit,
        Ending::OutputLimit => ProcessEnd::OutputLimit,
        Ending::CpuLimit => ProcessEnd::CpuLimit,
        Ending::WallLimit => ProcessEnd::WallLimit,
        Ending::NotStarted(errno) => ProcessEnd::NotStarted(errno),
        Ending::Signalled(signal) => ProcessEnd::Signal(signal),
        Ending::Exited(status) => ProcessEnd::Status(status),
        Ending::Stopped => ProcessEnd::Stopped,
    }
}
