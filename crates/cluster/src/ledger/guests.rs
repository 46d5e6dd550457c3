//! Guests of a ledger: how many batches they may have, by what they bring back.
//!
//! Whoever may take batches that are for everybody can keep them, or give them back at once. So guests
//! have few, and fewer after each that did not come back; all others are for workers of one's own.

use std::time::Duration;

use super::Ledger;
use super::out::Out;
use crate::message::{Class, ClassId};
use crate::trust::is_guest;

/// How many batches guests may have at first, and at most.
const FIRST: usize = 8;
const MOST: usize = 64;
/// How many of these there are for each that is there: what it plays, what comes next, and one more.
const FOR_EACH: usize = 3;
/// How long guests that brought nothing back have none.
const PAUSE: Duration = Duration::from_secs(60);
/// The least time that the last batches are left with guests.
const LAST_BATCHES: Duration = Duration::from_secs(5);
/// How many times as long as expected a guest may take for one of the last batches.
const SLOWER: u32 = 4;

#[derive(Debug)]
pub(super) struct Guests {
    pub(super) are_welcome: bool,
    may_have: usize,
    /// Since when they may have none.
    closed: Duration,
}

impl Default for Guests {
    fn default() -> Self {
        Self { are_welcome: true, may_have: FIRST, closed: Duration::ZERO }
    }
}

impl Guests {
    /// Learns that a guest reported what it had.
    pub(super) fn brought_back(&mut self) {
        self.may_have = (self.may_have + 1).min(MOST);
    }

    /// Learns that what was for everybody did not come back.
    pub(super) fn lost(&mut self, now: Duration) {
        self.may_have /= 2;
        if self.may_have == 0 {
            self.closed = now;
        }
    }

    fn may_have(&self, now: Duration) -> usize {
        self.may_have.max(usize::from(now >= self.closed + PAUSE))
    }
}

impl Ledger {
    /// Has all batches be for workers of one's own.
    pub(crate) fn refuse_guests(&mut self) {
        self.guests.are_welcome = false;
    }

    /// Says whether the next batch is for workers of one's own, of which one is there.
    pub(super) fn is_for_own(&self, now: Duration) -> bool {
        let guests = self.workers.keys().filter(|name| is_guest(name)).count();
        let most = self.guests.may_have(now).min(FOR_EACH * guests);
        self.has_own() && self.out(false) >= most
    }

    /// Says whether as many batches are out as there may be: what guests keep is in nobody's way.
    pub(super) fn is_full(&self, now: Duration) -> bool {
        if !self.has_own() {
            return self.out.len() > 2 * self.workers.len() + 1;
        }
        let own = self.workers.keys().filter(|name| !is_guest(name)).count();
        let is_next_own = || self.waiting.front().is_some_and(|it| it.class.is_own());
        self.out(true) > 2 * own + 1 && (is_next_own() || self.is_for_own(now))
    }

    /// Returns how many batches are out for workers of one's own, or for everybody.
    fn out(&self, is_own: bool) -> usize {
        self.out.values().filter(|out| out.batch.class.is_own() == is_own).count()
    }

    /// Returns the same class for workers of one's own.
    pub(super) fn own_of(&mut self, class: &ClassId) -> ClassId {
        let own = class.own();
        if let Some(Class { needs, .. }) = self.classes.get(class).cloned() {
            let new = Class { id: own.clone(), needs, is_own: true };
            self.classes.entry(own.clone()).or_insert(new);
        }
        own
    }

    /// Says whether a batch that a guest may have is one of the last and takes long: nobody waits
    /// for guests.
    pub(super) fn is_waited_for(&self, out: &Out, now: Duration) -> bool {
        let may_be_a_guest = out.held.as_ref().is_none_or(|held| is_guest(&held.worker));
        if !self.guests.are_welcome || out.batch.class.is_own() || !may_be_a_guest {
            return false;
        }
        let expected = out.batch.bouts.iter().map(|it| self.expected(it));
        let expected = expected.fold(Duration::ZERO, Duration::saturating_add);
        let most = LAST_BATCHES.saturating_add(expected.saturating_mul(SLOWER));
        self.waiting.is_empty() && self.has_own() && out.since.saturating_add(most) < now
    }

    /// Says whether a worker of one's own plays.
    pub(super) fn has_own(&self) -> bool {
        self.offers(true).next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guests_have_as_many_batches_as_they_bring_back() {
        let seconds = Duration::from_secs;
        let mut guests = Guests::default();
        assert_eq!(guests.may_have(seconds(0)), FIRST);
        (0..100).for_each(|_| guests.brought_back());
        assert_eq!(guests.may_have(seconds(1)), MOST);
        let after: Vec<usize> = (0..8)
            .map(|_| {
                guests.lost(seconds(2));
                guests.may_have(seconds(2))
            })
            .collect();
        assert_eq!(after, [32, 16, 8, 4, 2, 1, 0, 0]);
        assert_eq!(guests.may_have(seconds(61)), 0);
        assert_eq!(guests.may_have(seconds(62)), 1, "one is tried now and then");
        guests.lost(seconds(63));
        assert_eq!(guests.may_have(seconds(64)), 0);
    }
}
