//! Selection of the queued bouts that form the next batch, by estimates of their durations from
//! earlier bouts.
//!
//! While every playing worker has the tools for all bouts, one batch mixes bouts of several classes.
//! A worker then asks for one class. Otherwise it asks for a class for each pair of languages, and
//! most of these have no batch for it.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use joust_model::BoutPlan;
use joust_play::executor::{Assignment, MachineOffer, Needs};

use super::dispatched::DispatchedBatch;
use super::{Ledger, PendingBout};
use crate::message::{Batch, Class, ClassId};

/// Target duration of a batch. The server's cost of a batch's messages does not depend on its
/// length.
const BATCH: Duration = Duration::from_secs(6);
/// The most bouts of a batch.
const MOST_BOUTS: usize = 256;
/// The most bouts that are queued.
const MOST_WAITING: usize = 4096;
/// Time to wait for the rest of the last mirror group.
const SETTLED: Duration = Duration::from_millis(100);

impl Ledger {
    /// Returns whether another bout may be queued.
    pub(crate) fn has_room(&self) -> bool {
        let most = 2 * self.bouts_of_a_batch() * (self.workers.len() + 1);
        self.queue.waiting.len() < most.clamp(16, MOST_WAITING)
    }

    /// Returns the next batch to send, if it is time for one, and records it as sent.
    pub(crate) fn next_batch(&mut self, now: Duration) -> Option<Batch> {
        self.dissolve_mixed_batches();
        while let Some(number) = self.dispatch.again.pop_front() {
            if let Some(out) = self.dispatch.batches.get(&number) {
                self.went_out.insert(out.batch.class.clone(), now);
                return Some(out.batch.clone());
            }
        }
        if self.dispatch.batches.len() > 2 * self.workers.len() + 1 {
            return None;
        }
        let (class, cut) = self.select_bouts(now)?;
        let is_of_several = cut.iter().any(|it| it.class != class);
        self.went_out.insert(class.clone(), now);
        let bouts: Vec<_> = cut.into_iter().map(|it| it.assignment).collect();
        let number = self.dispatch.next;
        self.dispatch.next += 1;
        bouts.iter().for_each(|it| _ = self.queue.bouts.remove(&it.plan.bout));
        self.dispatch.places.extend(bouts.iter().map(|it| (it.plan.bout, number)));
        let batch = Batch { epoch: self.epoch, number, attempt: 0, class, bouts };
        self.dispatch
            .batches
            .insert(number, DispatchedBatch::new(batch.clone(), is_of_several, now));
        Some(batch)
    }

    /// Takes whole mirror groups for one batch, beginning with the first queued bout.
    fn select_bouts(&mut self, now: Duration) -> Option<(ClassId, Vec<PendingBout>)> {
        let open = self
            .queue
            .waiting
            .back()
            .filter(|_| !self.queue.is_complete && now < self.queue.newest + SETTLED);
        let open = open.map(PendingBout::mirror_group);
        let is_ready = |it: &&PendingBout| open != Some(it.mirror_group());
        let first = &self.queue.waiting.iter().find(is_ready)?.class;
        let BatchClasses { class, of } = self.batch_classes(self.classes.get(first)?);
        let longest = self.time_of_a_batch().min(self.fair_share());
        let (mut groups, mut bouts, mut takes) = (HashSet::new(), 0, Duration::ZERO);
        let mut is_full = false;
        for it in self.queue.waiting.iter().filter(is_ready).filter(|it| of.contains(&it.class)) {
            let then = takes.saturating_add(self.expected(&it.assignment));
            if !groups.contains(&it.mirror_group()) {
                is_full |= bouts > 0 && (bouts >= MOST_BOUTS || then > longest);
                if is_full {
                    continue;
                }
                groups.insert(it.mirror_group());
            }
            (bouts, takes) = (bouts + 1, then);
        }
        let is_cut =
            |it: &PendingBout| of.contains(&it.class) && groups.contains(&it.mirror_group());
        let (cut, left): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.queue.waiting).into_iter().partition(is_cut);
        self.queue.waiting = left.into();
        let id = class.id.clone();
        self.classes.entry(id.clone()).or_insert(class);
        Some((id, cut))
    }

    /// Returns the core time of a batch that keeps a whole worker busy for the target duration.
    fn time_of_a_batch(&self) -> Duration {
        let cores = self.workers.values().map(|it| it.offer.cores).min().unwrap_or(1).max(1);
        BATCH.saturating_mul(u32::try_from(cores).unwrap_or(u32::MAX))
    }

    /// Returns the number of bouts in a batch of that duration.
    fn bouts_of_a_batch(&self) -> usize {
        let took = self.durations.overall.unwrap_or(BATCH / 2).as_micros().max(1);
        let bouts = self.time_of_a_batch().as_micros() / took;
        usize::try_from(bouts).unwrap_or(MOST_BOUTS).clamp(1, MOST_BOUTS)
    }

    /// Returns the expected duration of a bout. Bots without measurements are assumed to be slow,
    /// so batches with their bouts are small.
    fn expected(&self, assignment: &Assignment) -> Duration {
        let few = if self.durations.overall.is_none() { 2 } else { 8 };
        self.durations.estimate(&assignment.plan, BATCH / few)
    }

    /// Returns the limit of a batch's duration near the end, where batches are short so that all
    /// workers end together.
    fn fair_share(&self) -> Duration {
        let takes = self.queue.waiting.iter().map(|it| self.expected(&it.assignment));
        let all = takes.fold(Duration::ZERO, Duration::saturating_add);
        let cores: usize = self.workers.values().map(|it| it.offer.cores).sum();
        all / u32::try_from(2 * cores.max(1)).unwrap_or(u32::MAX)
    }

    /// Takes back a batch that could not be sent; it will be sent first.
    pub(crate) fn requeue_first(&mut self, number: u64) {
        self.dispatch.again.push_front(number);
    }
}

