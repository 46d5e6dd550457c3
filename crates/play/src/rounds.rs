//! Turn-based games: the bout asks seats and waits for their answers.

mod asking;

use std::time::{Duration, Instant};

use joust_referee::{
    DeadlineClass, Files, Game, Input, Judge, JudgeError, Limit, Outcome, Output, Outputs, Parts,
    PerSeat, RequestId, Score, Seat, SeatOutcome, StartError, StateHash, Verdict,
};

use super::ledger::{add_comment, add_reason, turn_record};
use super::reported_numbers::of_referee;
use super::{
    BoutEvent, BoutObserver, Ledger, PlayError, Played, Processors, notify, refuse_cancelled,
};
use crate::channel::{Answered, Channel, ChannelError};
use asking::BoutClocks;
use joust_model::cancel::Cancel;
use joust_model::{
    BoutPlan, NumberRecord, ProgramLifetime, Round, UNASKED, UNJUDGED, counted, escaped_bytes,
    referee_error,
};

/// The most inputs of a bout. The longest one of a built-in game has 20,000.
const MOST_INPUTS: u32 = 1 << 20;

/// Inputs of a bout that is played in turns.
pub struct TurnBout<'a> {
    /// The game.
    pub game: &'a Game,
    /// Plan of the bout.
    pub plan: &'a BoutPlan,
    /// Channels to the seats' bots, in seat order.
    pub channels: &'a mut [Box<dyn Channel>],
    /// Observer of the bout.
    pub observer: &'a mut dyn BoutObserver,
    /// Signal to stop.
    pub cancel: &'a Cancel,
    /// Processors of the seats. When the referee wants the answers of several at once, they are asked
    /// together if each has processors of its own, so that no bot thinks on another one's; the
    /// referee receives them together in either case.
    pub processors: Processors,
    /// Lifetime of the bots' programs: the bout, or longer.
    pub programs: ProgramLifetime,
}

/// Plays a bout to its end.
///
/// # Errors
///
/// [`PlayError`] when the machine failed or the run is being stopped; faults of bots are part of
/// the result.
pub fn play(setup: TurnBout<'_>) -> Result<Played, PlayError> {
    let began = Instant::now();
    let (game, seats, cancel) = (setup.game, setup.plan.seats.len(), setup.cancel);
    let (mut bout, first) = match Bout::start(setup) {
        Err(PlayError::Start(StartError::Judge(error))) if is_referee_error(game, &error) => {
            let outcome = without_points(&error, 0, seats);
            let (mut ledger, took) = (Ledger::new(seats), began.elapsed());
            record_last_words(&mut ledger, &error);
            return Ok(Played { outcome, state_hash: StateHash([0; 32]), ledger, took });
        }
        started => started.map_err(|error| unless_cancelled(error, cancel))?,
    };
    let (outcome, state_hash) = match bout.run(first) {
        Err(PlayError::Judge(error)) if is_referee_error(game, &error) => {
            bout.record_unjudged(&error)?;
            (without_points(&error, bout.judge.rounds(), seats), StateHash([0; 32]))
        }
        ended => {
            let ended = ended.map_err(|error| unless_cancelled(error, cancel))?;
            (ended, bout.judge.state_hash()?)
        }
    };
    if bout.setup.programs.are_for_a_bout() {
        bout.finish()?;
    }
    Ok(Played { outcome, state_hash, ledger: bout.ledger, took: began.elapsed() })
}

/// Returns the error of a bout, or that of a run that is being stopped, which does not wait for a
/// referee.
fn unless_cancelled(error: PlayError, cancel: &Cancel) -> PlayError {
    refuse_cancelled(cancel).err().unwrap_or(error)
}

/// Records the standard error of a referee that failed before its first question, as a turn without
/// an answer.
fn record_last_words(ledger: &mut Ledger, error: &JudgeError) {
    let Some(said) = last_words(error) else { return };
    let nobody = Answered::still_there();
    let (mut record, _) = turn_record((Round(0), 0), &nobody, Verdict::Ok, String::new());
    UNASKED.clone_into(&mut record.reason);
    record.stderr = said;
    ledger.keep(&record);
}

/// Returns the end of a failed referee's standard error, as it is displayed.
fn last_words(error: &JudgeError) -> Option<Vec<u8>> {
    let said = error.said();
    (!said.is_empty()).then(|| format!("the referee wrote: {said}").into_bytes())
}

