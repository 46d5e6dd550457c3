//! Single run: one program in a sandbox of its own, for builds and the like.

use crate::error::{SandboxError, TurnError};
use crate::{
    Ending, Export, ExportRefused, Exported, Host, Import, Seat, SeatSpec, Turn, TurnReport,
};

/// Report of a single run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// Report of the program's turn.
    pub turn: TurnReport,
    /// Result of copying out, or the reason why not; `None` when nothing was to be copied or the
    /// program did not end with status 0.
    pub exported: Option<Result<Exported, ExportRefused>>,
}

/// Runs one program in a new sandbox, then copies a folder of the scratch out
/// if the program ended with status 0.
///
/// The scratch counts as kept, whatever `spec` says, or there would be nothing
/// to copy.
///
/// # Errors
///
/// [`SandboxError`] when the sandbox could not be made or broke.
pub fn run_once(
    host: &Host,
    spec: &SeatSpec,
    turn: &Turn<'_>,
    export: Option<&Export>,
) -> Result<RunReport, SandboxError> {
    run_once_with_imports(host, spec, turn, &[], export)
}

/// As [`run_once`], with folders of the host copied into the scratch first.
///
/// # Errors
///
/// As [`run_once`].
pub fn run_once_with_imports(
    host: &Host,
    spec: &SeatSpec,
    turn: &Turn<'_>,
    imports: &[Import],
    export: Option<&Export>,
) -> Result<RunReport, SandboxError> {
    let spec = SeatSpec { scratch_use: crate::ScratchUse::KeptForSeat, ..spec.clone() };
    let mut seat = Seat::start(host, &spec)?;
    for import in imports {
        seat.import(import)?;
    }
    let report = seat.turn(turn).map_err(|error| match error {
        TurnError::Infrastructure(error) => error,
        TurnError::SeatLost { reason } => SandboxError::because("run the program", reason),
    })?;
    let exported = match (report.ending, export) {
        (Ending::Exited(0), Some(export)) => Some(seat.export(export)?),
        _ => None,
    };
    seat.stop()?;
    Ok(RunReport { turn: report, exported })
}
