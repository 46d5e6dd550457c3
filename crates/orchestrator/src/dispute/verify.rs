//! Judges a recorded bout again from its action log, without running a bot.

use super::fold::{Fold, FoldError};
use crate::model::{StoredBout, TurnLog, TurnLogError, Verdict};

/// Why a bout cannot be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// Its action log cannot be judged.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// Its turn log cannot be read.
    #[error(transparent)]
    Turns(#[from] TurnLogError),
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

/// Judges `bout` again and returns every difference; none means that the
/// record is sound.
///
/// # Errors
///
/// [`VerifyError`] when the logs are damaged or of a rules revision that this
/// version does not know.
pub fn verify(bout: &StoredBout) -> Result<Vec<Difference>, VerifyError> {
    let mut differences = Differences(Vec::new());
    let key = bout.plan.key();
    differences.compare("plan key", &bout.result.key, &key);
    let mut fold = Fold::open(&bout.plan, &bout.result.action_log)?;
    let turns = TurnLog::read(&bout.result.turn_log)?;
    differences.compare_turns(&mut fold, &turns);
    differences.compare_outcome(&fold, bout);
    Ok(differences.0)
}

struct Differences(Vec<Difference>);

impl Differences {
    fn compare(&mut self, what: &str, recorded: &impl ToString, judged: &impl ToString) {
        let (recorded, judged) = (recorded.to_string(), judged.to_string());
        if recorded != judged {
            self.0.push(Difference { what: what.to_owned(), recorded, judged });
        }
    }

    fn compare_turns(&mut self, fold: &mut Fold, turns: &[crate::model::TurnRecord]) {
        let mut turns = turns.iter();
        for frame in fold.by_ref() {
            for judgement in frame.judgements {
                let place = format!("round {}, seat {}", frame.round, judgement.seat);
                let Some(turn) = turns.next() else {
                    self.compare(&place, &"no turn", &judgement.verdict);
                    continue;
                };
                self.compare(&format!("{place}, action"), &turn.action, &judgement.action);
                // The machine, not the referee, sees that a scratch was full.
                if turn.verdict() != Verdict::DiskLimit {
                    self.compare(&format!("{place}, verdict"), &turn.verdict(), &judgement.verdict);
                }
            }
        }
        self.compare("turns left over", &turns.len(), &0);
        self.compare("inputs left over", &fold.left_over(), &0);
    }

    fn compare_outcome(&mut self, fold: &Fold, bout: &StoredBout) {
        let recorded = &bout.result;
        let Some(outcome) = fold.outcome() else {
            self.compare("end", &recorded.ended, &"not over");
            return;
        };
        self.compare("end", &recorded.ended, &outcome.ended);
        self.compare("rounds", &recorded.rounds, &outcome.rounds);
        self.compare("state hash", &recorded.state_hash, &fold.state_hash());
        for (seat, result) in recorded.seats.iter().enumerate() {
            let Some(judged) = outcome.seats.0.get(seat) else {
                self.compare(&format!("seat {seat}"), &result.bot, &"no seat");
                continue;
            };
            self.compare(&format!("seat {seat}, rank"), &result.rank, &judged.rank);
            self.compare(&format!("seat {seat}, score"), &result.score, &judged.score);
        }
    }
}
