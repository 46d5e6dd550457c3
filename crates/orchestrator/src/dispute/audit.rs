//! A whole database judged again, on every core, and compared with its chain.
//!
//! One reader hands pages of rows to the judges, who make bouts of them; what they
//! find comes back in the order of the rows, those last of which a later file's chain tells. Memory
//! holds a few pages and the chain's own list of the bouts of one file, however large the logs are.

use async_recursion::async_recursion as boxed;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::mpsc;

use super::verify::{Difference, Verifier, VerifyError, wrong_key};
use joust_model::panics::caught;
use joust_model::{BoutId, StoredBout, is_referee_error};
use joust_referee::Catalogue;
use joust_store::{Check, Inconsistency, Ledger, Mark, Page, Recorded, Store, StoreError};

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
    pub judging: Judging,
}

/// State of a bout's second judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judging {
    /// Judged again.
    Done,
    /// Not judged: its turns were not kept.
    NoTurns,
    /// Not judged: its game does not say that it repeats.
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
    /// Bouts whose game does not say that it repeats, for which the same holds.
    pub unrepeatable: u64,
    /// Other rows that are not as the chain says, and bouts that are gone.
    pub others: Vec<Inconsistency>,
    /// True if it was stopped before the end.
    pub is_stopped: bool,
}

/// Settings for auditing a database.
pub struct Auditor<'a> {
    /// The games there are.
    pub games: &'a Catalogue,
    /// Number of bouts judged at once.
    pub jobs: usize,
    /// Returns true to stop.
    pub is_stopped: &'a (dyn Fn() -> bool + Send + Sync),
    /// Is told of every bout, in the order of the rows.
    pub listen: &'a mut (dyn FnMut(&BoutAudit) + Send),
}

/// A page and its number.
type Numbered<T> = (u64, T);

/// A judge's finding on a bout.
struct Finding {
    bout: BoutAudit,
    /// Mark to check against the chain.
    mark: Mark,
}

/// Findings of a page.
type Judged = Result<Vec<Finding>, StoreError>;

impl Audit {
    /// Counts a bout.
    pub fn count(&mut self, bout: &BoutAudit) {
        match bout.problems.is_empty() {
            true => self.sound += 1,
            false => self.unsound += 1,
        }
        match bout.judging {
            Judging::Done => {}
            Judging::NoTurns => self.unjudged += 1,
            Judging::NotRepeatable => self.unrepeatable += 1,
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
        let (mut judges, pages, mut judged) = Judges::start(self.games, self.jobs.max(1));
        let mut pages = Some(pages);
        let mut waiting = BTreeMap::new();
        let (mut last, mut next, mut sent) = (i64::MIN, 0, 0);
        loop {
            if let Some(channel) = pages.as_ref().filter(|_| sent - next < judges.pages_at_once()) {
                let page = store.page_after(last).await?;
                audit.is_stopped = (self.is_stopped)();
                match page.newest().filter(|_| !audit.is_stopped) {
                    None => pages = None,
                    Some(newest) => {
                        last = newest;
                        drop(channel.send((sent, page)).await);
                        sent += 1;
                    }
                }
                continue;
            }
            let Some((number, found)) = judged.recv().await else { break };
            waiting.insert(number, found?);
            while let Some(bouts) = waiting.remove(&next) {
                bouts.into_iter().for_each(|found| self.hear(&mut audit, &mut ledger, found));
                next += 1;
            }
        }
        judges.join();
        let check = if audit.is_stopped { Check::Some } else { Check::Everything };
        audit.others = store.close_ledger(ledger, check).await?;
        Ok(audit)
    }

    fn hear(&mut self, audit: &mut Audit, ledger: &mut Ledger, found: Finding) {
        let Finding { mut bout, mark } = found;
        let chained = ledger.check_mark(&mark);
        bout.problems.extend(chained.into_iter().map(|one| one.problem));
        audit.count(&bout);
        (self.listen)(&bout);
    }
}

/// The threads that judge.
struct Judges(Vec<JoinHandle<()>>);

impl Judges {
    /// Starts so many, and returns the channels to and from them.
    fn start(
        games: &Catalogue,
        jobs: usize,
    ) -> (Self, mpsc::Sender<Numbered<Page>>, mpsc::Receiver<Numbered<Judged>>) {
        let (pages, judges) = mpsc::channel(jobs);
        let judges = Arc::new(Mutex::new(judges));
        let (results, judged) = mpsc::channel(jobs * 4);
        let judge = |_| {
            let (judges, results) = (Arc::clone(&judges), results.clone());
            let verifier = Verifier::new(games.clone());
            std::thread::Builder::new().spawn(move || judge_pages(verifier, &judges, &results)).ok()
        };
        let threads: Vec<_> = (0..jobs).map_while(judge).collect();
        if threads.is_empty() {
            // The runtime has one to spare.
            let verifier = Verifier::new(games.clone());
            tokio::task::spawn_blocking(move || judge_pages(verifier, &judges, &results));
        }
        (Self(threads), pages, judged)
    }

