//! Figures of a turn: what a report tells of them, and what must be there.

use std::time::Duration;

use joust_testkit::hostile::{Observation, ProcessEnd};
use nix::sys::resource::{UsageWho, getrusage};

/// Waited for a processor longer than this share of the wall limit: contended.
const CONTENDED_SHARE: f64 = 0.2;

pub(crate) fn is_contended(seen: &Observation) -> bool {
    seen.stall.as_secs_f64() > seen.allowed.turn.as_secs_f64() * CONTENDED_SHARE
}

pub(crate) fn note(seen: &Observation) -> String {
    let ms = |time: Duration| time.as_millis();
    format!(
        " {} wall {} ms cpu {} ms stall {} ms peak {} KiB",
        seen.verdict,
        ms(seen.wall),
        ms(seen.cpu),
        ms(seen.stall),
        seen.peak_bytes / 1024
    )
}

/// C9: a turn that ran has its figures.
pub(crate) fn record(seen: &Observation) -> Vec<String> {
    let ran = !matches!(seen.ended, ProcessEnd::Lost | ProcessEnd::NotStarted(_));
    let mut wrong = Vec::new();
    if ran && seen.wall.is_zero() {
        wrong.push("C9 no wall time".to_owned());
    }
    if ran && seen.peak_bytes == 0 {
        wrong.push("C9 no peak memory".to_owned());
    }
    wrong
}

pub(crate) fn own_cpu() -> Duration {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return Duration::ZERO };
    [usage.user_time(), usage.system_time()]
        .iter()
        .map(|time| {
            let seconds = u64::try_from(time.tv_sec()).unwrap_or(0);
            Duration::from_secs(seconds) + Duration::from_micros(time.tv_usec().unsigned_abs())
        })
        .sum()
}
