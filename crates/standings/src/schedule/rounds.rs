//! Rounds: schedules in which each round is drawn from the results of the earlier rounds.
//!
//! A drawn round is a piece like any other schedule. Rules for all kinds:
//!
//! 1. A round depends on the names of the bots, a seed, and the results of the rounds before,
//!    and on nothing else: not on the order in which these came, nor on who played them.
//! 2. Recorded groups stay: a group that was played in a round is part of it, whatever
//!    would be drawn now. So nothing is played again when a bot joins, changes or leaves.
//! 3. A bot without a group in a round, because it joined later or its opponent has left,
//!    gets the groups that would be drawn for it now. A bot that has already played in that
//!    round may be its opponent, and then has one more match.

use std::collections::BTreeSet;

use joust_model::{ScheduleKind, digest_number};

use super::{divisions, swiss};

/// A group that a round had, as it is on record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordedRound {
    /// The round, from 0.
    pub round: u32,
    /// Its bots, sorted.
    pub group: Vec<usize>,
}

/// Rounds drawn one after the other.
#[derive(Clone, Debug)]
pub struct Rounds<'a> {
    kind: &'a ScheduleKind,
    bots: &'a [&'a str],
    players: usize,
    draw_seed: u64,
    recorded: BTreeSet<RecordedRound>,
    drawn: u32,
    results: Vec<Vec<SeatFinish>>,
}

/// Facts from which a round is drawn.
pub(super) struct Draw<'a> {
    /// The bots, strongest first.
    pub(super) order: &'a [usize],
    /// Groups that meet in another round, each sorted.
    pub(super) met: &'a BTreeSet<Vec<usize>>,
    /// Bots in a match.
    pub(super) players: usize,
}

impl<'a> Rounds<'a> {
    /// Makes the rounds of a kind for `bots`, in order of their names; `None` when the kind
    /// has none.
    pub fn new(
        kind: &'a ScheduleKind,
        bots: &'a [&'a str],
        players: usize,
        draw_seed: u64,
    ) -> Option<Self> {
        kind.rounds()?;
        let (recorded, results) = (BTreeSet::new(), Vec::new());
        Some(Self { kind, bots, players: players.max(2), draw_seed, recorded, drawn: 0, results })
    }

    /// Adds the groups that are on record.
    #[must_use]
    pub fn with_record(mut self, recorded: impl IntoIterator<Item = RecordedRound>) -> Self {
        self.recorded.extend(recorded);
        self
    }

    /// Adds the results of bouts of the rounds drawn so far.
    pub fn add_results(&mut self, results: impl IntoIterator<Item = Vec<SeatFinish>>) {
        self.results.extend(results);
    }

    /// Draws the next round; `None` when there are no more.
    pub fn next_round(&mut self) -> Option<Vec<Vec<usize>>> {
        let round = self.drawn;
        if Some(round) >= self.kind.rounds() || self.bots.len() < self.players {
            return None;
        }
        self.drawn += 1;
        let fresh = self.fresh(round);
        let groups = self.keep_record(round, fresh);
        let place = |group: &Vec<usize>| RecordedRound { round, group: group.clone() };
        self.recorded.extend(groups.iter().map(place));
        Some(groups)
    }

    /// Draws a round as if nothing of it were on record.
    fn fresh(&self, round: u32) -> Vec<Vec<usize>> {
        let order = self.order(round);
        let others = self.recorded.iter().filter(|one| one.round != round);
        let met: BTreeSet<Vec<usize>> = others.map(|one| one.group.clone()).collect();
        let draw = Draw { order: &order, met: &met, players: self.players };
        match self.kind {
            ScheduleKind::Divisions { size, .. } => divisions::draw(&draw, *size as usize),
            _ => swiss::draw(&draw),
        }
    }

    /// Returns the bots, strongest first; level bots are in random order.
    fn order(&self, round: u32) -> Vec<usize> {
        let strengths = strengths(&self.results, self.bots.len());
        let lot = |bot: usize| {
            let (seed, round) = (self.draw_seed.to_le_bytes(), round.to_le_bytes());
            digest_number("joust-rounds-1", &[&seed[..], &round, self.bots[bot].as_bytes()])
        };
        let mut order: Vec<usize> = (0..self.bots.len()).collect();
        order.sort_by_cached_key(|bot| (lot(*bot), *bot));
        order.sort_by(|one, other| strengths[*other].total_cmp(&strengths[*one]));
        order
    }

    fn keep_record(&self, round: u32, fresh: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        let own = self.record_of(round);
        if own.is_subset(&fresh.iter().cloned().collect()) {
            return fresh;
        }
        let is_open = !self.recorded.iter().any(|one| one.round > round);
        if is_open && matches!(self.kind, ScheduleKind::Divisions { .. }) {
            return own
                .iter()
                .cloned()
                .chain(fresh.into_iter().filter(|g| !own.contains(g)))
                .collect();
        }
        let covered: BTreeSet<usize> = own.iter().flatten().copied().collect();
        let is_new = |group: &Vec<usize>| group.iter().any(|bot| !covered.contains(bot));
        let added = fresh.into_iter().filter(|group| is_new(group) && !own.contains(group));
        own.iter().cloned().chain(added).collect()
    }

    /// Returns the groups of a round that are on record.
    fn record_of(&self, round: u32) -> BTreeSet<Vec<usize>> {
        let first = RecordedRound { round, group: Vec::new() };
        let own = self.recorded.range(first..).take_while(|one| one.round == round);
        own.map(|one| one.group.clone()).collect()
    }

    /// Returns what is on record of the next round, which is not drawn yet; `None` when nothing
    /// is of it and those after it.
    pub fn next_record(&mut self) -> Option<Vec<Vec<usize>>> {
        let last = self.recorded.last().filter(|last| last.round >= self.drawn)?;
        if Some(last.round.min(self.drawn)) >= self.kind.rounds() {
            return None;
        }
        self.drawn += 1;
        Some(self.record_of(self.drawn - 1).into_iter().collect())
    }
}

