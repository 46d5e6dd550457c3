//! A whole database judged again, on every core, and compared with its chain.
//!
//! One reader hands pages of bouts to the judges; what they find comes back in
//! the order of the rows. Memory holds a few pages and the chain's own list of
//! bouts, however large the logs are.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use super::verify::{Difference, Verifier};
use crate::model::{BoutId, StoredBout};
use crate::store::{Check, Inconsistency, Recorded, Store, StoreError};

/// What came of one bout.
#[derive(Clone, Debug)]
pub struct BoutAudit {
    /// The bout.
    pub bout: BoutId,
    /// Its bots, in seat order; none when its rows cannot be read.
    pub bots: Vec<String>,
    /// Everything that is wrong with it; none means that it is sound.
    pub problems: Vec<String>,
}

/// What came of everything but bouts.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// Bouts that agree with their record.
    pub sound: u64,
    /// Bouts that do not.
    pub unsound: u64,
    /// Other rows that are not as the chain says, and bouts that are gone.
    pub others: Vec<Inconsistency>,
    /// Whether it was stopped before the end.
    pub is_stopped: bool,
}

/// How a database is audited.
pub struct Auditor<'a> {
    /// How many bouts are judged at once.
    pub jobs: usize,
    /// Says whether to stop.
    pub is_stopped: &'a (dyn Fn() -> bool + Send + Sync),
    /// Is told of every bout, in the order of the rows.
    pub listen: &'a mut (dyn FnMut(&BoutAudit) + Send),
}

type Page = (u64, Vec<Recorded>);
type Judged = (u64, Vec<BoutAudit>);

impl Auditor<'_> {
    /// Audits the whole database.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn audit(&mut self, store: &Store) -> Result<Audit, StoreError> {
        let mut ledger = store.ledger().await?;
        let mut audit = Audit::default();
        let jobs = self.jobs.max(1);
        let (pages, judges) = mpsc::channel::<Page>(jobs);
        let judges = Arc::new(Mutex::new(judges));
        let (results, mut judged) = mpsc::channel::<Judged>(jobs * 4);
        let threads: Vec<_> = (0..jobs)
            .map(|_| {
                let (judges, results) = (Arc::clone(&judges), results.clone());
                std::thread::spawn(move || judge_pages(&judges, &results))
            })
            .collect();
        drop(results);
        let mut waiting = BTreeMap::new();
        let mut chained: BTreeMap<u64, Vec<Vec<Inconsistency>>> = BTreeMap::new();
        let (mut last, mut next, mut sent) = (i64::MIN, 0, 0);
        let mut pages = Some(pages);
        loop {
            if pages.is_some() && sent - next < 4 * jobs as u64 {
                let page = store.bouts_after(last).await?;
                audit.is_stopped = (self.is_stopped)();
                match page.last().filter(|_| !audit.is_stopped) {
                    None => pages = None,
                    Some(newest) => {
                        last = newest.number;
                        chained.insert(sent, page.iter().map(|one| ledger.check(one)).collect());
                        let channel = pages.as_ref().expect("there are more");
                        drop(channel.send((sent, page)).await);
                        sent += 1;
                        continue;
                    }
                }
            }
            let Some((number, found)) = judged.recv().await else { break };
            waiting.insert(number, found);
            while let Some(found) = waiting.remove(&next) {
                let chained = chained.remove(&next).unwrap_or_default();
                self.hear(&mut audit, found, chained);
                next += 1;
            }
        }
        for thread in threads {
            thread.join().expect("judging does not panic");
        }
        let check = if audit.is_stopped { Check::Some } else { Check::Everything };
        audit.others = store.close_ledger(ledger, check).await?;
        Ok(audit)
    }

    fn hear(&mut self, audit: &mut Audit, found: Vec<BoutAudit>, chained: Vec<Vec<Inconsistency>>) {
        for (mut bout, chained) in found.into_iter().zip(chained) {
            bout.problems.extend(chained.into_iter().map(|one| one.problem));
            if bout.problems.is_empty() {
                audit.sound += 1;
            } else {
                audit.unsound += 1;
            }
            (self.listen)(&bout);
        }
    }
}

fn judge_pages(pages: &Mutex<mpsc::Receiver<Page>>, results: &mpsc::Sender<Judged>) {
    let mut verifier = Verifier::default();
    loop {
        let next = pages.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
        let Some((number, page)) = next else { return };
        let judged = page.iter().map(|recorded| judge(&mut verifier, recorded)).collect();
        if results.blocking_send((number, judged)).is_err() {
            return;
        }
    }
}

fn judge(verifier: &mut Verifier, recorded: &Recorded) -> BoutAudit {
    let bout = recorded.bout();
    match &recorded.stored {
        Err(error) => BoutAudit { bout, bots: Vec::new(), problems: vec![error.to_string()] },
        Ok(stored) => audit_one(verifier, stored),
    }
}

/// Judges one bout.
#[must_use]
pub fn audit_one(verifier: &mut Verifier, stored: &StoredBout) -> BoutAudit {
    let problems = match verifier.verify(stored) {
        Ok(differences) => differences.iter().map(Difference::to_string).collect(),
        Err(error) => vec![with_causes(&error)],
    };
    let bots = stored.plan.seats.iter().map(|seat| seat.bot.clone()).collect();
    BoutAudit { bout: stored.plan.bout, bots, problems }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.ends_with(&words) {
            text = format!("{text}: {words}");
        }
        cause = inner.source();
    }
    text
}
