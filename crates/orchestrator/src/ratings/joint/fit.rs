//! The most likely ratings, found by Newton's method.
//!
//! Each step solves for the information matrix by conjugate gradients, which takes
//! a pass over the meetings for each direction and no matrix, so that a thousand
//! bots are fitted in a fraction of a second. The likelihoods are concave; a step
//! that would make a result less likely is halved.

use std::collections::HashMap;

use super::ELO;
use super::covariance::Covariance;
use super::model::{PairModel, Point};
use super::network::{Network, has_circle_of_wins};
use super::results::{Meeting, Results};
use crate::ratings::normal::phi;

const MOST_STEPS: usize = 100;
const MOST_HALVINGS: usize = 40;

/// Steps end when none is longer than this, in log odds.
const CLOSE: f64 = 1e-11;

/// No rating moves farther in one step, in log odds.
const LONGEST_STEP: f64 = 4.0;

/// Directions end when the rest is this small a part of the whole.
const RESIDUE: f64 = 1e-12;

/// Ratings of a whole event, in Elo, with mean zero in each group.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The model: the plain one in place of one that fits draws, where the results
    /// do not say how likely draws are.
    pub model: PairModel,
    /// Each bot's rating.
    pub elo: Vec<f64>,
    /// The logarithm of the likelihood.
    pub log_likelihood: f64,
    /// The covariances.
    pub covariance: Covariance,
    draws: Option<f64>,
    groups: Vec<usize>,
    expected: Vec<f64>,
}

/// The difference of two bots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// In Elo.
    pub elo: f64,
    /// Its standard error by the model.
    pub se_model: f64,
    /// Its standard error by the spread of the results.
    pub se_robust: f64,
}

impl Difference {
    /// Returns how likely the first is the stronger, given the standard error of
    /// the difference; 1 or 0 without error, and ½ when they are level.
    #[must_use]
    pub fn superiority(&self, se: f64) -> f64 {
        match se {
            se if se > 0.0 => phi(self.elo / se),
            _ if self.elo > 0.0 => 1.0,
            _ if self.elo < 0.0 => 0.0,
            _ => 0.5,
        }
    }
}

/// What a fit looks for: ratings, then the parameter of draws if there is one.
pub(super) struct Problem<'a> {
    pub(super) results: &'a Results,
    pub(super) model: PairModel,
    pub(super) has_draws: bool,
}

/// A meeting's part of the information matrix.
#[derive(Clone, Copy)]
pub(super) struct Bend {
    pub(super) bots: [usize; 2],
    pub(super) bends: [f64; 3],
}

impl Fit {
    /// Fits `results` by a model. Without a finite fit the ratings are as far apart
    /// as steps took them: give such results virtual draws before.
    #[must_use]
    pub fn of(model: PairModel, results: &Results) -> Self {
        let share = share_of_draws(results);
        let says_how_likely = share > 0.0 && has_circle_of_wins(results);
        let has_draws = model != PairModel::BradleyTerry && says_how_likely;
        let applied = if has_draws { model } else { PairModel::BradleyTerry };
        let problem = Problem { results, model: applied, has_draws };
        let mut place = vec![0.0; results.bots];
        place.extend(has_draws.then(|| applied.first_guess(share)));
        let (place, log_likelihood) = problem.climb(place);
        let groups = Network::of(results).group_of().to_vec();
        let centred = centred(&place[..results.bots], &groups);
        Self {
            model: applied,
            covariance: Covariance::of(&problem, &place, &groups),
            expected: problem.expected_points(&place),
            elo: centred.iter().map(|rating| rating * ELO).collect(),
            log_likelihood,
            draws: place.get(results.bots).copied(),
            groups,
        }
    }

    /// Returns the parameter of draws: ln ν of Davidson, the width of Rao and Kupper
    /// in Elo; `None` when the model or the results have none.
    #[must_use]
    pub fn draws(&self) -> Option<f64> {
        let scale = if self.model == PairModel::RaoKupper { ELO } else { 1.0 };
        self.draws.map(|draws| draws * scale)
    }

    /// Returns the points each bot should have by its ratings; they are those it has.
    #[must_use]
    pub fn expected_points(&self) -> &[f64] {
        &self.expected
    }

