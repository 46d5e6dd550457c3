//! Is one bot stronger than another? A test that stops as soon as it knows.
//!
//! A sequential probability ratio test weighs two hypotheses, H0: the difference
//! is `elo0`, against H1: it is `elo1`. After each bout, or better after each mirror
//! pair, the log-likelihood ratio (LLR) of the two is compared with a lower and an
//! upper bound that follow from the error rates; beyond one of them the test is
//! over. It must be looked at in the order in which pairs are finished, and not be
//! asked again after it has stopped.
//!
//! An outcome has a grade: a bout has three, a mirror pair five, from both lost to both won. The
//! bouts of a match of more than two that share a seed have more of them, and so has the difference
//! of two versions of a bot in the same bouts. The likelihood ratio takes any number of grades.
//!
//! Each likelihood is the largest one of a distribution of outcomes with the
//! normalised mean of a hypothesis: the generalised ratio.
//!
//! Sources: A. Wald, *Sequential Tests of Statistical Hypotheses*, Annals of Mathematical
//! Statistics 16 (1945), for the bounds; M. Van den Bergh, *Comments on Normalized Elo* (2020)
//! and *A Practical Introduction to the GSPRT* (2019), for the ratio with unknown shares of
//! the grades.

mod estimate;
mod likelihood;

pub use estimate::StoppedEstimate;
use likelihood::Shares;

/// A test that cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
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
    elo: [f64; 2],
    rates: [f64; 2],
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
pub enum SprtDecision {
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
    pub finding: SprtDecision,
}

impl Sprt {
    /// Makes a test of `elo[0]` against `elo[1]`, in normalised Elo: its unit is the spread of one
    /// bout's score, so it says how many bouts a difference takes to show, whatever the draws and
    /// the luck of a game.
    ///
    /// `alpha` is how often H1 may be accepted where H0 holds, `beta` the reverse.
    ///
    /// # Errors
    ///
    /// [`SprtError`] when the hypotheses or the rates make no test.
    pub fn new(elo: [f64; 2], alpha: f64, beta: f64) -> Result<Self, SprtError> {
        if let Some(wrong) = elo.into_iter().find(|elo| !(-1000.0..=1000.0).contains(elo)) {
            return Err(SprtError::Elo(wrong));
        }
        if elo[0] >= elo[1] {
            return Err(SprtError::Order(elo[0], elo[1]));
        }
        let is_wrong = |rate: &f64| !(*rate > 0.0 && *rate < 0.5);
        if let Some(wrong) = [alpha, beta].into_iter().find(is_wrong) {
            return Err(SprtError::Rate(wrong));
        }
        let lower = (beta / (1.0 - alpha)).ln();
        let upper = ((1.0 - beta) / alpha).ln();
        Ok(Self { elo, rates: [alpha, beta], bounds: Bounds { lower, upper } })
    }

    /// Returns the differences of H0 and H1.
    pub fn elo(&self) -> [f64; 2] {
        self.elo
    }

    /// Returns the error rates: H1 accepted where H0 holds, and the reverse.
    pub fn rates(&self) -> [f64; 2] {
        self.rates
    }

    /// Returns where the test ends.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Judges a whole sample: the number of outcomes of each grade, from the worst to the best.
    pub fn judge(&self, counts: &[u64]) -> Judgement {
        let llr = self.llr(counts);
        Judgement { llr, bounds: self.bounds, finding: self.bounds.finding(llr) }
    }

    /// Returns the log-likelihood ratio of H1 and H0; 0 for a sample that cannot
    /// tell them apart.
    fn llr(&self, counts: &[u64]) -> f64 {
        if counts.iter().all(|count| *count == 0) {
            return 0.0;
        }
        let shares = Shares::of(counts);
        let likely = self.elo.map(|elo| shares.with_normalised(elo));
        let llr = shares.log_ratio([&likely[0], &likely[1]]);
        if llr.is_finite() { llr } else { 0.0 }
    }

    /// Returns the difference as a stopped (or broken off) test shows it, without
    /// the bias of a plain interval; `None` without outcomes.
    pub fn estimate(&self, counts: &[u64]) -> Option<StoppedEstimate> {
        let has_outcomes = counts.iter().any(|count| *count > 0);
        has_outcomes.then(|| estimate::estimate(self, &Shares::of(counts)))
    }
}

impl Bounds {
    fn finding(self, llr: f64) -> SprtDecision {
        match llr {
            _ if llr >= self.upper => SprtDecision::H1,
            _ if llr <= self.lower => SprtDecision::H0,
            _ => SprtDecision::Undecided,
        }
    }
}

/// Test under way: takes one outcome after the other, and stops for good.
#[derive(Clone, Debug)]
pub struct SequentialTest {
    sprt: Sprt,
    counts: Vec<u64>,
    last: Judgement,
}

impl SequentialTest {
    /// Starts a test of outcomes with the grades 0 to `top`; the middle is level. `top` is
    /// twice the number of comparisons of two bots in an outcome, and at least 1.
    pub fn new(sprt: Sprt, top: usize) -> Self {
        let counts = vec![0; top.max(1) + 1];
        let last = sprt.judge(&counts);
        Self { sprt, counts, last }
    }

    /// Adds an outcome and says where the test stands; once it has stopped, what comes
    /// later changes nothing. A grade above the top counts as the top.
    pub fn add(&mut self, grade: usize) -> Judgement {
        if self.last.finding == SprtDecision::Undecided {
            let top = self.counts.len() - 1;
            self.counts[grade.min(top)] += 1;
            self.last = self.sprt.judge(&self.counts);
        }
        self.last
    }

    /// Returns where the test stands.
    pub fn judgement(&self) -> Judgement {
        self.last
    }

    /// Returns the test.
    pub fn sprt(&self) -> Sprt {
        self.sprt
    }

    /// Returns the outcomes that counted, by grade.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns how many outcomes counted.
    pub fn outcomes(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the difference as it shows at this point; `None` without outcomes.
    pub fn estimate(&self) -> Option<StoppedEstimate> {
        self.sprt.estimate(&self.counts)
    }
}
