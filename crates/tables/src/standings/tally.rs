//! Adding up what each bot did, and what each did against each other.

use std::cmp::Ordering;

use serde::Serialize;

use super::field::Field;
use super::matches::Matches;
use super::table::Played;
use joust_model::{BoutSummary, Pair, PairTotals, Score, SeatSummary, Totals, VerdictCounts};

/// What one bot did against another, bout by bout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// Bouts in which it was ranked ahead.
    pub won: u32,
    /// Bouts in which they were ranked level.
    pub drawn: u32,
    /// Bouts in which it was ranked behind.
    pub lost: u32,
    /// Whether bouts of theirs are missing.
    pub unfinished: bool,
}

impl Cell {
    /// Returns how many bouts they had.
    #[must_use]
    pub fn bouts(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// Returns the points, in halves.
    pub(super) fn halves(&self) -> i64 {
        2 * i64::from(self.won) + i64::from(self.drawn)
    }
}

/// What one bot did in all of its bouts.
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
pub(super) struct Tallies {
    pub(super) bots: Vec<Tally>,
    pub(super) matches: Matches,
    pub(super) bouts: u64,
    pub(super) unisolated: u64,
    cells: Vec<Cell>,
}

impl Tallies {
    pub(super) fn of(field: &Field<'_>, played: Played<'_>) -> Self {
        let size = field.bots.len();
        let mut tallies = Self {
            bots: vec![Tally::default(); size],
            matches: Matches::default(),
            bouts: 0,
            unisolated: 0,
            cells: vec![Cell::default(); size * size],
        };
        match played {
            Played::Bouts(bouts) => tallies.add_bouts(field, bouts),
            Played::Totals(totals) => tallies.add_totals(field, totals),
        }
        tallies
    }

    fn add_bouts(&mut self, field: &Field<'_>, bouts: &[BoutSummary]) {
        let mut places = Vec::new();
        for bout in bouts {
            if field.find_places(bout, &mut places) {
                self.add(&places, &bout.seats);
                self.unisolated += u64::from(!bout.is_isolated);
            }
        }
    }

    fn add_totals(&mut self, field: &Field<'_>, totals: &Totals) {
        for Pair { bots, totals } in totals.pairs() {
            if let [Some(one), Some(other)] = bots.map(|bot| field.place(bot)) {
                self.add_pair([one, other], totals);
            }
        }
    }

    /// Adds all bouts of two bots.
    fn add_pair(&mut self, bots: [usize; 2], totals: &PairTotals) {
        let [lost, drawn, won] = totals.bouts();
        let cell = Cell { won, drawn, lost, unfinished: false };
        self.bouts += u64::from(cell.bouts());
        self.unisolated += u64::from(totals.unisolated());
        self.matches.add_bouts(bots, [won, lost], cell.bouts());
        let mirrored = Cell { won: lost, lost: won, ..cell };
        for (own, cell) in [cell, mirrored].into_iter().enumerate() {
            let place = bots[own] * self.bots.len() + bots[1 - own];
            self.cells[place].join(&cell);
            let tally = &mut self.bots[bots[own]];
            tally.join(&cell);
            tally.score += totals.score(own);
            tally.add_verdicts(&totals.verdicts(own));
        }
    }

    fn add(&mut self, places: &[usize], seats: &[SeatSummary]) {
        self.bouts += 1;
        let best = seats.iter().map(|seat| seat.rank).min().unwrap_or(1);
        let mut winners = places.iter().zip(seats).filter(|(_, seat)| seat.rank == best);
        let first = winners.next().map(|(place, _)| *place);
        let sole = first.filter(|_| winners.next().is_none());
        self.matches.add(places, sole);
        for (place, seat) in places.iter().zip(seats) {
            self.bots[*place].add(seat, best, sole.is_some());
        }
        self.compare(places, seats);
    }

    fn compare(&mut self, places: &[usize], seats: &[SeatSummary]) {
        for (own, seat) in places.iter().zip(seats) {
            for (other, opponent) in places.iter().zip(seats) {
                if own != other {
                    self.meet([*own, *other], [seat.rank, opponent.rank]);
                }
            }
        }
    }

    fn meet(&mut self, [own, other]: [usize; 2], [rank, opponents]: [u8; 2]) {
        let size = self.bots.len();
        self.bots[own].halves += self.cells[own * size + other].add(rank, opponents);
        self.bots[own].meetings += 1;
    }

    /// Returns what `own` did against `other`.
    pub(super) fn cell(&self, own: usize, other: usize) -> Cell {
        self.cells[own * self.bots.len() + other]
    }

    /// Returns what `own` did against each bot of the field.
    pub(super) fn cells_of(&self, own: usize) -> &[Cell] {
        let size = self.bots.len();
        &self.cells[own * size..(own + 1) * size]
    }

    /// Marks pairs that have fewer than `bouts` bouts.
    pub(super) fn mark_unfinished(&mut self, bouts: u32) {
        let size = self.bots.len();
        for (index, cell) in self.cells.iter_mut().enumerate() {
            cell.unfinished = index / size != index % size && cell.bouts() < bouts;
        }
    }
}

impl Tally {
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

    /// Adds bouts of two.
    fn join(&mut self, bouts: &Cell) {
        self.won += bouts.won;
        self.drawn += bouts.drawn;
        self.lost += bouts.lost;
        self.halves += bouts.halves();
        self.meetings += i64::from(bouts.bouts());
    }

    fn add_verdicts(&mut self, verdicts: &VerdictCounts) {
        for (total, more) in self.verdicts.0.iter_mut().zip(verdicts.0) {
            *total = total.saturating_add(more);
        }
    }
}

impl Cell {
    fn join(&mut self, other: &Self) {
        self.won += other.won;
        self.drawn += other.drawn;
        self.lost += other.lost;
    }

    /// Adds a bout and returns its points, in halves.
    fn add(&mut self, own: u8, other: u8) -> i64 {
        let (count, halves) = match own.cmp(&other) {
            Ordering::Less => (&mut self.won, 2),
            Ordering::Equal => (&mut self.drawn, 1),
            Ordering::Greater => (&mut self.lost, 0),
        };
        *count += 1;
        halves
    }
}
