//! Judges a recorded bout again from its action log, without running a bot: no view and no position
//! is drawn and nothing is kept, so that whole databases can be judged again.

use std::fmt::Display;

use joust_model::cancel::Cancel;
use joust_model::{
    BoutPlan, Fold, FoldError, Limit, LimitSet, NumberRecord, NumberSource, Round, SeatNumbers,
    StoredBout, TurnLogError, TurnVerdict, UnpackedTurns, Unpacker, Verdict, VerdictCounts,
    counted, is_referee_error,
};
use joust_referee::log::LogReader;
use joust_referee::{Catalogue, Outcome, Output, Outputs, Seat, StateHash};

/// Largest number of differences that are kept of a bout.
const MOST_DIFFERENCES: usize = 10_000;

/// One thing in which a record and the referee differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}: recorded `{recorded}`, judged `{judged}`")]
pub struct Difference {
    /// Name of the value that differs.
    pub what: String,
    /// Value in the database.
    pub recorded: String,
    /// Value by the referee.
    pub judged: String,
}

/// Judges bouts, one after the other, with the memory of the one before.
pub struct Verifier {
    games: Catalogue,
    unpacker: Unpacker,
    /// Ends a judgement.
    pub(super) cancel: Cancel,
}

impl Verifier {
    /// Makes a judge of bouts of these games.
    pub fn new(games: Catalogue) -> Self {
        Self { games, unpacker: Unpacker::default(), cancel: Cancel::default() }
    }

    /// Clears the memory.
    pub(super) fn renew(&mut self) {
        self.unpacker = Unpacker::default();
    }

    /// Returns whether judging a bout again gives the same result: only an external referee may not
    /// repeat.
    pub fn can_repeat(&self, bout: &StoredBout) -> bool {
        can_repeat(&self.games, &bout.plan)
    }

    /// Judges `bout` again and returns every difference; none means that the
    /// record is sound.
    ///
    /// # Errors
    ///
    /// [`VerifyError`] when the logs are damaged or of a rules revision that this
    /// version does not know.
    pub fn verify(&mut self, bout: &StoredBout) -> Result<Vec<Difference>, VerifyError> {
        if self.cancel.is_cancelled() {
            return Err(VerifyError::Stopped);
        }
        let mut found = DifferenceList(wrong_key(bout));
        // Its record says that it cannot be judged.
        if is_referee_error(&bout.result.ended) {
            return Ok(found.0);
        }
        let (actions, turns) =
            self.unpacker.unpack_logs(&bout.result.action_log, &bout.result.turn_log);
        let actions = actions.map_err(FoldError::Compression)?;
        let turns = turns.map_err(TurnLogError::Damaged)?;
        let UnpackedTurns { turns, numbers, .. } = UnpackedTurns::read(turns)?;
        let (mut turns, mut sums) = (turns.into_iter(), Vec::new());
        let end =
            judge(&self.games, &bout.plan, actions, &self.cancel, |judged| match turns.next() {
                Some(turn) => {
                    let seat = turn.seat().index();
                    sums.resize(sums.len().max(seat + 1), SeatSums::default());
                    sums[seat].verdicts.add(turn.verdict());
                    sums[seat].limits.extend(turn.limits);
                    found.compare_turn(&judged, &turn);
                }
                None => found.compare(|| place(&judged), &"no turn", &judged.verdict),
            })?;
        found.compare(|| "turns left over".to_owned(), &turns.count(), &0);
        found.compare(|| "inputs left over".to_owned(), &end.left_over, &0);
        found.compare_sums(&sums, bout);
        found.compare_numbers(&numbers, &end.numbers);
        found.compare_summaries(&numbers, bout);
        found.compare_outcome(&end, bout);
        Ok(found.0)
    }

    /// Returns whether the referee fails on the record of a bout.
    pub(crate) fn fails_over(&mut self, bout: &StoredBout) -> bool {
        let (actions, _) =
            self.unpacker.unpack_logs(&bout.result.action_log, &bout.result.turn_log);
        actions.is_ok_and(|actions| {
            judge(&self.games, &bout.plan, actions, &self.cancel, |_| {}).is_err()
        })
    }
}

