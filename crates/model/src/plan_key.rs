//! Keys of plans: the hash of all inputs of a bout's result.

use std::fmt::Write as _;

use joust_referee::Seed;
use serde::Serialize;

use super::{BoutPlan, PlanKey, SeatPlan};

/// Bytes reserved for a seed and a few seats.
const ROOM: usize = 512;

/// Keys of bouts that only differ in their seeds and seats. The common part is encoded once,
/// because a league can have a million of them.
#[derive(Clone, Debug)]
pub struct PlanKeys {
    before_seed: String,
    after_seats: String,
}

impl PlanKeys {
    /// Makes the keys of all bouts that equal `plan` except for seeds and seats.
    pub fn of(plan: &BoutPlan) -> Self {
        let (game, rules) = (json(&plan.game), json(&plan.rules));
        let (options, limits) = (plan.options.json(), plan.limits.json());
        let mut before_seed = format!("[{game},{},{rules},{options},", plan.revision);
        let mut after_seats = format!(",{limits}]");
        let mut wrap = |more: &str| {
            before_seed.insert(0, '[');
            after_seats.push_str(more);
        };
        if let Some(clock) = plan.clock {
            wrap(&format!(",{}]", json(&clock)));
        }
        if let Some(referee) = plan.referee {
            wrap(&format!(",\"referee\",{}]", json(&referee)));
        }
        Self { before_seed, after_seats }
    }

    /// Returns a seat's part of a key.
    pub fn seat(seat: &SeatPlan) -> String {
        json(&(&seat.bot, seat.occupant))
    }

    /// Returns the key of the bout with this seed and these seats.
    pub fn key(&self, seed: Seed, seats: &[&str]) -> PlanKey {
        PlanKey::of("joust-plan-1", &[self.key_text(seed, seats).as_bytes()])
    }

    /// Returns all inputs of the result, as a JSON list.
    pub(super) fn key_text(&self, seed: Seed, seats: &[&str]) -> String {
        let shared = self.before_seed.len() + self.after_seats.len();
        let mut list = String::with_capacity(shared + ROOM);
        list.push_str(&self.before_seed);
        write!(list, "{seed},[").expect("a text has room");
        for (number, seat) in seats.iter().enumerate() {
            if number > 0 {
                list.push(',');
            }
            list.push_str(seat);
        }
        list.push(']');
        list.push_str(&self.after_seats);
        list
    }
}

impl BoutPlan {
    /// Returns the key of this plan's result.
    pub fn key(&self) -> PlanKey {
        let seats: Vec<String> = self.seats.iter().map(PlanKeys::seat).collect();
        let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
        PlanKeys::of(self).key(self.seed, &seats)
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data is JSON")
}