/// Returns whether the failure is one of an external referee that failed again after a restart.
/// Playing the bout again would give the same failure.
pub(crate) fn is_referee_error(game: &Game, error: &JudgeError) -> bool {
    game.spec().external.is_some() && !matches!(error, JudgeError::Machine(_))
}

/// Returns the outcome of a bout without a winner or loser.
fn without_points(error: &JudgeError, rounds: u32, seats: usize) -> Outcome {
    let ended = referee_error(&error.for_everybody()).into();
    let seats = PerSeat(vec![SeatOutcome { rank: 1, score: Score::default() }; seats]);
    Outcome { ended, rounds, seats }
}

struct Bout<'a> {
    setup: TurnBout<'a>,
    judge: Box<dyn Judge>,
    ledger: Ledger,
    /// Each seat's round and answer, until the referee has judged them.
    pending: Vec<Option<(Round, Answered)>>,
    /// Wall clock that each seat may use in the whole bout.
    share: Duration,
    /// Number of inputs that the referee has received, with the time that it took for them.
    inputs: u32,
    judging: Duration,
    clocks: BoutClocks,
}

struct Request {
    seat: Seat,
    id: RequestId,
    view: Parts,
    deadline: DeadlineClass,
    files: Option<Files>,
}

impl<'a> Bout<'a> {
    fn start(setup: TurnBout<'a>) -> Result<(Self, Outputs), PlayError> {
        let plan = setup.plan;
        let seats = plan.seats.len();
        let mut out = Outputs::new();
        let judge = plan.start(setup.game, &mut out).map_err(PlayError::Start)?;
        let share = plan.limits.bout / u32::try_from(seats.max(1)).unwrap_or(u32::MAX);
        let ledger = Ledger::new(seats);
        let pending = vec![None; seats];
        let clocks = BoutClocks::of(setup.game.spec(), plan);
        let judging = Duration::ZERO;
        let mut bout = Self { setup, judge, ledger, pending, share, inputs: 0, judging, clocks };
        bout.seat_people(&mut out)?;
        bout.watch_begin()?;
        Ok((bout, out))
    }

    /// Informs the referee which seats belong to people.
    fn seat_people(&mut self, out: &mut Outputs) -> Result<(), PlayError> {
        let seats = (0_u8..).map(Seat).zip(&*self.setup.channels);
        let people = seats.filter(|(_, channel)| channel.is_person());
        for seat in people.map(|(seat, _)| seat).collect::<Vec<_>>() {
            let input = Input::Person { seat };
            self.watch_input(&input)?;
            self.send_input(&input, out)?;
        }
        Ok(())
    }

    fn run(&mut self, first: Outputs) -> Result<Outcome, PlayError> {
        let mut out = first;
        let mut requests = Vec::new();
        loop {
            if let Some(outcome) = self.collect_outputs(&mut out, &mut requests)? {
                return Ok(outcome);
            }
            if requests.is_empty() {
                self.play_round_without_bots(&mut out)?;
            }
            if requests.len() > 1 && self.is_asked_together() {
                self.answer_together(std::mem::take(&mut requests), &mut out)?;
            }
            for request in requests.drain(..) {
                self.answer(request, &mut out)?;
            }
        }
    }

    /// Plays a round in which the referee asks no seat, because all bots are out.
    fn play_round_without_bots(&mut self, out: &mut Outputs) -> Result<(), PlayError> {
        refuse_cancelled(self.setup.cancel)?;
        self.ledger.record_input(&Input::Tick);
        self.send_input(&Input::Tick, out)?;
        if out.list.is_empty() {
            let problem = "it asks nobody and ends nothing".to_owned();
            return Err(JudgeError::Broke(problem).into());
        }
        Ok(())
    }

    /// Sends the referee an input. Their number is limited, since a referee may never end the bout.
    fn send_input(&mut self, input: &Input, out: &mut Outputs) -> Result<(), PlayError> {
        self.inputs += 1;
        if self.inputs > MOST_INPUTS {
            let problem = format!("the bout is not over after {MOST_INPUTS} answers");
            return Err(JudgeError::Broke(problem).into());
        }
        let began = Instant::now();
        self.judge.next(input, out)?;
        self.judging += began.elapsed();
        let most = self.setup.plan.limits.bout;
        if self.judging > most {
            let problem = format!(
                "its steps take more than {} s together, which is all that a bout may take (`bout`)",
                most.as_secs_f64()
            );
            return Err(JudgeError::Silent(problem).into());
        }
        Ok(())
    }

