//! The test: what is asked, and what a sample answers.

use super::after::{self, StoppedEstimate};
use super::likely::Shares;
use super::multinomial;
use crate::ratings::elo::Outcomes;
use crate::ratings::normal::score_of_elo;
use crate::ratings::pentanomial::{Outcome, Pentanomial};

/// The unit in which a test's hypotheses are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EloModel {
    /// The spread of one bout's score: says how many bouts a difference takes to
    /// show, whatever the draws and the luck of a game.
    #[default]
    Normalised,
    /// The expected score.
    Logistic,
    /// `BayesElo`, in which draws have a width of their own; bouts only.
    Bayesian,
    /// The same with the likelihood of the classes themselves and half an outcome
    /// added to each, hypotheses on the scale that `BayesElo` prints; bouts only.
    Multinomial,
}

impl EloModel {
    /// Returns the name used in tables, messages and settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Normalised => "normalised",
            Self::Logistic => "logistic",
            Self::Bayesian => "bayesian",
            Self::Multinomial => "multinomial",
        }
    }
}

/// A test that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BadTest {
    /// H1 must be the stronger one.
    #[error("the Elo of H1, `{1}`, is not above that of H0, `{0}`")]
    Order(f64, f64),
    /// An error rate is a probability below one half.
    #[error("error rate `{0}` is not between 0 and 0.5")]
    Rate(f64),
    /// Differences beyond 1000 Elo, or no numbers.
    #[error("`{0}` is not between -1000 and 1000 Elo")]
    Elo(f64),
}

/// A sequential test of the difference of two bots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    model: EloModel,
    elo: [f64; 2],
    bounds: Bounds,
}

/// Bounds at which a test ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// At this LLR and below, H0 is accepted.
    pub lower: f64,
    /// At this LLR and above, H1 is accepted.
    pub upper: f64,
}

/// Finding of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// The difference is `elo0` rather than `elo1`.
    H0,
    /// The difference is `elo1` rather than `elo0`.
    H1,
    /// More bouts are needed.
    Undecided,
}

/// Judgement of a test on a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The log-likelihood ratio of H1 and H0.
    pub llr: f64,
    /// The bounds it was compared with.
    pub bounds: Bounds,
    /// Finding that follows.
    pub finding: Finding,
}

/// Sample that a test judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sample {
    /// Single bouts.
    Bouts(Outcomes),
    /// Mirror pairs.
    Pairs(Pentanomial),
    /// Number of outcomes of each grade, from the worst to the best.
    Grades(Vec<u64>),
}

impl Sample {
    fn counts(&self) -> Vec<u64> {
        match self {
            Self::Bouts(bouts) => vec![bouts.losses, bouts.draws, bouts.wins],
            Self::Pairs(pairs) => pairs.classes().to_vec(),
            Self::Grades(counts) => counts.clone(),
        }
    }
}

impl Sprt {
    /// Makes a test of `elo[0]` against `elo[1]`.
    ///
    /// `alpha` is how often H1 may be accepted where H0 holds, `beta` the reverse.
    ///
    /// # Errors
    ///
    /// [`BadTest`] when the hypotheses or the rates make no test.
    pub fn new(model: EloModel, elo: [f64; 2], alpha: f64, beta: f64) -> Result<Self, BadTest> {
        if let Some(wrong) = elo.into_iter().find(|elo| !(-1000.0..=1000.0).contains(elo)) {
            return Err(BadTest::Elo(wrong));
        }
        if elo[0] >= elo[1] {
            return Err(BadTest::Order(elo[0], elo[1]));
        }
        let is_wrong = |rate: &f64| !(*rate > 0.0 && *rate < 0.5);
        if let Some(wrong) = [alpha, beta].into_iter().find(is_wrong) {
            return Err(BadTest::Rate(wrong));
        }
        let lower = (beta / (1.0 - alpha)).ln();
        let upper = ((1.0 - beta) / alpha).ln();
        Ok(Self { model, elo, bounds: Bounds { lower, upper } })
    }

    /// Returns the unit of the hypotheses.
    #[must_use]
    pub fn model(&self) -> EloModel {
        self.model
    }