/// Class of a batch, and the classes of bouts that it may contain.
pub(super) struct BatchClasses {
    /// The class that the batch is of.
    pub(super) class: Class,
    /// The classes of its bouts.
    pub(super) of: BTreeSet<ClassId>,
}

impl Ledger {
    /// Returns the classes that bouts of `class` can currently share a batch with.
    fn batch_classes(&self, class: &Class) -> BatchClasses {
        let alike = self.classes.values().filter(|other| differ_in_tools_alone(class, other));
        let (mut all, mut of) = (class.clone(), BTreeSet::new());
        for other in alike {
            all.needs.toolchains.extend(other.needs.toolchains.iter().cloned());
            of.insert(other.id.clone());
        }
        all.id = ClassId::of(&all.needs);
        match self.offers().all(|offer| all.needs.unmet_by(offer).is_none()) {
            true => BatchClasses { class: all, of },
            false => BatchClasses { class: class.clone(), of: BTreeSet::from([class.id.clone()]) },
        }
    }

    /// Requeues the bouts of mixed batches, each in its own class, if workers play and none of them
    /// can take those batches any more.
    fn dissolve_mixed_batches(&mut self) {
        let is_left = |out: &DispatchedBatch| {
            let class = self.classes.get(&out.batch.class);
            class.is_some_and(|class| {
                let mut offers = self.offers().peekable();
                offers.peek().is_some() && offers.all(|it| class.needs.unmet_by(it).is_some())
            })
        };
        let is_left =
            |out: &DispatchedBatch| out.holder.is_none() && out.is_of_several && is_left(out);
        let left = self.dispatch.batches.iter().rev().filter(|(_, out)| is_left(out));
        for number in left.map(|(number, _)| *number).collect::<Vec<_>>() {
            let Some(out) = self.dispatch.batches.remove(&number) else { continue };
            for assignment in out.batch.bouts.into_iter().rev() {
                self.dispatch.places.remove(&assignment.plan.bout);
                self.requeue_bout(assignment);
            }
        }
    }

    /// Returns the offers of the workers that play.
    fn offers(&self) -> impl Iterator<Item = &MachineOffer> {
        self.workers.values().filter(|it| it.plays).map(|it| &it.offer)
    }
}

/// Returns whether machines of these classes differ only in language tools.
fn differ_in_tools_alone(one: &Class, other: &Class) -> bool {
    let Needs { cores, tier, port, .. } = &one.needs;
    (cores, tier, port) == (&other.needs.cores, &other.needs.tier, &other.needs.port)
}

/// Average durations of recent bouts: per bot of an event, and overall.
#[derive(Debug, Default)]
pub(super) struct DurationEstimates {
    pub(super) overall: Option<Duration>,
    bots: HashMap<String, HashMap<String, Duration>>,
}

impl DurationEstimates {
    /// Records the duration of a bout, or of a match that is played as one bout.
    pub(super) fn record(&mut self, plan: &BoutPlan, took: Duration) {
        follow(self.overall.get_or_insert(took), took);
        if !self.bots.contains_key(&plan.event) {
            self.bots.insert(plan.event.clone(), HashMap::new());
        }
        let Some(bots) = self.bots.get_mut(&plan.event) else { return };
        for seat in &plan.seats {
            match bots.get_mut(&seat.bot) {
                Some(known) => follow(known, took),
                None => _ = bots.insert(seat.bot.clone(), took),
            }
        }
    }

    /// Returns the expected duration of a bout: the mean of its bots' averages. A bot without
    /// measurements counts with the overall average, but at least with `unknown`.
    fn estimate(&self, plan: &BoutPlan, unknown: Duration) -> Duration {
        let bots = self.bots.get(&plan.event);
        let any = self.overall.unwrap_or_default().max(unknown);
        let of_bot = |bot: &String| bots.and_then(|bots| bots.get(bot)).copied().unwrap_or(any);
        let sum = plan
            .seats
            .iter()
            .fold(Duration::ZERO, |sum, seat| sum.saturating_add(of_bot(&seat.bot)));
        sum / u32::try_from(plan.seats.len()).unwrap_or(u32::MAX).max(1)
    }
}

/// Moves an average towards the latest value.
fn follow(average: &mut Duration, last: Duration) {
    *average = average.saturating_mul(7).saturating_add(last) / 8;
}
