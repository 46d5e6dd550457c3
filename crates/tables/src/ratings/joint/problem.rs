//! How likely results are under given ratings, and which way is up.

use super::model::{PairModel, Point};
use super::results::{Meeting, Results};

/// What a fit looks for: ratings, then the parameter of draws if there is one.
pub(super) struct Problem<'a> {
    pub(super) results: &'a Results,
    pub(super) model: PairModel,
    pub(super) has_draws: bool,
    /// The group of each bot: of the level of a group the results say nothing.
    pub(super) groups: &'a [usize],
}

/// A meeting's part of the information matrix.
#[derive(Clone, Copy)]
pub(super) struct Bend {
    pub(super) bots: [usize; 2],
    /// By the difference, by both, and by the parameter of draws.
    pub(super) bends: [f64; 3],
}

/// A number for each of `N` directions that are looked at together: a pass over the meetings waits
/// for memory, which hands out several numbers at once.
pub(super) type Lanes<const N: usize> = [f64; N];

/// What there is to know of a place.
pub(super) struct Height {
    pub(super) log_likelihood: f64,
    /// Its first derivatives.
    pub(super) slopes: Vec<f64>,
    /// The parts of the information matrix.
    pub(super) bends: Vec<Bend>,
}

impl Problem<'_> {
    /// Returns how many numbers are looked for.
    pub(super) fn unknowns(&self) -> usize {
        self.results.bots + usize::from(self.has_draws)
    }

    pub(super) fn point(&self, meeting: &Meeting, place: &[f64]) -> Point {
        let [one, other] = meeting.bots;
        let draws = place.get(self.results.bots).copied().unwrap_or(0.0);
        self.model.at(place[one] - place[other], draws)
    }

    /// Looks around, in one pass over the meetings.
    pub(super) fn height(&self, place: &[f64]) -> Height {
        let mut height = Height {
            log_likelihood: 0.0,
            slopes: vec![0.0; self.unknowns()],
            bends: Vec::with_capacity(self.results.meetings.len()),
        };
        for meeting in &self.results.meetings {
            height.add(meeting, &self.point(meeting, place), self.has_draws);
        }
        height
    }

    /// Returns the points each bot should have at a place.
    pub(super) fn expected_points(&self, place: &[f64]) -> Vec<f64> {
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

    /// Returns the information matrix times some directions.
    pub(super) fn times<const N: usize>(
        &self,
        bends: &[Bend],
        directions: &[Lanes<N>],
    ) -> Vec<Lanes<N>> {
        let bots = self.results.bots;
        let draws = directions.get(bots).copied().unwrap_or([0.0; N]);
        let mut product = vec![[0.0; N]; directions.len()];
        let mut of_draws = [0.0; N];
        for Bend { bots: [one, other], bends } in bends {
            let (here, there) = (directions[*one], directions[*other]);
            let mut pull = [0.0; N];
            for lane in 0..N {
                let difference = here[lane] - there[lane];
                pull[lane] = bends[0] * difference + bends[1] * draws[lane];
                of_draws[lane] += bends[1] * difference + bends[2] * draws[lane];
            }
            product[*one].iter_mut().zip(pull).for_each(|(sum, pull)| *sum += pull);
            product[*other].iter_mut().zip(pull).for_each(|(sum, pull)| *sum -= pull);
        }
        if let Some(last) = product.get_mut(bots) {
            *last = of_draws;
        }
        product
    }

    /// Returns the diagonal of the information matrix.
    pub(super) fn diagonal(&self, bends: &[Bend]) -> Vec<f64> {
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
}

impl Height {
    fn add(&mut self, meeting: &Meeting, point: &Point, has_draws: bool) {
        let [one, other] = meeting.bots;
        let mut bend = Bend { bots: meeting.bots, bends: [0.0; 3] };
        let (mut by_difference, mut by_draws) = (0.0, 0.0);
        for (outcome, count) in meeting.counts().into_iter().enumerate() {
            if count > 0.0 {
                self.log_likelihood += count * point.logs[outcome];
                by_difference += count * point.scores[outcome][0];
                by_draws += count * point.scores[outcome][1];
                for (sum, one) in bend.bends.iter_mut().zip(point.bends[outcome]) {
                    *sum += count * one;
                }
            }
        }
        self.slopes[one] += by_difference;
        self.slopes[other] -= by_difference;
        if has_draws && let Some(slope) = self.slopes.last_mut() {
            *slope += by_draws;
        }
        self.bends.push(bend);
    }
}
