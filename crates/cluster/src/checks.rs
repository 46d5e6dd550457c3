//! Checks of a coordinator: guests' results that wait for a second play, what came of those
//! before, and workers that are set aside.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use joust_model::{BoutId, BoutResult};
use joust_play::executor::{Assignment, Delivery};

use crate::rates::{Excess, Tally, excess, favour};
use crate::signature::Signature;
use crate::trust::{Finding, Trust, are_alike, has_decisive_fault, is_drawn, is_guest, judged};

/// A guest's results that wait.
struct Check {
    guest: String,
    results: Vec<BoutResult>,
    /// A play of one's own that differs.
    own: Option<Vec<BoutResult>>,
}

/// What is done with a second play.
pub(crate) enum Checked {
    /// The machines differ; a third play decides.
    Again,
    /// These results are the bout's.
    Settled(Settled),
}

/// What came of a check.
pub(crate) struct Settled {
    /// The results that count.
    pub(crate) results: Vec<BoutResult>,
    /// What was found.
    pub(crate) finding: Finding,
    /// The guest that was checked.
    pub(crate) guest: String,
    /// What the guest sent, where that does not count.
    pub(crate) refused: Vec<BoutResult>,
}

pub(crate) struct Checks {
    secret: u64,
    open: HashMap<BoutId, Check>,
    trust: HashMap<String, Trust>,
    tallies: BTreeMap<String, Tally>,
    aside: BTreeSet<String>,
    /// The key that each guest signed with first.
    keys: HashMap<String, String>,
    /// Signatures of results that came and were not looked at yet.
    signatures: HashMap<BoutId, Vec<Signature>>,
    /// Results of guests that count without a second play.
    unchecked: HashMap<String, u64>,
    /// Bots of bouts of which no two plays were alike: they, or their opponents, draw luck.
    lucky: BTreeSet<String>,
}

/// Where a coordinator that was lost leaves its checks for the one after it.
pub(crate) type Left = Arc<Mutex<Option<Checks>>>;

/// The checks of one use of a coordinator, which are left for the next one when it ends.
pub(crate) struct Carried {
    checks: Checks,
    left: Left,
}

impl Carried {
    /// Takes what the use before left. Bouts that waited for a second play are handed out anew.
    pub(crate) fn take(left: &Left, secret: u64) -> Self {
        let before = left.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut checks = before.unwrap_or_else(|| Checks::new(secret));
        checks.open.clear();
        checks.signatures.clear();
        checks.aside.retain(|worker| is_guest(worker));
        Self { checks, left: Arc::clone(left) }
    }
}

impl Deref for Carried {
    type Target = Checks;

    fn deref(&self) -> &Checks {
        &self.checks
    }
}

impl DerefMut for Carried {
    fn deref_mut(&mut self) -> &mut Checks {
        &mut self.checks
    }
}

impl Drop for Carried {
    fn drop(&mut self) {
        let checks = std::mem::replace(&mut self.checks, Checks::new(0));
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(checks);
    }
}

impl Checks {
    /// `secret` decides which bouts are played a second time.
    pub(crate) fn new(secret: u64) -> Self {
        Self {
            secret,
            open: HashMap::new(),
            trust: HashMap::new(),
            tallies: BTreeMap::new(),
            aside: BTreeSet::new(),
            keys: HashMap::new(),
            signatures: HashMap::new(),
            unchecked: HashMap::new(),
            lucky: BTreeSet::new(),
        }
    }

    /// Returns the workers of which nothing counts.
    pub(crate) fn aside(&self) -> &BTreeSet<String> {
        &self.aside
    }

    /// Says whether nothing of this worker counts.
    pub(crate) fn is_aside(&self, worker: &str) -> bool {
        self.aside.contains(worker)
    }

    /// Has nothing of this worker count any more.
    pub(crate) fn set_aside(&mut self, worker: &str) {
        self.aside.insert(worker.to_owned());
    }

    /// Says whether a bout waits for a play of one's own.
    pub(crate) fn is_open(&self, bout: BoutId) -> bool {
        self.open.contains_key(&bout)
    }

    /// Says whether anything waits for a play of one's own.
    pub(crate) fn are_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Says whether results of `worker` have to be played a second time before they count.
    pub(crate) fn is_wanted(&self, worker: &str, bout: BoutId, results: &[BoutResult]) -> bool {
        let trust = self.trust.get(worker).copied().unwrap_or_default();
        is_guest(worker)
            && (results.iter().any(has_decisive_fault)
                || is_drawn(self.secret, bout, trust.probability()))
    }

