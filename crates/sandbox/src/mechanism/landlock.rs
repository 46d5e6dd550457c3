//! Landlock: a second wall behind the read-only view of the file system.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, NetPort, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

/// The newest version whose file rights are used.
const VERSION: ABI = ABI::V5;

/// The version that has rules for the network.
const NETWORK_VERSION: ABI = ABI::V4;

/// Permissions on files for a process and all it starts from now on.
pub(crate) struct FileRules<'a> {
    /// Read and run beneath these.
    pub(crate) readable: &'a [&'a Path],
    /// Everything beneath these.
    pub(crate) writable: &'a [&'a Path],
    /// Write to these existing files, or those beneath these folders; make none.
    pub(crate) devices: &'a [&'a Path],
}

/// Restricts this process permanently. `Err` is the reason why the kernel does not, or not fully.
pub(crate) fn restrict(rules: &FileRules<'_>) -> Result<(), String> {
    match apply(rules) {
        Ok(RulesetStatus::FullyEnforced) => Ok(()),
        Ok(RulesetStatus::PartiallyEnforced) => {
            Err("an older version of Landlock, with fewer rights to refuse".to_owned())
        }
        Ok(RulesetStatus::NotEnforced) => Err("the kernel has no Landlock".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Restricts this process permanently to connections to these ports, and lets it listen on none.
/// `Err` is the reason why the kernel does not.
pub(crate) fn restrict_connections(ports: &[u16]) -> Result<(), String> {
    match apply_to_connections(ports) {
        Ok(RulesetStatus::FullyEnforced) => Ok(()),
        Ok(RulesetStatus::PartiallyEnforced | RulesetStatus::NotEnforced) => {
            Err("the kernel's Landlock has no rules for the network (Linux 6.7 has)".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Keeps this process permanently from other processes' sockets with abstract names, which belong
/// to a network and to no file; before Linux 6.12 it does nothing.
pub(crate) fn restrict_abstract_sockets() {
    let set = Ruleset::default().scope(Scope::AbstractUnixSocket);
    let set = set.and_then(leave_files).and_then(RulesetCreated::restrict_self);
    // A program with the network of the machine has more than these.
    drop(set);
}

/// Makes a set without rules about files. It must mention moves and links between folders, because
/// a set that does not refuses them all.
fn leave_files(set: Ruleset) -> Result<RulesetCreated, RulesetError> {
    let everywhere = path_beneath_rules(["/"], AccessFs::Refer);
    set.handle_access(AccessFs::Refer)?.create()?.add_rules(everywhere)
}

/// Returns the reason why nothing can be kept from signalling others of its user, if nothing can.
pub(crate) fn why_no_signal_scope() -> Option<String> {
    let set = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::Signal)
        .and_then(|set| set.create());
    set.err().map(|_| "the kernel's Landlock has no scope of signals (Linux 6.12 has)".to_owned())
}

fn apply_to_connections(ports: &[u16]) -> Result<RulesetStatus, RulesetError> {
    let rules = ports.iter().map(|port| Ok(NetPort::new(*port, AccessNet::ConnectTcp)));
    let set = Ruleset::default().handle_access(AccessNet::from_all(NETWORK_VERSION))?;
    let status = leave_files(set)?
        .add_rules(rules.collect::<Vec<Result<NetPort, RulesetError>>>())?
        .restrict_self()?;
    Ok(status.ruleset)
}

fn apply(rules: &FileRules<'_>) -> Result<RulesetStatus, RulesetError> {
    let devices = AccessFs::WriteFile | AccessFs::ReadFile | AccessFs::IoctlDev;
    let status = Ruleset::default()
        .handle_access(AccessFs::from_all(VERSION))?
        .create()?
        .add_rules(path_beneath_rules(rules.readable, AccessFs::from_read(VERSION)))?
        .add_rules(path_beneath_rules(rules.writable, AccessFs::from_all(VERSION)))?
        .add_rules(path_beneath_rules(rules.devices, devices))?
        .restrict_self()?;
    Ok(status.ruleset)
}