    /// Handles the referee's outputs: collects requests, and records judged turns.
    fn collect_outputs(
        &mut self,
        out: &mut Outputs,
        requests: &mut Vec<Request>,
    ) -> Result<Option<Outcome>, PlayError> {
        for output in out.drain() {
            match output {
                Output::Ask { seat, request: id, parts: view, deadline, files } => {
                    requests.push(Request { seat, id, view, deadline, files });
                }
                Output::Judged { seat, verdict, action, .. } => {
                    self.record(seat, verdict, action.into_owned())?;
                }
                Output::Numbers { after, numbers } => {
                    self.keep_numbers(of_referee(after, numbers))?;
                }
                Output::RoundOver { round } => self.watch_round(Round(round))?,
                Output::Over(outcome) => return Ok(Some(outcome)),
                Output::Skip { .. } | Output::Send { .. } | Output::Close { .. } => {}
            }
        }
        Ok(None)
    }

    fn failed(&self, seat: Seat, source: ChannelError) -> PlayError {
        PlayError::Channel { seat: seat.0, round: Round(self.judge.rounds()), source }
    }

    /// Handles a seat's answer: charges its clock and sends it to the referee.
    fn take_answer(
        &mut self,
        request: &Request,
        mut answered: Answered,
        out: &mut Outputs,
    ) -> Result<(), PlayError> {
        let round = Round(self.judge.rounds());
        explain_by_full_scratch(&mut answered, |parts| self.judge.reads(request.seat, parts));
        if let Err(reason) = self.ledger.admit_answer(request.seat.index(), &answered.parts) {
            let verdict = Verdict::OutputLimit;
            answered = Answered { verdict, parts: Parts::none(), reason, ..answered };
        }
        let parts = self.clocks.charge(request.seat, &answered);
        let (seat, verdict) = (request.seat, answered.verdict);
        let input = Input::Answer { seat, request: request.id, parts, verdict };
        self.pending[request.seat.index()] = Some((round, answered));
        self.watch_input(&input)?;
        self.send_input(&input, out)
    }

    fn record(&mut self, seat: Seat, verdict: Verdict, action: String) -> Result<(), PlayError> {
        let Some((round, answered)) = self.pending[seat.index()].take() else { return Ok(()) };
        self.ledger.seats[seat.index()].answers_late += answered.unasked;
        self.ledger.seats[seat.index()].cold_starts += u32::from(answered.usage.is_cold_start);
        let (mut record, numbers) = turn_record((round, seat.0), &answered, verdict, action);
        if verdict == Verdict::IllegalOutput {
            let expected = self.setup.game.spec().people.expected;
            add_reason(&mut record, &illegal_because(expected, &answered.parts));
        }
        add_comment(&mut record, self.judge.comment(seat));
        self.ledger.contended |= verdict == Verdict::Timeout && answered.is_starved;
        self.ledger.record_turn(&record);
        self.watch(&BoutEvent::Turn(&record))?;
        self.keep_numbers(numbers)
    }

    fn keep_numbers(&mut self, numbers: Vec<NumberRecord>) -> Result<(), PlayError> {
        if numbers.is_empty() {
            return Ok(());
        }
        self.watch(&BoutEvent::Numbers(&numbers))?;
        self.ledger.take_numbers(numbers);
        Ok(())
    }

    /// Records the answers that made the referee fail, as they were sent. The referee's standard
    /// error is recorded like that of its seats, which is not public by default.
    fn record_unjudged(&mut self, error: &JudgeError) -> Result<(), PlayError> {
        for seat in (0..self.pending.len()).filter_map(|seat| u8::try_from(seat).ok()) {
            let Some((round, answered)) = self.pending[usize::from(seat)].take() else { continue };
            let verdict = answered.verdict;
            let (mut record, numbers) =
                turn_record((round, seat), &answered, verdict, String::new());
            UNJUDGED.clone_into(&mut record.reason);
            if let Some(said) = last_words(error) {
                record.stderr = said;
            }
            self.ledger.record_unjudged(&record);
            self.watch(&BoutEvent::Turn(&record))?;
            self.keep_numbers(numbers)?;
        }
        Ok(())
    }

