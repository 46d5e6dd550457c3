//! Places of an event's bouts, without their plans: a schedule is compared with a million stored
//! bouts whenever a run goes on.

use joust_model::{BoutPlan, PlanKeys};
use joust_store::{Place, Scheduled};
use joust_tables::schedule::SeatOrder;

use super::{EventPlans, seat_plan};

/// What keys of an event's plans are made from.
pub(super) struct Keys {
    shared: PlanKeys,
    /// The seat of every bot, as keys have it.
    seats: Vec<String>,
}

impl EventPlans<'_> {
    fn keys(&self, match_number: u64, group: &[usize], order: &SeatOrder) -> &Keys {
        self.keys.get_or_init(|| Keys {
            shared: PlanKeys::of(&self.plan(match_number, group, order)),
            seats: self.players.iter().map(|player| PlanKeys::seat(&seat_plan(player))).collect(),
        })
    }

    fn place(&self, match_number: u64, group: &[usize], number: u32) -> Option<Place> {
        let order = self.seating.bout_at(&self.names, group, number)?;
        let keys = self.keys(match_number, group, &order);
        let seats = order.order.iter().map(|bot| &keys.seats[*bot]);
        let names: Vec<&str> = group.iter().map(|bot| self.names[*bot]).collect();
        Some(Place {
            bout: BoutPlan::id(&self.tournament.name, &self.event.id, &names, number),
            key: keys.shared.key(order.seed, seats),
            match_number,
            number,
        })
    }
}

/// The whole schedule: what a run leaves out (`--only`, other shards) is part of it.
impl Scheduled for EventPlans<'_> {
    fn bouts_per_match(&self) -> u32 {
        self.seating.bouts
    }

    fn count(&self) -> u64 {
        self.match_count().saturating_mul(self.seating.bouts.into())
    }

    fn at(&self, match_number: u64, number: u32) -> Option<Place> {
        self.place(match_number, &self.group_at(match_number)?, number)
    }

    fn all(&self) -> Box<dyn Iterator<Item = Place> + Send + '_> {
        Box::new(self.matches().flat_map(move |(match_number, group)| {
            (0..self.seating.bouts)
                .filter_map(move |number| self.place(match_number, &group, number))
        }))
    }
}