/// Judges one bout again; see [`Verifier::verify`].
///
/// # Errors
///
/// As [`Verifier::verify`].
pub fn verify(games: &Catalogue, bout: &StoredBout) -> Result<Vec<Difference>, VerifyError> {
    Verifier::new(games.clone()).verify(bout)
}

/// Returns whether judging a bout again gives the same result; see [`Verifier::can_repeat`].
pub fn can_repeat(games: &Catalogue, plan: &BoutPlan) -> bool {
    games.find(&plan.game).is_none_or(|game| game.spec().can_repeat())
}

/// Compares the result's key with its plan's key.
pub(super) fn wrong_key(bout: &StoredBout) -> Vec<Difference> {
    let mut found = DifferenceList(Vec::new());
    found.compare(|| "plan key".to_owned(), &bout.result.key, &bout.plan.key());
    found.0
}

fn shown_number(number: &NumberRecord) -> String {
    let NumberRecord { round, seat, name, value, .. } = number;
    format!("{name} of seat {seat} is {value} after {}", counted(*round as usize, "round"))
}

fn names(limits: LimitSet) -> String {
    limits.iter().map(Limit::name).collect::<Vec<_>>().join(" ")
}

fn place(judged: &JudgedTurn<'_>) -> String {
    format!("round {}, seat {}", judged.round, judged.seat)
}

/// Sums of a seat's verdicts and counts over all its turns.
#[derive(Clone, Copy, Debug, Default)]
struct SeatSums {
    verdicts: VerdictCounts,
    limits: LimitSet,
}

/// Limits that can cause the verdict `disk-limit`.
const FULL: [Limit; 2] = [Limit::Disk, Limit::Files];

struct DifferenceList(Vec<Difference>);

impl DifferenceList {
    fn compare<A: Display, B: Display>(
        &mut self,
        what: impl FnOnce() -> String,
        recorded: &A,
        judged: &B,
    ) {
        let (recorded, judged) = (recorded.to_string(), judged.to_string());
        if recorded != judged && self.0.len() < MOST_DIFFERENCES {
            self.0.push(Difference { what: what(), recorded, judged });
        }
    }

    fn compare_turn(&mut self, judged: &JudgedTurn<'_>, turn: &TurnVerdict<'_>) {
        let verdict = turn.verdict();
        if turn.round != judged.round {
            self.compare(|| format!("{}, round", place(judged)), &turn.round, &judged.round);
        }
        if turn.seat() != judged.seat {
            self.compare(|| format!("{}, seat", place(judged)), &turn.seat(), &judged.seat);
        }
        if turn.action != judged.action {
            self.compare(|| format!("{}, action", place(judged)), &turn.action, &judged.action);
        }
        if verdict != judged.verdict {
            self.compare(|| format!("{}, verdict", place(judged)), &verdict, &judged.verdict);
        }
        if verdict == Verdict::DiskLimit && !FULL.iter().any(|limit| turn.limits.contains(*limit)) {
            let touched = "no limit of the scratch touched";
            self.compare(|| format!("{}, limits", place(judged)), &touched, &verdict);
        }
    }

    /// Compares the recorded sums of the seats with their turns. Limits that the long-lived bots of
    /// a game on a clock touched are known for the bout, not for a turn.
    fn compare_sums(&mut self, sums: &[SeatSums], bout: &StoredBout) {
        for (seat, result) in bout.result.seats.iter().enumerate() {
            let sum = sums.get(seat).copied().unwrap_or_default();
            for verdict in Verdict::ALL {
                let (said, found) = (result.verdicts.of(verdict), sum.verdicts.of(verdict));
                if said != found {
                    self.compare(|| format!("seat {seat}, turns `{verdict}`"), &said, &found);
                }
            }
            if bout.plan.clock.is_none() && result.limits_hit != sum.limits {
                let (said, found) = (names(result.limits_hit), names(sum.limits));
                self.compare(|| format!("seat {seat}, limits"), &said, &found);
            }
        }
    }

