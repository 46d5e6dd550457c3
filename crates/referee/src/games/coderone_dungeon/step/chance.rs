//! Draws of a bout: from the generator of the original, or recorded outcomes.

use std::collections::VecDeque;

use super::super::options::{TREASURE_DELAY_TICKS, TREASURE_RETRY_TICKS};
use super::super::{Order, Spot};
use crate::Seed;
use crate::rng::Mt19937;

/// Chance of one bout.
///
/// Draws can be forced, see [`Chance::force`]; a forced outcome that cannot be is
/// dropped, and the generator decides.
#[derive(Clone, Debug)]
pub struct Chance {
    pub(in super::super) rng: Mt19937,
    orders: VecDeque<Vec<i64>>,
    ammo: VecDeque<Vec<i64>>,
    treasure: VecDeque<Vec<i64>>,
}

impl Chance {
    /// Starts as the original's generator seeded with `seed`.
    pub fn from_seed(seed: Seed) -> Self {
        Self {
            rng: Mt19937::from_seed(seed.0),
            orders: VecDeque::new(),
            ammo: VecDeque::new(),
            treasure: VecDeque::new(),
        }
    }

    /// Forces a later draw; several of one kind are used in turn.
    ///
    /// `order`: the players in the order in which their orders are applied in
    /// the next tick that has any. `ammo`: `x, y` of the next ammo that comes
    /// due, or nothing when it is put off. `treasure`: `x, y, next`, or `next`
    /// alone when it is put off, where `next` is the number of ticks until the
    /// following one. Other kinds are ignored.
    pub fn force(&mut self, draw: &str, values: Vec<i64>) {
        match draw {
            "order" => self.orders.push_back(values),
            "ammo" => self.ammo.push_back(values),
            "treasure" => self.treasure.push_back(values),
            _ => {}
        }
    }

    /// Puts the orders of a tick in the order in which they are applied.
    pub(in super::super) fn shuffle(&mut self, orders: &mut [(u8, Order)]) {
        if orders.is_empty() {
            return;
        }
        let forced = self.orders.pop_front();
        if !forced.is_some_and(|players| put_in_order(orders, &players)) {
            self.rng.shuffle(orders);
        }
    }

    /// Chooses where ammo is put.
    pub(super) fn ammo_spot(&mut self, free: &[Spot]) -> Option<Spot> {
        let forced = self.ammo.pop_front().unwrap_or_default();
        forced_spot(&forced, free).or_else(|| self.spot(free))
    }

    /// Chooses where a treasure is put, and in how many ticks the next comes.
    pub(super) fn treasure_spot(&mut self, free: &[Spot]) -> (Option<Spot>, i32) {
        let forced = self.treasure.pop_front().unwrap_or_default();
        let at = forced_spot(&forced, free).or_else(|| self.spot(free));
        let delays = if at.is_some() { TREASURE_DELAY_TICKS } else { TREASURE_RETRY_TICKS };
        let next = forced.last().and_then(|next| forced_delay(*next, delays));
        (at, next.unwrap_or_else(|| self.delay(delays)))
    }

    fn spot(&mut self, free: &[Spot]) -> Option<Spot> {
        (!free.is_empty()).then(|| free[self.rng.index(free.len())])
    }

    /// Draws a number of ticks.
    pub(in super::super) fn delay(&mut self, (shortest, longest): (u32, u32)) -> i32 {
        self.rng.between(shortest, longest) as i32
    }
}

/// Sorts `orders` in the order of `players` and returns true, if `players` are exactly
/// the players of `orders`.
fn put_in_order(orders: &mut [(u8, Order)], players: &[i64]) -> bool {
    let place = |player: u8| players.iter().position(|forced| *forced == i64::from(player));
    let fits = players.len() == orders.len() && orders.iter().all(|(p, _)| place(*p).is_some());
    if fits {
        orders.sort_by_key(|(player, _)| place(*player));
    }
    fits
}

fn forced_spot(values: &[i64], free: &[Spot]) -> Option<Spot> {
    let [x, y, ..] = *values else { return None };
    let at = Spot { x: i32::try_from(x).ok()?, y: i32::try_from(y).ok()? };
    free.contains(&at).then_some(at)
}

fn forced_delay(value: i64, (shortest, longest): (u32, u32)) -> Option<i32> {
    let fits = (i64::from(shortest)..=i64::from(longest)).contains(&value);
    i32::try_from(value).ok().filter(|_| fits)
}