    /// Returns the difference of two bots; `None` when their groups never met.
    #[must_use]
    pub fn difference(&self, one: usize, other: usize) -> Option<Difference> {
        let met = self.groups[one] == self.groups[other];
        met.then(|| Difference {
            elo: self.elo[one] - self.elo[other],
            se_model: self.covariance.model.of_difference(one, other),
            se_robust: self.covariance.robust.of_difference(one, other),
        })
    }

    /// Returns how likely a loss, a draw and a win of the first are.
    #[must_use]
    pub fn probabilities(&self, one: usize, other: usize) -> [f64; 3] {
        let difference = (self.elo[one] - self.elo[other]) / ELO;
        self.model.at(difference, self.draws.unwrap_or(0.0)).logs.map(f64::exp)
    }

    /// Returns the ratings moved so that one bot has a given one.
    #[must_use]
    pub fn anchored(&self, bot: usize, at: f64) -> Vec<f64> {
        self.elo.iter().map(|elo| elo - self.elo[bot] + at).collect()
    }
}

fn share_of_draws(results: &Results) -> f64 {
    let counts = results.meetings.iter().map(Meeting::counts);
    let (draws, all) = counts.fold((0.0, 0.0), |(draws, all), counts| {
        (draws + counts[1], all + counts.iter().sum::<f64>())
    });
    if all > 0.0 { draws / all } else { 0.0 }
}

/// Moves each group so that its mean is zero.
fn centred(ratings: &[f64], groups: &[usize]) -> Vec<f64> {
    let mut sums: HashMap<usize, (f64, f64)> = HashMap::new();
    for (rating, group) in ratings.iter().zip(groups) {
        let sum = sums.entry(*group).or_default();
        *sum = (sum.0 + rating, sum.1 + 1.0);
    }
    let mean = |group: &usize| sums[group].0 / sums[group].1;
    ratings.iter().zip(groups).map(|(rating, group)| rating - mean(group)).collect()
}

