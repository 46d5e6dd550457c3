//! Identities and seeds of bouts, and keys of plans: the hash of all inputs of a bout's result.

use std::fmt::Write as _;

use joust_referee::Seed;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::hash::{add_field, start_digest};
use super::{BoutId, BoutPlan, PlanKey, SeatPlan};

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

/// Identities of the bouts between some bots. The common part is hashed once, because a match can
/// have a hundred thousand bouts.
#[derive(Clone, Debug)]
pub struct BoutIds(Sha256);

impl BoutIds {
    /// Makes the identities of the match between `bots`, whose order has no effect.
    pub fn of(tournament: &str, event: &str, bots: &[&str]) -> Self {
        let mut sorted = bots.to_vec();
        sorted.sort_unstable();
        let mut fields: Vec<&[u8]> = vec![tournament.as_bytes(), event.as_bytes()];
        fields.extend(sorted.iter().map(|bot| bot.as_bytes()));
        Self(start_digest("joust-bout-1", &fields))
    }

    /// Returns the identity of the bout with a number in the match.
    pub fn id(&self, number: u32) -> BoutId {
        let mut hash = self.0.clone();
        add_field(&mut hash, &number.to_le_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        BoutId(*digest.first_chunk().expect("a digest has 32 bytes"))
    }
}

/// Returns the seed of a bout.
///
/// It is the first eight bytes, little endian, of the SHA-256 of `joust-bout-seed-1`, the
/// tournament seed (eight bytes, little endian), the event id, the bots' names in sorted order and
/// `number` (four bytes, little endian), where every text is preceded by its length in bytes (four
/// bytes, little endian). The seats are not included, so both bouts of a mirror pair have the same
/// seed when they have the same `number`.
pub fn bout_seed(tournament: Seed, event: &str, names: &[&str], number: u32) -> Seed {
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    let mut hash = Sha256::new_with_prefix(b"joust-bout-seed-1");
    hash.update(tournament.0.to_le_bytes());
    update_text(&mut hash, event);
    for name in sorted {
        update_text(&mut hash, name);
    }
    hash.update(number.to_le_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    let first = digest.first_chunk().expect("a digest has 32 bytes");
    Seed(u64::from_le_bytes(*first))
}

fn update_text(hash: &mut Sha256, text: &str) {
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    hash.update(length.to_le_bytes());
    hash.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_do_not_change_the_seed() {
        let one = bout_seed(Seed(2026), "league", &["a", "b"], 0);
        let other = bout_seed(Seed(2026), "league", &["b", "a"], 0);
        assert_eq!(one, other);
    }

    #[test]
    fn every_part_changes_the_seed() {
        let base = bout_seed(Seed(2026), "league", &["a", "b"], 0);
        let changed = [
            bout_seed(Seed(2027), "league", &["a", "b"], 0),
            bout_seed(Seed(2026), "cup", &["a", "b"], 0),
            bout_seed(Seed(2026), "league", &["a", "c"], 0),
            bout_seed(Seed(2026), "league", &["a", "b"], 1),
        ];
        assert!(changed.iter().all(|seed| *seed != base));
    }

    #[test]
    fn seeds_are_the_same_as_ever() {
        assert_eq!(
            bout_seed(Seed(2026), "league", &["a", "b"], 0),
            Seed(13_233_957_271_328_896_058)
        );
        assert_eq!(
            bout_seed(Seed(2026), "league", &["bob", "ann"], 7),
            Seed(15_280_489_593_508_315_563)
        );
    }
}
