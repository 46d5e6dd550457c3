//! Winners of matches.

use std::collections::BTreeMap;

use super::Record;

/// The matches by the groups of bots that meet, in sorted order.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups(BTreeMap<Vec<usize>, Match>);

/// The bouts of one match.
#[derive(Clone, Debug, Default)]
struct Match {
    bouts: u32,
    /// Bouts won, in the order of the match's sorted bots.
    wins: Vec<u32>,
}

impl Groups {
    /// Adds a bout of the bots at `places`; `winner` has won it, if there is a winner.
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

    /// Adds the matches to the records of their bots, where one of fewer than `bouts` bouts is
    /// unfinished.
    pub(super) fn count(&self, records: &mut [Record], bouts: u32) {
        for (places, meeting) in &self.0 {
            count_match(places, &meeting.wins, meeting.bouts < bouts, records);
        }
    }
}

/// Adds a match to the records of its bots, by the numbers of its bouts that they won.
pub(super) fn count_match(
    places: &[usize],
    wins: &[u32],
    is_unfinished: bool,
    records: &mut [Record],
) {
    let most = wins.iter().max().copied().unwrap_or(0);
    let sharing = wins.iter().filter(|wins| **wins == most).count();
    for (place, wins) in places.iter().zip(wins) {
        let record = &mut records[*place];
        *match () {
            () if is_unfinished => &mut record.unfinished,
            () if *wins < most => &mut record.lost,
            () if sharing > 1 => &mut record.drawn,
            () => &mut record.won,
        } += 1;
    }
}