    /// Ends the bots that stayed for the bout, and records their total usage.
    fn finish(&mut self) -> Result<(), PlayError> {
        for seat in (0..self.setup.channels.len()).filter_map(|seat| u8::try_from(seat).ok()) {
            let ended = self.setup.channels[usize::from(seat)].finish();
            if let Some(ended) = ended.map_err(|source| self.failed(Seat(seat), source))? {
                self.ledger.account(seat, &ended);
            }
        }
        Ok(())
    }

    fn watch_input(&mut self, input: &Input) -> Result<(), PlayError> {
        self.ledger.record_input(input);
        self.watch(&BoutEvent::Input(input))
    }

    fn watch(&mut self, event: &BoutEvent<'_>) -> Result<(), PlayError> {
        notify(self.setup.observer, event)
    }

    fn watch_begin(&mut self) -> Result<(), PlayError> {
        let judge = &self.judge;
        notify(self.setup.observer, &BoutEvent::Begin { scene: &|| judge.scene() })
    }

    fn watch_round(&mut self, round: Round) -> Result<(), PlayError> {
        let judge = &self.judge;
        let name = &|seat| judge.own_name(seat).map(str::to_owned);
        let over = BoutEvent::Round { round, scene: &|| judge.scene(), name };
        notify(self.setup.observer, &over)
    }
}

/// The longest answer that is quoted, bytes.
const SHORT_ANSWER: usize = 40;

/// Returns the reason for an illegal answer: the expected form, and what came.
fn illegal_because(expected: &str, parts: &Parts) -> String {
    let bytes = parts.0.first().map_or(&b""[..], |part| &part.bytes).trim_ascii();
    let lines = bytes.split(|byte| *byte == b'\n').count();
    let expected =
        if expected.is_empty() { String::new() } else { format!("expected {expected}; ") };
    match (lines, bytes.len()) {
        (1, 0..=SHORT_ANSWER) => format!("{expected}got `{}`", escaped_bytes(bytes)),
        (1, length) => format!("{expected}got a line of {}", counted(length, "byte")),
        (lines, _) => format!(
            "{expected}got {}; debug output belongs on standard error",
            counted(lines, "line")
        ),
    }
}

/// Blames the disk limit if a bot ended without an action while its scratch folder was full. The
/// referee receives that verdict instead of the illegal answer.
fn explain_by_full_scratch(answered: &mut Answered, reads: impl FnOnce(&Parts) -> Verdict) {
    let hit = answered.limits_hit;
    let is_full = hit.contains(Limit::Disk) || hit.contains(Limit::Files);
    if is_full && answered.verdict.is_ok() && !reads(&answered.parts).is_ok() {
        answered.verdict = Verdict::DiskLimit;
        answered.parts = Parts::none();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(limit: Limit, verdict: Verdict, reading: Verdict) -> (Verdict, bool) {
        let mut answered =
            Answered { verdict, ..Answered::with(Parts::single(&b"?"[..])) }.hitting(limit);
        explain_by_full_scratch(&mut answered, |_| reading);
        (answered.verdict, answered.parts == Parts::none())
    }

    #[test]
    fn what_was_expected_and_what_came_is_told() {
        let told = |text: &str| illegal_because("one action", &Parts::single(text.as_bytes()));
        assert_eq!(told(" fire\n"), "expected one action; got `fire`");
        let lines = "expected one action; got 2 lines; debug output belongs on standard error";
        assert_eq!(told("thinking\nB SE\n"), lines);
        assert_eq!(told(&"x".repeat(50)), "expected one action; got a line of 50 bytes");
        assert_eq!(illegal_because("", &Parts::single(&b"\x1b"[..])), r"got `\u{1b}`");
    }

    #[test]
    fn an_answer_that_is_none_is_explained_by_a_full_scratch_before_the_referee_hears_it() {
        use Verdict::{Crash, DiskLimit, IllegalOutput, NoOutput, Ok};
        for limit in [Limit::Disk, Limit::Files] {
            assert_eq!(explained(limit, Ok, NoOutput), (DiskLimit, true));
            assert_eq!(explained(limit, Ok, IllegalOutput), (DiskLimit, true));
            assert_eq!(explained(limit, Ok, Ok), (Ok, false));
            assert_eq!(explained(limit, Crash, NoOutput), (Crash, false));
        }
        assert_eq!(explained(Limit::Memory, Ok, NoOutput), (Ok, false));
    }
}
