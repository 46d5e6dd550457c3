//! Simulation of schedules: how many bouts order a field of bots of known strength.
//!
//! `cargo run --release -p joust-tables --example rank-error` prints the table of
//! `joust docs ratings`. Strengths are drawn from a normal distribution with a standard
//! deviation of 200 Elo; a match is a mirror pair of two bouts, each won with the probability
//! that the difference means; ratings are those of Bradley and Terry, fitted by Zermelo's
//! iteration. The error is the mean distance of a bot's rank from its true one, in per cent
//! of the field.

#![expect(clippy::print_stdout, reason = "a simulation is for reading")]

use joust_tables::ratings::score_of_elo;
use joust_tables::schedule::{Partial, RoundRobin, Schedule};

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

fn main() {
    println!("| bots | schedule | bouts of a bot | bouts | error of ranks |");
    println!("|---|---|---|---|---|");
    for bots in [100, 1000, 10_000] {
        for matches in [4, 10, 30, 90] {
            let names: Vec<String> = (0..bots).map(|bot| format!("bot-{bot}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            report("rings", bots, |seed| {
                Partial::new(&names, 2, matches, seed).matches().map(pair).collect()
            });
            let most = bots * usize::try_from(matches).unwrap_or(0) / 2;
            report("first rounds", bots, |_| {
                RoundRobin::new(bots).matches().take(most).map(pair).collect()
            });
        }
        if bots > MOST_FOR_ALL {
            continue;
        }
        report("everybody", bots, |_| RoundRobin::new(bots).matches().map(pair).collect());
    }
}

fn pair(group: Vec<usize>) -> [usize; 2] {
    [group[0], group[1]]
}

/// Prints the mean error of a schedule.
fn report(name: &str, bots: usize, schedule: impl Fn(u64) -> Vec<[usize; 2]>) {
    let (mut error, mut matches) = (0.0, 0);
    for field in 0..FIELDS {
        let mut draws = Draws(field);
        let strengths: Vec<f64> = (0..bots).map(|_| SPREAD * draws.normal()).collect();
        let pairs = schedule(field);
        matches = pairs.len();
        let played: Vec<Played> =
            pairs.iter().map(|bots| play(*bots, &strengths, &mut draws)).collect();
        error += rank_error(&strengths, &ratings(&played, bots)) / FIELDS as f64;
    }
    let each = 4.0 * matches as f64 / bots as f64;
    println!("| {bots} | {name} | {each:.0} | {} | {error:.1} % |", 2 * matches);
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

/// Returns the mean distance of ranks, in per cent of the field.
fn rank_error(truth: &[f64], rated: &[f64]) -> f64 {
    let [truth, rated] = [truth, rated].map(ranks);
    let distance: usize = truth.iter().zip(&rated).map(|(one, other)| one.abs_diff(*other)).sum();
    100.0 * distance as f64 / (truth.len() * truth.len()) as f64
}

fn ranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*other].total_cmp(&values[*one]));
    let mut ranks = vec![0; values.len()];
    order.iter().enumerate().for_each(|(rank, bot)| ranks[*bot] = rank);
    ranks
}
