//! Misfits of a coordinator: results that do not follow from their plans, and who sent them.
//!
//! One worker that sends such results must not end a run: a bout is given up only when the results
//! of two workers do not fit, and nothing counts any more of a worker that goes on so.

use std::collections::HashMap;

use joust_model::BoutId;

use super::{Desk, Inspect};
use crate::news::News;
use crate::transport::CoordinatorSide;
use crate::trust::is_guest;

/// How many results of a worker may not fit before nothing of it counts.
const MOST: u32 = 10;

#[derive(Default)]
pub(super) struct Misfits {
    /// Who sent the first misfit of a bout.
    first: HashMap<BoutId, String>,
    of_workers: HashMap<String, u32>,
}

impl Misfits {
    /// Forgets a bout that is over.
    pub(super) fn forget(&mut self, bout: BoutId) {
        self.first.remove(&bout);
    }

    /// Takes a misfit; says whether only this worker sent one for that bout.
    fn is_only_of(&mut self, bout: BoutId, worker: &str) -> bool {
        self.first.entry(bout).or_insert_with(|| worker.to_owned()) == worker
    }

    /// Counts a misfit; says whether the worker has sent too many since just now.
    fn are_too_many(&mut self, worker: &str) -> bool {
        let count = self.of_workers.entry(worker.to_owned()).or_default();
        *count = count.saturating_add(1);
        *count == MOST
    }
}

impl<T: CoordinatorSide, I: Inspect> Desk<T, I> {
    /// Takes a result that does not fit; says whether its bout is worth being played elsewhere.
    pub(super) fn may_be_played_elsewhere(
        &mut self,
        bout: BoutId,
        worker: &str,
        why: &str,
    ) -> bool {
        self.misfit(worker, why);
        is_guest(worker) || self.misfits.is_only_of(bout, worker)
    }

    /// Tells of a result that does not fit; with too many of them nothing of its worker counts.
    pub(super) fn misfit(&mut self, worker: &str, why: &str) {
        self.inspect.news(News::Misfit { worker: worker.to_owned(), why: why.to_owned() });
        if self.misfits.are_too_many(worker) {
            let why = format!("{MOST} of its results do not follow from what bots did there");
            self.set_aside(worker.to_owned(), why);
        }
    }
}
