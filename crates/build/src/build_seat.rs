//! Build seat: the sandbox in which a bot is built.
//!
//! Its scratch is the bot's folder, so that paths are the same in builds and
//! turns. Home, temporary files and caches lie beneath it in a folder that is
//! removed before the result is copied out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use joust_sandbox::{
    Bytes, Children, Ending, Export, ExportError, Folder, HostSockets, Import, LimitHit,
    ListenPort, Network, Pipes, Program, ProgramLimits, PutFile, SandboxError, ScratchUse, Seat,
    SeatLimits, SeatSpec, Turn, TurnError, TurnReport,
};

use joust_sandbox::poll::{Interest, Poll};
use nix::errno::Errno;
use regex::Regex;

use crate::build_log::{BuildLog, ending};
use crate::context::{BuildContext, BuildJob};
use crate::error_extract::error_lines;
use crate::fetch::{self, Overlays, Proxy, ProxyService};
use crate::placed::as_environment;
use joust_bots::machine_error;
use joust_config::BuildLimits;
use joust_model::cancel::Cancel;
use joust_toolchain::{BOT, BuildLimit, BuildNetwork, NotBuilt, PRIVATE};

/// Size of output at which a command is stopped, bytes; most of it is not kept.
const MOST_OUTPUT: Bytes = Bytes::from_mib(16);
/// Largest size of a result, bytes.
const MOST_RESULT: Bytes = Bytes::from_mib(512);
/// Largest number of files of a result.
const MOST_FILES: u32 = 20_000;
/// Largest number of files in the scratch during the build.
const MOST_SCRATCH_FILES: u32 = 400_000;
/// Open files per process: compilers need more than bots.
const DESCRIPTORS: u32 = 4096;

/// Places where systems keep the certificates that they trust.
const CERTIFICATES: [&str; 4] =
    ["/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/pki/ca-trust", "/etc/ca-certificates"];

/// Files of the system that package managers read if they exist. They exist in tier C, where a
/// package manager fails if it may not read them.
const READ_BY_MANAGERS: [&str; 2] = ["/etc/debian_version", "/etc/mime.types"];

/// Messages of package managers that could not fetch.
static OFFLINE: LazyLock<Regex> = LazyLock::new(|| {
    let text = "offline|only-if-cached|not been downloaded|No matching distribution|Could not find a version";
    Regex::new(text).expect("a pattern")
});

/// Connections to a proxy, where a build has one.
enum ProxyAccess {
    None,
    /// The seat's own network has its port; it ends after the seat.
    Served {
        _service: ProxyService,
    },
    /// Seats have no network of their own: the launcher hands over each connection.
    HandedOver(Arc<Proxy>),
}

/// A seat with a bot's source in it.
pub(crate) struct BuildSeat {
    /// The seat; `None` after a command has broken it.
    seat: Option<Seat>,
    access: ProxyAccess,
    folder: PathBuf,
    end: Instant,
    limits: BuildLimits,
    cancel: Cancel,
    /// Files that the first command finds.
    first: Vec<PutFile>,
}

impl BuildSeat {
    /// Makes the seat and copies the folder `source` into it; commands run until `end`.
    pub(crate) fn open(
        context: BuildContext<'_>,
        job: &BuildJob,
        source: &Path,
        end: Instant,
    ) -> Result<Self, NotBuilt> {
        let (limits, inputs, overlays) = (context.limits, &job.recipe.inputs, &job.overlays);
        let mut environment = inputs.build_environment.clone();
        environment.extend(overlays.variables.clone());
        let spec = SeatSpec {
            folders: job.folders().into_iter().chain(host_files(overlays)).collect(),
            hidden: Vec::new(),
            written: None,
            environment: as_environment(&environment),
            scratch: BOT.into(),
            scratch_use: ScratchUse::KeptForSeat,
            limits: seat_limits(limits),
            network: match inputs.network {
                BuildNetwork::None | BuildNetwork::Registries => Network::None,
                BuildNetwork::Open => Network::Host,
            },
            children: Children::Allowed,
            cores: Vec::new(),
            host_sockets: HostSockets { listen: proxy_ports(overlays), ..HostSockets::default() },
            warm: None,
        };
        let mut seat = Seat::start(context.host, &spec).map_err(|error| sandbox_failure(&error))?;
        let access = match (&overlays.proxy, seat.listeners().pop()) {
            (None, _) => ProxyAccess::None,
            (Some(proxy), Some(listener)) => {
                ProxyAccess::Served { _service: proxy.serve(listener) }
            }
            (Some(proxy), None) => ProxyAccess::HandedOver(Arc::clone(proxy)),
        };
        let import = Import { from: source.to_owned(), inside: String::new() };
        seat.import(&import).map_err(|error| not_imported(&error, source, limits))?;
        let (limits, cancel) = (limits.clone(), context.cancel.clone());
        let folder = PathBuf::from(&inputs.folder);
        let first = own_folders().chain(overlay_files(overlays)).collect();
        Ok(Self { seat: Some(seat), access, folder, end, limits, cancel, first })
    }

