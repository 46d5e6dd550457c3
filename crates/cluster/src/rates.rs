//! Rates of workers: whose bouts have more faults, neighbours or failures than everybody's, and
//! at whom bots that draw their own luck win more, or less, than elsewhere.
//!
//! A worker is compared with all others by the test of Cochran, Mantel and Haenszel: faults
//! within the bouts of the same bot, because a bot that always fails says nothing about who
//! played it. A worker is looked at whenever its bouts have doubled, so that looking often finds
//! nothing by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use joust_model::BoutResult;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::trust::has_told_fault;

/// The least that has to be expected for the test to mean anything.
const EXPECTED: f64 = 5.0;
/// How unlikely a difference has to be at one look; a million bouts have fourteen looks.
const UNLIKELY: f64 = 1e-4;
/// Bouts before the first look.
const FIRST_LOOK: u64 = 64;

/// What is counted of a worker's bouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trouble {
    /// A bot's fault of which there is nothing but the machine's word.
    Fault,
    /// Other programs had the processor.
    Contended,
    /// The machine failed, and the bout is voided.
    Failed,
    /// A bot that draws its own luck won alone: more often, or more seldom.
    Won,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fault => "bots that end at a limit or crash",
            Self::Contended => "bouts that shared their processor",
            Self::Failed => "bouts that the machine failed at",
            Self::Won => "bouts won by a bot that draws its own luck",
        })
    }
}

/// So many hits of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// All.
    pub all: u64,
    /// Those with the trouble.
    pub hits: u64,
}

impl Count {
    fn add(&mut self, is_hit: bool) {
        self.all += 1;
        self.hits += u64::from(is_hit);
    }
}

/// A worker's counts: by what may have trouble of its own, which is a bot or nothing.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    bouts: u64,
    looked: u64,
    counts: BTreeMap<Trouble, BTreeMap<String, Count>>,
}

impl Tally {
    fn count(&mut self, trouble: Trouble, of: &str, is_hit: bool) {
        let counts = self.counts.entry(trouble).or_default();
        match counts.get_mut(of) {
            Some(count) => count.add(is_hit),
            None => _ = counts.insert(of.to_owned(), Count { all: 1, hits: u64::from(is_hit) }),
        }
    }

    /// Counts a bout that was played.
    pub fn played(&mut self, result: &BoutResult) {
        self.bouts += 1;
        let firsts = result.seats.iter().filter(|seat| seat.rank <= 1).count();
        for seat in &result.seats {
            self.count(Trouble::Fault, &seat.bot, has_told_fault(&seat.verdicts));
            self.count(Trouble::Won, &seat.bot, seat.rank <= 1 && firsts == 1);
        }
        self.count(Trouble::Contended, "", result.contended);
        self.count(Trouble::Failed, "", false);
    }

    /// Counts a bout that the machine failed at.
    pub fn failed(&mut self) {
        self.bouts += 1;
        self.count(Trouble::Failed, "", true);
    }

    /// Says whether its bouts have doubled since this was last true.
    pub fn is_due(&mut self) -> bool {
        let is_due = self.bouts >= FIRST_LOOK.max(2 * self.looked);
        if is_due {
            self.looked = self.bouts;
        }
        is_due
    }

    fn of(&self, trouble: Trouble, of: &str) -> Count {
        let counts = self.counts.get(&trouble);
        counts.and_then(|counts| counts.get(of)).copied().unwrap_or_default()
    }
}

/// In what a worker differs from the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Excess {
    /// What it has too often.
    pub trouble: Trouble,
    /// How often.
    pub hits: u64,
    /// How often it would have it if it were as the others.
    pub expected: f64,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trouble, hits, expected } = self;
        write!(
            f,
            "{hits} {trouble}, and {expected:.0} are to be expected of a machine as the others"
        )
    }
}

/// Returns what a worker has too often, compared with `others`.
#[must_use]
pub fn excess(own: &Tally, others: &[&Tally]) -> Option<Excess> {
    let all = [Trouble::Fault, Trouble::Contended, Trouble::Failed];
    all.into_iter().find_map(|trouble| excess_of(trouble, own, others))
}

