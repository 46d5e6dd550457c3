//! Self-test: distinguishes a broken host from a broken program by three programs with known
//! results.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Host;
use super::probe::{PROGRAM_LIMIT, trial_spec};
use crate::error::{SandboxError, TurnError};
use crate::{Ending, HostSockets, ProgramLimits, Seat, SeatSpec, Turn, TurnReport};

pub(super) fn run(host: &Host) -> Result<(), SandboxError> {
    let mut seat = Seat::start(host, &trial_spec())?;
    let said = shell(&mut seat, "echo well", PROGRAM_LIMIT)?;
    expect(
        "run a known program",
        said.ending == Ending::Exited(0) && said.stdout == b"well\n",
        &said,
    )?;
    let slept = shell(&mut seat, "exec sleep 1000", Duration::from_millis(50))?;
    expect("stop a known program at its limit", slept.ending == Ending::WallLimit, &slept)?;
    let left = shell(&mut seat, "sleep 1000 & echo left", PROGRAM_LIMIT)?;
    let killed = left.ending == Ending::Exited(0) && left.left_over_processes > 0;
    expect("end what a known program left behind", killed, &left)?;
    seat.stop()
}

pub(super) fn time_seats(host: &Host) -> Result<[Duration; 2], SandboxError> {
    let spec = SeatSpec { host_sockets: HostSockets::default(), ..trial_spec() };
    let time = || {
        let began = Instant::now();
        Seat::start(host, &spec)?.stop()?;
        Ok::<_, SandboxError>(began.elapsed())
    };
    Ok([time()?, time()?])
}

fn shell(seat: &mut Seat, text: &str, limit: Duration) -> Result<TurnReport, SandboxError> {
    let command = ["/bin/sh", "-c", text].map(OsString::from);
    let turn = Turn {
        command: &command,
        folder: Path::new("/"),
        put: &[],
        take: &[],
        limits: ProgramLimits { cpu: PROGRAM_LIMIT, wall: limit },
    };
    seat.turn(&turn).map_err(|error| match error {
        TurnError::Infrastructure(error) => error,
        TurnError::SeatLost { reason } => SandboxError::because("run a known program", reason),
    })
}

fn expect(step: &str, went_well: bool, report: &TurnReport) -> Result<(), SandboxError> {
    if went_well {
        Ok(())
    } else {
        let stderr = report.stderr.escape_ascii();
        Err(SandboxError::because(
            step,
            format!("it ended as {:?}, stderr `{stderr}`", report.ending),
        ))
    }
}
