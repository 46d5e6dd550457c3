//! Verdicts about ended processes.

use joust_referee::{Limit, LimitSet, Parts, Verdict};
use joust_sandbox::{Ending, ProgramLimits, StartKind, TurnReport};

use super::{Answered, LimitMode, Opening, Usage};
use joust_model::{Calibration, Exit, Limits};

/// Returns the limits of a turn: calibration is added to `cpu` and `turn`.
pub(super) fn turn_limits(
    mode: LimitMode,
    limits: &Limits,
    calibration: &Calibration,
) -> ProgramLimits {
    ProgramLimits {
        cpu: mode.within(limits.cpu + calibration.cpu),
        wall: mode.within(limits.turn + calibration.wall),
    }
}

/// Returns the limits of a bot that lives as long as its bout. The bout's loop enforces `start` and
/// `bout`, once for the seats and once for the referee. The wall clock here exceeds their sum, so
/// that no bot is killed because of others.
pub(super) fn budget(opening: &Opening) -> ProgramLimits {
    let (limits, mode) = (&opening.limits, opening.limit_mode);
    ProgramLimits {
        cpu: mode.within(limits.cpu_bout.unwrap_or(limits.bout) + opening.calibration.cpu),
        wall: mode.within(limits.start + limits.bout * 3),
    }
}

/// Returns the answer for a process that left `report`.
pub(super) fn answered(report: TurnReport) -> Answered {
    // The sandbox and the referee number limits in the same way.
    let limits_hit = LimitSet(report.usage.limits_hit.0);
    let verdict = verdict(report.ending, limits_hit);
    let parts = match verdict {
        Verdict::Ok => Parts::single(report.stdout.as_slice()),
        _ => Parts::none(),
    };
    Answered {
        parts,
        verdict,
        limits_hit,
        usage: Usage {
            is_cold_start: matches!(report.start, StartKind::ColdBecause(_)),
            ..report.usage.into()
        },
        exit: exit(report.ending),
        output: report.stdout,
        stderr: report.stderr,
        reason: reason(report.ending),
        unasked: 0,
        is_starved: false,
    }
}

/// Returns the end of a long-lived bot that left `report`. A program that exits on its own has
/// broken the protocol, whatever its exit status is.
pub(super) fn gone(report: &TurnReport) -> Answered {
    let mut answered = answered(report.clone());
    answered.parts = Parts::none();
    if report.ending == Ending::Exited(0) {
        answered.verdict = Verdict::ProtocolViolation;
        "the program ended by itself".clone_into(&mut answered.reason);
    }
    answered
}

/// Returns the answer for a bot that has destroyed its own supervisor.
pub(super) fn lost(reason: &str) -> Answered {
    Answered::fault(Verdict::Crash, reason)
}

/// Returns the verdict for an ending. A full scratch folder counts as the cause if a bot ended
/// without an action.
fn verdict(ending: Ending, limits_hit: LimitSet) -> Verdict {
    let scratch_full = limits_hit.contains(Limit::Disk) || limits_hit.contains(Limit::Files);
    match ending {
        Ending::MemoryLimit => Verdict::MemoryLimit,
        Ending::OutputLimit => Verdict::OutputLimit,
        Ending::CpuLimit => Verdict::CpuLimit,
        Ending::WallLimit => Verdict::Timeout,
        Ending::Exited(0) | Ending::Stopped => Verdict::Ok,
        _ if scratch_full => Verdict::DiskLimit,
        Ending::NotStarted(_) | Ending::Signalled(_) => Verdict::Crash,
        Ending::Exited(_) => Verdict::ExitNonzero,
    }
}

fn exit(ending: Ending) -> Exit {
    match ending {
        Ending::MemoryLimit
        | Ending::OutputLimit
        | Ending::CpuLimit
        | Ending::WallLimit
        | Ending::Stopped => Exit::Killed,
        Ending::NotStarted(errno) => Exit::NotStarted(errno),
        Ending::Signalled(signal) => Exit::Signal(signal),
        Ending::Exited(status) => Exit::Status(status),
    }
}

fn reason(ending: Ending) -> String {
    match ending {
        Ending::NotStarted(errno) => {
            let error = std::io::Error::from_raw_os_error(errno);
            format!("the program could not be started: {error}")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_sandbox_numbers_its_limits_as_the_referee_does() {
        use joust_sandbox::LimitHit;
        let pairs = [
            (LimitHit::Wall, Limit::Wall),
            (LimitHit::Cpu, Limit::Cpu),
            (LimitHit::Memory, Limit::Memory),
            (LimitHit::Processes, Limit::Processes),
            (LimitHit::Descriptors, Limit::Descriptors),
            (LimitHit::Disk, Limit::Disk),
            (LimitHit::Files, Limit::Files),
            (LimitHit::Stdout, Limit::Stdout),
            (LimitHit::Stderr, Limit::Stderr),
            (LimitHit::AnswerFile, Limit::AnswerFile),
        ];
        for (sandbox, referee) in pairs {
            let mut set = LimitSet::default();
            set.insert(referee);
            assert_eq!(set.0, sandbox as u16, "{}", referee.name());
        }
    }

    #[test]
    fn a_full_scratch_explains_a_failed_exit_but_not_an_answer() {
        let mut full = LimitSet::default();
        full.insert(Limit::Disk);
        assert_eq!(verdict(Ending::Exited(1), full), Verdict::DiskLimit);
        assert_eq!(verdict(Ending::Exited(0), full), Verdict::Ok);
        assert_eq!(verdict(Ending::CpuLimit, full), Verdict::CpuLimit);
    }

    #[test]
    fn calibration_is_added_to_cpu_and_turn() {
        let second = Duration::from_secs(1);
        let limits = Limits { cpu: second, turn: second * 2, ..Limits::default() };
        let measured = |seconds: u32| Calibration {
            cpu: second * seconds,
            wall: second * seconds,
            ..Calibration::default()
        };
        let little = turn_limits(LimitMode::Configured, &limits, &measured(1));
        assert_eq!((little.cpu, little.wall), (second * 2, second * 3));
        let much = turn_limits(LimitMode::Configured, &limits, &measured(5));
        assert_eq!((much.cpu, much.wall), (second * 6, second * 7));
    }
}