fn excess_of(trouble: Trouble, own: &Tally, others: &[&Tally]) -> Option<Excess> {
    let (mut hits, mut expected, mut variance) = (0, 0.0, 0.0);
    for (of, count) in own.counts.get(&trouble)? {
        let elsewhere = others.iter().map(|other| other.of(trouble, of));
        let elsewhere = elsewhere.fold((0, 0), |(all, hits), it| (all + it.all, hits + it.hits));
        let (here, there) = (count.all as f64, elsewhere.0 as f64);
        let (all, hit) = (here + there, (count.hits + elsewhere.1) as f64);
        // Whom nobody else has played can be compared with nobody.
        if elsewhere.0 == 0 {
            continue;
        }
        hits += count.hits;
        expected += here * hit / all;
        variance += here * there * hit * (all - hit) / (all * all * (all - 1.0));
    }
    let beyond = hits as f64 - expected - 0.5;
    if expected < EXPECTED || beyond <= 0.0 || variance <= 0.0 {
        return None;
    }
    let likely = ChiSquared::new(1.0).ok()?.sf(beyond * beyond / variance);
    (likely < UNLIKELY).then_some(Excess { trouble, hits, expected })
}

/// Returns at which of the bots that draw their own luck a worker's results differ from those of
/// `others`: their bouts cannot be compared one by one, but the share of those that they win is
/// everywhere the same.
#[must_use]
pub fn favour(own: &Tally, others: &[&Tally], lucky: &BTreeSet<String>) -> Option<Excess> {
    let differs = |bot: &String| {
        let here = own.of(Trouble::Won, bot);
        let there = others.iter().map(|other| other.of(Trouble::Won, bot));
        let there = there.fold(Count::default(), |sum, it| Count {
            all: sum.all + it.all,
            hits: sum.hits + it.hits,
        });
        favour_of(here, there, lucky.len())
    };
    lucky.iter().find_map(differs)
}

/// Compares a bot's wins here with those there, as one of so many bots that are looked at.
fn favour_of(here: Count, there: Count, bots: usize) -> Option<Excess> {
    let (own, others) = (here.all as f64, there.all as f64);
    let (all, hit) = (own + others, (here.hits + there.hits) as f64);
    let expected = own * hit / all;
    // Both bouts of a mirror pair are played by one worker, and may have a chance in common.
    let variance = 2.0 * own * others * hit * (all - hit) / (all * all * (all - 1.0));
    let beyond = (here.hits as f64 - expected).abs() - 0.5;
    let least = expected.min(own - expected);
    if there.all == 0 || least < EXPECTED || beyond <= 0.0 || variance <= 0.0 {
        return None;
    }
    let likely = ChiSquared::new(1.0).ok()?.sf(beyond * beyond / variance);
    let is_odd = likely * (bots as f64) < UNLIKELY;
    is_odd.then_some(Excess { trouble: Trouble::Won, hits: here.hits, expected })
}

#[cfg(test)]
mod tests {
    use joust_testkit::chance::Chance;

    use super::*;

    /// How often bots of a field fail; one is broken.
    const BOTS: [f64; 4] = [0.01, 0.03, 0.10, 1.0];

    /// Plays a batch of bouts of one bot, with `more` faults.
    fn play_batch(tally: &mut Tally, chance: &mut Chance, more: f64) {
        let bot = BOTS[chance.below(4) as usize];
        for _ in 0..16 {
            let fails = chance.happens(bot) || chance.happens(more);
            tally.bouts += 1;
            tally.count(Trouble::Fault, &bot.to_string(), fails);
        }
    }

    /// Workers that play so many bouts each, in runs of one bot as batches are, the first with
    /// `more` faults.
    fn found(seed: u64, bouts: u64, more: f64) -> Vec<Option<Excess>> {
        let mut chance = Chance(seed);
        let mut tallies = vec![Tally::default(); 8];
        let mut found = vec![None; tallies.len()];
        for _ in 0..bouts / 16 {
            for (worker, tally) in tallies.iter_mut().enumerate() {
                play_batch(tally, &mut chance, if worker == 0 { more } else { 0.0 });
            }
            for (worker, found) in found.iter_mut().enumerate().filter(|(_, it)| it.is_none()) {
                if tallies[worker].is_due() {
                    let others = tallies.iter().enumerate().filter(|(it, _)| *it != worker);
                    let others: Vec<&Tally> = others.map(|(_, it)| it).collect();
                    *found = excess(&tallies[worker], &others);
                }
            }
        }
        found
    }

