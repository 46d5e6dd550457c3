//! Who took which match.

use std::collections::BTreeMap;

use super::Record;

/// The matches by the bots that meet, in sorted order.
#[derive(Clone, Debug, Default)]
pub(super) struct Matches {
    pairs: BTreeMap<[usize; 2], Match<[u32; 2]>>,
    groups: BTreeMap<Vec<usize>, Match<Vec<u32>>>,
}

/// The bouts of one match.
#[derive(Clone, Debug, Default)]
struct Match<W> {
    bouts: u32,
    /// Bouts won, in the order of the match's sorted bots.
    wins: W,
}

impl Matches {
    /// Adds a bout of the bots `places` that `winner` has won, if anybody.
    pub(super) fn add(&mut self, places: &[usize], winner: Option<usize>) {
        match *places {
            [one, other] if one != other => self.add_pair(one.min(other), one.max(other), winner),
            _ => self.add_group(places.to_vec(), winner),
        }
    }

    fn add_pair(&mut self, low: usize, high: usize, winner: Option<usize>) {
        let wins = [low, high].map(|bot| u32::from(winner == Some(bot)));
        self.add_bouts([low, high], wins, 1);
    }

    /// Adds so many bouts of two bots, and how many of them each has won.
    pub(super) fn add_bouts(&mut self, bots: [usize; 2], wins: [u32; 2], bouts: u32) {
        let [one, other] = bots;
        let (low, high) = (one.min(other), one.max(other));
        let meeting = self.pairs.entry([low, high]).or_default();
        meeting.bouts += bouts;
        for (bot, wins) in bots.into_iter().zip(wins) {
            meeting.wins[usize::from(bot == high)] += wins;
        }
    }

    fn add_group(&mut self, mut bots: Vec<usize>, winner: Option<usize>) {
        bots.sort_unstable();
        let place = winner.and_then(|winner| bots.binary_search(&winner).ok());
        let seats = bots.len();
        let meeting = self.groups.entry(bots).or_default();
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
        for (places, meeting) in &self.pairs {
            meeting.count(places, &mut records, bouts);
        }
        for (places, meeting) in &self.groups {
            meeting.count(places, &mut records, bouts);
        }
        records
    }
}

impl<W: AsRef<[u32]>> Match<W> {
    /// Adds the match to the records of its bots.
    fn count(&self, places: &[usize], records: &mut [Record], bouts: u32) {
        let all = self.wins.as_ref();
        let most = all.iter().max().copied().unwrap_or(0);
        let sharing = all.iter().filter(|wins| **wins == most).count();
        for (place, wins) in places.iter().zip(all) {
            let record = &mut records[*place];
            *match () {
                () if self.bouts < bouts => &mut record.unfinished,
                () if *wins < most => &mut record.lost,
                () if sharing > 1 => &mut record.drawn,
                () => &mut record.won,
            } += 1;
        }
    }
}
