//! Judges a recorded bout again from its action log, without running a bot.

use std::fmt::Display;

use super::judge::{JudgedEnd, JudgedTurn, judge};
use joust_model::{
    BoutPlan, FoldError, Limit, LimitSet, NumberRecord, NumberSource, SeatNumbers, StoredBout,
    TurnLogError, TurnVerdict, TurnVerdicts, Unpacker, Verdict, VerdictCounts, counted,
    is_referee_error,
};
use joust_referee::Catalogue;

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
}

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
}

impl Verifier {
    /// Makes a judge of bouts of these games.
    pub fn new(games: Catalogue) -> Self {
        Self { games, unpacker: Unpacker::default() }
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
        let mut found = DifferenceList(wrong_key(bout));
        // Its record says that it cannot be judged.
        if is_referee_error(&bout.result.ended) {
            return Ok(found.0);
        }
        let (actions, turns) =
            self.unpacker.unpack_logs(&bout.result.action_log, &bout.result.turn_log);
        let actions = actions.map_err(FoldError::Compression)?;
        let turns = turns.map_err(TurnLogError::Damaged)?;
        let (mut turns, mut sums) = (TurnVerdicts::of(turns)?, Vec::new());
        let numbers = turns.numbers();
        let end = judge(&self.games, &bout.plan, actions, |judged| match turns.next() {
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
}

impl Verifier {
    /// Returns whether the referee fails on the record of a bout.
    pub(crate) fn fails_over(&mut self, bout: &StoredBout) -> bool {
        let (actions, _) =
            self.unpacker.unpack_logs(&bout.result.action_log, &bout.result.turn_log);
        actions.is_ok_and(|actions| judge(&self.games, &bout.plan, actions, |_| {}).is_err())
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
        if recorded != judged {
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