    /// Keeps a guest's signatures of what came of a bout; says whether there are any that hold,
    /// all under the key that it signed with first. `signatures` are those of its report, by bouts.
    pub(crate) fn are_signed(
        &mut self,
        guest: &str,
        delivery: &Delivery,
        signatures: &HashMap<BoutId, &Signature>,
    ) -> bool {
        let mut own = Vec::new();
        for result in delivery.results() {
            let one = signatures.get(&result.bout).filter(|one| one.is_of(result));
            let Some(one) = one else { return false };
            own.push((*one).clone());
        }
        let Some(key) = own.first().map(|one| one.key.clone()) else { return true };
        let key = self.keys.entry(guest.to_owned()).or_insert(key);
        if own.iter().any(|one| one.key != *key) {
            return false;
        }
        self.signatures.insert(delivery.bout, own);
        true
    }

    /// Takes the signatures of what came of a bout.
    pub(crate) fn signatures(&mut self, bout: BoutId) -> Vec<Signature> {
        self.signatures.remove(&bout).unwrap_or_default()
    }

    /// Counts results of a guest that count without a second play.
    pub(crate) fn took_unchecked(&mut self, guest: &str, results: &[BoutResult]) {
        *self.unchecked.entry(guest.to_owned()).or_default() += results.len() as u64;
    }

    /// Returns how many results of a guest count without a second play.
    pub(crate) fn unchecked(&self, guest: &str) -> u64 {
        self.unchecked.get(guest).copied().unwrap_or(0)
    }

    /// Keeps a guest's results until one's own are there.
    pub(crate) fn begin(&mut self, guest: &str, bout: BoutId, results: Vec<BoutResult>) {
        self.open.insert(bout, Check { guest: guest.to_owned(), results, own: None });
    }

    /// Forgets a bout that will not be played a second time.
    pub(crate) fn forget(&mut self, bout: BoutId) {
        self.open.remove(&bout);
    }

    /// Takes a play of one's own of a bout that waits for it.
    pub(crate) fn played(&mut self, assignment: &Assignment, results: Vec<BoutResult>) -> Checked {
        let bout = assignment.plan.bout;
        let Some(mut check) = self.open.remove(&bout) else {
            let (guest, refused) = (String::new(), Vec::new());
            return Checked::Settled(Settled { results, finding: Finding::Agreed, guest, refused });
        };
        let agree = check.results.len() == results.len()
            && check.results.iter().zip(&results).all(|(one, other)| are_alike(one, other));
        let finding = match check.own.take() {
            _ if agree => Finding::Agreed,
            Some(first) => judged(&check.results, &first, &results),
            None => {
                check.own = Some(results);
                self.open.insert(bout, check);
                return Checked::Again;
            }
        };
        self.trust.entry(check.guest.clone()).or_default().learn(finding);
        if finding == Finding::Forged {
            self.aside.insert(check.guest.clone());
        }
        if finding == Finding::Luck {
            let bots = results.iter().flat_map(|result| &result.seats);
            self.lucky.extend(bots.map(|seat| seat.bot.clone()));
        }
        let (results, refused) = match finding {
            Finding::Agreed => (check.results, Vec::new()),
            _ => (results, check.results),
        };
        Checked::Settled(Settled { results, finding, guest: check.guest, refused })
    }

    /// Counts what a worker played; returns what it has too often when that is seen first.
    pub(crate) fn count(&mut self, worker: &str, results: Option<&[BoutResult]>) -> Option<Excess> {
        let tally = self.tallies.entry(worker.to_owned()).or_default();
        match results {
            Some(results) => results.iter().for_each(|result| tally.played(result)),
            None => tally.failed(),
        }
        if !tally.is_due() || self.is_aside(worker) {
            return None;
        }
        let others = self.tallies.iter().filter(|(name, _)| *name != worker);
        let others: Vec<&Tally> = others.map(|(_, tally)| tally).collect();
        let own = self.tallies.get(worker)?;
        let found = excess(own, &others).or_else(|| favour(own, &others, &self.lucky))?;
        // One's own machines are told of, and go on.
        if is_guest(worker) {
            self.aside.insert(worker.to_owned());
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_guests_outlives_a_coordinator_that_is_lost() {
        let left = Left::default();
        let bout = BoutId([7; 8]);
        let mut first = Carried::take(&left, 1);
        first.set_aside("guest-liar");
        first.set_aside("own");
        first.took_unchecked("guest-liar", &[]);
        first.begin("guest-liar", bout, Vec::new());
        (0..5).for_each(|_| assert_eq!(first.count("guest-slow", None), None));
        drop(first);
        let second = Carried::take(&left, 1);
        assert!(second.is_aside("guest-liar"));
        assert!(!second.is_aside("own"), "one's own is met anew");
        assert!(!second.is_open(bout), "it is handed out once more");
        assert_eq!(format!("{:?}", second.tallies["guest-slow"]).matches("all: 5").count(), 1);
    }
}
