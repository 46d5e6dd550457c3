//! External referee: a separate program, in a seat of its own.
//!
//! [`ExternalReferee`] is a [`Referee`] like any other. Its judges speak `gamekit`'s protocol with
//! a process. The process is started when a bout begins. If the game supports `bouts`, it is kept
//! for the next bout on the same processors, until another game is played on them. A process that
//! fails is started again and sent the earlier answers; no bot is asked again for that. If it fails
//! at the same answer again, the bout ends.
//!
//! The last words of failed referees, the end of their standard error, are for their authors. They
//! are not part of a result, whose turn records only contain the last line, and are not published on
//! any table or page.

mod board_text;
mod judge;
mod picture;
mod process;
mod steps;
mod svg;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Weak};

use joust_build::PlacedBuild;
use joust_gamekit::{Capability, ExpectedGame};
use joust_model::cancel::Cancel;
use joust_model::{Limits, escaped_bytes};
use joust_referee::{
    AnswerForm, GameSpec, Judge, JudgeError, Outputs, Referee, Setup, StartError, ViewerSpec,
};
use joust_sandbox::Host;
use joust_sandbox::affinity::processors;
use parking_lot::Mutex;

use judge::ExternalJudge;
use process::{Process, SharedProcess};

/// Settings for running a referee's program.
#[derive(Clone, Debug)]
pub struct RefereeProgram {
    /// The machine's sandbox.
    pub host: Host,
    /// Build that is run.
    pub build: Arc<PlacedBuild>,
    /// Its limits: `start` until it sends its game, `turn` for each of its steps.
    pub limits: Limits,
    /// The game that it must report.
    pub expected: ExpectedGame,
    /// Register of idle processes.
    pub idle: IdleReferees,
    /// Store for the last words of a failed referee.
    pub last_words: LastWords,
    /// Signal to stop, at which no step is awaited any more.
    pub cancel: Cancel,
}

/// The game with an idle process on each set of processors. It ensures that at most one of the
/// games that share this register has idle processes there.
#[derive(Clone, Debug, Default)]
pub struct IdleReferees(Arc<Mutex<BTreeMap<Vec<usize>, Weak<External>>>>);

impl IdleReferees {
    /// Registers `game` on `cores`; returns the game that was registered before, if it is another
    /// one.
    fn replaced(&self, cores: &[usize], game: &Shared) -> Option<Shared> {
        let mut games = self.0.lock();
        let before = games.insert(cores.to_vec(), Arc::downgrade(game))?.upgrade()?;
        (!Arc::ptr_eq(&before, game)).then_some(before)
    }
}

/// A game with an external referee.
struct External {
    spec: GameSpec,
    program: RefereeProgram,
    /// Idle processes.
    idle: Mutex<Vec<SharedProcess>>,
    sharing: ProcessSharing,
}

/// Assignment of processes to running bouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProcessSharing {
    /// Each bout has its own process until it ends.
    OneAfterAnother,
    /// All bouts of a thread share one process.
    ByTurns,
}

/// The game with its processes, as judges refer to it.
type Shared = Arc<External>;

/// A game with an external referee, for a catalogue.
#[derive(Clone)]
pub struct ExternalReferee(Shared);

impl ExternalReferee {
    /// Makes the game that `spec` describes, with `program` as its referee.
    pub fn new(spec: GameSpec, program: RefereeProgram) -> Self {
        let sharing = ProcessSharing::OneAfterAnother;
        Self(Arc::new(External { spec, program, idle: Mutex::default(), sharing }))
    }

    /// Makes the game that `spec` describes, with one process that interleaves all bouts. It is for
    /// trials of referees that support `bouts`.
    pub fn by_turns(spec: GameSpec, program: RefereeProgram) -> Self {
        let sharing = ProcessSharing::ByTurns;
        Self(Arc::new(External { spec, program, idle: Mutex::default(), sharing }))
    }

    /// Closes the input of the idle processes, which then have to exit. It is for trials.
    ///
    /// # Errors
    ///
    /// [`JudgeError`] when a process writes something that is not allowed, keeps running, or does
    /// not exit properly.
    pub fn farewell(&self) -> Result<(), JudgeError> {
        self.0.take_idle().into_iter().try_for_each(Process::farewell)
    }
}

impl Referee for ExternalReferee {
    fn spec(&self) -> &GameSpec {
        &self.0.spec
    }

    fn dismiss(&self) -> Result<(), JudgeError> {
        let dismiss = |mut process: Process| process.drain_output();
        self.0.take_idle().into_iter().try_for_each(dismiss)
    }

    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        let options = self.0.spec.complete(setup)?;
        let judge = ExternalJudge::start(&self.0, setup, &options, out);
        Ok(Box::new(judge.map_err(StartError::Judge)?))
    }
}

impl External {
    fn can(&self, capability: Capability) -> bool {
        self.program.expected.can.contains(&capability)
    }

