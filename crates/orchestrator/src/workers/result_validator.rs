//! Validator of results from workers: a result is stored only if it follows from its plan and from
//! its recorded actions of the bots.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use joust_build::FolderStore;
use joust_cluster::{CoordinatorNotice, ResultValidator};
use joust_model::notices::{Listener, Notice};
use joust_model::panics::catch_panic;
use joust_model::{
    BoutPlan, BoutResult, BuildHash, Calibration, StoredBout, Tier, clock, escaped, is_longer,
    is_referee_error, shortened,
};
use joust_referee::Catalogue;
use joust_store::refuse_misfit;
use parking_lot::Mutex;

use super::VERSION;
use crate::dispute::{Difference, Verifier, can_repeat};
use crate::machine::{Machine, recorded_tier};

/// Clock difference between a worker and this machine from which on it is reported, seconds.
const ODD_CLOCK: u64 = 60;
/// The longest anything of a bout may have taken.
const LONGEST_SPAN: Duration = Duration::from_secs(31 * 24 * 3600);
/// The most memory a bot may have had, bytes.
const MOST_MEMORY: u64 = 1 << 48;
/// The longest log of a bout, bytes before it is compressed: a worker could send one of gigabytes
/// in a few kilobytes.
const LONGEST_LOG: u64 = 256 << 20;
/// The longest name of a machine, a game or a language, bytes.
const LONGEST_NAME: usize = 256;
/// The longest text about a bout's end, bytes: what a database holds of it has to be read again.
const LONGEST_END: usize = 64 << 10;
/// The end of the year 9999, milliseconds since 1970.
const LAST_MOMENT: u64 = 253_402_300_799_999;
/// Number of different warnings about refusals that a run prints.
const MOST_WARNINGS: usize = 40;
/// Number of differences reported for a refused result.
const MOST_REPORTED: usize = 3;
/// Length of the report on a faulty result, characters.
const MOST_CHARACTERS: usize = 600;

/// Judges what workers send.
pub(crate) struct RejudgingValidator {
    verifier: Mutex<Verifier>,
    games: Catalogue,
    tier: Tier,
    builds: FolderStore,
    listener: Arc<dyn Listener>,
    /// Refusals of workers and results that were printed.
    printed: Mutex<HashSet<CoordinatorNotice>>,
}

impl RejudgingValidator {
    /// Makes a validator of results that are played as they would be on this machine.
    pub(crate) fn new(machine: &Machine, listener: Arc<dyn Listener>) -> Self {
        Self {
            verifier: Mutex::new(Verifier::new(machine.games.clone())),
            games: machine.games.clone(),
            tier: recorded_tier(&machine.host),
            builds: machine.store.clone(),
            listener,
            printed: Mutex::default(),
        }
    }

    /// Returns the error in a claim that a referee failed: only an external one can, and it does so
    /// here, too.
    fn unfounded(&self, plan: &BoutPlan, result: &BoutResult) -> Option<String> {
        let bout = StoredBout { plan: plan.clone(), result: result.clone() };
        let mut verifier = self.verifier.lock();
        let can_fail = plan.referee.is_some();
        let fails = can_fail && catch_panic(|| verifier.fails_over(&bout)).unwrap_or(true);
        (!fails).then(|| "it says that the game's referee failed, which it does not do here".into())
    }

    fn judge(&self, plan: &BoutPlan, result: &BoutResult) -> Option<String> {
        let bout = StoredBout { plan: plan.clone(), result: result.clone() };
        let mut verifier = self.verifier.lock();
        match catch_panic(|| verifier.verify(&bout)) {
            Ok(Ok(differences)) => describe(&differences),
            Ok(Err(error)) => Some(format!("it cannot be judged again: {error}")),
            Err(panic) => Some(format!("the referee fails over it: {panic}")),
        }
    }

    /// Reports a worker whose clock differs.
    fn compare_clocks(&self, worker: &str, clock: i64) {
        let ahead = clock.saturating_sub(clock::now()) / 1000;
        if ahead.unsigned_abs() < ODD_CLOCK {
            return;
        }
        let (worker, way) = (escaped(worker), if ahead > 0 { "ahead" } else { "behind" });
        let seconds = ahead.unsigned_abs();
        self.listener.warn(format!(
            "the clock of worker `{worker}` is {seconds} s {way}: it plays, and its results say \
             when they were played by its own clock; set it right there (`timedatectl`)"
        ));
    }
}

impl ResultValidator for RejudgingValidator {
    fn is_watched(&self) -> bool {
        self.listener.wants_positions()
    }

