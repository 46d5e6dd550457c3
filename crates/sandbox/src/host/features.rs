//! Feature list of a host, for people.

use crate::error::{RefusedTier, SandboxError};
use crate::machine::Machine;
use crate::mechanism::cgroup::SeatGroup;
use crate::mechanism::landlock;
use crate::wire::{CONNECTIONS, LANDLOCK, Mode, SOCKET_BUFFERS, Shortfall};
use crate::{Enforcement, Feature, Tier};

/// Shortfalls that have a line of their own.
const SEPARATE_FEATURES: [&str; 3] = [LANDLOCK, CONNECTIONS, SOCKET_BUFFERS];

/// Lists every feature, with the reason for its degree.
pub(super) fn list(
    machine: &Machine,
    tier: Tier,
    shortfalls: &[Shortfall],
    tried: &[RefusedTier],
) -> Vec<Feature> {
    let decided = tried
        .iter()
        .find(|better| better.tier < tier)
        .map_or_else(|| "not used in this tier".to_owned(), |better| better.error.to_string());
    let mut features = isolation(machine.mode, &decided, tried);
    features.extend(limits(machine, shortfalls, &decided));
    features.extend([
        Feature::new("system call filter", Enforcement::Full, "seccomp"),
        Feature::new("no new privileges", Enforcement::Full, "prctl"),
        Feature::new("output", Enforcement::Full, "bounded by the launcher"),
        crashes(),
        Feature::new("descriptors", Enforcement::Full, "resource limit"),
        file_rights(shortfalls),
        connections(machine.mode, shortfalls),
        web_servers(machine.mode, shortfalls),
        warm_starts(machine.mode),
    ]);
    features.extend(
        shortfalls
            .iter()
            .filter(|shortfall| !SEPARATE_FEATURES.contains(&shortfall.feature.as_str()))
            .map(|shortfall| {
                Feature::new(&shortfall.feature, Enforcement::Part, shortfall.reason.clone())
            }),
    );
    features
}

/// Returns the reason why `feature` is not enforced in full.
fn reason<'a>(shortfalls: &'a [Shortfall], feature: &str) -> Option<&'a String> {
    shortfalls
        .iter()
        .find(|shortfall| shortfall.feature == feature)
        .map(|shortfall| &shortfall.reason)
}

fn file_rights(shortfalls: &[Shortfall]) -> Feature {
    match reason(shortfalls, LANDLOCK) {
        None => Feature::new("file rights", Enforcement::Full, "Landlock"),
        Some(reason) => Feature::new("file rights", Enforcement::Part, reason.clone()),
    }
}

fn warm_starts(mode: Mode) -> Feature {
    match why_not_warm(mode) {
        None => Feature::new(
            "warm starts",
            Enforcement::Full,
            "Landlock keeps programs from their server",
        ),
        Some(reason) => Feature::new("warm starts", Enforcement::No, reason),
    }
}

/// Returns the reason why no program can be a copy of a server, if there is one.
pub(super) fn why_not_warm(mode: Mode) -> Option<String> {
    match mode.has_name_spaces() {
        false => Some("they need process id name spaces".to_owned()),
        true => landlock::why_no_signal_scope(),
    }
}

fn connections(mode: Mode, shortfalls: &[Shortfall]) -> Feature {
    let lacking = reason(shortfalls, CONNECTIONS);
    match (mode, lacking) {
        (_, Some(reason)) => Feature::new(CONNECTIONS, Enforcement::No, reason.clone()),
        (Mode::Root | Mode::Subordinate | Mode::UserNameSpace, None) => {
            Feature::new(CONNECTIONS, Enforcement::Full, "a network of its own")
        }
        (Mode::Container | Mode::Plain, None) => Feature::new(
            CONNECTIONS,
            Enforcement::Full,
            "made by the launcher, which is asked for each",
        ),
    }
}

fn web_servers(mode: Mode, shortfalls: &[Shortfall]) -> Feature {
    const NAME: &str = "connections to bots that are servers";
    match reason(shortfalls, CONNECTIONS) {
        Some(reason) => Feature::new(NAME, Enforcement::No, reason.clone()),
        None if mode.has_name_spaces() => {
            Feature::new(NAME, Enforcement::Full, "in a network of its own")
        }
        None => Feature::new(
            NAME,
            Enforcement::Part,
            "at a free port of 127.0.0.1, to which other programs of this machine can connect too",
        ),
    }
}