impl Draw<'_> {
    /// Returns whether a group, sorted, meets in another round.
    pub(super) fn has_met(&self, group: &[usize]) -> bool {
        self.met.contains(group)
    }
}

/// Rounds of the iteration: after these no two bots change places any more in practice.
const ITERATIONS: usize = 60;

/// One bot's place in a bout that was played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatFinish {
    /// The bot.
    pub bot: usize,
    /// 1 is best; equal ranks are a draw.
    pub rank: u8,
}

/// Two bots that met in a bout.
struct PairMeeting {
    bots: [usize; 2],
    /// Share of the one point that the first has.
    points: f64,
}

/// Returns the strengths of bots from results so far, to pair those that are about as strong: of
/// each of `bots` bots; one without a bout has
/// 1.
///
/// They follow the Bradley-Terry model with a virtual draw of each bot against an average one,
/// fitted by Zermelo's iteration. The fit uses only sums, products and quotients, so that every
/// machine gets the same numbers, bit by bit. The ratings that people see come from
/// `ratings`, with their intervals.
fn strengths(bouts: &[Vec<SeatFinish>], bots: usize) -> Vec<f64> {
    let meetings: Vec<PairMeeting> = bouts.iter().flat_map(|bout| meetings(bout)).collect();
    let mut points = vec![0.5; bots];
    for PairMeeting { bots: [one, other], points: of_one } in &meetings {
        points[*one] += of_one;
        points[*other] += 1.0 - of_one;
    }
    let mut strengths = vec![1.0_f64; bots];
    for _ in 0..ITERATIONS {
        let mut weights: Vec<f64> = strengths.iter().map(|own| 1.0 / (own + 1.0)).collect();
        for PairMeeting { bots: [one, other], .. } in &meetings {
            let weight = 1.0 / (strengths[*one] + strengths[*other]);
            weights[*one] += weight;
            weights[*other] += weight;
        }
        for (bot, strength) in strengths.iter_mut().enumerate() {
            *strength = points[bot] / weights[bot];
        }
    }
    strengths
}

