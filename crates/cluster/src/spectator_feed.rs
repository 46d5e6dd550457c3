//! Feed of a worker for remote spectators: positions of its running bouts.
//!
//! Without spectators it sends nothing. With spectators it sends positions of a few bouts at a
//! time, about one per second and bout, and only the newest unsent one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use joust_model::BoutId;
use joust_model::notices::{Listener, Notice};
use joust_referee::Scene;
use parking_lot::Mutex;

use crate::message::Position;

/// Number of bouts that are shown at once.
const BOUTS: usize = 4;

/// The shortest time between two positions of a bout.
const BETWEEN: Duration = Duration::from_millis(900);

/// The longest position that is sent, bytes.
const MOST_BYTES: usize = 128 << 10;

/// Positions of a worker's bouts for remote spectators.
#[derive(Debug, Default)]
pub struct SpectatorFeed {
    is_watched: AtomicBool,
    bouts: Mutex<BTreeMap<BoutId, PositionSnapshot>>,
}

#[derive(Debug)]
struct PositionSnapshot {
    taken: Instant,
    newest: Option<Position>,
}

impl SpectatorFeed {
    /// Sets whether there are spectators.
    pub(crate) fn set_watched(&self, is_watched: bool) {
        self.is_watched.store(is_watched, Ordering::Relaxed);
        if !is_watched {
            self.bouts.lock().clear();
        }
    }

    pub(crate) fn are_watched(&self) -> bool {
        self.is_watched.load(Ordering::Relaxed)
    }

    /// Removes a bout that has ended.
    pub(crate) fn forget(&self, bout: BoutId) {
        self.bouts.lock().remove(&bout);
    }

    /// Removes and returns the unsent positions, except those that are too long.
    pub(crate) fn take(&self) -> Vec<Position> {
        let newest: Vec<Position> =
            self.bouts.lock().values_mut().filter_map(|snapshot| snapshot.newest.take()).collect();
        let is_short = |it: &Position| {
            rmp_serde::to_vec_named(it).is_ok_and(|bytes| bytes.len() <= MOST_BYTES)
        };
        newest.into_iter().filter(is_short).collect()
    }
}

impl Listener for SpectatorFeed {
    fn notice(&self, notice: &Notice) {
        let Notice::Position { bout, round, scene } = notice else { return };
        if let Some(snapshot) = self.bouts.lock().get_mut(bout) {
            let (bout, round, scene) = (*bout, *round, Scene::clone(scene));
            snapshot.newest = Some(Position { bout, round, scene });
        }
    }

    fn wants_position(&self, bout: BoutId) -> bool {
        if !self.are_watched() {
            return false;
        }
        // The thread that plays never waits for the lock.
        let Some(mut bouts) = self.bouts.try_lock() else { return false };
        let (now, are_all) = (Instant::now(), bouts.len() >= BOUTS);
        match bouts.get_mut(&bout) {
            Some(snapshot) if now.duration_since(snapshot.taken) < BETWEEN => return false,
            Some(snapshot) => snapshot.taken = now,
            None if are_all => return false,
            None => _ = bouts.insert(bout, PositionSnapshot { taken: now, newest: None }),
        }
        true
    }

    fn wants_positions(&self) -> bool {
        self.are_watched()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use joust_model::Round;

    use super::*;

    fn position(bout: u8, round: Round) -> Notice {
        Notice::Position { bout: BoutId([bout; 8]), round, scene: Arc::new(Scene::default()) }
    }

    #[test]
    fn positions_are_taken_once_of_few_bouts_and_only_while_somebody_looks() {
        let spectator_feed = SpectatorFeed::default();
        assert!(!spectator_feed.wants_position(BoutId([1; 8])));
        spectator_feed.set_watched(true);
        let wanted = (1..=9).filter(|bout| spectator_feed.wants_position(BoutId([*bout; 8])));
        assert_eq!(wanted.count(), BOUTS);
        assert!(!spectator_feed.wants_position(BoutId([1; 8])), "it was a moment ago");
        for round in [3, 4].map(Round) {
            spectator_feed.notice(&position(1, round));
            spectator_feed.notice(&position(9, round));
        }
        let taken = spectator_feed.take();
        assert_eq!(
            taken.iter().map(|it| (it.bout.0[0], it.round)).collect::<Vec<_>>(),
            [(1, Round(4))]
        );
        assert!(spectator_feed.take().is_empty());
        spectator_feed.forget(BoutId([1; 8]));
        assert!(spectator_feed.wants_position(BoutId([9; 8])), "there is room for another");
        spectator_feed.set_watched(false);
        assert!(!spectator_feed.wants_position(BoutId([2; 8])));
    }

    #[test]
    fn a_position_that_is_too_long_is_not_sent() {
        let spectator_feed = SpectatorFeed::default();
        spectator_feed.set_watched(true);
        let bout = BoutId([1; 8]);
        assert!(spectator_feed.wants_position(bout));
        let picture = Some("x".repeat(MOST_BYTES).into());
        let scene = Arc::new(Scene { picture, ..Scene::default() });
        spectator_feed.notice(&Notice::Position { bout, round: Round(0), scene });
        assert!(spectator_feed.take().is_empty());
    }
}