fn isolation(mode: Mode, decided: &str, tried: &[RefusedTier]) -> Vec<Feature> {
    let name_spaces = match mode {
        Mode::Root | Mode::Subordinate | Mode::UserNameSpace => Feature::new(
            "name spaces",
            Enforcement::Full,
            "mount, process ids, network, IPC, host name, control groups",
        ),
        Mode::Container | Mode::Plain => Feature::new("name spaces", Enforcement::No, decided),
    };
    let user = match mode {
        Mode::Root | Mode::Subordinate | Mode::Container => {
            Feature::new("user of its own", Enforcement::Full, "one user id per seat")
        }
        Mode::UserNameSpace => {
            Feature::new("user of its own", Enforcement::Part, shared_user(tried))
        }
        Mode::Plain => Feature::new("user of its own", Enforcement::No, decided),
    };
    let kill = match mode {
        Mode::Root | Mode::Subordinate | Mode::UserNameSpace => {
            Feature::new("killing the whole tree", Enforcement::Full, "process id name space")
        }
        Mode::Container => Feature::new("killing the whole tree", Enforcement::Full, "by user id"),
        Mode::Plain => {
            Feature::new("killing the whole tree", Enforcement::Part, "descendants, one by one")
        }
    };
    vec![name_spaces, user, kill]
}

/// Returns a text on the resources that seats share as one user of the host, and on the way to give
/// each seat its own.
fn shared_user(tried: &[RefusedTier]) -> String {
    let shared = "one user name space per seat, but the host counts them all as one user: \
                  descriptors in messages, inotify instances, epoll watches, keys and pipe buffers \
                  are shared";
    // Tried last before this.
    let Some(RefusedTier { error, .. }) = tried.last() else { return shared.to_owned() };
    let command = error.hint().map(|hint| format!("; `{hint}`")).unwrap_or_default();
    format!("{shared}; {error}{command}")
}

fn limits(machine: &Machine, shortfalls: &[Shortfall], decided: &str) -> Vec<Feature> {
    let layout = machine.layout.as_ref();
    let group = |name: &str, found: Option<&Result<_, SandboxError>>, otherwise: &str| match found {
        Some(Ok(_)) => Feature::new(name, Enforcement::Full, "control group"),
        Some(Err(error)) => Feature::new(name, Enforcement::Part, format!("{otherwise}; {error}")),
        None => Feature::new(name, Enforcement::Part, format!("{otherwise}; {decided}")),
    };
    vec![
        group("memory of the whole tree", layout.map(|l| &l.memory), "sampled"),
        sockets(machine, shortfalls),
        group(
            "memory of pipes",
            layout.map(|l| &l.memory),
            "a pipe cannot be made larger, and the kernel bounds those of a user, to 64 MiB unless \
             `fs.pipe-user-pages-soft` says otherwise",
        ),
        group(
            "processes of the whole tree",
            layout.map(|l| &l.processes),
            "resource limit per user",
        ),
        group(
            "processor time of the whole tree",
            layout.map(|l| &l.cpu),
            "of what was waited for, and sampled",
        ),
        group("stall", layout.map(|l| &l.stall), "of the main process only"),
    ]
}

/// Returns the feature of socket buffers: they are kernel memory, which not every host charges to a
/// group.
fn sockets(machine: &Machine, shortfalls: &[Shortfall]) -> Feature {
    let unmeasured = reason(shortfalls, SOCKET_BUFFERS);
    let sampled = "the size and number of each is bounded, and what they hold is sampled";
    match (machine.layout.as_ref(), unmeasured, machine.mode) {
        (_, Some(reason), _) => Feature::new(SOCKET_BUFFERS, Enforcement::Part, reason.clone()),
        (Some(layout), None, _) if SeatGroup::counts_sockets(layout) => {
            Feature::new(SOCKET_BUFFERS, Enforcement::Full, "control group")
        }
        (_, None, Mode::Plain) => Feature::new(
            SOCKET_BUFFERS,
            Enforcement::Part,
            "the size and number of each is bounded",
        ),
        (_, None, _) => Feature::new(SOCKET_BUFFERS, Enforcement::Part, sampled),
    }
}

/// Returns the feature of core dumps, which is partial if the kernel reports crashes to a socket.
fn crashes() -> Feature {
    let pattern = std::fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    crashes_with(&pattern)
}

fn crashes_with(pattern: &str) -> Feature {
    let name = "no core dumps";
    match pattern.starts_with('@') {
        false => Feature::new(name, Enforcement::Full, "resource limit, kept by the filter"),
        true => Feature::new(
            name,
            Enforcement::Part,
            "`kernel.core_pattern` names a socket, which the kernel tells of each crash",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_for_crashes_is_told_of() {
        let enforced = |pattern: &str| crashes_with(pattern).enforced;
        assert_eq!(enforced("core\n"), Enforcement::Full);
        assert_eq!(enforced("|/usr/lib/systemd/systemd-coredump %P\n"), Enforcement::Full);
        assert_eq!(enforced("@/run/coredump.socket\n"), Enforcement::Part);
    }
}
