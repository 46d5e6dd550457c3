//! Adding up what each bot did, what each did against each other, and who won each match.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;

use super::Record;
use super::cross::Cross;
use joust_model::{BoutSummary, Score, SeatSummary, VerdictCounts};

/// Results of one bot against another, in bouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PairRecord {
    /// Bouts in which it was ranked ahead.
    pub won: u32,
    /// Bouts in which they were ranked level.
    pub drawn: u32,
    /// Bouts in which it was ranked behind.
    pub lost: u32,
    /// True if some of their bouts are missing.
    pub unfinished: bool,
}

impl PairRecord {
    /// Returns how many bouts they had.
    pub fn bouts(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// Returns the points, in halves.
    pub(super) fn halves(&self) -> i64 {
        2 * i64::from(self.won) + i64::from(self.drawn)
    }
}

/// Results of the bouts of two bots, for the first: one for each pair that met, so there are many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Endings {
    pub(super) won: u32,
    pub(super) drawn: u32,
    pub(super) lost: u32,
}

/// Results of one bot in all of its bouts.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) won: u32,
    pub(super) drawn: u32,
    pub(super) lost: u32,
    pub(super) score: Score,
    pub(super) verdicts: VerdictCounts,
    /// Points, in halves.
    pub(super) halves: i64,
    /// Opponents met, once for each bout.
    pub(super) meetings: i64,
}

/// Everything added up; bots by their place in the field.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies {
    pub(super) bots: Vec<Tally>,
    groups: Groups,
    pub(super) bouts: u64,
    pub(super) unisolated: u64,
    /// True if two meet at a time, so that a match is all bouts of a pair.
    is_of_pairs: bool,
    /// Results of the first of two bots against the second, whose place is higher.
    pairs: BTreeMap<[u32; 2], Endings>,
}

impl Tallies {
    /// Makes empty tallies of `bots` bots that meet `bots_per_match` at a time.
    pub(super) fn of(bots: usize, bots_per_match: u32) -> Self {
        let bots = vec![Tally::default(); bots];
        Self { bots, is_of_pairs: bots_per_match == 2, ..Self::default() }
    }

    /// Adds a bout of the bots at `places`.
    pub(super) fn add(&mut self, places: &[usize], bout: &BoutSummary) {
        let seats = &bout.seats;
        self.bouts += 1;
        self.unisolated += u64::from(!bout.is_isolated);
        let best = seats.iter().map(|seat| seat.rank).min().unwrap_or(1);
        let mut winners = places.iter().zip(seats).filter(|(_, seat)| seat.rank == best);
        let first = winners.next().map(|(place, _)| *place);
        let sole = first.filter(|_| winners.next().is_none());
        if !self.is_of_pairs {
            self.groups.add(places, sole);
        }
        for (place, seat) in places.iter().zip(seats) {
            self.bots[*place].add(seat, best, sole.is_some());
        }
        self.compare(places, seats);
    }

    fn compare(&mut self, places: &[usize], seats: &[SeatSummary]) {
        for (own, seat) in places.iter().zip(seats) {
            for (other, opponent) in places.iter().zip(seats) {
                if own < other {
                    self.meet([*own, *other], seat.rank.cmp(&opponent.rank));
                }
            }
        }
    }

    /// Adds a meeting; the first bot's place is lower, and `order` compares their ranks.
    fn meet(&mut self, bots: [usize; 2], order: Ordering) {
        let endings = self.pair(bots);
        let count = match order {
            Ordering::Less => &mut endings.won,
            Ordering::Equal => &mut endings.drawn,
            Ordering::Greater => &mut endings.lost,
        };
        *count += 1;
        for (bot, order) in bots.into_iter().zip([order, order.reverse()]) {
            self.bots[bot].halves += match order {
                Ordering::Less => 2,
                Ordering::Equal => 1,
                Ordering::Greater => 0,
            };
            self.bots[bot].meetings += 1;
        }
    }

    /// Returns what the first of two bots did against the second; the first one's place is lower.
    fn pair(&mut self, bots: [usize; 2]) -> &mut Endings {
        let place = |bot| u32::try_from(bot).expect("fewer bots than fit into memory");
        self.pairs.entry(bots.map(place)).or_default()
    }

    /// Returns the matches of each bot, where one of fewer than `bouts` bouts is unfinished.
    pub(super) fn matches(&self, bouts: u32) -> Vec<Record> {
        let mut records = vec![Record::default(); self.bots.len()];
        if self.is_of_pairs {
            for (pair, endings) in &self.pairs {
                let places = pair.map(|bot| bot as usize);
                let wins = [endings.won, endings.lost];
                count_match(&places, &wins, endings.bouts() < bouts, &mut records);
            }
        }
        self.groups.count(&mut records, bouts);
        records
    }

    /// Returns what each bot did against each other, by their places in the field.
    pub(super) fn cross(&self) -> Cross {
        Cross::of(self.bots.len(), &self.pairs)
    }
}

impl Tally {
    pub(super) fn bouts(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    fn add(&mut self, seat: &SeatSummary, best: u8, sole: bool) {
        let count = match seat.rank == best {
            true if sole => &mut self.won,
            true => &mut self.drawn,
            false => &mut self.lost,
        };
        *count += 1;
        self.score += seat.score;
        self.add_verdicts(&seat.verdicts);
    }

    fn add_verdicts(&mut self, verdicts: &VerdictCounts) {
        for (total, more) in self.verdicts.0.iter_mut().zip(verdicts.0) {
            *total = total.saturating_add(more);
        }
    }
}

impl Endings {
    pub(super) fn bouts(self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// Returns it as the other bot sees it.
    pub(super) fn mirrored(self) -> Self {
        Self { won: self.lost, lost: self.won, ..self }
    }
}

impl From<Endings> for PairRecord {
    fn from(Endings { won, drawn, lost }: Endings) -> Self {
        Self { won, drawn, lost, unfinished: false }
    }
}

/// The matches by the groups of bots that meet, in sorted order.
#[derive(Clone, Debug, Default)]
struct Groups(BTreeMap<Vec<usize>, Match>);

/// The bouts of one match.
#[derive(Clone, Debug, Default)]
struct Match {
    bouts: u32,
    /// Bouts won, in the order of the match's sorted bots.
    wins: Vec<u32>,
}

impl Groups {
    /// Adds a bout of the bots at `places`; `winner` has won it, if there is a winner.
    fn add(&mut self, places: &[usize], winner: Option<usize>) {
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
    fn count(&self, records: &mut [Record], bouts: u32) {
        for (places, meeting) in &self.0 {
            count_match(places, &meeting.wins, meeting.bouts < bouts, records);
        }
    }
}

/// Adds a match to the records of its bots, by the numbers of its bouts that they won.
fn count_match(places: &[usize], wins: &[u32], is_unfinished: bool, records: &mut [Record]) {
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
