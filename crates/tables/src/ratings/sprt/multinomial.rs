//! Draws with a width of their own, as `BayesElo` has them.

use super::test::Sample;
use crate::ratings::normal::score_of_elo;

/// Added to each class, so that none is empty.
const HALF_AN_OUTCOME: f64 = 0.5;

/// Returns the width of draws, in Elo, from the shares of lost and won bouts.
pub(super) fn draw_elo([loss, win]: [f64; 2]) -> f64 {
    200.0 * ((1.0 - loss) / loss * (1.0 - win) / win).log10()
}

/// Returns how likely a loss, a draw and a win are at a difference.
pub(super) fn probabilities(elo: f64, draw_elo: f64) -> [f64; 3] {
    let (win, loss) = (score_of_elo(elo - draw_elo), score_of_elo(-elo - draw_elo));
    [loss, 1.0 - win - loss, win]
}

/// Returns the log-likelihood ratio of two differences on the printed scale; 0 for
/// mirror pairs.
pub(super) fn llr(sample: &Sample, elo: [f64; 2]) -> f64 {
    let Sample::Bouts(bouts) = sample else { return 0.0 };
    let counts =
        [bouts.losses, bouts.draws, bouts.wins].map(|count| count as f64 + HALF_AN_OUTCOME);
    let all: f64 = counts.iter().sum();
    let draw_elo = draw_elo([counts[0] / all, counts[2] / all]);
    let odds = 10_f64.powf(-draw_elo / 400.0);
    let scale = 4.0 * odds / (1.0 + odds).powi(2);
    let [zero, one] = elo.map(|elo| probabilities(elo / scale, draw_elo));
    let terms = counts.iter().zip(zero.iter().zip(one));
    let llr: f64 = terms.map(|(count, (zero, one))| count * (one / zero).ln()).sum();
    if llr.is_finite() { llr } else { 0.0 }
}