    /// Runs one command in the folder of the recipe.
    pub(crate) fn run(&mut self, command: &[String], log: &mut BuildLog) -> Result<(), NotBuilt> {
        let left = self.end.saturating_duration_since(Instant::now());
        let late = || NotBuilt::Timeout { command: command.to_vec(), limit: self.limits.time.0 };
        if left.is_zero() {
            return Err(late());
        }
        let words: Vec<OsString> = command.iter().map(Into::into).collect();
        let put = std::mem::take(&mut self.first);
        let turn = Turn {
            command: &words,
            folder: &self.folder,
            put: &put,
            take: &[],
            // A build may use the processor time that its time limit allows on every core.
            limits: ProgramLimits { cpu: left * 256, wall: left },
        };
        let seat = self.seat.take().ok_or_else(|| broken_seat(command, seat_lost()))?;
        let stopper = seat.stopper().map_err(|error| sandbox_failure(&error))?;
        let stopping = self.cancel.on_cancel(move || stopper.stop());
        let report = self.access.turn(seat, &turn);
        drop(stopping);
        if self.cancel.is_cancelled() {
            return Err(NotBuilt::Stopped);
        }
        let (seat, report) = report.map_err(|error| broken_seat(command, error))?;
        log.add(command, &report);
        let trouble = seat.memory_error();
        self.seat = Some(seat);
        check_ending(command, &report).map_err(|fault| match (fault, trouble) {
            // A compiler ends as if the source had a mistake when one of its processes was killed.
            (Some(NotBuilt::Failed { .. }), Some(trouble)) => sandbox_failure(&trouble),
            (fault, _) => fault.unwrap_or_else(late),
        })
    }

    /// Copies the result to the folder `to`, which is created.
    pub(crate) fn collect(mut self, to: &Path, log: &mut BuildLog) -> Result<(), NotBuilt> {
        let command = ["/bin/rm", "-rf", PRIVATE].map(str::to_owned);
        self.end = self.end.max(Instant::now() + Duration::from_secs(60));
        self.run(&command, log)?;
        let export = Export {
            inside: String::new(),
            to: to.to_owned(),
            max_bytes: MOST_RESULT,
            max_files: MOST_FILES,
        };
        let seat = self.seat.as_mut().ok_or_else(|| broken_seat(&command, seat_lost()))?;
        let exported = seat.export(&export).map_err(|error| not_exported(&error))?;
        exported.map(drop).map_err(|refused| export_refused(&refused))
    }
}

fn seat_limits(limits: &BuildLimits) -> SeatLimits {
    let kept = Bytes(limits.output.0.0);
    SeatLimits {
        memory: Bytes(limits.memory.0.0.0),
        processes: limits.processes.0,
        descriptors: DESCRIPTORS,
        disk: Bytes(limits.disk.0.0),
        files: MOST_SCRATCH_FILES,
        stdout: kept.max(MOST_OUTPUT),
        stderr: kept,
        stderr_hard: kept.max(MOST_OUTPUT),
    }
}

/// Returns files whose folders a build finds ready.
fn own_folders() -> impl Iterator<Item = PutFile> {
    let empty: Arc<[u8]> = Arc::from([]);
    ["home", "tmp"]
        .map(|name| PutFile { path: format!(".build/{name}/.keep"), bytes: Arc::clone(&empty) })
        .into_iter()
        .chain([PutFile { path: ".joust/.keep".to_owned(), bytes: Arc::clone(&empty) }])
}

/// Returns files of the organiser's in the folder that is removed.
fn overlay_files(overlays: &Overlays) -> impl Iterator<Item = PutFile> {
    let file = |(path, bytes): (&String, &Vec<u8>)| PutFile {
        path: format!(".build/{path}"),
        bytes: bytes.as_slice().into(),
    };
    overlays.files.iter().map(file)
}

/// Returns the machine's folders and files that a build with a proxy sees: certificates, and files
/// that package managers read.
fn host_files(overlays: &Overlays) -> impl Iterator<Item = Folder> {
    let places =
        overlays.proxy.iter().flat_map(|_| CERTIFICATES.into_iter().chain(READ_BY_MANAGERS));
    let places = places.map(Path::new).filter(|place| place.exists());
    places.map(|place| Folder { host: place.to_owned(), inside: place.to_owned() })
}

/// Returns the port of the proxy, if the build has one.
fn proxy_ports(overlays: &Overlays) -> Vec<ListenPort> {
    let port = ListenPort { port: fetch::PORT, variable: "JOUST_PROXY_PORT".into() };
    overlays.proxy.iter().map(|_| port.clone()).collect()
}

