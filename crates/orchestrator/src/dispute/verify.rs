//! Judges a recorded bout again from its action log, without running a bot.

use std::fmt::Display;

use super::fold::FoldError;
use super::judge::{End, Judged, judge};
use crate::model::{StoredBout, TurnLogError, TurnVerdict, TurnVerdicts, Unpacker, Verdict};

/// Why a bout cannot be verified.
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
    /// What differs.
    pub what: String,
    /// What the database says.
    pub recorded: String,
    /// What the referee says.
    pub judged: String,
}

/// Judges bouts, one after the other, with the memory of the one before.
#[derive(Default)]
pub struct Verifier {
    unpacker: Unpacker,
}

impl Verifier {
    /// Judges `bout` again and returns every difference; none means that the
    /// record is sound.
    ///
    /// # Errors
    ///
    /// [`VerifyError`] when the logs are damaged or of a rules revision that this
    /// version does not know.
    pub fn verify(&mut self, bout: &StoredBout) -> Result<Vec<Difference>, VerifyError> {
        let mut found = Differences(Vec::new());
        found.compare(|| "plan key".to_owned(), &bout.result.key, &bout.plan.key());
        let (actions, turns) = self.unpacker.both(&bout.result.action_log, &bout.result.turn_log);
        let actions = actions.map_err(FoldError::Compression)?;
        let turns = turns.map_err(TurnLogError::Damaged)?;
        let mut turns = TurnVerdicts::of(turns)?;
        let mut damage = None;
        let end = judge(&bout.plan, actions, |judged| match turns.next() {
            Some(Ok(turn)) => found.compare_turn(&judged, &turn),
            None => found.compare(|| place(&judged), &"no turn", &judged.verdict),
            Some(Err(error)) => damage = damage.take().or(Some(error)),
        })?;
        if let Some(error) = damage {
            return Err(error.into());
        }
        let mut left_over = 0_usize;
        for turn in turns {
            turn?;
            left_over += 1;
        }
        found.compare(|| "turns left over".to_owned(), &left_over, &0);
        found.compare(|| "inputs left over".to_owned(), &end.left_over, &0);
        found.compare_outcome(&end, bout);
        Ok(found.0)
    }
}

/// Judges one bout again; see [`Verifier::verify`].
///
/// # Errors
///
/// As [`Verifier::verify`].
pub fn verify(bout: &StoredBout) -> Result<Vec<Difference>, VerifyError> {
    Verifier::default().verify(bout)
}

fn place(judged: &Judged<'_>) -> String {
    format!("round {}, seat {}", judged.round, judged.seat)
}

struct Differences(Vec<Difference>);

impl Differences {
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

    fn compare_turn(&mut self, judged: &Judged<'_>, turn: &TurnVerdict<'_>) {
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
        // The machine, not the referee, sees that a scratch was full.
        if verdict != judged.verdict && verdict != Verdict::DiskLimit {
            self.compare(|| format!("{}, verdict", place(judged)), &verdict, &judged.verdict);
        }
    }

    fn compare_outcome(&mut self, end: &End, bout: &StoredBout) {
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
