//! Feature list of a host, for people.

use std::fs;

use crate::Enforcement::{Full, No, Part};
use crate::error::{RefusedTier, SandboxError};
use crate::machine::Machine;
use crate::mechanism::cgroup::SeatGroup;
use crate::mechanism::landlock;
use crate::wire::{CONNECTIONS, LANDLOCK, Mode, SOCKET_BUFFERS, Shortfall};
use crate::{Feature, Tier};

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
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    let mut features = isolation(machine.mode, &decided, tried).to_vec();
    features.extend(limits(machine, shortfalls, &decided));
    features.extend([
        Feature::new("system call filter", Full, "seccomp"),
        Feature::new("no new privileges", Full, "prctl"),
        Feature::new("output", Full, "bounded by the launcher"),
        crashes(&pattern),
        Feature::new("descriptors", Full, "resource limit"),
        file_rights(shortfalls),
        connections(machine.mode, shortfalls),
        web_servers(machine.mode, shortfalls),
        warm_starts(machine.mode),
    ]);
    let others = shortfalls.iter().filter(|one| !SEPARATE_FEATURES.contains(&&*one.feature));
    features.extend(others.map(|one| Feature::new(&one.feature, Part, &one.reason)));
    features
}

/// Returns the reason why `feature` is not enforced in full.
fn reason<'a>(shortfalls: &'a [Shortfall], feature: &str) -> Option<&'a String> {
    shortfalls.iter().find(|one| one.feature == feature).map(|one| &one.reason)
}

fn file_rights(shortfalls: &[Shortfall]) -> Feature {
    match reason(shortfalls, LANDLOCK) {
        None => Feature::new("file rights", Full, "Landlock"),
        Some(reason) => Feature::new("file rights", Part, reason),
    }
}

fn warm_starts(mode: Mode) -> Feature {
    let kept = "Landlock keeps programs from their server";
    why_not_warm(mode).map_or_else(
        || Feature::new("warm starts", Full, kept),
        |reason| Feature::new("warm starts", No, reason),
    )
}

/// Returns the reason why no program can be a copy of a server, if there is one.
pub(super) fn why_not_warm(mode: Mode) -> Option<String> {
    match mode.has_name_spaces() {
        false => Some("they need process id name spaces".to_owned()),
        true => landlock::why_no_signal_scope(),
    }
}

fn connections(mode: Mode, shortfalls: &[Shortfall]) -> Feature {
    let asked = "made by the launcher, which is asked for each";
    match reason(shortfalls, CONNECTIONS) {
        Some(reason) => Feature::new(CONNECTIONS, No, reason),
        None if mode.has_name_spaces() => Feature::new(CONNECTIONS, Full, "a network of its own"),
        None => Feature::new(CONNECTIONS, Full, asked),
    }
}

fn web_servers(mode: Mode, shortfalls: &[Shortfall]) -> Feature {
    const NAME: &str = "connections to bots that are servers";
    let shared = "at a free port of 127.0.0.1, to which other programs of this machine can connect \
                  too";
    match reason(shortfalls, CONNECTIONS) {
        Some(reason) => Feature::new(NAME, No, reason),
        None if mode.has_name_spaces() => Feature::new(NAME, Full, "in a network of its own"),
        None => Feature::new(NAME, Part, shared),
    }
}

fn isolation(mode: Mode, decided: &str, tried: &[RefusedTier]) -> [Feature; 3] {
    let spaces = "mount, process ids, network, IPC, host name, control groups";
    let (name_spaces, kill) = match mode {
        Mode::Root | Mode::Subordinate | Mode::UserNameSpace => {
            ((Full, spaces), (Full, "process id name space"))
        }
        Mode::Container => ((No, decided), (Full, "by user id")),
        Mode::Plain => ((No, decided), (Part, "descendants, one by one")),
    };
    let user = match mode {
        Mode::Root | Mode::Subordinate | Mode::Container => (Full, "one user id per seat".into()),
        Mode::UserNameSpace => (Part, shared_user(tried)),
        Mode::Plain => (No, decided.to_owned()),
    };
    [
        Feature::new("name spaces", name_spaces.0, name_spaces.1),
        Feature::new("user of its own", user.0, user.1),
        Feature::new("killing the whole tree", kill.0, kill.1),
    ]
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

fn limits(machine: &Machine, shortfalls: &[Shortfall], decided: &str) -> [Feature; 6] {
    let layout = machine.layout.as_ref();
    let group = |name: &str, found: Option<&Result<_, SandboxError>>, otherwise: &str| match found {
        Some(Ok(_)) => Feature::new(name, Full, "control group"),
        Some(Err(error)) => Feature::new(name, Part, format!("{otherwise}; {error}")),
        None => Feature::new(name, Part, format!("{otherwise}; {decided}")),
    };
    let (memory, processes) = (layout.map(|l| &l.memory), layout.map(|l| &l.processes));
    let (cpu, stall) = (layout.map(|l| &l.cpu), layout.map(|l| &l.stall));
    let pipes = "a pipe cannot be made larger, and the kernel bounds those of a user, to 64 MiB \
                 unless `fs.pipe-user-pages-soft` says otherwise";
    let waited_for = "of what was waited for, and sampled";
    [
        group("memory of the whole tree", memory, "sampled"),
        sockets(machine, shortfalls),
        group("memory of pipes", memory, pipes),
        group("processes of the whole tree", processes, "resource limit per user"),
        group("processor time of the whole tree", cpu, waited_for),
        group("stall", stall, "of the main process only"),
    ]
}

/// Returns the feature of socket buffers: they are kernel memory, which not every host charges to a
/// group.
fn sockets(machine: &Machine, shortfalls: &[Shortfall]) -> Feature {
    let bounded = "the size and number of each is bounded";
    let sampled = "the size and number of each is bounded, and what they hold is sampled";
    match (machine.layout.as_ref(), reason(shortfalls, SOCKET_BUFFERS)) {
        (_, Some(reason)) => Feature::new(SOCKET_BUFFERS, Part, reason),
        (Some(layout), _) if SeatGroup::counts_sockets(layout) => {
            Feature::new(SOCKET_BUFFERS, Full, "control group")
        }
        _ if machine.mode == Mode::Plain => Feature::new(SOCKET_BUFFERS, Part, bounded),
        _ => Feature::new(SOCKET_BUFFERS, Part, sampled),
    }
}

/// Returns the feature of core dumps, which is partial if the kernel reports crashes to a socket.
fn crashes(pattern: &str) -> Feature {
    let name = "no core dumps";
    let told = "`kernel.core_pattern` names a socket, which the kernel tells of each crash";
    match pattern.starts_with('@') {
        false => Feature::new(name, Full, "resource limit, kept by the filter"),
        true => Feature::new(name, Part, told),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_for_crashes_is_told_of() {
        let enforced = |pattern: &str| crashes(pattern).enforced;
        assert_eq!(enforced("core\n"), Full);
        assert_eq!(enforced("|/usr/lib/systemd/systemd-coredump %P\n"), Full);
        assert_eq!(enforced("@/run/coredump.socket\n"), Part);
    }
}
