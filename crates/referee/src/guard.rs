//! Guard around a judge: checks every output before a caller acts on it.
//!
//! A judge may be a third-party program. It has failed if it names a seat that does not
//! exist, blames a bot for a fault that the machine did not see, forgives a fault that the
//! machine saw, continues after the end, or panics. Then the bout is void, so callers of a
//! guarded judge need not handle any of these cases.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{
    GameSpec, Input, Judge, JudgeError, Outcome, Output, Outputs, Parts, Recording, ReplayFolder,
    RequestId, Scene, Seat, StateHash, Verdict,
};

/// A judge whose outputs are checked.
pub(crate) struct Guard {
    judge: Box<dyn Judge>,
    seats: Vec<SeatRecord>,
    /// Answers of a game on a clock may be judged under a later request.
    is_on_clock: bool,
    is_over: bool,
    /// Failure after which the judge is no longer called.
    failure: RefCell<Option<JudgeError>>,
}

/// Statements of the referee about a seat.
#[derive(Clone, Debug, Default)]
struct SeatRecord {
    /// The newest request made to it.
    newest: Option<RequestId>,
    /// Verdict of its last answer, as the machine saw it.
    answered: Option<(RequestId, Verdict)>,
    /// All faults that the machine has seen of it, a bit each.
    faults: u16,
}

/// Runs `work`; returns the message of its panic if it panics.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}

impl Guard {
    /// Guards a judge that has just made the outputs `out`.
    pub(crate) fn new(
        judge: Box<dyn Judge>,
        spec: &GameSpec,
        seats: u8,
        out: &Outputs,
    ) -> Result<Self, JudgeError> {
        let mut guard = Self {
            judge,
            seats: vec![SeatRecord::default(); usize::from(seats)],
            is_on_clock: spec.clock.is_some(),
            is_over: false,
            failure: RefCell::new(None),
        };
        guard.check_all(&out.list)?;
        Ok(guard)
    }

    fn note_answer(&mut self, input: &Input) {
        let Input::Answer { seat, request, verdict, .. } = input else { return };
        let Some(record) = self.seats.get_mut(seat.index()) else { return };
        // The game ignores an answer that was not asked for, and a second answer.
        let is_first = record.answered.is_none_or(|(answered, _)| answered != *request);
        if record.newest == Some(*request) && is_first {
            record.answered = Some((*request, *verdict));
        }
        if !is_from_reading(*verdict) {
            record.faults |= bit(*verdict);
        }
    }

    fn check_all(&mut self, outputs: &[Output]) -> Result<(), JudgeError> {
        outputs.iter().try_for_each(|output| self.check(output).map_err(JudgeError::Broke))
    }

    fn check(&mut self, output: &Output) -> Result<(), String> {
        if self.is_over {
            return Err("it continues after the end".to_owned());
        }
        match output {
            Output::Ask { seat, request, .. } => {
                let record = self.record(*seat)?;
                if record.newest.is_some_and(|newest| newest >= *request) {
                    return Err(format!("seat {seat} is asked request {} again", request.0));
                }
                record.newest = Some(*request);
                Ok(())
            }
            Output::Skip { seat } => self.record(*seat).map(drop),
            Output::Judged { seat, request, verdict, .. } => {
                self.check_verdict(*seat, *request, *verdict)
            }
            Output::Numbers { numbers, .. } => {
                numbers.iter().try_for_each(|number| self.record(number.seat).map(drop))
            }
            Output::Over(outcome) => {
                self.is_over = true;
                check_outcome(outcome, self.seats.len())
            }
            Output::Send { .. } | Output::Close { .. } | Output::RoundOver { .. } => Ok(()),
        }
    }

    fn record(&mut self, seat: Seat) -> Result<&mut SeatRecord, String> {
        let there = self.seats.len();
        let missing = || format!("it speaks of seat {seat}, and there are {there}");
        self.seats.get_mut(seat.index()).ok_or_else(missing)
    }

