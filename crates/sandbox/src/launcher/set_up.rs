//! Set-up of the sandbox around the launcher, once per seat, in two steps: the part common to all
//! seats ahead of time, the rest when a seat is wanted.
//!
//! The order matters: first the parts that need privileges (view, network, groups), then
//! the launcher drops its privileges, then comes Landlock, and the filter last, because
//! it refuses most of the earlier calls.

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use nix::sched::{CloneFlags, CpuSet, sched_setaffinity, unshare};
use nix::sys::prctl;
use nix::sys::stat::{Mode as FileMode, umask};
use nix::unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout, setsid};

use super::accounting::{Accounting, Counters, Idleness};
use super::calls::HandedCalls;
use super::capture::CHUNK;
use super::connections::Connections;
use super::inner_seat::InnerSeat;
use super::live::FrozenUsage;
use super::network::PortForward;
use super::programs::{KernelSettings, ProgramIdentity, Programs};
use super::queues::{SocketAccounting, SocketQueues};
use super::scratch::ScratchUsage;
use super::server::WarmStarts;
use super::serving::Servers;
use super::sockets::{SocketDiag, SocketKind};
use super::{identity, inherited, network, programs, view};
use crate::error::{SandboxError, Step};
use crate::mechanism::notify::{self, NotHandedOver, NotifiedCalls};
use crate::mechanism::{filter, landlock, rlimit};
use crate::sys;
use crate::wire::{
    CONNECTIONS, Counter, LANDLOCK, Mode, OBJECT_NUMBERS, Prepare, SOCKET_BUFFERS, SetUp,
    SetUpReport,
};
use crate::{Children, Network, StartKind};

/// The first process of a process id name space, which is the parent of all orphans.
const FIRST: u32 = 1;
/// The name of every seat's host.
const HOST_NAME: &str = "joust";

/// Parts made before the seat's request was known, for one seat or for several one after the other.
///
/// Opened files are those of each launcher, which is a copy of the process that opened them.
pub(super) struct PreparedLauncher {
    request: Prepare,
    view: Option<view::ViewBuilder>,
    counters: Counters,
    /// Last process id that was given out, if seats can set it.
    pub(super) last_process: Option<File>,
    ready: SetUpReport,
    /// Numbers for the streams of programs.
    reserved: Vec<OwnedFd>,
}

/// Makes the part that is the same for every seat of this mode.
pub(super) fn prepare(request: Prepare) -> Result<PreparedLauncher, SandboxError> {
    if request.counts(Counter::MemoryKills) {
        protect_from_memory_kills();
    }
    let reserved = isolate(&request)?;
    leave_memory_group(path(&request.exit))?;
    if request.mode != Mode::Plain {
        identity::drop_bounding_set()?;
    }
    let mut ready = SetUpReport::default();
    inherited::reset(&mut ready);
    let has_name_spaces = request.mode.has_name_spaces();
    // Now, while the host's files are still visible.
    let counters = Counters::open(&request.counters)?;
    let last_process = "/proc/sys/kernel/ns_last_pid";
    let last_process = has_name_spaces.then(|| programs::open_for_writing(last_process)).flatten();
    let view = match has_name_spaces {
        true => Some(view::ViewBuilder::prepare(&request, &mut ready)?),
        false => None,
    };
    Ok(PreparedLauncher { request, view, counters, last_process, ready, reserved })
}

