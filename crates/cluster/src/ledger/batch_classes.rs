//! Batches with several classes. While every playing worker has the tools for all bouts, one batch
//! mixes bouts of several classes. A worker then asks for one class, instead of one for each pair
//! of languages, most of which would have no batch for it.

use std::collections::BTreeSet;

use joust_play::executor::{MachineOffer, Needs};

use super::Ledger;
use super::dispatched::DispatchedBatch;
use crate::message::{Class, ClassId};

/// Class of a batch, and the classes of bouts that it may contain.
pub(super) struct BatchClasses {
    /// The class that the batch is of.
    pub(super) class: Class,
    /// The classes of its bouts.
    pub(super) of: BTreeSet<ClassId>,
}

impl Ledger {
    /// Returns the classes that bouts of `class` can currently share a batch with.
    pub(super) fn batch_classes(&self, class: &Class) -> BatchClasses {
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
    pub(super) fn dissolve_mixed_batches(&mut self) {
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
