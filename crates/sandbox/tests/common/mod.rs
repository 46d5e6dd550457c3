//! Seat that the tests start from.

use std::path::PathBuf;

use joust_sandbox::*;

/// Describes a small seat without folders, in which programs may start others.
pub(crate) fn spec() -> SeatSpec {
    SeatSpec {
        folders: Vec::new(),
        hidden: Vec::new(),
        written: None,
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        scratch: PathBuf::from("/scratch"),
        scratch_use: ScratchUse::FreshEachTurn,
        limits: SeatLimits {
            memory: Bytes::from_mib(64),
            processes: 32,
            descriptors: 64,
            disk: Bytes::from_mib(4),
            files: 256,
            stdout: Bytes::from_kib(64),
            stderr: Bytes::from_kib(8),
            stderr_hard: Bytes::from_mib(2),
        },
        network: Network::None,
        children: Children::Allowed,
        cores: Vec::new(),
        host_sockets: HostSockets::default(),
        warm: None,
    }
}
