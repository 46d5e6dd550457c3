//! Probe: finds the best tier by making a whole seat of each.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use nix::fcntl::{FcntlArg, fcntl};
use nix::sched::sched_getaffinity;
use nix::unistd::Pid;

use super::{Host, HostOptions, HostState, features, subordinate};
use crate::error::{ProbeError, RefusedTier, SandboxError, Step};
use crate::machine::{LauncherStock, Machine, Reservations, start_in_groups};
use crate::mechanism::cgroup::Layout;
use crate::mechanism::users::Users;
use crate::seat::SeatStore;
use crate::sys::adopt;
use crate::wire::{Mode, Shortfall};
use crate::{
    Bytes, Children, HostSockets, ListenPort, Network, ScratchUse, Seat, SeatLimits, SeatSpec, Tier,
};

/// One way of making seats.
#[derive(Clone, Copy)]
struct Candidate {
    tier: Tier,
    mode: Mode,
    grouping: Grouping,
}

/// Need for groups that limit the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grouping {
    Needed,
    Unused,
}

const CANDIDATES: [Candidate; 8] = [
    Candidate { tier: Tier::A, mode: Mode::Root, grouping: Grouping::Needed },
    Candidate { tier: Tier::A, mode: Mode::Subordinate, grouping: Grouping::Needed },
    Candidate { tier: Tier::A, mode: Mode::UserNameSpace, grouping: Grouping::Needed },
    Candidate { tier: Tier::B, mode: Mode::Root, grouping: Grouping::Unused },
    Candidate { tier: Tier::B, mode: Mode::Subordinate, grouping: Grouping::Unused },
    Candidate { tier: Tier::B, mode: Mode::UserNameSpace, grouping: Grouping::Unused },
    Candidate { tier: Tier::C, mode: Mode::Container, grouping: Grouping::Unused },
    Candidate { tier: Tier::D, mode: Mode::Plain, grouping: Grouping::Unused },
];

pub(super) fn probe(options: &HostOptions) -> Result<Host, ProbeError> {
    let mut tried: Vec<RefusedTier> = Vec::new();
    for candidate in CANDIDATES.into_iter().filter(|candidate| fits(candidate, options)) {
        match attempt(candidate, options, &tried) {
            Ok(host) => return Ok(host),
            Err(error) => tried.push(RefusedTier { tier: candidate.tier, error }),
        }
    }
    let hint = hint(&tried).or_else(|| {
        (!options.unsafe_allowed)
            .then(|| "run as root, or allow tier D explicitly, which isolates little".to_owned())
    });
    Err(ProbeError { tried, hint })
}

fn fits(candidate: &Candidate, options: &HostOptions) -> bool {
    let root = nix::unistd::geteuid().is_root();
    let for_this_user = match candidate.mode {
        Mode::Root | Mode::Container => root,
        // Only for ordinary users; root uses the modes above.
        Mode::Subordinate | Mode::UserNameSpace => !root,
        Mode::Plain => options.unsafe_allowed,
    };
    for_this_user && options.tier.is_none_or(|tier| tier == candidate.tier)
}

fn attempt(
    candidate: Candidate,
    options: &HostOptions,
    tried: &[RefusedTier],
) -> Result<Host, SandboxError> {
    let layout = match candidate.grouping {
        Grouping::Needed => Some(complete(Layout::find())?),
        Grouping::Unused => None,
    };
    let launcher = open_launcher(options.launcher.as_deref())?;
    let (users, subordinate) = match candidate.mode {
        Mode::Root | Mode::Container => (Some(Users::claim_block()?), None),
        Mode::Subordinate => {
            let made = subordinate::make(launcher.as_fd())?;
            (Some(made.users), Some(made.name_space))
        }
        Mode::UserNameSpace | Mode::Plain => (None, None),
    };
    let cores = sched_getaffinity(Pid::from_raw(0)).ok();
    let machine = Arc::new(Machine {
        mode: candidate.mode,
        launcher,
        layout,
        users: users.map(Arc::new),
        subordinate,
        cores,
        stock: LauncherStock::default(),
        reservations: Reservations::new(),
    });
    let shortfalls = make_and_remove_a_seat(&machine)?;
    let features = features::list(&machine, candidate.tier, &shortfalls, tried);
    let raise_hint = (candidate.tier != Tier::A).then(|| hint(tried)).flatten();
    let (seats, tier) = (Arc::new(SeatStore::new(machine)), candidate.tier);
    Ok(Host { state: Arc::new(HostState { seats, tier, features, raise_hint }) })
}