/// Sets everything up; returns the seat, the reply and the descriptors that go with it: the
/// writable folder, then the listening sockets.
pub(super) fn set_up(
    request: SetUp,
    prepared: PreparedLauncher,
) -> Result<(InnerSeat, SetUpReport, Vec<OwnedFd>), SandboxError> {
    let PreparedLauncher { request: prepare, view, counters, last_process, mut ready, reserved } =
        prepared;
    // Now, while the lists are still visible.
    let queues = watch_sockets(&request, &prepare, &mut ready);
    let score = programs::open_for_writing("/proc/self/oom_score_adj");
    let schedule = File::open("/proc/self/schedstat").ok();
    let host_proc = identity::open_proc()?;
    let view = match &view {
        Some(builder) => builder.finish(&request, &mut ready)?,
        None => view::shared(&request, &mut ready)?,
    };
    let (listeners, forwards) = match request.identity.mode.has_name_spaces() {
        true => (network::listen(&request.ports)?, Vec::new()),
        false => (Vec::new(), PortForward::open(&request.ports)?),
    };
    // Now, as the filter lets no such socket be made later.
    let servers = Servers::of(&request);
    let has_own_network =
        request.identity.mode.has_name_spaces() && request.network == Network::None;
    let unix_sockets =
        has_own_network.then(|| SocketDiag::ask_about(&[SocketKind::Unix(None)])).flatten();
    settle(&request.cores, &prepare)?;
    let processes = rlimit::processes(&request.limits, process_count(&prepare));
    // The server of warm starts is one more process of the programs' user.
    let processes = processes + u64::from(request.warm.is_some());
    let most = rlimit::most_processes().step("read the resource limits")?;
    // There the launchers of all seats share one user, so each program gets its own limit.
    let apart = request.identity.mode == Mode::Subordinate;
    let kept = rlimit::apply(&request.limits, if apart { most } else { processes });
    for name in kept.step("set the resource limits")? {
        let reason = "the lower one of whoever started Joust stays";
        ready.lacks(format!("resource limit `{name}`"), reason);
    }
    if !request.identity.mode.has_name_spaces() {
        rlimit::limit_files(&request.limits).step("limit the length of files")?;
        sys::ignore_file_limit_signal().step("limit the length of files")?;
    }
    let inner = identity::assume(&request, host_proc)?;
    let writable = view.writable.try_clone().step("keep the writable folders")?;
    let scratch = ScratchUsage::new(writable, request.identity.mode.file_system());
    let identity = ProgramIdentity { mode: request.identity.mode, inner };
    let own_limit = apart.then_some(processes.min(most));
    let settings = KernelSettings { last_process, score };
    let programs = Programs::new(identity, &request, own_limit, settings)?;
    let (limits, cores) = (&request.limits, cores(&request));
    let accounting = Accounting::start(counters, limits, cores, identity.membership(), schedule);
    restrict_files(&view, request.identity.mode, &mut ready);
    if request.network == Network::Host {
        landlock::restrict_abstract_sockets();
    }
    network::restrict(&forwards);
    let calls = NotifiedCalls {
        children: request.children == Children::Refused,
        connections: !forwards.is_empty() || servers.are_of_host(),
        servers: servers.are_of_host(),
        objects: request.identity.mode.has_name_spaces(),
    };
    let seat = InnerSeat {
        limits: request.limits.clone(),
        programs,
        accounting,
        calls: HandedCalls::new(
            hand_over(calls, &mut ready)?,
            Connections::new(forwards, inner),
            servers.with_user(inner),
            unix_sockets,
        ),
        scratch,
        queues,
        idleness: Idleness::default(),
        frozen: FrozenUsage::default(),
        warm: WarmStarts::new(request.warm.clone(), request.identity.mode),
        start: StartKind::Cold,
        buffer: vec![1; CHUNK],
    };
    filter::install(filter_options(&request, &prepare))?;
    drop(reserved);
    Ok((seat, ready, std::iter::once(view.into_writable()).chain(listeners).collect()))
}

/// Returns how many processors the programs of a seat may use.
fn cores(request: &SetUp) -> usize {
    match request.cores.len() {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        some => some,
    }
}

