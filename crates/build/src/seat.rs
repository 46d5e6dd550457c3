//! Seat of a bot: its sandbox, from a placed build and the configured limits.

use std::time::Duration;

use joust_sandbox::{
    Bytes, Children, HostSockets, Network, ScratchUse, SeatLimits, SeatSpec, TurnLimits,
};

use crate::placed::PlacedBuild;
use joust_model::{Calibration, Limits};
use joust_toolchain::BOT;

/// Folder in which a bot may write.
pub const SCRATCH: &str = "/scratch";

/// Multiple of the kept standard error that a bot may write before it is stopped.
const STDERR_FACTOR: u64 = 64;

/// Returns the sandbox of a bot: its tools read-only, its files under a layer that takes what it writes,
/// its fixed environment with `seed` as `JOUST_SEED`, a scratch that is new in every
/// turn, no network, the given processors.
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

/// Returns the limits of a turn: the calibration is added to processor time
/// and to the wall clock of the answer, and the process is never ended before
/// its answer is late.
pub fn turn_limits(limits: &Limits, calibration: Option<&Calibration>) -> TurnLimits {
    let none = (Duration::ZERO, Duration::ZERO);
    let (cpu, wall) = calibration.map_or(none, |measured| (measured.cpu, measured.wall));
    let turn = limits.turn.saturating_add(wall);
    TurnLimits {
        cpu: limits.cpu.saturating_add(cpu),
        turn,
        kill: limits.kill.max(turn),
        linger: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_is_added_to_cpu_and_turn_and_never_to_kill() {
        let second = Duration::from_secs(1);
        let limits =
            Limits { cpu: second, turn: second * 2, kill: second * 4, ..Limits::default() };
        let measured = |seconds: u32| Calibration {
            cpu: second * seconds,
            wall: second * seconds,
            ..Calibration::default()
        };
        let little = turn_limits(&limits, Some(&measured(1)));
        assert_eq!((little.cpu, little.turn, little.kill), (second * 2, second * 3, second * 4));
        let much = turn_limits(&limits, Some(&measured(5)));
        assert_eq!((much.turn, much.kill), (second * 7, second * 7));
    }
}