    fn answer_form(&self) -> &AnswerForm {
        let external = self.spec.external.as_ref();
        external.map_or(&AnswerForm::Lines(1), |external| &external.answer)
    }

    fn viewer(&self) -> &ViewerSpec {
        static NONE: LazyLock<ViewerSpec> = LazyLock::new(ViewerSpec::default);
        self.spec.external.as_ref().map_or(&NONE, |external| &external.viewer)
    }

    /// Returns an idle process on the processors of this thread, or starts one.
    fn process(&self) -> Result<SharedProcess, JudgeError> {
        let cores = processors();
        let idle = {
            let mut idle = self.idle.lock();
            let place = idle.iter().position(|process| process.lock().cores == cores);
            match self.sharing {
                ProcessSharing::OneAfterAnother => place.map(|place| idle.swap_remove(place)),
                ProcessSharing::ByTurns => place.map(|place| Arc::clone(&idle[place])),
            }
        };
        let start = || Process::start(&self.program, cores).map(|new| Arc::new(Mutex::new(new)));
        let process = idle.map_or_else(start, Ok)?;
        if self.sharing == ProcessSharing::ByTurns && self.idle.lock().is_empty() {
            self.idle.lock().push(Arc::clone(&process));
        }
        Ok(process)
    }

    /// Takes back a process after a bout without errors.
    fn give_back(self: &Arc<Self>, process: SharedProcess) {
        if !self.can(Capability::Bouts) || self.sharing == ProcessSharing::ByTurns {
            return;
        }
        let cores = process.lock().cores.clone();
        if let Some(before) = self.program.idle.replaced(&cores, self) {
            before.end_on(&cores);
        }
        self.idle.lock().push(process);
    }

    /// Ends the idle processes on `cores`.
    fn end_on(&self, cores: &[usize]) {
        let on_them = |process: &mut SharedProcess| process.lock().cores == cores;
        let ended: Vec<_> = self.idle.lock().extract_if(.., on_them).collect();
        // The list is unlocked by now, so that others need not wait for the end of the processes.
        drop(ended);
    }

    /// Removes and returns the idle processes.
    fn take_idle(&self) -> Vec<Process> {
        let idle = std::mem::take(&mut *self.idle.lock());
        let own = idle.into_iter().filter_map(Arc::into_inner);
        own.map(Mutex::into_inner).collect()
    }
}

/// Returns a sanitised copy of a referee's picture; `None` if it is not a valid one.
#[cfg(any(fuzzing, test))]
pub(crate) fn sanitised(picture: &str) -> Option<String> {
    svg::sanitised(picture).ok()
}

/// The most bytes that are kept.
const BYTES: usize = 4096;

/// The most lines that are kept.
const LINES: usize = 20;

/// The last words of the most recently failed referee of those that share this. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct LastWords(Arc<Mutex<Vec<String>>>);

impl LastWords {
    /// Removes and returns the words: escaped lines, at most 20 and 4 KiB. Empty if no referee has
    /// failed since the last call, or the failed one wrote nothing.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock())
    }

    /// Stores the standard error of a failed referee.
    pub(super) fn keep(&self, stderr: &[u8]) {
        *self.0.lock() = last_lines(stderr);
    }
}

fn last_lines(stderr: &[u8]) -> Vec<String> {
    let start = stderr.len().saturating_sub(BYTES);
    let mut kept = &stderr[start..];
    // An incomplete first line is dropped, unless it is the only one.
    let is_cut = start > 0 && stderr[start - 1] != b'\n';
    if let Some(end) = kept.trim_ascii_end().iter().position(|byte| *byte == b'\n')
        && is_cut
    {
        kept = &kept[end + 1..];
    }
    let lines = kept.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    let first = lines.len().saturating_sub(LINES);
    lines[first..].iter().map(|line| escaped_bytes(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_and_escaped() {
        let words = LastWords::default();
        words.keep(b"Traceback:\n  File \"referee.py\"\n\nValueError: \x1b[2J\xff\n");
        let expected = ["Traceback:", "  File \"referee.py\"", "ValueError: \\u{1b}[2J\\xff"];
        assert_eq!(words.take(), expected);
        assert!(words.take().is_empty(), "they are taken once");
    }

    #[test]
    fn words_are_those_of_the_referee_that_failed_last() {
        let words = LastWords::default();
        words.keep(b"no such stone\n");
        words.clone().keep(b"");
        assert!(words.take().is_empty());
    }

    #[test]
    fn no_more_than_twenty_lines_and_four_kibibytes_are_kept() {
        let many: String = (0..100).map(|line| format!("{line}\n")).collect();
        let kept = last_lines(many.as_bytes());
        assert_eq!((kept.len(), &*kept[0], &*kept[19]), (20, "80", "99"));
        let long = format!("{}\nend\n", "x".repeat(5000));
        assert_eq!(last_lines(long.as_bytes()), ["end"]);
        assert_eq!(last_lines("x".repeat(5000).as_bytes()), ["x".repeat(4096)]);
    }
}
