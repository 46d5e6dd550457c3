//! Audit of a whole database: every bout is judged again, on every core, and compared with the
//! chain.
//!
//! As many pages of rows are judged at once as there are jobs; findings are reported in the order
//! of the rows. Only these pages and the chain's own list of bouts are in memory, however large the
//! logs are.

use super::verify::{Difference, Verifier, VerifyError, wrong_key};
use crate::tasks::TaskQueue;
use crate::with_causes;
use async_recursion::async_recursion as boxed;
use joust_model::cancel::Cancel;
use joust_model::panics::catch_panic;
use joust_model::{BoutId, StoredBout, is_referee_error};
use joust_referee::Catalogue;
use joust_store::{
    BoutPage, ChainMark, CheckScope, Inconsistency, Ledger, RecordedBout, Store, StoreError,
};

/// Result of auditing one bout.
#[derive(Clone, Debug)]
pub struct BoutAudit {
    /// The bout.
    pub bout: BoutId,
    /// Its bots, in seat order; none when its rows cannot be read.
    pub bots: Vec<String>,
    /// Everything that is wrong with it; none means that it is sound.
    pub problems: Vec<String>,
    /// State of the second judgement.
    pub judging: JudgingState,
}

/// State of a bout's second judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgingState {
    /// Judged again.
    Done,
    /// Not judged: its turns were not kept.
    NoTurns,
    /// Not judged: its game does not declare that it is repeatable.
    NotRepeatable,
}

/// Result of the audit, apart from its bouts.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// Bouts that agree with their record.
    pub sound: u64,
    /// Bouts that do not.
    pub unsound: u64,
    /// Bouts whose turns were not kept, so that only the chain vouches for them.
    pub unjudged: u64,
    /// Bouts whose game does not declare that it is repeatable; they are not judged either.
    pub unrepeatable: u64,
    /// Other rows that differ from the chain, and missing bouts.
    pub others: Vec<Inconsistency>,
    /// True if it was stopped before the end.
    pub is_stopped: bool,
}

/// Settings for auditing a database.
pub struct Auditor<'a> {
    /// The games there are.
    pub games: &'a Catalogue,
    /// Number of pages of bouts judged at once.
    pub jobs: usize,
    /// Signal to stop.
    pub cancel: Cancel,
    /// Callback for every bout, in the order of the rows.
    pub listen: &'a mut (dyn FnMut(&BoutAudit) + Send),
}

/// A judge's finding on a bout.
struct AuditFinding {
    bout: BoutAudit,
    /// Mark to check against the chain.
    mark: ChainMark,
}

impl Audit {
    /// Counts a bout.
    pub fn count(&mut self, bout: &BoutAudit) {
        match bout.problems.is_empty() {
            true => self.sound += 1,
            false => self.unsound += 1,
        }
        match bout.judging {
            JudgingState::Done => {}
            JudgingState::NoTurns => self.unjudged += 1,
            JudgingState::NotRepeatable => self.unrepeatable += 1,
        }
    }
}

impl Auditor<'_> {
    /// Audits the whole database.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    #[boxed]
    pub async fn audit(&mut self, store: &Store) -> Result<Audit, StoreError> {
        let mut ledger = store.ledger().await?;
        let mut audit = Audit::default();
        let (mut last, mut judging) = (i64::MIN, TaskQueue::new(self.jobs));
        loop {
            let page = store.page_after(last).await?;
            audit.is_stopped = self.cancel.is_cancelled();
            let Some(newest) = page.newest.filter(|_| !audit.is_stopped) else { break };
            last = newest;
            let mut verifier = Verifier::new(self.games.clone());
            verifier.cancel = self.cancel.clone();
            if let Some(judged) = judging.push(move || judge_page(verifier, &page)).await {
                self.record(&mut audit, &mut ledger, judged?);
            }
        }
        while let Some(judged) = judging.next().await {
            self.record(&mut audit, &mut ledger, judged?);
        }
        audit.is_stopped |= self.cancel.is_cancelled();
        let check = if audit.is_stopped { CheckScope::Some } else { CheckScope::Everything };
        audit.others = store.close_ledger(ledger, check).await?;
        Ok(audit)
    }

    fn record(&mut self, audit: &mut Audit, ledger: &mut Ledger, findings: Vec<AuditFinding>) {
        // What was judged meanwhile may not have been judged to its end.
        if self.cancel.is_cancelled() {
            return;
        }
        for AuditFinding { mut bout, mark } in findings {
            let chained = ledger.check_mark(&mark);
            bout.problems.extend(chained.into_iter().map(|one| one.problem));
            audit.count(&bout);
            (self.listen)(&bout);
        }
    }
}

/// Judges the bouts of a page, the last one first. A custom referee that carries state from one
/// bout into the next would carry the same state again if the bouts were judged in the order in
/// which they were played, and the audit would not notice.
fn judge_page(mut verifier: Verifier, page: &BoutPage) -> Result<Vec<AuditFinding>, StoreError> {
    let recorded = page.assemble()?;
    let judge = |recorded: RecordedBout| {
        let bout = judge(&mut verifier, &recorded);
        AuditFinding { bout, mark: recorded.mark }
    };
    let mut bouts: Vec<AuditFinding> = recorded.into_iter().rev().map(judge).collect();
    bouts.reverse();
    Ok(bouts)
}

fn judge(verifier: &mut Verifier, recorded: &RecordedBout) -> BoutAudit {
    let bout = recorded.bout();
    match &recorded.stored {
        Err(error) => {
            let problems = vec![error.to_string()];
            BoutAudit { bout, bots: Vec::new(), problems, judging: JudgingState::Done }
        }
        Ok(stored) => audit_one(verifier, stored),
    }
}

/// Judges one bout; only its key where its turns were not kept, or its game does not repeat.
pub fn audit_one(verifier: &mut Verifier, stored: &StoredBout) -> BoutAudit {
    let bots = stored.plan.seats.iter().map(|seat| seat.bot.clone()).collect();
    let judging = match () {
        () if is_referee_error(&stored.result.ended) => JudgingState::Done,
        () if !verifier.can_repeat(stored) => JudgingState::NotRepeatable,
        () if !stored.result.has_logs() => JudgingState::NoTurns,
        () => JudgingState::Done,
    };
    let problems = match judging {
        JudgingState::Done => judged(verifier, stored),
        _ => wrong_key(stored).iter().map(Difference::to_string).collect(),
    };
    BoutAudit { bout: stored.plan.bout, bots, problems, judging }
}

fn judged(verifier: &mut Verifier, stored: &StoredBout) -> Vec<String> {
    let verified = catch_panic(|| verifier.verify(stored)).unwrap_or_else(|panic| {
        // What it had in memory may be half of something.
        verifier.renew();
        Err(VerifyError::Panicked(panic))
    });
    match verified {
        Ok(differences) => differences.iter().map(Difference::to_string).collect(),
        Err(error) => vec![with_causes(&error)],
    }
}
