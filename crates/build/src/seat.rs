//! Seat of a bot: its sandbox, from a placed build and the configured limits.

use joust_sandbox::{Bytes, Children, HostSockets, Network, ScratchUse, SeatLimits, SeatSpec};

use crate::placed::PlacedBuild;
use joust_model::Limits;
use joust_toolchain::BOT;

/// Folder in which a bot may write.
pub const SCRATCH: &str = "/scratch";

/// Multiple of the kept standard error that a bot may write before it is stopped.
const STDERR_FACTOR: u64 = 64;

/// Returns the sandbox of a bot: its tools read-only, its files under a layer that takes what it
/// writes, its fixed environment with `seed` as `JOUST_SEED`, a scratch that is new in every turn,
/// no network, the given processors.
pub fn seat_spec(build: &PlacedBuild, limits: &Limits, cores: &[usize], seed: u64) -> SeatSpec {
    let mut environment = build.environment.clone();
    environment.push(("JOUST_SEED".into(), seed.to_string().into()));
    SeatSpec {
        folders: build.folders.clone(),
        hidden: build.hidden.clone(),
        written: Some(BOT.into()),
        environment,
        scratch: SCRATCH.into(),
        scratch_use: ScratchUse::FreshEachTurn,
        limits: seat_limits(limits),
        network: Network::None,
        children: Children::Allowed,
        cores: cores.to_vec(),
        host_sockets: HostSockets::default(),
        warm: build.warm(limits),
    }
}

/// Returns the limits of a seat.
pub fn seat_limits(limits: &Limits) -> SeatLimits {
    SeatLimits {
        memory: Bytes(limits.memory.0),
        processes: limits.processes,
        descriptors: limits.descriptors,
        disk: Bytes(limits.disk.0),
        files: limits.files,
        stdout: Bytes(limits.output.0),
        stderr: Bytes(limits.stderr.0),
        stderr_hard: Bytes(limits.stderr.0.saturating_mul(STDERR_FACTOR)),
    }
}