    #[test]
    fn workers_like_the_others_are_hardly_ever_suspected() {
        let suspected =
            (0..50).flat_map(|seed| found(seed, 4096, 0.0)).filter(Option::is_some).count();
        assert!(suspected <= 1, "{suspected} of 400");
    }

    #[test]
    fn a_worker_with_twice_the_faults_is_found_and_it_alone() {
        let all: Vec<_> = (0..20).map(|seed| found(seed, 4096, 0.05)).collect();
        let caught = all.iter().filter(|found| found[0].is_some()).count();
        assert!(caught >= 19, "{caught} of 20");
        let wrongly = all.iter().flat_map(|found| &found[1..]).filter(|it| it.is_some()).count();
        assert!(wrongly <= 1, "{wrongly} of 140");
    }

    /// Workers that play mirror pairs of bots that draw their own luck, the first of which turns
    /// so many of a thousand bouts that `luck-0` lost into wins; says after how many bouts of
    /// its own it is found, and which others are suspected.
    fn favoured(seed: u64, bouts: u64, forged: u64) -> (Option<u64>, usize) {
        let mut chance = Chance(seed);
        let lucky: BTreeSet<String> = (0..10).map(|bot| format!("luck-{bot}")).collect();
        let (mut tallies, mut found) = (vec![Tally::default(); 4], None);
        let mut suspected = [false; 4];
        for played in (0..bouts).step_by(2) {
            for worker in 0..tallies.len() {
                let one = chance.below(10);
                let pair = [one, (one + 1 + chance.below(9)) % 10].map(|bot| format!("luck-{bot}"));
                for _ in 0..2 {
                    let mut winner = chance.below(2) as usize;
                    let is_lost = pair.iter().position(|bot| bot == "luck-0");
                    if let Some(own) = is_lost.filter(|own| *own != winner)
                        && worker == 0
                        && chance.permille(forged)
                    {
                        winner = own;
                    }
                    let tally = &mut tallies[worker];
                    tally.bouts += 1;
                    for (seat, bot) in pair.iter().enumerate() {
                        tally.count(Trouble::Won, bot, seat == winner);
                    }
                }
                if tallies[worker].is_due() {
                    let others = tallies.iter().enumerate().filter(|(it, _)| *it != worker);
                    let others: Vec<&Tally> = others.map(|(_, it)| it).collect();
                    let is_odd = favour(&tallies[worker], &others, &lucky).is_some();
                    suspected[worker] |= is_odd;
                    if is_odd && worker == 0 {
                        found.get_or_insert(played + 2);
                    }
                }
            }
        }
        (found, suspected[1..].iter().filter(|it| **it).count())
    }

    #[test]
    fn who_favours_a_bot_that_draws_its_own_luck_is_found_and_nobody_else() {
        let all: Vec<_> = (0..20).map(|seed| favoured(seed, 4096, 500)).collect();
        let caught = all.iter().filter(|(found, _)| found.is_some()).count();
        assert!(caught >= 19, "{caught} of 20: {all:?}");
        let wrongly: usize = all.iter().map(|(_, others)| others).sum();
        assert!(wrongly <= 1, "{wrongly} of 60");
    }

    #[test]
    fn luck_alone_is_hardly_ever_suspected() {
        let all = (0..50).map(|seed| favoured(seed, 4096, 0));
        let wrongly: usize = all.map(|(own, others)| usize::from(own.is_some()) + others).sum();
        assert!(wrongly <= 1, "{wrongly} of 200");
    }

    #[test]
    fn what_nobody_else_plays_is_compared_with_nobody() {
        let mut own = Tally::default();
        (0..500).for_each(|_| own.count(Trouble::Fault, "alone", true));
        let mut other = Tally::default();
        (0..500).for_each(|_| other.count(Trouble::Fault, "together", false));
        assert_eq!(excess(&own, &[&other]), None);
        assert_eq!(excess(&own, &[]), None);
        (0..500).for_each(|_| other.count(Trouble::Fault, "alone", false));
        let found = excess(&own, &[&other]).expect("it differs");
        assert_eq!((found.hits, found.expected.round()), (500, 250.0));
    }
}