    fn find_fault(&self, plan: &BoutPlan, result: &BoutResult) -> Option<String> {
        if let Err(misfit) = refuse_misfit(plan, result) {
            return Some(misfit.to_string());
        }
        if result.joust_version != VERSION {
            let theirs = escaped(&result.joust_version);
            return Some(format!("it was played by Joust {theirs}, not {VERSION}"));
        }
        if result.tier != self.tier {
            let (here, theirs) = (self.tier, result.tier);
            return Some(format!("it was played in tier {theirs}, not {here}"));
        }
        if let Some(why) = implausible(result) {
            return Some(why.to_owned());
        }
        if is_referee_error(&result.ended) {
            return self.unfounded(plan, result);
        }
        // What is judged another way each time shows nothing.
        if can_repeat(&self.games, plan) { self.judge(plan, result) } else { None }
    }

    fn pack_build(&self, build: &BuildHash) -> io::Result<Vec<u8>> {
        let gone = || io::Error::new(io::ErrorKind::NotFound, "it is not here any more");
        self.builds.pack(build)?.ok_or_else(gone)
    }

    fn notify(&self, notice: CoordinatorNotice) {
        if let CoordinatorNotice::WorkerJoined { worker, clock, .. } = &notice {
            self.compare_clocks(worker, *clock);
        }
        let mut text = escaped(&notice.to_string());
        if let CoordinatorNotice::WorkerRefused { .. } | CoordinatorNotice::ResultRefused { .. } =
            &notice
        {
            let mut printed = self.printed.lock();
            if printed.len() >= MOST_WARNINGS || !printed.insert(notice.clone()) {
                return;
            }
            if printed.len() == MOST_WARNINGS {
                text += "; further refusals are not printed";
            }
        }
        self.listener.notice(&match notice {
            CoordinatorNotice::WorkerJoined { .. } | CoordinatorNotice::ServerAvailable => {
                Notice::Workers(text)
            }
            _ => Notice::Warning(text),
        });
    }
}

/// Returns the part of a result that no machine can have measured. Nobody can judge that again, but
/// sums of it have to stay within their bounds.
fn implausible(result: &BoutResult) -> Option<&'static str> {
    let spans = result.seats.iter().flat_map(|seat| {
        let Calibration { cpu, wall, spread, .. } = seat.calibration;
        [seat.cpu, seat.wall, seat.stall, cpu, wall, spread]
    });
    let texts = result.seats.iter().flat_map(|seat| {
        let Calibration { language, game, machine, .. } = &seat.calibration;
        [language, game, machine]
    });
    let clocks = result.seats.iter().map(|seat| seat.calibration.measured_at);
    match () {
        () if spans.chain([result.took]).any(|span| span > LONGEST_SPAN) => {
            Some("it says that something took more than a month")
        }
        () if result.seats.iter().any(|seat| seat.peak_memory_bytes > MOST_MEMORY) => {
            Some("it says that a bot had more memory than any machine")
        }
        () if texts.chain([&result.machine]).any(|text| text.len() > LONGEST_NAME) => {
            Some("it names its machine, game or languages at great length")
        }
        () if result.ended.len() > LONGEST_END => Some("it tells how it ended at great length"),
        () if clocks.chain([result.started_at]).any(|at| at.unsigned_abs() > LAST_MOMENT) => {
            Some("it was played in no year of the calendar")
        }
        () if [&result.action_log, &result.turn_log].iter().any(|log| is_endless(log)) => {
            Some("its log cannot be unpacked, or has more than 256 MiB")
        }
        () => None,
    }
}

/// Returns whether a log is longer than one may be, or damaged; one that is not kept is neither.
fn is_endless(log: &[u8]) -> bool {
    !log.is_empty() && is_longer(log, LONGEST_LOG)
}

fn describe(differences: &[Difference]) -> Option<String> {
    let first: Vec<_> = differences.iter().take(MOST_REPORTED).map(ToString::to_string).collect();
    let more = differences.len().saturating_sub(MOST_REPORTED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    (!first.is_empty()).then(|| format!("{}{more}", shortened(&first.join("; "), MOST_CHARACTERS)))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_log_that_is_short_only_while_it_is_packed_is_refused() {
        let zeros = vec![0; 1 << 20];
        let mut packed = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        for _ in 0..256 {
            packed.write_all(&zeros).unwrap();
        }
        packed.write_all(&[0]).unwrap();
        let endless = packed.finish().unwrap();
        assert!(endless.len() < 1 << 20 && is_endless(&endless));
        assert!(!is_endless(&zstd::bulk::compress(&zeros, 1).unwrap()));
        assert!(is_endless(b"no log") && !is_endless(&[]));
    }
}