/// Returns the layout if it has the groups that tier A needs.
fn complete(layout: Layout) -> Result<Layout, SandboxError> {
    layout.memory.as_ref().map_err(Clone::clone)?;
    layout.processes.as_ref().map_err(Clone::clone)?;
    Ok(layout)
}

/// The lowest number of the launcher's file.
const OUT_OF_THE_WAY: i32 = 10;

/// Opens the launcher's program under a descriptor number above those that a
/// starting launcher gives its socket and streams; it is started by this number.
fn open_launcher(given: Option<&Path>) -> Result<File, SandboxError> {
    let path = given.map_or_else(|| PathBuf::from("/proc/self/exe"), Path::to_owned);
    let step = format!("open the launcher's program `{}`", path.display());
    let file = File::open(&path).step(&step)?;
    let high = fcntl(&file, FcntlArg::F_DUPFD_CLOEXEC(OUT_OF_THE_WAY)).step(&step)?;
    adopt(high).map(File::from).step(&step)
}

fn make_and_remove_a_seat(machine: &Arc<Machine>) -> Result<Vec<Shortfall>, SandboxError> {
    let spec = trial_spec();
    let launcher = start_in_groups(machine, spec.network)?;
    let seat = Seat::from_launcher(Arc::clone(machine), launcher, &spec, None)?;
    let shortfalls = seat.shortfalls.clone();
    seat.stop()?;
    Ok(shortfalls)
}

/// A port that no program of a trial asks for.
const TRIAL_PORT: u16 = 8037;

/// A seat that asks for little.
pub(super) fn trial_spec() -> SeatSpec {
    SeatSpec {
        folders: Vec::new(),
        hidden: Vec::new(),
        written: None,
        environment: Vec::new(),
        scratch: PathBuf::from("/scratch"),
        scratch_use: ScratchUse::FreshEachTurn,
        limits: SeatLimits {
            memory: Bytes::from_mib(64),
            processes: 32,
            descriptors: 64,
            disk: Bytes::from_mib(1),
            files: 64,
            stdout: Bytes::from_kib(64),
            stderr: Bytes::from_kib(64),
            stderr_hard: Bytes::from_kib(256),
        },
        network: Network::None,
        children: Children::Allowed,
        cores: Vec::new(),
        host_sockets: HostSockets {
            listen: vec![ListenPort { port: TRIAL_PORT, variable: "PORT".into() }],
            hosts: Vec::new(),
            may_listen: true,
        },
        warm: None,
    }
}

/// Returns the one command that would raise the tier, from the first failure.
fn hint(tried: &[RefusedTier]) -> Option<String> {
    let restricted = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns";
    let reads = |path: &str, value: &str| {
        std::fs::read_to_string(path).is_ok_and(|text| text.trim() == value)
    };
    if !nix::unistd::geteuid().is_root() {
        return Some(if reads(restricted, "1") {
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0".to_owned()
        } else if reads("/proc/sys/user/max_user_namespaces", "0") {
            "sudo sysctl -w user.max_user_namespaces=10000".to_owned()
        } else if reads("/proc/sys/kernel/unprivileged_userns_clone", "0") {
            "sudo sysctl -w kernel.unprivileged_userns_clone=1".to_owned()
        } else {
            "sudo joust".to_owned()
        });
    }
    let no_groups = tried.iter().any(|refused| refused.error.step().contains("control group"));
    let refused = tried.iter().any(|refused| refused.error.errno() == Some(libc::EPERM));
    if refused {
        return Some("docker run --privileged --cgroupns=private".to_owned());
    }
    no_groups.then(|| "mount -t cgroup2 none /sys/fs/cgroup".to_owned())
}

/// Time that the programs of probes and self-tests may take.
pub(super) const PROGRAM_LIMIT: Duration = Duration::from_secs(10);
