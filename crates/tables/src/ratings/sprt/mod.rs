//! Is one bot stronger than another? A test that stops as soon as it knows.
//!
//! A sequential probability ratio test weighs two hypotheses, H0: the difference
//! is `elo0`, against H1: it is `elo1`. After each bout, or better after each mirror
//! pair, the log-likelihood ratio (LLR) of the two is compared with a lower and an
//! upper bound that follow from the error rates; beyond one of them the test is
//! over. It must be looked at in the order in which pairs are finished, and not be
//! asked again after it has stopped.
//!
//! The likelihoods are those of the most likely distributions of outcomes that
//! have the mean (or the normalised mean) of a hypothesis: the generalised ratio.

mod after;
mod brownian;
mod graded;
mod likely;
mod multinomial;
mod root;
mod test;

pub use after::StoppedEstimate;
pub use graded::Graded;
pub use test::{BadTest, Bounds, EloModel, Finding, Judgement, Running, Sample, Sprt};