    /// Returns how many pages are read before their bouts were heard of.
    fn pages_at_once(&self) -> u64 {
        4 * self.0.len().max(1) as u64
    }

    fn join(&mut self) {
        for thread in self.0.drain(..) {
            thread.join().expect("judging does not panic");
        }
    }
}

fn judge_pages(
    mut verifier: Verifier,
    pages: &Mutex<mpsc::Receiver<Numbered<Page>>>,
    results: &mpsc::Sender<Numbered<Judged>>,
) {
    loop {
        let next = pages.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
        let Some((number, page)) = next else { return };
        let judged = judge_page(&mut verifier, &page);
        if results.blocking_send((number, judged)).is_err() {
            return;
        }
    }
}

/// Judges the bouts of a page, the last one first: what a referee of somebody's own takes from one bout
/// into the next it would take along again in the order in which they were played, and be found to agree.
fn judge_page(verifier: &mut Verifier, page: &Page) -> Judged {
    let recorded = page.assemble()?;
    let judge = |recorded: Recorded| {
        let bout = judge(verifier, &recorded);
        Finding { bout, mark: recorded.mark }
    };
    let mut bouts: Vec<Finding> = recorded.into_iter().rev().map(judge).collect();
    bouts.reverse();
    Ok(bouts)
}

fn judge(verifier: &mut Verifier, recorded: &Recorded) -> BoutAudit {
    let bout = recorded.bout();
    match &recorded.stored {
        Err(error) => {
            let problems = vec![error.to_string()];
            BoutAudit { bout, bots: Vec::new(), problems, judging: Judging::Done }
        }
        Ok(stored) => audit_one(verifier, stored),
    }
}

/// Judges one bout; only its key where its turns were not kept, or its game does not repeat.
#[must_use]
pub fn audit_one(verifier: &mut Verifier, stored: &StoredBout) -> BoutAudit {
    let bots = stored.plan.seats.iter().map(|seat| seat.bot.clone()).collect();
    let judging = match () {
        () if is_referee_error(&stored.result.ended) => Judging::Done,
        () if !verifier.can_repeat(stored) => Judging::NotRepeatable,
        () if !stored.result.has_logs() => Judging::NoTurns,
        () => Judging::Done,
    };
    let problems = match judging {
        Judging::Done => judged(verifier, stored),
        _ => wrong_key(stored).iter().map(Difference::to_string).collect(),
    };
    BoutAudit { bout: stored.plan.bout, bots, problems, judging }
}

fn judged(verifier: &mut Verifier, stored: &StoredBout) -> Vec<String> {
    let verified = caught(|| verifier.verify(stored)).unwrap_or_else(|panic| {
        // What it had in memory may be half of something.
        verifier.renew();
        Err(VerifyError::Panicked(panic))
    });
    match verified {
        Ok(differences) => differences.iter().map(Difference::to_string).collect(),
        Err(error) => vec![with_causes(&error)],
    }
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