    /// Compares the recorded numbers of the referee with those that it counts now; numbers that
    /// bots reported themselves cannot be counted again.
    fn compare_numbers(&mut self, recorded: &[NumberRecord], judged: &[NumberRecord]) {
        let mut recorded = recorded.iter().filter(|one| one.source == NumberSource::Referee);
        let mut judged = judged.iter();
        loop {
            match (recorded.next(), judged.next()) {
                (None, None) => return,
                (was, is) if was == is => {}
                // What follows the first that differs is of no use.
                (was, is) => {
                    let place = was.or(is).map_or(0, |number| number.round);
                    let shown = |number: Option<&NumberRecord>| {
                        number.map_or("no number".to_owned(), shown_number)
                    };
                    let what = || format!("after {}, number", counted(place as usize, "round"));
                    return self.compare(what, &shown(was), &shown(is));
                }
            }
        }
    }

    /// Compares the recorded totals of the seats' numbers with those of the turns.
    fn compare_summaries(&mut self, numbers: &[NumberRecord], bout: &StoredBout) {
        for (seat, result) in (0..).zip(&bout.result.seats) {
            let of_turns = SeatNumbers::of(numbers, seat);
            if result.numbers != of_turns {
                self.compare(|| format!("seat {seat}, numbers"), &result.numbers, &of_turns);
            }
        }
    }

    fn compare_outcome(&mut self, end: &JudgedEnd, bout: &StoredBout) {
        let recorded = &bout.result;
        let Some(outcome) = &end.outcome else {
            return self.compare(|| "end".to_owned(), &recorded.ended, &"not over");
        };
        self.compare(|| "end".to_owned(), &recorded.ended, &outcome.ended);
        self.compare(|| "rounds".to_owned(), &recorded.rounds, &outcome.rounds);
        self.compare(|| "state hash".to_owned(), &recorded.state_hash, &end.state_hash);
        for (seat, result) in recorded.seats.iter().enumerate() {
            let Some(judged) = outcome.seats.0.get(seat) else {
                self.compare(|| format!("seat {seat}"), &result.bot, &"no seat");
                continue;
            };
            self.compare(|| format!("seat {seat}, rank"), &result.rank, &judged.rank);
            self.compare(|| format!("seat {seat}, score"), &result.score, &judged.score);
        }
    }
}

/// Reason why a bout cannot be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// Its action log cannot be judged.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// Its turn log cannot be read.
    #[error(transparent)]
    Turns(#[from] TurnLogError),
    /// The referee failed over it.
    #[error("{0}")]
    Panicked(String),
    /// The verification is being stopped.
    #[error("stopped")]
    Stopped,
}

/// Judgement of an answer.
pub(super) struct JudgedTurn<'a> {
    pub(super) round: Round,
    pub(super) seat: Seat,
    pub(super) verdict: Verdict,
    pub(super) action: &'a str,
}

/// End of a recorded bout.
pub(super) struct JudgedEnd {
    /// `None` when it was not over.
    pub(super) outcome: Option<Outcome>,
    pub(super) state_hash: StateHash,
    /// Recorded inputs after the bout was over.
    pub(super) left_over: usize,
    /// Numbers that the referee counted.
    pub(super) numbers: Vec<NumberRecord>,
}

