//! Totals of bouts as they are stored: when a partition is closed of which nothing else was
//! recorded, nobody has to read it again.

use std::collections::HashMap;
use std::path::Path;

use super::partitions::Closed;
use super::{EventSettings, StoreError};
use joust_model::{BoutPlan, BoutResult, BoutSummary, REFEREE_ERROR, Totals};

/// How many pairs are kept in memory, some 20 MiB: the bouts of a partition with more are read
/// again when it is closed.
const MOST_PAIRS: usize = 1 << 17;

/// What the bouts say that were stored since the last partition was closed.
#[derive(Debug)]
pub(super) struct AddedUp {
    events: HashMap<String, (EventSettings, Totals)>,
    bouts: i64,
}

impl AddedUp {
    /// Begins with no bout. The settings of events must be those of all bouts that are added.
    pub(super) fn new(events: &[EventSettings]) -> Self {
        let pairs = events.iter().filter(|event| event.is_of_pairs());
        let none =
            |event: &EventSettings| (event.id.clone(), (event.clone(), Totals::new(event.mirror)));
        Self { events: pairs.map(none).collect(), bouts: 0 }
    }

    /// Adds a bout that was stored and counts.
    pub(super) fn add(&mut self, plan: &BoutPlan, result: &BoutResult) {
        self.bouts += 1;
        if let Some((_, totals)) = self.events.get_mut(&plan.event)
            && !result.ended.starts_with(REFEREE_ERROR)
        {
            totals.add(&BoutSummary::of(plan, result));
        }
    }

    /// Returns it unless it has become too large.
    pub(super) fn if_small(self) -> Option<Self> {
        let pairs: usize = self.events.values().map(|(_, totals)| totals.len()).sum();
        (pairs <= MOST_PAIRS).then_some(self)
    }

    /// Says whether these are all bouts of a partition, each with the result that it had first:
    /// whatever else there was has a link of its own, and there are no more links than bouts. The
    /// newest link stays in the head when a partition is closed, and that of the one before lies
    /// at the beginning of this one.
    pub(super) async fn is_all_of(&self, head: &Path, closed: &Closed) -> Result<bool, StoreError> {
        let mut file = closed.open(head).await?;
        let counts = "SELECT (SELECT count(*) FROM bouts), \
                      (SELECT max(number) FROM chain) \
                      - (SELECT link FROM bouts ORDER BY number LIMIT 1) + 1, \
                      (SELECT link FROM bouts ORDER BY number DESC LIMIT 1) \
                      - (SELECT max(number) FROM chain)";
        let counts: (i64, Option<i64>, Option<i64>) = sqlx::query_as(counts)
            .fetch_one(&mut file)
            .await
            .map_err(|error| StoreError::from_sqlx(closed.path(), error))?;
        let expected = (self.bouts, Some(self.bouts - 1), Some(1));
        Ok(counts == expected && closed.lifted.is_empty())
    }

    /// Returns the totals of an event; `None` when it had other settings.
    pub(super) fn of(&self, event: &EventSettings) -> Option<&Totals> {
        self.events.get(&event.id).filter(|(known, _)| known == event).map(|(_, totals)| totals)
    }
}

#[cfg(test)]
mod tests {
    use joust_testkit::made_up;

    use super::*;
    use crate::{Access, Store};

    const EVENT: &str = "league";

    /// Makes a database with an event of two bots.
    async fn made(path: &Path) -> Store {
        let store = Store::open(path, Access::CreateOrOpen).await.expect("a database");
        let event = EventSettings { mirror: joust_model::Mirror::Off, ..made_up::event(EVENT) };
        store.put_event(&event).await.expect("an event");
        let names = ["ann", "bob"]
            .map(|name| joust_model::BotRow { name: name.to_owned(), ..Default::default() });
        store.put_bots(EVENT, &names).await.expect("a field");
        store
    }

    /// Closes a partition of five bouts, of which Ann won each.
    async fn close(store: &Store, first: u64) {
        let bouts: Vec<_> = (first..first + 5).map(|number| bout(number, ["ann", "bob"])).collect();
        store.put_bouts(&bouts).await.expect("they are stored");
        assert!(store.close_partition_without_totals().await.expect("a partition"));
    }

    fn bout(number: u64, bots: [&str; 2]) -> (BoutPlan, BoutResult) {
        let (mut plan, mut result) = made_up::bout(EVENT, bots, number);
        plan.bout = BoutPlan::id("cup", EVENT, &bots, u32::try_from(number).expect("few"));
        (result.bout, result.key) = (plan.bout, plan.key());
        (plan, result)
    }

    /// Puts totals of these bouts as if Bob had won, and returns what is wrong with all totals.
    async fn told(store: &Store, bouts: std::ops::Range<u64>) -> Vec<String> {
        let events = store.events().await.expect("events");
        let mut added = AddedUp::new(&events);
        for number in bouts {
            let (plan, result) = bout(number, ["bob", "ann"]);
            added.add(&plan, &result);
        }
        store.put_totals(added).await.expect("totals");
        let problems = store.totals_problems().await.expect("it is verified");
        problems.into_iter().map(|problem| problem.problem).collect()
    }

    const WRONG: &str = "not those of its bouts";

    #[tokio::test]
    async fn bouts_that_were_added_up_are_not_read_again_and_others_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = made(&folder.path().join("added.db")).await;
        close(&store, 0).await;
        assert_eq!(told(&store, 0..5).await, [WRONG], "nobody has read the bouts");
        close(&store, 5).await;
        assert_eq!(told(&store, 5..10).await, [WRONG, WRONG], "nor those of the next partition");
        let store = made(&folder.path().join("more.db")).await;
        close(&store, 0).await;
        assert_eq!(told(&store, 0..4).await, [""; 0], "one was not added up, so they were read");
    }

    #[tokio::test]
    async fn bouts_with_a_second_result_are_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = made(&folder.path().join("results.db")).await;
        let bouts: Vec<_> = (0..5).map(|number| bout(number, ["ann", "bob"])).collect();
        store.put_bouts(&bouts).await.expect("they are stored");
        let (_, mut result) = bout(2, ["ann", "bob"]);
        result.seats[1].rank = 1;
        store.amend(&result, "the power failed", 0).await.expect("it is amended");
        assert!(store.close_partition_without_totals().await.expect("a partition"));
        assert_eq!(told(&store, 0..5).await, [""; 0]);
    }
}
