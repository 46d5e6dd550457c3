//! Places of an event's bouts, without their plans. A schedule is compared with up to a million
//! stored bouts whenever a run continues.

use joust_model::{BoutIds, PlanKeys};
use joust_standings::schedule::{MatchSeating, SeatOrder};
use joust_store::{BoutPlace, Finder, Scheduled};

use super::{EventPlans, seat_plan};

/// Inputs for the keys of an event's plans.
pub(super) struct PlanKeyParts {
    shared: PlanKeys,
    /// The seat of every bot, in the form that keys contain.
    seats: Vec<String>,
}

/// Places of the bouts of one match.
struct MatchPlaces<'a> {
    plans: &'a EventPlans<'a>,
    number: u64,
    group: Vec<usize>,
    seating: MatchSeating<'a>,
    ids: BoutIds,
}

impl MatchPlaces<'_> {
    fn of<'a>(plans: &'a EventPlans<'a>, number: u64, group: Vec<usize>) -> MatchPlaces<'a> {
        let names: Vec<&str> = group.iter().map(|bot| plans.names[*bot]).collect();
        let ids = BoutIds::of(&plans.tournament.name, &plans.event.id, &names);
        let seating = plans.seating.of_match(&plans.names, &group);
        MatchPlaces { plans, number, group, seating, ids }
    }

    fn place(&mut self, number: u32) -> Option<BoutPlace> {
        let order = self.seating.bout(number)?;
        let keys = self.plans.keys(self.number, &self.group, &order);
        let seats: Vec<&str> = order.order.iter().map(|bot| &*keys.seats[*bot]).collect();
        Some(BoutPlace {
            bout: self.ids.id(number),
            key: keys.shared.key(order.seed, &seats),
            match_number: self.number,
            number,
        })
    }
}

impl EventPlans<'_> {
    fn keys(&self, match_number: u64, group: &[usize], order: &SeatOrder) -> &PlanKeyParts {
        self.keys.get_or_init(|| PlanKeyParts {
            shared: PlanKeys::of(&self.plan(match_number, group, order)),
            seats: self.players.iter().map(|player| PlanKeys::seat(&seat_plan(player))).collect(),
        })
    }
}

/// The whole schedule, including bouts that a run leaves out (`--only`, other shards).
impl Scheduled for EventPlans<'_> {
    fn bouts_per_match(&self) -> u32 {
        self.seating.bouts
    }

    fn count(&self) -> u64 {
        self.match_count().saturating_mul(self.seating.bouts.into())
    }

    fn finder(&self) -> Finder<'_> {
        let mut last: Option<MatchPlaces<'_>> = None;
        Box::new(move |match_number, number| {
            if last.as_ref().is_none_or(|last| last.number != match_number) {
                let group = self.group_at(match_number);
                last = group.map(|group| MatchPlaces::of(self, match_number, group));
            }
            last.as_mut()?.place(number)
        })
    }

    fn all(&self) -> Box<dyn Iterator<Item = BoutPlace> + Send + '_> {
        Box::new(self.matches().flat_map(move |(match_number, group)| {
            let mut places = MatchPlaces::of(self, match_number, group);
            (0..self.seating.bouts).map_while(move |number| places.place(number))
        }))
    }
}
