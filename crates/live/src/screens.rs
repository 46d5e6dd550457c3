//! Screens: the few bouts whose boards spectators see while they are played.
//!
//! A screen follows a bout to its end and keeps its last position until another bout needs the
//! place.

use std::collections::VecDeque;
use std::sync::Arc;

use joust_model::BoutId;
use joust_referee::Scene;
use joust_report::site::Board;

/// Number of screens.
const SCREENS: usize = 4;

/// Most bouts that are known to be played.
const KNOWN: usize = 64;

/// A bout that begins.
#[derive(Clone, Debug)]
pub(crate) struct StartedBout {
    pub(crate) bout: BoutId,
    pub(crate) event: String,
    pub(crate) bots: Vec<String>,
}

/// The screens.
#[derive(Debug, Default)]
pub(crate) struct Screens {
    /// Bouts that are being played.
    known: VecDeque<StartedBout>,
    shown: Vec<Board>,
    /// Raised by every change.
    pub(crate) stamp: u64,
}

impl Screens {
    pub(crate) fn boards(&self) -> &[Board] {
        &self.shown
    }

    pub(crate) fn begin(&mut self, bout: StartedBout) {
        self.end(bout.bout);
        self.known.truncate(KNOWN - 1);
        self.known.push_front(bout);
    }

    /// Shows a position, if a screen follows its bout or none better is on one.
    pub(crate) fn show(&mut self, bout: BoutId, round: u32, scene: Arc<Scene>) {
        if let Some(board) = self.shown.iter_mut().find(|board| board.bout == bout) {
            (board.round, board.scene) = (round, scene);
            self.stamp += 1;
            return;
        }
        let Some(started) = self.known.iter().find(|known| known.bout == bout) else { return };
        let (event, bots) = (started.event.clone(), started.bots.clone());
        let board = Board { bout, event, bots, round, scene, is_over: false };
        let free = self.shown.iter().position(|board| board.is_over);
        match free {
            Some(place) => self.shown[place] = board,
            None if self.shown.len() < SCREENS => self.shown.push(board),
            None => return,
        }
        self.stamp += 1;
    }

    pub(crate) fn end(&mut self, bout: BoutId) {
        self.known.retain(|known| known.bout != bout);
        for board in self.shown.iter_mut().filter(|board| board.bout == bout) {
            board.is_over = true;
            self.stamp += 1;
        }
    }

    pub(crate) fn clear(&mut self) {
        let was_empty = self.shown.is_empty();
        self.known.clear();
        self.shown.clear();
        self.stamp += u64::from(!was_empty);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(number: u8) -> StartedBout {
        let bots = vec!["ann".to_owned(), "bob".to_owned()];
        StartedBout { bout: BoutId([number; 8]), event: "league".to_owned(), bots }
    }

    fn shown(screens: &Screens) -> Vec<(u8, u32, bool)> {
        let of = |board: &Board| (board.bout.0[0], board.round, board.is_over);
        screens.boards().iter().map(of).collect()
    }

    #[test]
    fn a_screen_follows_a_bout_until_it_has_ended_and_another_needs_its_place() {
        let (mut screens, scene) = (Screens::default(), Arc::new(Scene::default()));
        for number in 1..=5 {
            screens.begin(started(number));
            screens.show(BoutId([number; 8]), 0, Arc::clone(&scene));
        }
        assert_eq!(shown(&screens), [(1, 0, false), (2, 0, false), (3, 0, false), (4, 0, false)]);
        screens.show(BoutId([2; 8]), 7, Arc::clone(&scene));
        screens.end(BoutId([3; 8]));
        assert_eq!(shown(&screens), [(1, 0, false), (2, 7, false), (3, 0, true), (4, 0, false)]);
        screens.show(BoutId([5; 8]), 9, Arc::clone(&scene));
        assert_eq!(shown(&screens)[2], (5, 9, false));
        let stamp = screens.stamp;
        screens.show(BoutId([9; 8]), 1, scene);
        assert_eq!(screens.stamp, stamp, "nobody has heard that it began");
        screens.clear();
        assert!(screens.boards().is_empty() && screens.stamp > stamp);
    }
}
