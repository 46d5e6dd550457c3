//! Report of a tick: what chance decided, so that the tick can be played again without the
//! seed.

use super::super::{EffectKind, Order, Spot};

/// An effect that came due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spawn {
    /// Item that was placed.
    pub kind: EffectKind,
    /// Square of the item; `None` when no square was free.
    pub at: Option<Spot>,
    /// Ticks until the next treasure; `None` for ammo.
    pub next: Option<i32>,
}

/// Random decisions of a tick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The orders in the order in which they were applied, each with its
    /// player; orders that failed included.
    pub orders: Vec<(u8, Order)>,
    /// The effects that came due, in order.
    pub spawns: Vec<Spawn>,
}