fn meetings(bout: &[SeatFinish]) -> Vec<PairMeeting> {
    let points = |one: u8, other: u8| match one.cmp(&other) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    };
    let mut meetings = Vec::new();
    for (place, one) in bout.iter().enumerate() {
        for other in &bout[place + 1..] {
            let points = points(one.rank, other.rank);
            meetings.push(PairMeeting { bots: [one.bot, other.bot], points });
        }
    }
    meetings
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const FIELD: [&str; 9] = ["ada", "bob", "cleo", "dan", "eve", "finn", "gus", "hal", "ida"];
    const SWISS: ScheduleKind = ScheduleKind::Swiss { rounds: 5 };

    /// Plays all rounds; the bot that is earlier in the list of names wins.
    fn play(rounds: &mut Rounds<'_>) -> Vec<Vec<Vec<usize>>> {
        let mut played = Vec::new();
        while let Some(groups) = rounds.next_round() {
            rounds.add_results(groups.iter().map(|group| finish(group)));
            played.push(groups);
        }
        played
    }

    fn finish(group: &[usize]) -> Vec<SeatFinish> {
        group.iter().zip(1..).map(|(bot, rank)| SeatFinish { bot: *bot, rank }).collect()
    }

    fn rounds<'a>(kind: &'a ScheduleKind, bots: &'a [&'a str], players: usize) -> Rounds<'a> {
        Rounds::new(kind, bots, players, 2026).unwrap()
    }

    fn record(played: &[Vec<Vec<usize>>]) -> Vec<RecordedRound> {
        let of_round = |(round, groups): (u32, &Vec<Vec<usize>>)| {
            groups.iter().map(move |group| RecordedRound { round, group: group.clone() }).collect()
        };
        (0..).zip(played).flat_map::<Vec<_>, _>(of_round).collect()
    }

    fn matches(played: &[Vec<Vec<usize>>]) -> BTreeMap<usize, usize> {
        let mut matches = BTreeMap::new();
        played.iter().flatten().flatten().for_each(|bot| *matches.entry(*bot).or_insert(0) += 1);
        matches
    }

    #[test]
    fn nobody_meets_twice_and_everybody_plays_in_every_round() {
        for bots in [6, 8, 9] {
            let played = play(&mut rounds(&SWISS, &FIELD[..bots], 2));
            assert_eq!(played.len(), 5);
            let pairs: BTreeSet<_> = played.iter().flatten().collect();
            assert_eq!(pairs.len(), played.iter().flatten().count(), "{bots}: {played:?}");
            for round in &played {
                let playing: BTreeSet<_> = round.iter().flatten().collect();
                assert_eq!((playing.len(), round.len()), (bots, bots.div_ceil(2)), "{round:?}");
            }
        }
    }

    #[test]
    fn bots_of_about_the_same_strength_meet() {
        let played = play(&mut rounds(&SWISS, &FIELD[..8], 2));
        let apart =
            |round: &Vec<Vec<usize>>| -> usize { round.iter().map(|pair| pair[1] - pair[0]).sum() };
        assert!(apart(&played[2]) < 16, "a random pairing has 24: {played:?}");
        assert!(played[1].iter().any(|pair| pair[0] > 3), "losers met: {played:?}");
    }

    #[test]
    fn a_round_is_the_same_whatever_the_order_of_results_and_with_its_record() {
        let played = play(&mut rounds(&SWISS, &FIELD, 2));
        let half: Vec<_> = record(&played).into_iter().step_by(2).collect();
        let mut again = rounds(&SWISS, &FIELD, 2).with_record(half);
        for round in &played {
            assert_eq!(again.next_round().as_ref(), Some(round));
            again.add_results(round.iter().rev().map(|group| finish(group)));
        }
        assert_eq!(again.next_round(), None);
    }

    #[test]
    fn who_joins_later_gets_a_match_in_every_round_and_the_others_keep_theirs() {
        let before = play(&mut rounds(&SWISS, &FIELD[..8], 2));
        let after = play(&mut rounds(&SWISS, &FIELD, 2).with_record(record(&before)));
        for (round, groups) in before.iter().zip(&after) {
            assert!(round.iter().all(|group| groups.contains(group)));
            assert_eq!(groups.len(), round.len() + 1);
        }
        assert_eq!(matches(&after)[&8], 5);
    }

    #[test]
    fn who_loses_an_opponent_gets_another_one() {
        let before = play(&mut rounds(&SWISS, &FIELD[..8], 2));
        let left: Vec<_> =
            record(&before).into_iter().filter(|one| !one.group.contains(&7)).collect();
        let after = play(&mut rounds(&SWISS, &FIELD[..7], 2).with_record(left));
        assert!(matches(&after).values().all(|matches| *matches >= 5), "{after:?}");
    }

    #[test]
    fn rounds_of_more_than_two_have_groups_of_their_own() {
        let played = play(&mut rounds(&SWISS, &FIELD, 4));
        let groups: BTreeSet<_> = played.iter().flatten().collect();
        assert_eq!((groups.len(), played.iter().flatten().count()), (15, 15));
        assert!(matches(&played).len() == 9 && matches(&played).values().all(|count| *count >= 5));
    }

    #[test]
    fn everybody_of_a_pool_meets_once_and_who_wins_is_promoted() {
        let kind = ScheduleKind::Divisions { size: 3, rounds: 4 };
        let played = play(&mut rounds(&kind, &FIELD, 2));
        assert_eq!(played[0].len(), 9, "three pools of three");
        let pairs: Vec<_> = played.iter().flatten().collect();
        assert_eq!(pairs.iter().collect::<BTreeSet<_>>().len(), pairs.len());
        assert!(pairs.contains(&&vec![0, 1]) && pairs.contains(&&vec![0, 2]), "the best have met");
        let kept = play(&mut rounds(&kind, &FIELD, 2).with_record(record(&played)));
        assert_eq!(matches(&kept), matches(&played));
    }

    #[test]
    fn too_few_bots_have_no_rounds() {
        assert_eq!(rounds(&SWISS, &FIELD[..1], 2).next_round(), None);
        assert_eq!(play(&mut rounds(&SWISS, &FIELD[..2], 2)).concat().len(), 1, "they met");
        assert!(Rounds::new(&ScheduleKind::RoundRobin, &FIELD, 2, 1).is_none());
    }

    fn won(bot: usize, against: usize) -> Vec<SeatFinish> {
        vec![SeatFinish { bot, rank: 1 }, SeatFinish { bot: against, rank: 2 }]
    }

    #[test]
    fn who_won_more_is_stronger_and_nobody_is_infinitely_so() {
        let found = strengths(&[won(0, 1), won(0, 2), won(1, 2)], 4);
        assert!(found[0] > found[1] && found[1] > found[2], "{found:?}");
        assert!(found.iter().all(|one| one.is_finite() && *one > 0.0));
    }

    #[test]
    fn who_has_not_played_is_average() {
        assert_eq!(strengths(&[], 2), [1.0, 1.0]);
    }

    #[test]
    fn a_win_against_a_strong_bot_is_worth_more() {
        // 4 beat 0, which beat all others; 5 beat 3, which lost to all others.
        let bouts = [won(0, 1), won(0, 2), won(1, 3), won(2, 3), won(4, 0), won(5, 3)];
        let found = strengths(&bouts, 6);
        assert!(found[4] > found[5], "{found:?}");
    }

    #[test]
    fn in_a_bout_of_more_everybody_meets_everybody() {
        let ranks = [(0, 1), (1, 2), (2, 2), (3, 4)];
        let bout = ranks.map(|(bot, rank)| SeatFinish { bot, rank }).to_vec();
        let found = strengths(&[bout], 4);
        assert!(found[0] > found[1] && found[2] > found[3], "{found:?}");
        assert!((found[1] - found[2]).abs() < 1e-12);
    }
}
