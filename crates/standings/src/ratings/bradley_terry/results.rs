//! Results of each pair of bots, in whatever order they happened.

use super::network;
use crate::ratings::totals::{PairTotals, Totals};
use crate::ratings::{Outcomes, Pentanomial};

/// Results of two bots against each other, seen from the first. Mirror pairs stand apart from
/// single bouts, because a pair is one sample.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meeting {
    /// The two, by their places; the lower first.
    pub bots: [usize; 2],
    /// Bouts outside finished mirror pairs.
    pub singles: Outcomes,
    /// Finished mirror pairs.
    pub pairs: Pentanomial,
    /// Draws that were not played, added to make a fit exist.
    pub virtual_draws: f64,
}

impl Meeting {
    /// Returns the real bouts.
    pub fn bouts(&self) -> Outcomes {
        let paired = self.pairs.outcomes();
        Outcomes {
            wins: self.singles.wins + paired.wins,
            draws: self.singles.draws + paired.draws,
            losses: self.singles.losses + paired.losses,
        }
    }

    /// Returns the points of the first and the bouts, virtual draws included.
    pub(super) fn points(&self) -> (f64, f64) {
        let bouts = self.bouts();
        let points = bouts.wins as f64 + (bouts.draws as f64 + self.virtual_draws) / 2.0;
        (points, bouts.bouts() as f64 + self.virtual_draws)
    }

    /// Returns how many samples the real bouts are.
    pub fn samples(&self) -> u64 {
        self.singles.bouts() + self.pairs.pairs()
    }
}

/// Everything that is fitted together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    /// Number of bots.
    pub bots: usize,
    /// The pairs that met, by their bots.
    pub meetings: Vec<Meeting>,
}

impl Results {
    /// Gathers what pairs among `names`, which are in order, did in all of their bouts.
    pub fn of_totals(names: &[&str], totals: &Totals) -> Self {
        let places: Vec<_> = totals.bots().map(|bot| names.binary_search(&bot).ok()).collect();
        let meeting = |(bots, totals): ([u32; 2], &PairTotals)| {
            let [one, other] = bots.map(|bot| places[bot as usize]);
            Some(met([one?, other?], totals))
        };
        // Nearly all pairs are of bots that play, and a list that grows takes twice as much.
        let mut meetings: Vec<Meeting> = Vec::with_capacity(totals.pairs().len());
        meetings.extend(totals.pairs().filter_map(meeting));
        meetings.sort_unstable_by_key(|meeting| meeting.bots);
        Self { bots: names.len(), meetings }
    }

    /// Gives the pairs of those groups one virtual draw that have no finite fit.
    #[must_use]
    pub fn made_finite(mut self) -> Self {
        if let Some(is_finite) = self.without_finite_fit() {
            for meeting in &mut self.meetings {
                if !is_finite[meeting.bots[0]] {
                    meeting.virtual_draws = 1.0;
                }
            }
        }
        self
    }

    /// Returns of each bot whether it has a finite rating; `None` when every bot has.
    pub(crate) fn without_finite_fit(&self) -> Option<Vec<bool>> {
        let groups = self.groups();
        let finite = network::finite(self, &groups);
        let mut is_finite = vec![true; self.bots];
        for (group, finite) in groups.iter().zip(&finite) {
            group.iter().for_each(|bot| is_finite[*bot] = *finite);
        }
        finite.contains(&false).then_some(is_finite)
    }

    /// Returns the groups of bots that met, directly or by way of others, by place.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        network::members(&network::groups_of(self))
    }

    /// Returns the samples of each bot.
    pub fn samples(&self) -> Vec<u64> {
        self.of_each(Meeting::samples)
    }

    /// Returns the real bouts of each bot.
    pub fn bouts(&self) -> Vec<u64> {
        self.of_each(|meeting| meeting.bouts().bouts())
    }

    fn of_each(&self, count: impl Fn(&Meeting) -> u64) -> Vec<u64> {
        let mut counts = vec![0; self.bots];
        for meeting in &self.meetings {
            for bot in meeting.bots {
                counts[bot] += count(meeting);
            }
        }
        counts
    }
}

/// Returns the results of two bots, given by their places, the lower place first.
fn met(bots: [usize; 2], totals: &PairTotals) -> Meeting {
    let [losses, draws, wins] = totals.singles().map(u64::from);
    let pairs = |endings| u64::from(totals.mirrored(endings));
    let pairs = Pentanomial {
        ll: pairs([0, 0]),
        ld: pairs([0, 1]),
        wl: pairs([0, 2]),
        dd: pairs([1, 1]),
        wd: pairs([1, 2]),
        ww: pairs([2, 2]),
    };
    Meeting { bots, singles: Outcomes { wins, draws, losses }, pairs, virtual_draws: 0.0 }
}
