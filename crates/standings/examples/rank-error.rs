//! Simulation of schedules: how many bouts order a field of bots of known strength.
//!
//! `cargo run --release -p joust-standings --example rank-error` prints the table of
//! `joust docs schedules`. Strengths are drawn from a normal distribution with a standard
//! deviation of 200 Elo; a match is a mirror pair of two bouts, each won with the probability
//! that the difference means; ratings are those of Bradley and Terry, fitted by Zermelo's
//! iteration. The error is the mean distance of a bot's rank from its true one, in per cent
//! of the field, of all bots and of the truly best tenth.

#![expect(clippy::print_stdout, reason = "a simulation is for reading")]

use joust_model::ScheduleKind;
use joust_standings::ratings::score_of_elo;
use joust_standings::schedule::{Gauntlet, Partial, RoundRobin, Rounds, Schedule, SeatFinish};

/// The standard deviation of strengths, Elo.
const SPREAD: f64 = 200.0;

/// Fields of each kind whose errors are averaged.
const FIELDS: u64 = 3;

/// In larger fields everybody against everybody is not played.
const MOST_FOR_ALL: usize = 1000;

/// Numbers between 0 and 1: SplitMix64, by its published constants.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws from the standard normal distribution, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let (radius, angle) = (self.next().max(f64::MIN_POSITIVE), self.next());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

/// A match of two that was played: points of the first, of two.
struct Played {
    bots: [usize; 2],
    points: f64,
}

/// A field of bots and what was played.
struct League<'a> {
    names: &'a [&'a str],
    strengths: Vec<f64>,
    draws: Draws,
    played: Vec<Played>,
}

fn main() {
    println!("| bots | schedule | bouts of a bot | bouts | error of ranks | of the best tenth |");
    println!("|---|---|---|---|---|---|");
    for bots in [100, 1000, 10_000] {
        let names: Vec<String> = (0..bots).map(|bot| format!("bot-{bot}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for matches in [4, 10, 30] {
            report(&format!("partial, {matches} matches"), &names, |league, seed| {
                let partial = Partial::new(league.names, 2, matches.into(), seed);
                partial.matches().for_each(|group| league.play(&group));
            });
            let swiss = ScheduleKind::Swiss { rounds: matches };
            report(&format!("swiss, {matches} rounds"), &names, |league, seed| {
                league.play_rounds(&swiss, seed);
            });
        }
        for (size, rounds) in [(10, 1), (10, 3)] {
            let divisions = ScheduleKind::Divisions { size, rounds };
            report(&format!("divisions of {size}, {rounds} rounds"), &names, |league, seed| {
                league.play_rounds(&divisions, seed);
            });
        }
        let named: Vec<String> = names[..10].iter().map(|name| (*name).to_owned()).collect();
        report("gauntlet of 10", &names, |league, seed| {
            let gauntlet = Gauntlet::new(league.names, &named, 2, seed);
            gauntlet.matches().for_each(|group| league.play(&group));
        });
        if bots <= MOST_FOR_ALL {
            report("round-robin", &names, |league, _| {
                RoundRobin::new(league.names.len()).matches().for_each(|group| league.play(&group));
            });
        }
    }
}

impl League<'_> {
    fn play(&mut self, group: &[usize]) {
        let bots = [group[0], group[1]];
        self.played.push(play(bots, &self.strengths, &mut self.draws));
    }

    fn play_rounds(&mut self, kind: &ScheduleKind, seed: u64) {
        let mut rounds = Rounds::new(kind, self.names, 2, seed).expect("it has rounds");
        while let Some(groups) = rounds.next_round() {
            let first = self.played.len();
            groups.iter().for_each(|group| self.play(group));
            rounds.add_results(self.played[first..].iter().flat_map(finishes));
        }
    }
}

/// Returns the two bouts of a match.
fn finishes(played: &Played) -> [Vec<SeatFinish>; 2] {
    let won = |points: f64| {
        let ranks = if played.points >= points { [1, 2] } else { [2, 1] };
        played.bots.into_iter().zip(ranks).map(|(bot, rank)| SeatFinish { bot, rank }).collect()
    };
    [won(1.0), won(2.0)]
}

/// Prints the mean error of a schedule.
fn report(name: &str, names: &[&str], schedule: impl Fn(&mut League<'_>, u64)) {
    let (mut errors, mut matches) = ([0.0; 2], 0);
    for field in 0..FIELDS {
        let mut draws = Draws(field);
        let strengths: Vec<f64> = names.iter().map(|_| SPREAD * draws.normal()).collect();
        let mut league = League { names, strengths, draws, played: Vec::new() };
        schedule(&mut league, field);
        matches = league.played.len();
        let found = rank_errors(&league.strengths, &ratings(&league.played, names.len()));
        errors = [0, 1].map(|which| errors[which] + found[which] / FIELDS as f64);
    }
    let (bots, [all, best]) = (names.len(), errors);
    let each = 4.0 * matches as f64 / bots as f64;
    println!("| {bots} | {name} | {each:.0} | {} | {all:.1} % | {best:.1} % |", 2 * matches);
}

fn play(bots: [usize; 2], strengths: &[f64], draws: &mut Draws) -> Played {
    let likely = score_of_elo(strengths[bots[0]] - strengths[bots[1]]);
    let points = (0..2).filter(|_| draws.next() < likely).count() as f64;
    Played { bots, points }
}

/// Fits strengths to results; half a virtual point each keeps them finite.
fn ratings(played: &[Played], bots: usize) -> Vec<f64> {
    let mut points = vec![0.0; bots];
    for one in played {
        points[one.bots[0]] += one.points + 0.25;
        points[one.bots[1]] += 2.0 - one.points + 0.25;
    }
    let mut strengths = vec![1.0_f64; bots];
    for _ in 0..200 {
        let mut weights = vec![0.0; bots];
        for Played { bots: [one, other], .. } in played {
            let weight = 2.5 / (strengths[*one] + strengths[*other]);
            weights[*one] += weight;
            weights[*other] += weight;
        }
        for (strength, (points, weight)) in strengths.iter_mut().zip(points.iter().zip(weights)) {
            *strength = points / f64::max(weight, f64::MIN_POSITIVE);
        }
    }
    strengths
}

/// Returns the mean distance of ranks, in per cent of the field: of all bots, and of the truly
/// best tenth.
fn rank_errors(truth: &[f64], rated: &[f64]) -> [f64; 2] {
    let [truth, rated] = [truth, rated].map(ranks);
    [truth.len(), truth.len() / 10].map(|best| {
        let of_those = truth.iter().zip(&rated).filter(|(one, _)| **one < best);
        let distance: usize = of_those.map(|(one, other)| one.abs_diff(*other)).sum();
        100.0 * distance as f64 / (best * truth.len()) as f64
    })
}

fn ranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*other].total_cmp(&values[*one]));
    let mut ranks = vec![0; values.len()];
    order.iter().enumerate().for_each(|(rank, bot)| ranks[*bot] = rank);
    ranks
}