/// Judges a recorded bout; `log` is its action log, decompressed. `take` is called with every
/// judgement, in order.
pub(super) fn judge(
    games: &Catalogue,
    plan: &BoutPlan,
    log: &[u8],
    cancel: &Cancel,
    mut take: impl FnMut(JudgedTurn<'_>),
) -> Result<JudgedEnd, VerifyError> {
    let refuse_stopped = || if cancel.is_cancelled() { Err(VerifyError::Stopped) } else { Ok(()) };
    let mut inputs = LogReader::new(log).map_err(FoldError::Log)?;
    let mut fold = Fold::start(games, plan, Outputs::without_views())?;
    let (mut outcome, mut numbers) = (None, Vec::new());
    absorb(fold.judge().rounds(), fold.outputs(), &mut outcome, &mut numbers, &mut take);
    while outcome.is_none() || !fold.has_completed_round() {
        refuse_stopped()?;
        let Some(input) = inputs.lend() else { break };
        let round = fold.judge().rounds();
        fold.apply_input(input.map_err(FoldError::Log)?)?;
        absorb(round, fold.outputs(), &mut outcome, &mut numbers, &mut take);
    }
    let mut left_over = 0;
    while let Some(input) = inputs.lend() {
        refuse_stopped()?;
        input.map_err(FoldError::Log)?;
        left_over += 1;
    }
    Ok(JudgedEnd { outcome, state_hash: fold.state_hash()?, left_over, numbers })
}

/// Processes the referee's output for a round: judgements, the end, and the numbers it counted.
fn absorb(
    round: u32,
    said: &[Output],
    outcome: &mut Option<Outcome>,
    numbers: &mut Vec<NumberRecord>,
    take: &mut impl FnMut(JudgedTurn<'_>),
) {
    for output in said {
        match output {
            Output::Judged { seat, verdict, action, .. } => {
                take(JudgedTurn { round: Round(round), seat: *seat, verdict: *verdict, action });
            }
            Output::Over(over) => *outcome = Some(over.clone()),
            Output::Numbers { after, numbers: counted } => {
                numbers.extend(counted.iter().map(|number| NumberRecord {
                    round: *after,
                    seat: number.seat.0,
                    source: NumberSource::Referee,
                    name: number.name.to_string(),
                    value: number.value,
                }));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use joust_referee::log::LogWriter;
    use joust_referee::{Input, Parts, RequestId};
    use joust_testkit::fixtures;

    use super::*;

    fn answer(request: u32, bytes: Vec<u8>) -> Input {
        let (seat, request) = (Seat((request % 2) as u8), RequestId(request));
        Input::Answer { seat, request, parts: Parts::single(bytes), verdict: Verdict::Ok }
    }

    #[test]
    fn a_judgement_that_is_stopped_does_not_go_on_to_the_log_s_end() {
        let (plan, _) = fixtures::bout("league", ["anna", "bert"], 1);
        let mut log = LogWriter::new();
        (0..40).for_each(|request| log.push(&answer(request, b"NO".to_vec())));
        let (cancel, mut turns) = (Cancel::default(), 0);
        let take = |_: JudgedTurn<'_>| {
            turns += 1;
            cancel.cancel();
        };
        let judged = judge(&Catalogue::built_in(), &plan, &log.to_bytes(), &cancel, take);
        assert!(matches!(judged, Err(VerifyError::Stopped)));
        assert_eq!(turns, 2, "one round was judged");
    }

    #[test]
    fn answers_of_more_than_4_gib_are_refused_however_short_their_log_is() {
        let (plan, _) = fixtures::bout("league", ["anna", "bert"], 1);
        let games = Catalogue::built_in();
        let mut fold = Fold::start(&games, &plan, Outputs::without_views()).unwrap();
        // It answers nothing that was asked.
        let long = answer(99, vec![0; 64 << 20]);
        for _ in 0..64 {
            fold.apply_input(&long).unwrap();
        }
        assert!(matches!(fold.apply_input(&long), Err(FoldError::TooMuch)));
    }

    #[test]
    fn inputs_that_a_referee_keeps_are_refused_when_they_are_too_many() {
        let (plan, _) = fixtures::bout("league", ["anna", "bert"], 1);
        let games = Catalogue::built_in();
        let mut fold = Fold::start(&games, &plan, Outputs::without_views()).unwrap();
        let draw = Input::Resolved { draw: String::new(), values: vec![0; 1 << 20] };
        for _ in 0..31 {
            fold.apply_input(&draw).unwrap();
        }
        assert!(matches!(fold.apply_input(&draw), Err(FoldError::TooManyInputs)));
    }
}