impl Problem<'_> {
    fn unknowns(&self) -> usize {
        self.results.bots + usize::from(self.has_draws)
    }

    pub(super) fn point(&self, meeting: &Meeting, place: &[f64]) -> Point {
        let [one, other] = meeting.bots;
        let draws = place.get(self.results.bots).copied().unwrap_or(0.0);
        self.model.at(place[one] - place[other], draws)
    }

    fn log_likelihood(&self, place: &[f64]) -> f64 {
        let of = |meeting: &Meeting| -> f64 {
            let logs = self.point(meeting, place).logs;
            let terms = meeting.counts().into_iter().zip(logs);
            terms.filter(|(count, _)| *count > 0.0).map(|(count, log)| count * log).sum()
        };
        self.results.meetings.iter().map(of).sum()
    }

    fn expected_points(&self, place: &[f64]) -> Vec<f64> {
        let mut points = vec![0.0; self.results.bots];
        for meeting in &self.results.meetings {
            let [loss, draw, win] = self.point(meeting, place).logs.map(f64::exp);
            let whole = (loss + draw + win).max(f64::MIN_POSITIVE);
            // A draw of the plain model is no outcome of its own.
            let win = match self.model {
                PairModel::BradleyTerry => win,
                _ => (win + draw / 2.0) / whole,
            };
            let bouts: f64 = meeting.counts().iter().sum();
            points[meeting.bots[0]] += bouts * win;
            points[meeting.bots[1]] += bouts * (1.0 - win);
        }
        points
    }

    /// Returns the first derivatives and the parts of the information matrix.
    pub(super) fn slopes(&self, place: &[f64]) -> (Vec<f64>, Vec<Bend>) {
        let mut slopes = vec![0.0; self.unknowns()];
        let mut bends = Vec::with_capacity(self.results.meetings.len());
        for meeting in &self.results.meetings {
            let point = self.point(meeting, place);
            let mut bend = Bend { bots: meeting.bots, bends: [0.0; 3] };
            for (outcome, count) in meeting.counts().into_iter().enumerate() {
                if count > 0.0 {
                    let [by_difference, by_draws] = point.scores[outcome];
                    slopes[meeting.bots[0]] += count * by_difference;
                    slopes[meeting.bots[1]] -= count * by_difference;
                    if let Some(slope) = slopes.get_mut(self.results.bots) {
                        *slope += count * by_draws;
                    }
                    for (sum, one) in bend.bends.iter_mut().zip(point.bends[outcome]) {
                        *sum += count * one;
                    }
                }
            }
            bends.push(bend);
        }
        (slopes, bends)
    }

    /// Climbs to the top from a place; returns it and the logarithm of its likelihood.
    fn climb(&self, mut place: Vec<f64>) -> (Vec<f64>, f64) {
        let mut height = self.log_likelihood(&place);
        for _ in 0..MOST_STEPS {
            let (slopes, bends) = self.slopes(&place);
            let mut step = self.solve(&bends, &slopes);
            let longest = step.iter().map(|one| one.abs()).fold(0.0, f64::max);
            if !longest.is_finite() || longest < CLOSE {
                break;
            }
            let shrink = (LONGEST_STEP / longest).min(1.0);
            step.iter_mut().for_each(|one| *one *= shrink);
            let Some((next, higher)) = self.halved(&place, &step, height) else { break };
            (place, height) = (next, higher);
        }
        (place, height)
    }

    /// Takes the longest part of a step that does not lead down.
    fn halved(&self, place: &[f64], step: &[f64], height: f64) -> Option<(Vec<f64>, f64)> {
        let mut part = 1.0;
        let slack = 1e-12 * height.abs();
        for _ in 0..MOST_HALVINGS {
            let moved = place.iter().zip(step).map(|(one, step)| one + part * step);
            let moved: Vec<f64> = moved.collect();
            let higher = self.log_likelihood(&moved);
            if higher.is_finite() && higher >= height - slack {
                return Some((moved, higher));
            }
            part /= 2.0;
        }
        None
    }

    /// Solves information times step = slopes by conjugate gradients, each unknown
    /// scaled by its own bend.
    fn solve(&self, bends: &[Bend], slopes: &[f64]) -> Vec<f64> {
        let scale = self.diagonal(bends);
        let mut step = vec![0.0; slopes.len()];
        let mut rest = slopes.to_vec();
        let mut scaled = quotient(&rest, &scale);
        let mut direction = scaled.clone();
        let mut size = dot(&rest, &scaled);
        let enough = size * RESIDUE * RESIDUE;
        for _ in 0..2 * slopes.len() + 20 {
            if size <= enough || size <= f64::MIN_POSITIVE {
                break;
            }
            let turned = self.times(bends, &direction);
            let bend = dot(&direction, &turned);
            if bend <= 0.0 || !bend.is_finite() {
                break;
            }
            add(&mut step, size / bend, &direction);
            add(&mut rest, -size / bend, &turned);
            scaled = quotient(&rest, &scale);
            let next = dot(&rest, &scaled);
            let keep = next / size;
            for (one, fresh) in direction.iter_mut().zip(&scaled) {
                *one = fresh + keep * *one;
            }
            size = next;
        }
        step
    }

    fn diagonal(&self, bends: &[Bend]) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.unknowns()];
        for Bend { bots, bends } in bends {
            diagonal[bots[0]] += bends[0];
            diagonal[bots[1]] += bends[0];
            if let Some(draws) = diagonal.get_mut(self.results.bots) {
                *draws += bends[2];
            }
        }
        diagonal
    }

    fn times(&self, bends: &[Bend], direction: &[f64]) -> Vec<f64> {
        let bots = self.results.bots;
        let draws = direction.get(bots).copied().unwrap_or(0.0);
        let (mut product, mut of_draws) = (vec![0.0; direction.len()], 0.0);
        for Bend { bots: [one, other], bends } in bends {
            let difference = direction[*one] - direction[*other];
            let pull = bends[0] * difference + bends[1] * draws;
            product[*one] += pull;
            product[*other] -= pull;
            of_draws += bends[1] * difference + bends[2] * draws;
        }
        if let Some(last) = product.get_mut(bots) {
            *last = of_draws;
        }
        product
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

fn add(sum: &mut [f64], factor: f64, more: &[f64]) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += factor * more;
    }
}

fn quotient(one: &[f64], scale: &[f64]) -> Vec<f64> {
    let by = |(one, scale): (&f64, &f64)| if *scale > 0.0 { one / scale } else { 0.0 };
    one.iter().zip(scale).map(by).collect()
}
