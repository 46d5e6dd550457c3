//! Ledger of a coordinator: which bouts wait, which batches are out, what comes of them.
//!
//! Plain data without a clock: every question is asked with the time since the coordinator
//! began. A bout is in one place: it waits, or is in one batch. A batch is handed out again
//! when whoever held it fell silent, or was never heard of although a later one was; which
//! of the attempts is reported first is no matter.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Duration;

use joust_model::{BoutId, BoutPlan};
use joust_play::executor::{Assignment, Delivery};

use crate::message::{Announcement, Batch, Class, ClassId, Report};

/// How long a batch should last.
const BATCH: Duration = Duration::from_secs(3);
/// The most bouts of a batch.
const MOST_BOUTS: usize = 256;
/// The most bouts that wait.
const MOST_WAITING: usize = 4096;
/// The most results that are kept of bouts that nobody asked for yet.
const MOST_EARLY: usize = 4096;
/// How long the last match that waits is waited for to be whole.
const SETTLED: Duration = Duration::from_millis(100);
/// How many announcements a worker may leave out before it is gone.
const SILENT_BEATS: u32 = 3;

/// A result for a bout that waits for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fresh {
    pub(crate) assignment: Assignment,
    pub(crate) worker: String,
    pub(crate) delivery: Delivery,
}

/// How long the parties may be silent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Silence {
    pub(crate) lease: Duration,
    pub(crate) beat: Duration,
}

/// A bout that waits.
struct Waiting {
    assignment: Assignment,
    class: ClassId,
}

impl Waiting {
    /// The bouts of a match are played on one machine.
    fn number_of_match(&self) -> u64 {
        self.assignment.plan.match_number
    }
}

/// A batch that was handed out.
struct Out {
    batch: Batch,
    /// When it was handed out last.
    since: Duration,
    /// When a worker last said that it holds it.
    heard: Option<Duration>,
}

/// What was reported before anybody asked for it.
struct Early {
    worker: String,
    delivery: Delivery,
}

/// A worker, as it last spoke of itself.
struct Seen {
    cores: usize,
    at: Duration,
}

pub(crate) struct Ledger {
    epoch: u64,
    silence: Silence,
    waiting: VecDeque<Waiting>,
    /// When a bout last came.
    came: Duration,
    /// Whether no more bouts will come.
    is_whole: bool,
    out: BTreeMap<u64, Out>,
    places: HashMap<BoutId, u64>,
    early: HashMap<BoutId, Early>,
    /// Bouts that no guest plays.
    own: HashSet<BoutId>,
    /// Batches to hand out before all others, being out already.
    again: VecDeque<u64>,
    next: u64,
    took: Option<Duration>,
    classes: BTreeMap<ClassId, Class>,
    workers: BTreeMap<String, Seen>,
    /// The last time that a batch was heard of, by class, with its number.
    newest: HashMap<ClassId, (u64, Duration)>,
}

impl Early {
    /// Says whether it is what came of this assignment.
    fn fits(&self, assignment: &Assignment) -> bool {
        let keys = self.delivery.results().map(|result| result.key);
        keys.eq(assignment.plans().map(BoutPlan::key))
    }
}

impl Ledger {
    pub(crate) fn new(epoch: u64, silence: Silence) -> Self {
        Self {
            epoch,
            silence,
            waiting: VecDeque::new(),
            came: Duration::ZERO,
            is_whole: false,
            out: BTreeMap::new(),
            places: HashMap::new(),
            early: HashMap::new(),
            own: HashSet::new(),
            again: VecDeque::new(),
            next: 0,
            took: None,
            classes: BTreeMap::new(),
            workers: BTreeMap::new(),
            newest: HashMap::new(),
        }
    }

    /// Returns the classes of all bouts so far.
    pub(crate) fn classes(&self) -> Vec<Class> {
        self.classes.values().cloned().collect()
    }

    /// Returns the classes of batches that nobody was heard to take for so long.
    pub(crate) fn untaken(&self, now: Duration, patience: Duration) -> Vec<Class> {
        let is_old = |out: &&Out| out.heard.is_none() && out.since + patience < now;
        let ids: BTreeSet<&ClassId> =
            self.out.values().filter(is_old).map(|out| &out.batch.class).collect();
        ids.into_iter().filter_map(|id| self.classes.get(id)).cloned().collect()
    }

    /// Says whether a bout more may come.
    pub(crate) fn has_room(&self) -> bool {
        let most = 2 * self.bouts_of_a_batch() * (self.workers.len() + 1);
        self.waiting.len() < most.clamp(16, MOST_WAITING)
    }