    /// Returns the differences of H0 and H1.
    #[must_use]
    pub fn elo(&self) -> [f64; 2] {
        self.elo
    }

    /// Returns where the test ends.
    #[must_use]
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Judges a whole sample.
    #[must_use]
    pub fn judge(&self, sample: &Sample) -> Judgement {
        let llr = self.llr(sample);
        Judgement { llr, bounds: self.bounds, finding: self.bounds.finding(llr) }
    }

    /// Returns the log-likelihood ratio of H1 and H0; 0 for a sample that cannot
    /// tell them apart.
    fn llr(&self, sample: &Sample) -> f64 {
        let counts = sample.counts();
        if counts.iter().all(|count| *count == 0) {
            return 0.0;
        }
        if self.model == EloModel::Multinomial {
            return multinomial::llr(sample, self.elo);
        }
        let shares = Shares::of(&counts);
        let likely = match self.model {
            EloModel::Normalised => self.elo.map(|elo| shares.with_normalised(elo)),
            EloModel::Logistic => self.elo.map(|elo| shares.with_mean(score_of_elo(elo))),
            EloModel::Bayesian | EloModel::Multinomial => {
                match self.bayesian_scores(sample, &shares) {
                    Some(scores) => scores.map(|score| shares.with_mean(score)),
                    None => return 0.0,
                }
            }
        };
        let llr = shares.log_ratio([&likely[0], &likely[1]]);
        if llr.is_finite() { llr } else { 0.0 }
    }

    /// Returns the expected scores of the hypotheses, with draws as wide as those
    /// of the sample; `None` unless bouts were both won and lost.
    fn bayesian_scores(&self, sample: &Sample, shares: &Shares) -> Option<[f64; 2]> {
        let Sample::Bouts(bouts) = sample else { return None };
        if bouts.wins == 0 || bouts.losses == 0 {
            return None;
        }
        let (loss, win) = (shares.shares[0], shares.shares[2]);
        let draw_elo = multinomial::draw_elo([loss, win]);
        Some(self.elo.map(|elo| {
            let [loss, _, win] = multinomial::probabilities(elo, draw_elo);
            0.5 * (1.0 + win - loss)
        }))
    }

    /// Returns the difference as a stopped (or broken off) test shows it, without
    /// the bias of a plain interval; `None` without pairs, or for
    /// the models with a width of draws.
    #[must_use]
    pub fn estimate(&self, pairs: &Pentanomial) -> Option<StoppedEstimate> {
        after::estimate(self, &Shares::of(&pairs.classes())).filter(|_| pairs.pairs() > 0)
    }
}

impl Bounds {
    fn finding(self, llr: f64) -> Finding {
        match llr {
            _ if llr >= self.upper => Finding::H1,
            _ if llr <= self.lower => Finding::H0,
            _ => Finding::Undecided,
        }
    }
}

/// A test under way: takes pairs as they are finished, and stops for good.
#[derive(Clone, Debug)]
pub struct Running {
    sprt: Sprt,
    pairs: Pentanomial,
    last: Judgement,
}

impl Running {
    /// Starts a test.
    #[must_use]
    pub fn new(sprt: Sprt) -> Self {
        let pairs = Pentanomial::default();
        Self { sprt, pairs, last: sprt.judge(&Sample::Pairs(pairs)) }
    }

    /// Adds a pair and says where the test stands; once it has stopped, what comes
    /// later changes nothing.
    pub fn add(&mut self, one: Outcome, other: Outcome) -> Judgement {
        if self.last.finding == Finding::Undecided {
            self.pairs.add(one, other);
            self.last = self.sprt.judge(&Sample::Pairs(self.pairs));
        }
        self.last
    }

    /// Returns the pairs that counted.
    #[must_use]
    pub fn pairs(&self) -> &Pentanomial {
        &self.pairs
    }

    /// Returns where the test stands.
    #[must_use]
    pub fn judgement(&self) -> Judgement {
        self.last
    }

    /// Returns the difference as it shows at this point; `None` without pairs.
    #[must_use]
    pub fn estimate(&self) -> Option<StoppedEstimate> {
        self.sprt.estimate(&self.pairs)
    }
}