/// Starts to watch the sockets; memory that the kernel does not report is not counted.
fn watch_sockets(request: &SetUp, prepare: &Prepare, ready: &mut SetUpReport) -> SocketQueues {
    let counted = match prepare.counts(Counter::MemoryKills) {
        false => SocketAccounting::Nothing,
        true if prepare.counts(Counter::MemoryEntry) && !prepare.counts(Counter::SocketPeak) => {
            SocketAccounting::NoStreams
        }
        true => SocketAccounting::Most,
    };
    let (queues, listed) = match (request.identity.mode, request.network) {
        (Mode::Root | Mode::Subordinate | Mode::UserNameSpace, Network::None) => {
            SocketQueues::open(counted)
        }
        (Mode::Container, Network::None) => SocketQueues::of_user(request.identity.user),
        _ => return SocketQueues::default(),
    };
    if listed.is_err() {
        let reason = "the size and number of each is bounded; the kernel does not tell what they \
                      hold (`tcp_diag`, `unix_diag`)";
        ready.lacks(SOCKET_BUFFERS, reason);
    }
    queues
}

/// Installs the filter that hands calls over; before the general filter, which allows none after
/// it.
fn hand_over(
    calls: NotifiedCalls,
    ready: &mut SetUpReport,
) -> Result<Option<OwnedFd>, SandboxError> {
    let errno = match notify::hand_over(calls) {
        Ok(listener) => return Ok(listener),
        Err(NotHandedOver::Refused(errno)) => errno,
        Err(NotHandedOver::Allowed(errno)) => {
            return Err(SandboxError::new("refuse system calls of programs", errno));
        }
    };
    let mut lacks = |lacking: bool, name: &str, reason: String| {
        if lacking {
            ready.lacks(name, reason);
        }
    };
    let reason = format!("are refused, but nobody notices: {errno}");
    lacks(calls.children, "child processes", reason);
    let reason = format!("none can be made, and clients are not run: {errno}");
    lacks(calls.connections, CONNECTIONS, reason);
    let reason = format!("a turn can see how many there were in earlier ones: {errno}");
    lacks(calls.objects, OBJECT_NUMBERS, reason);
    Ok(None)
}

fn filter_options(request: &SetUp, prepare: &Prepare) -> filter::FilterOptions {
    let alone = !request.identity.mode.has_name_spaces();
    filter::FilterOptions {
        memory_group: !prepare.counts(Counter::MemoryKills),
        name_spaces: alone,
        server: request.warm.is_some(),
        network: match (request.ports.is_empty(), request.may_listen) {
            _ if request.network == Network::Host => filter::HostNetwork::Free,
            (true, false) if !alone => filter::HostNetwork::Empty,
            _ if !alone => filter::HostNetwork::Free,
            (_, true) => filter::HostNetwork::Servers,
            (false, false) => filter::HostNetwork::ConnectionsOnly,
            (true, false) => filter::HostNetwork::Closed,
        },
    }
}

fn process_count(prepare: &Prepare) -> rlimit::ProcessCount {
    if prepare.counts(Counter::ProcessRefusals) {
        return rlimit::ProcessCount::Group;
    }
    match prepare.mode {
        Mode::Root | Mode::Subordinate | Mode::Container => rlimit::ProcessCount::User,
        Mode::UserNameSpace | Mode::Plain => rlimit::ProcessCount::UserWithLauncher,
    }
}

/// Separates the launcher from the process that started it; returns descriptors that reserve
/// numbers.
fn isolate(request: &Prepare) -> Result<Vec<OwnedFd>, SandboxError> {
    prctl::set_dumpable(false).step("make the launcher untraceable")?;
    let _ = setsid();
    umask(FileMode::empty());
    let reserved = redirect_streams()?;
    if request.mode.has_name_spaces() {
        // Made only now, so that its root are the groups that the launcher was moved into.
        unshare(CloneFlags::CLONE_NEWCGROUP).step("make a control group name space")?;
        nix::unistd::sethostname(HOST_NAME).step("name the host")?;
        let _ = rustix::system::setdomainname(b"(none)");
        if matches!(request.mode, Mode::Subordinate | Mode::UserNameSpace) {
            limit_objects();
            if request.mode == Mode::UserNameSpace && request.network == Network::None {
                unshare(CloneFlags::CLONE_NEWNET).step("make a network name space")?;
            }
        }
        if request.network == Network::None {
            sys::raise_loopback().step("switch the loopback interface on")?;
        }
    }
    Ok(reserved)
}