    /// Says whether nothing waits and nothing is out.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.out.is_empty()
    }

    /// Takes a bout to play; one that was reported before is not played again.
    pub(crate) fn push(&mut self, assignment: Assignment, now: Duration) -> Option<Fresh> {
        self.came = now;
        let early = self.early.remove(&assignment.plan.bout);
        if let Some(Early { worker, delivery }) = early.filter(|it| it.fits(&assignment)) {
            return Some(Fresh { assignment, worker, delivery });
        }
        let class = self.class_of(&assignment);
        self.waiting.push_back(Waiting { assignment, class });
        None
    }

    /// Takes a bout that no guest plays, as the next.
    pub(crate) fn push_own(&mut self, assignment: Assignment, now: Duration) {
        self.came = now;
        self.own.insert(assignment.plan.bout);
        let class = self.class_of(&assignment);
        self.waiting.push_front(Waiting { assignment, class });
    }

    fn class_of(&mut self, assignment: &Assignment) -> ClassId {
        let is_own = self.own.contains(&assignment.plan.bout);
        let class = ClassId::of(&assignment.needs);
        let class = if is_own { class.own() } else { class };
        let new = || Class { id: class.clone(), needs: assignment.needs.clone(), is_own };
        self.classes.entry(class.clone()).or_insert_with(new);
        class
    }

    /// Says that no more bouts will come.
    pub(crate) fn close(&mut self) {
        self.is_whole = true;
    }

    /// Takes all that no worker is known to hold, to be played by nobody.
    pub(crate) fn give_up(&mut self) -> Vec<BoutId> {
        let waiting = self.waiting.drain(..).map(|it| it.assignment.plan.bout);
        let out = std::mem::take(&mut self.out).into_values();
        let out = out.flat_map(|it| it.batch.bouts.into_iter().map(|it| it.plan.bout));
        self.places.clear();
        waiting.chain(out).collect()
    }

    /// Returns every bout that waits or is out.
    pub(crate) fn bouts(&self) -> Vec<BoutId> {
        let waiting = self.waiting.iter().map(|it| it.assignment.plan.bout);
        waiting.chain(self.places.keys().copied()).collect()
    }

    /// Returns the next batch to hand out, if one is to be now. It counts as handed out.
    pub(crate) fn cut(&mut self, now: Duration) -> Option<Batch> {
        while let Some(number) = self.again.pop_front() {
            if let Some(out) = self.out.get(&number) {
                return Some(out.batch.clone());
            }
        }
        if self.out.len() > 2 * self.workers.len() + 1 {
            return None;
        }
        let cut = self.cut_waiting(now);
        let class = cut.first()?.class.clone();
        let bouts: Vec<_> = cut.into_iter().map(|it| it.assignment).collect();
        let number = self.next;
        self.next += 1;
        self.places.extend(bouts.iter().map(|it| (it.plan.bout, number)));
        let batch = Batch { epoch: self.epoch, number, attempt: 0, class, bouts };
        self.out.insert(number, Out { batch: batch.clone(), since: now, heard: None });
        Some(batch)
    }

    /// Takes whole matches of one class, the first that waits among them.
    fn cut_waiting(&mut self, now: Duration) -> Vec<Waiting> {
        let open = self.waiting.back().filter(|_| !self.is_whole && now < self.came + SETTLED);
        let open = open.map(Waiting::number_of_match);
        let is_ready = |it: &&Waiting| open != Some(it.number_of_match());
        let Some(class) = self.waiting.iter().find(is_ready).map(|it| it.class.clone()) else {
            return Vec::new();
        };
        let most = self.bouts_of_a_batch().min(self.fair_share()).max(1);
        let (mut matches, mut taken) = (HashSet::new(), 0);
        for it in self.waiting.iter().filter(is_ready).filter(|it| it.class == class) {
            let is_chosen = matches.contains(&it.number_of_match());
            if is_chosen || taken < most {
                matches.insert(it.number_of_match());
                taken += 1;
            }
        }
        let is_cut = |it: &Waiting| it.class == class && matches.contains(&it.number_of_match());
        let (cut, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.waiting).into_iter().partition(is_cut);
        self.waiting = left.into();
        cut
    }

    /// How many bouts keep a worker busy for as long as a batch should last.
    fn bouts_of_a_batch(&self) -> usize {
        let cores = self.workers.values().map(|it| it.cores).min().unwrap_or(1).max(1);
        let Some(took) = self.took else { return 2 * cores };
        let each = BATCH.as_micros() / took.as_micros().max(1);
        (usize::try_from(each).unwrap_or(MOST_BOUTS).saturating_mul(cores)).clamp(1, MOST_BOUTS)
    }

    /// The last batches are small, so that all workers end together.
    fn fair_share(&self) -> usize {
        let cores: usize = self.workers.values().map(|it| it.cores).sum();
        self.waiting.len() / (2 * cores.max(1))
    }

    /// Takes a batch back that could not be handed out; it is the next again.
    pub(crate) fn not_handed_out(&mut self, number: u64) {
        self.again.push_front(number);
    }

    /// Says whether a bout waits or is out.
    pub(crate) fn is_asked_for(&self, bout: BoutId) -> bool {
        let is_it = |it: &Waiting| it.assignment.plan.bout == bout;
        self.places.contains_key(&bout) || self.waiting.iter().any(is_it)
    }

    /// Takes a report, and returns what is new in it.
    pub(crate) fn report(&mut self, report: Report) -> Vec<Fresh> {
        for bout in report.returned {
            if let Some(assignment) = self.take(bout) {
                let class = self.class_of(&assignment);
                self.waiting.push_front(Waiting { assignment, class });
            }
        }
        let mut fresh = Vec::new();
        for delivery in report.deliveries {
            self.learn(&delivery);
            match self.take(delivery.bout) {
                Some(assignment) => {
                    self.own.remove(&delivery.bout);
                    let worker = report.worker.clone();
                    fresh.push(Fresh { assignment, worker, delivery });
                }
                None => self.keep_early(&report.worker, delivery),
            }
        }
        fresh
    }

    fn keep_early(&mut self, worker: &str, delivery: Delivery) {
        if delivery.result.is_ok() && self.early.len() < MOST_EARLY {
            let worker = worker.to_owned();
            self.early.insert(delivery.bout, Early { worker, delivery });
        }
    }

    fn learn(&mut self, delivery: &Delivery) {
        if delivery.result.is_err() {
            return;
        }
        let took = delivery.results().map(|result| result.took).sum();
        let before = self.took.unwrap_or(took);
        self.took = Some((before * 7 + took) / 8);
    }

    /// Takes a bout out of wherever it is.
    fn take(&mut self, bout: BoutId) -> Option<Assignment> {
        let Some(number) = self.places.remove(&bout) else {
            let at = self.waiting.iter().position(|it| it.assignment.plan.bout == bout)?;
            return self.waiting.remove(at).map(|it| it.assignment);
        };
        let out = self.out.get_mut(&number)?;
        let at = out.batch.bouts.iter().position(|it| it.plan.bout == bout)?;
        let assignment = out.batch.bouts.remove(at);
        if out.batch.bouts.is_empty() {
            self.out.remove(&number);
        }
        Some(assignment)
    }

    /// Takes what a worker says of itself; says whether it is new here.
    pub(crate) fn heard(&mut self, said: &Announcement, now: Duration) -> bool {
        if said.epoch == self.epoch {
            for number in &said.held {
                let Some(out) = self.out.get_mut(number) else { continue };
                out.heard = Some(now);
                let newest = self.newest.entry(out.batch.class.clone()).or_insert((*number, now));
                if newest.0 < *number {
                    *newest = (*number, now);
                }
            }
        }
        let seen = Seen { cores: said.offer.cores.max(1), at: now };
        self.workers.insert(said.worker.clone(), seen).is_none()
    }

    /// Forgets workers that are silent, and returns their names.
    pub(crate) fn gone(&mut self, now: Duration) -> Vec<String> {
        let most = self.silence.beat * SILENT_BEATS;
        let gone = self.workers.extract_if(.., |_, seen| seen.at + most < now);
        gone.map(|(name, _)| name).collect()
    }

    /// Returns how many workers there are.
    pub(crate) fn workers(&self) -> usize {
        self.workers.len()
    }

    /// Hands out again, as a further attempt, what was lost; returns the numbers.
    pub(crate) fn overdue(&mut self, now: Duration) -> Vec<u64> {
        let patience = self.silence.lease + self.silence.beat * SILENT_BEATS;
        let (newest, took) = (&self.newest, self.took.unwrap_or(patience));
        let bouts_take =
            |out: &Out| took * u32::try_from(4 * out.batch.bouts.len()).unwrap_or(u32::MAX);
        let is_lost = |number: u64, out: &Out| match out.heard {
            Some(heard) => heard + patience < now,
            // Those that wait are taken in their order.
            None => {
                out.since + patience * 8 + bouts_take(out) < now
                    || newest.get(&out.batch.class).is_some_and(|(other, heard)| {
                        number < *other && heard.max(&out.since).saturating_add(patience) < now
                    })
            }
        };
        let lost = self.out.iter().filter(|(number, out)| is_lost(**number, out));
        let lost: Vec<u64> = lost.map(|(number, _)| *number).collect();
        self.hand_out_again(&lost, now);
        lost
    }

    /// Hands out again what nobody holds: the transport has lost what waited.
    pub(crate) fn wiped(&mut self, now: Duration) -> usize {
        let fresh = self.silence.beat * SILENT_BEATS;
        let is_held = |out: &Out| out.heard.is_some_and(|heard| heard + fresh >= now);
        let lost = self.out.iter().filter(|(_, out)| !is_held(out));
        let lost: Vec<u64> = lost.map(|(number, _)| *number).collect();
        self.hand_out_again(&lost, now);
        lost.len()
    }

    fn hand_out_again(&mut self, numbers: &[u64], now: Duration) {
        for number in numbers {
            let Some(out) = self.out.get_mut(number) else { continue };
            out.batch.attempt += 1;
            (out.since, out.heard) = (now, None);
            if !self.again.contains(number) {
                self.again.push_back(*number);
            }
        }
    }
}

#[cfg(test)]
mod tests;
