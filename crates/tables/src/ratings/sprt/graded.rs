//! Sequential test of outcomes with any number of grades.
//!
//! A mirror pair has five grades, from both lost to both won. The bouts of a match of more
//! than two that share a seed have more of them, and so has the difference of two versions of
//! a bot in the same bouts. The likelihood ratio of the test is that of any number of grades.
//!
//! Sources: A. Wald, *Sequential Tests of Statistical Hypotheses*, Annals of Mathematical
//! Statistics 16 (1945), for the bounds; M. Van den Bergh, *Comments on Normalized Elo* (2020)
//! and *A Practical Introduction to the GSPRT* (2019), for the ratio with unknown shares of
//! the grades.

use super::after::{self, StoppedEstimate};
use super::likely::Shares;
use super::test::{Finding, Judgement, Sample, Sprt};

/// A test under way over graded outcomes: takes one after the other, and stops for good.
#[derive(Clone, Debug)]
pub struct Graded {
    sprt: Sprt,
    counts: Vec<u64>,
    last: Judgement,
}

impl Graded {
    /// Starts a test of outcomes with the grades 0 to `top`; the middle is level. `top` is
    /// twice the number of comparisons of two bots in an outcome, and at least 1.
    #[must_use]
    pub fn new(sprt: Sprt, top: usize) -> Self {
        let counts = vec![0; top.max(1) + 1];
        let last = sprt.judge(&Sample::Grades(counts.clone()));
        Self { sprt, counts, last }
    }

    /// Adds an outcome and says where the test stands; once it has stopped, what comes
    /// later changes nothing. A grade above the top counts as the top.
    pub fn add(&mut self, grade: usize) -> Judgement {
        if self.last.finding == Finding::Undecided {
            let top = self.counts.len() - 1;
            self.counts[grade.min(top)] += 1;
            self.last = self.sprt.judge(&Sample::Grades(self.counts.clone()));
        }
        self.last
    }

    /// Returns where the test stands.
    #[must_use]
    pub fn judgement(&self) -> Judgement {
        self.last
    }

    /// Returns how many outcomes counted.
    #[must_use]
    pub fn outcomes(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the difference as it shows at this point; `None` without outcomes.
    #[must_use]
    pub fn estimate(&self) -> Option<StoppedEstimate> {
        after::estimate(&self.sprt, &Shares::of(&self.counts)).filter(|_| self.outcomes() > 0)
    }
}