/// Leaves the group whose memory is limited, if programs enter it by themselves. A launcher in that
/// group would wait for memory together with the programs when it runs out, and could end none of
/// them.
fn leave_memory_group(exit: &Path) -> Result<(), SandboxError> {
    match exit.as_os_str().is_empty() {
        true => Ok(()),
        false => std::fs::write(exit, "0").step("leave the group whose memory is limited"),
    }
}

/// Limits of each user name space on objects that the host also counts for its user, so that no
/// seat uses up the host's total.
const OBJECTS: [(&str, &str); 4] = [
    ("max_inotify_instances", "8"),
    ("max_inotify_watches", "1024"),
    ("max_fanotify_groups", "0"),
    ("max_fanotify_marks", "0"),
];

fn limit_objects() {
    for (name, most) in OBJECTS {
        // A kernel without the setting has no such objects.
        let _ = std::fs::write(format!("/proc/sys/user/{name}"), most);
    }
}

/// Replaces the streams of the launcher's parent; returns descriptors that reserve the other
/// numbers below [`sys::FIRST_FREE`].
fn redirect_streams() -> Result<Vec<OwnedFd>, SandboxError> {
    let step = "redirect the launcher's streams";
    let null = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")
        .step("open `/dev/null`")?;
    dup2_stdin(&null).step(step)?;
    dup2_stdout(&null).step(step)?;
    dup2_stderr(&null).step(step)?;
    let mut reserved = vec![OwnedFd::from(null)];
    while reserved.iter().all(|copy| copy.as_raw_fd() < sys::FIRST_FREE) {
        let copy = reserved[0].try_clone().step(step)?;
        reserved.push(copy);
    }
    reserved.pop();
    Ok(reserved)
}

/// Protects the launcher from memory kills: a full group must cost the bot a process instead.
fn protect_from_memory_kills() {
    let _ = std::fs::write("/proc/self/oom_score_adj", programs::SPARED);
}

/// Applies the remaining settings before the launcher drops its privileges.
fn settle(cores: &[u32], prepare: &Prepare) -> Result<(), SandboxError> {
    pin(cores)?;
    sys::block_child_signal().step("watch for children")?;
    if std::process::id() != FIRST {
        prctl::set_child_subreaper(true).step("become the parent of orphans")?;
    }
    if !prepare.counts(Counter::MemoryKills) {
        // The launcher then samples memory, which grows while it waits for a processor.
        let _ = sys::wake_promptly();
    }
    umask(FileMode::from_bits_truncate(0o022));
    Ok(())
}

fn pin(cores: &[u32]) -> Result<(), SandboxError> {
    if cores.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for core in cores {
        set.set(*core as usize).step(&format!("use processor {core}"))?;
    }
    sched_setaffinity(Pid::from_raw(0), &set)
        .step(&format!("use the processors {cores:?}"))
        .map_err(|error| error.with_hint("give processors that this machine has"))
}

fn restrict_files(view: &view::View, mode: Mode, ready: &mut SetUpReport) {
    let writable: Vec<&Path> = view.writable_folders.iter().map(PathBuf::as_path).collect();
    let readable: Vec<&Path> = view.readable_folders.iter().map(PathBuf::as_path).collect();
    // Not `/proc`: no program may write the kernel's settings there.
    let devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
    let devices = devices.map(Path::new);
    // In a view of the seat's own there are no others.
    let devices = if mode.has_name_spaces() { &[Path::new("/dev")] } else { devices.as_slice() };
    let rules = landlock::FileRules { readable: &readable, writable: &writable, devices };
    if let Err(reason) = landlock::restrict(&rules) {
        ready.lacks(LANDLOCK, reason);
    }
}

/// Makes text for the kernel; paths and arguments never hold a zero byte.
pub(super) fn c_string(bytes: &[u8], what: &str) -> Result<CString, SandboxError> {
    CString::new(bytes)
        .map_err(|_| SandboxError::because(format!("read {what}"), "it holds a zero byte"))
}

/// Returns bytes of a message as a path.
pub(super) fn path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}
