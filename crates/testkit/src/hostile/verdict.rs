//! From what was seen of a turn to its verdict, by the rules of the catalogue.
//!
//! The sandbox knows no verdicts and no games; the suite judges a turn as a
//! bout of BattleBots under the documented rules would.

use joust_referee::games::battlebots::{self, Rules};
use joust_referee::{Limit, LimitSet, Utf32Marks, Verdict, decode_text};

use super::AnswerFileState;

/// End of the main process of a turn, as the suite names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    /// The memory limit.
    MemoryLimit,
    /// An output limit.
    OutputLimit,
    /// The limit of processor time.
    CpuLimit,
    /// The limit of the wall clock.
    WallLimit,
    /// It could not be started, with the error number.
    NotStarted(i32),
    /// A signal that no limit explains.
    Signal(i32),
    /// By itself, with this status.
    Status(i32),
    /// The caller had it ended within its limits.
    Stopped,
    /// Its launcher was lost with it.
    Lost,
}

/// Returns the verdict of a turn that ended so, touched `limits` and printed
/// `stdout`.
pub fn verdict(ended: ProcessEnd, limits: LimitSet, stdout: &[u8]) -> Verdict {
    let full = limits.contains(Limit::Disk) || limits.contains(Limit::Files);
    match ended {
        ProcessEnd::MemoryLimit => Verdict::MemoryLimit,
        ProcessEnd::OutputLimit => Verdict::OutputLimit,
        ProcessEnd::CpuLimit => Verdict::CpuLimit,
        ProcessEnd::WallLimit => Verdict::Timeout,
        ProcessEnd::Status(0) | ProcessEnd::Stopped => answer(stdout, full),
        _ if full => Verdict::DiskLimit,
        ProcessEnd::NotStarted(_) | ProcessEnd::Signal(_) | ProcessEnd::Lost => Verdict::Crash,
        ProcessEnd::Status(_) => Verdict::ExitNonzero,
    }
}

/// Returns the verdict of a turn that answers by a file, as a bout of Bomberman
/// 2016 would: neither exit status nor signal takes the file back, but both are
/// recorded.
pub fn verdict_of_file(ended: ProcessEnd, limits: LimitSet, left: &AnswerFileState) -> Verdict {
    match (ended, left) {
        (ProcessEnd::Status(_) | ProcessEnd::Signal(_), AnswerFileState::TooLong) => {
            Verdict::OutputLimit
        }
        (ProcessEnd::Status(_) | ProcessEnd::Signal(_), AnswerFileState::NotPlain) => {
            Verdict::ProtocolViolation
        }
        (ProcessEnd::Status(0), AnswerFileState::Bytes(bytes)) => move_of(bytes),
        (ProcessEnd::Status(0), AnswerFileState::Missing) => Verdict::NoOutput,
        (ended, _) => verdict(ended, limits, b""),
    }
}

/// Only the first character counts.
fn move_of(bytes: &[u8]) -> Verdict {
    match decode_text(bytes, Utf32Marks::LittleEndian).chars().next() {
        None => Verdict::NoOutput,
        Some('1'..='6') => Verdict::Ok,
        Some(_) => Verdict::IllegalOutput,
    }
}

fn answer(stdout: &[u8], scratch_full: bool) -> Verdict {
    match battlebots::read(Rules::Documented, stdout).verdict {
        Verdict::NoOutput | Verdict::IllegalOutput if scratch_full => Verdict::DiskLimit,
        judged => judged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> LimitSet {
        let mut limits = LimitSet::default();
        limits.insert(Limit::Files);
        limits
    }

    #[test]
    fn a_full_scratch_explains_silence_but_not_an_action() {
        assert_eq!(verdict(ProcessEnd::Status(0), full(), b"\n"), Verdict::DiskLimit);
        assert_eq!(verdict(ProcessEnd::Status(0), full(), b"N\n"), Verdict::Ok);
        assert_eq!(verdict(ProcessEnd::MemoryLimit, full(), b""), Verdict::MemoryLimit);
    }

    #[test]
    fn an_action_of_a_process_that_failed_does_not_count() {
        assert_eq!(
            verdict(ProcessEnd::Status(3), LimitSet::default(), b"N\n"),
            Verdict::ExitNonzero
        );
        assert_eq!(verdict(ProcessEnd::Signal(9), LimitSet::default(), b"N\n"), Verdict::Crash);
    }
}