impl ProxyAccess {
    /// Runs one program in a seat, and gives the seat back.
    fn turn(&self, mut seat: Seat, turn: &Turn<'_>) -> Result<(Seat, TurnReport), TurnError> {
        let Self::HandedOver(proxy) = self else {
            let report = seat.turn(turn)?;
            return Ok((seat, report));
        };
        let program = Program {
            command: turn.command,
            folder: turn.folder,
            put: turn.put,
            pipes: Pipes::None,
            limits: turn.limits,
        };
        let mut live = seat.start_program(&program)?;
        loop {
            let ended = live.poll_report()?.cloned();
            live.take_connections()
                .into_iter()
                .for_each(|arrived| proxy.accept_connection(arrived));
            if let Some(report) = ended {
                return Ok((live.into_seat()?, report));
            }
            let mut poll = Poll::default();
            poll.add(live.notices(), Interest::Read);
            poll.wait(None)?;
        }
    }
}

fn seat_lost() -> TurnError {
    TurnError::SeatLost { reason: "an earlier command broke it".to_owned() }
}

/// Checks a command's ending; the error `None` stands for the time limit.
fn check_ending(command: &[String], report: &TurnReport) -> Result<(), Option<NotBuilt>> {
    let hit = |limit| report.usage.limits_hit.contains(limit);
    let limit = match report.ending {
        Ending::Exited(0) => return Ok(()),
        Ending::WallLimit | Ending::CpuLimit => return Err(None),
        Ending::MemoryLimit => Some(BuildLimit::Memory),
        Ending::OutputLimit => Some(BuildLimit::Output),
        _ if hit(LimitHit::Disk) || hit(LimitHit::Files) => Some(BuildLimit::Disk),
        _ if hit(LimitHit::Processes) => Some(BuildLimit::Tasks),
        _ => None,
    };
    let (command, lines) = (command.to_vec(), error_lines(report));
    Err(Some(match limit {
        Some(limit) => NotBuilt::Limit { limit, command, lines },
        None => {
            let hint = if lines.iter().any(|line| OFFLINE.is_match(line)) {
                without_network(&command)
            } else {
                ""
            };
            let status = format!("{}{hint}", ending(report.ending));
            NotBuilt::Failed { command, status, lines }
        }
    }))
}

/// Returns a note for a command that ran with an option to fetch nothing; empty for others.
fn without_network(command: &[String]) -> &'static str {
    let is_told = |word: &str| command.iter().any(|one| one == word);
    match is_told("--no-index") || is_told("--offline") {
        true => {
            ", without a network: it fetches with `build: { network: open }` in the tournament's file"
        }
        false => "",
    }
}

fn broken_seat(command: &[String], error: TurnError) -> NotBuilt {
    match error {
        TurnError::Infrastructure(error) => sandbox_failure(&error),
        // Only a program in the seat can have done that.
        TurnError::SeatLost { reason } => NotBuilt::Failed {
            command: command.to_vec(),
            status: format!("broke its sandbox: {reason}"),
            lines: Vec::new(),
        },
    }
}

fn export_refused(refused: &ExportError) -> NotBuilt {
    let command = vec!["copy the result out".to_owned()];
    match refused {
        ExportError::TooManyBytes(_) | ExportError::TooManyFiles(_) => {
            NotBuilt::Limit { limit: BuildLimit::Disk, command, lines: vec![refused.to_string()] }
        }
        other => {
            NotBuilt::Failed { command, status: format!("failed: {other}"), lines: Vec::new() }
        }
    }
}

/// A source that is larger than the limit does not fit.
fn not_imported(error: &SandboxError, source: &Path, limits: &BuildLimits) -> NotBuilt {
    if error.errno() != Some(Errno::ENOSPC as i32) || !is_larger(source, limits) {
        return sandbox_failure(error);
    }
    let command = vec!["copy the source in".to_owned()];
    let lines = vec![format!("the source has more than `build: {{ disk: {} }}`", limits.disk.0)];
    NotBuilt::Limit { limit: BuildLimit::Disk, command, lines }
}

/// Returns whether a folder's files take more than the limits of a scratch, in whole pages.
fn is_larger(folder: &Path, limits: &BuildLimits) -> bool {
    const PAGE: u64 = 4096;
    let entries = walkdir::WalkDir::new(folder).into_iter().filter_map(Result::ok);
    let lengths = entries.filter_map(|entry| Some(entry.metadata().ok()?.len()));
    let (bytes, files) = lengths.fold((0_u64, 0_u64), |(bytes, files), length| {
        (bytes.saturating_add(length.div_ceil(PAGE).saturating_add(1) * PAGE), files + 1)
    });
    bytes > limits.disk.0.0 || files >= u64::from(MOST_SCRATCH_FILES)
}

/// Names that are too long for the store of builds are the bot's fault.
fn not_exported(error: &SandboxError) -> NotBuilt {
    match machine_error::is_name_error(error.errno()) {
        true => NotBuilt::Refused(error.to_string()),
        false => sandbox_failure(error),
    }
}

fn sandbox_failure(error: &SandboxError) -> NotBuilt {
    let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
    NotBuilt::Infrastructure(format!("{error}{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offline_fetches_get_a_hint_at_the_network_setting() {
        let told = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            without_network(&words)
        };
        assert!(told("python3 -m pip install --no-index").contains("`build: { network: open }`"));
        assert!(told("npm install --offline").contains("`build: { network: open }`"));
        assert_eq!(told("gcc -o bot main.c"), "");
    }
}
