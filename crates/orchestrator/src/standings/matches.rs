//! Who took which match.

use std::collections::BTreeMap;

use super::Record;

/// The matches by the bots that meet, in sorted order.
#[derive(Default)]
pub(super) struct Matches(BTreeMap<Vec<usize>, Match>);

/// The bouts of one match.
#[derive(Default)]
struct Match {
    bouts: u32,
    /// Bouts won, in the order of the match's sorted bots.
    wins: Vec<u32>,
}

impl Matches {
    /// Adds a bout of the bots `places` that `winner` has won, if anybody.
    pub(super) fn add(&mut self, places: &[usize], winner: Option<usize>) {
        let mut bots = places.to_vec();
        bots.sort_unstable();
        let place = winner.and_then(|winner| bots.binary_search(&winner).ok());
        let seats = bots.len();
        let meeting = self.0.entry(bots).or_default();
        meeting.wins.resize(seats, 0);
        meeting.bouts += 1;
        if let Some(place) = place {
            meeting.wins[place] += 1;
        }
    }

    /// Returns the matches of each of `bots` bots, where a match of fewer than
    /// `bouts` bouts is unfinished.
    pub(super) fn records(&self, bots: usize, bouts: u32) -> Vec<Record> {
        let mut records = vec![Record::default(); bots];
        for (places, meeting) in &self.0 {
            for (place, wins) in places.iter().zip(&meeting.wins) {
                *meeting.count(&mut records[*place], *wins, bouts) += 1;
            }
        }
        records
    }
}

impl Match {
    fn count<'a>(&self, record: &'a mut Record, wins: u32, bouts: u32) -> &'a mut u32 {
        let most = self.wins.iter().max().copied().unwrap_or(0);
        let sharing = self.wins.iter().filter(|wins| **wins == most).count();
        match () {
            () if self.bouts < bouts => &mut record.unfinished,
            () if wins < most => &mut record.lost,
            () if sharing > 1 => &mut record.drawn,
            () => &mut record.won,
        }
    }
}