    /// Checks a verdict: a referee may turn only the machine's `ok` into
    /// `illegal-output` or `no-output`.
    fn check_verdict(
        &mut self,
        seat: Seat,
        request: RequestId,
        verdict: Verdict,
    ) -> Result<(), String> {
        let record = self.record(seat)?;
        let answered = record.answered.filter(|(answered, _)| *answered == request);
        if !is_from_reading(verdict) && record.faults & bit(verdict) == 0 {
            return Err(format!("it blames seat {seat} for `{verdict}`, which nobody saw"));
        }
        match answered {
            Some((_, answered))
                if !self.is_on_clock && !answered.is_ok() && answered != verdict =>
            {
                Err(format!("it takes `{answered}` of seat {seat} for `{verdict}`"))
            }
            _ => Ok(()),
        }
    }

    /// Calls a method that cannot return a failure; keeps the failure for later.
    fn call<T>(&self, ask: impl FnOnce() -> T, otherwise: T) -> T {
        if self.failure.borrow().is_some() {
            return otherwise;
        }
        caught(ask).unwrap_or_else(|panic| {
            *self.failure.borrow_mut() = Some(JudgeError::Panicked(panic));
            otherwise
        })
    }

    fn check_failure(&self) -> Result<(), JudgeError> {
        self.failure.borrow().clone().map_or(Ok(()), Err)
    }

    fn forward(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        let before = out.list.len();
        self.note_answer(input);
        caught(|| self.judge.next(input, out)).map_err(JudgeError::Panicked)??;
        let said = out.list.get(before..).unwrap_or_default();
        said.iter().try_for_each(|output| self.check(output).map_err(JudgeError::Broke))
    }
}

/// Returns whether a referee can find this verdict by reading an answer.
fn is_from_reading(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Ok | Verdict::IllegalOutput | Verdict::NoOutput)
}

fn bit(verdict: Verdict) -> u16 {
    1 << verdict.code()
}

fn check_outcome(outcome: &Outcome, seats: usize) -> Result<(), String> {
    let (found, ranks) = (outcome.seats.seats(), 1..=seats);
    if found != seats {
        return Err(format!("its outcome is of {found} seats, and there are {seats}"));
    }
    for (seat, result) in outcome.seats.iter() {
        if !ranks.contains(&usize::from(result.rank)) {
            return Err(format!("seat {seat} is rank {} of {seats}", result.rank));
        }
    }
    Ok(())
}

impl Judge for Guard {
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError> {
        self.check_failure()?;
        if self.is_over {
            return Ok(());
        }
        let taken = self.forward(input, out);
        *self.failure.get_mut() = taken.as_ref().err().cloned();
        taken
    }

    /// Also of a bout that the referee could not finish.
    fn rounds(&self) -> u32 {
        caught(|| self.judge.rounds()).unwrap_or_default()
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.call(|| self.judge.outcome(), None)
    }

    fn state_hash(&self) -> Result<StateHash, JudgeError> {
        self.check_failure()?;
        caught(|| self.judge.state_hash()).map_err(JudgeError::Panicked)?
    }

    fn scene(&self) -> Scene {
        self.call(|| self.judge.scene(), Scene::default())
    }

    fn reads(&self, seat: Seat, parts: &Parts) -> Verdict {
        self.call(|| self.judge.reads(seat, parts), Verdict::Ok)
    }

    fn refusal(&self, seat: Seat, answer: &Parts) -> Option<String> {
        self.call(|| self.judge.refusal(seat, answer), None)
    }

    fn has_acted(&self, seat: Seat) -> bool {
        self.call(|| self.judge.has_acted(seat), true)
    }

    fn own_name(&self, seat: Seat) -> Option<&str> {
        self.call(|| self.judge.own_name(seat), None)
    }

    fn comment(&self, seat: Seat) -> Option<&str> {
        self.call(|| self.judge.comment(seat), None)
    }

    fn recording(&self) -> Option<&dyn Recording> {
        self.judge.recording()
    }

    fn replay_folder(&self) -> Option<&dyn ReplayFolder> {
        self.judge.replay_folder()
    }
}
