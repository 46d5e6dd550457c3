//! Calibration: what starting an interpreter costs here, added to the limits of its rows.

use std::time::Duration;

use joust_sandbox::{Ending, Seat};
use joust_testkit::hostile::{Answer, Clocks, Command, interpreter};

use crate::turns;

/// Time that an interpreter uses before the program's first line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Calibration {
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
}

/// Starts the interpreter of `command` three times in `seat`; the dearest counts.
pub(crate) fn calibrate(seat: &mut Seat, command: &Command) -> Result<Calibration, String> {
    let Command::Script(script, _) = command else { return Ok(Calibration::default()) };
    let interpreter = interpreter(script);
    let words = [interpreter.words, interpreter.nothing].concat();
    let words: Vec<_> = words.into_iter().map(Into::into).collect();
    let generous = Calibration { cpu: Duration::from_secs(5), wall: Duration::from_secs(10) };
    let mut dearest = Calibration::default();
    for _ in 0..3 {
        let report =
            turns::play(seat, &words, turns::limits(generous, Clocks::default()), Answer::Printed);
        let report = report.map_err(|error| format!("calibration: {error}"))?;
        if report.ending != Ending::Exited(0) {
            let said = String::from_utf8_lossy(&report.stderr).into_owned();
            return Err(format!("calibration ended {:?}: {said}", report.ending));
        }
        dearest.cpu = dearest.cpu.max(report.usage.cpu);
        dearest.wall = dearest.wall.max(report.usage.wall);
    }
    Ok(dearest)
}
