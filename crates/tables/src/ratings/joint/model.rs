//! How likely a loss, a draw and a win are at a difference.

/// A model of bouts of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairModel {
    /// A draw is half a win.
    #[default]
    BradleyTerry,
    /// Draws have a weight of their own: P(draw) = ν√(P(win)·P(loss)).
    Davidson,
    /// Draws have a width of their own, in Elo.
    RaoKupper,
}

/// A model at one difference: losses, draws and wins in this order.
pub(super) struct Point {
    /// The logarithms of the probabilities.
    pub(super) logs: [f64; 3],
    /// The derivatives of these, by the difference and by the parameter of draws.
    pub(super) scores: [[f64; 2]; 3],
    /// Minus the second derivatives of each outcome: by the difference, by both, and
    /// by the parameter of draws.
    pub(super) bends: [[f64; 3]; 3],
}

impl PairModel {
    /// Returns the name used in tables, messages and settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BradleyTerry => "bradley-terry",
            Self::Davidson => "davidson",
            Self::RaoKupper => "rao-kupper",
        }
    }

    /// Returns the parameter of draws at which level bots draw this share of their
    /// bouts, which is neither none nor all.
    pub(super) fn first_guess(self, share: f64) -> f64 {
        match self {
            Self::BradleyTerry => 0.0,
            Self::Davidson => (2.0 * share / (1.0 - share)).ln(),
            Self::RaoKupper => ((1.0 + share) / (1.0 - share)).ln(),
        }
    }

    /// Returns the model at a difference, in log odds.
    pub(super) fn at(self, difference: f64, draws: f64) -> Point {
        match self {
            Self::BradleyTerry => bradley_terry(difference),
            Self::Davidson => davidson(difference, draws),
            Self::RaoKupper => rao_kupper(difference, draws),
        }
    }
}

/// 1 / (1 + e^-x), without overflow.
fn logistic(x: f64) -> f64 {
    if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }
}

/// ln(1 / (1 + e^-x)), without overflow.
fn log_logistic(x: f64) -> f64 {
    if x >= 0.0 { -(-x).exp().ln_1p() } else { x - x.exp().ln_1p() }
}

fn bradley_terry(difference: f64) -> Point {
    let odds = (-difference.abs()).exp();
    let [weaker, stronger] = [odds / (1.0 + odds), 1.0 / (1.0 + odds)];
    let likely = -odds.ln_1p();
    let unlikely = likely - difference.abs();
    let (win, [loses, wins]) = match difference >= 0.0 {
        true => (stronger, [unlikely, likely]),
        false => (weaker, [likely, unlikely]),
    };
    let bend = weaker * stronger;
    Point {
        logs: [loses, (loses + wins) / 2.0, wins],
        scores: [[-win, 0.0], [0.5 - win, 0.0], [1.0 - win, 0.0]],
        bends: [[bend, 0.0, 0.0]; 3],
    }
}

/// `draws` is ln ν.
fn davidson(difference: f64, draws: f64) -> Point {
    let weights = [-difference / 2.0, draws, difference / 2.0];
    let most = weights.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = weights.iter().map(|weight| (weight - most).exp()).sum();
    let logs = weights.map(|weight| weight - most - total.ln());
    let [loss, draw, win] = logs.map(f64::exp);
    let mean = (win - loss) / 2.0;
    let bend = [(win + loss) / 4.0 - mean * mean, -draw * mean, draw * (1.0 - draw)];
    Point {
        logs,
        scores: [[-0.5 - mean, -draw], [-mean, 1.0 - draw], [0.5 - mean, -draw]],
        bends: [bend; 3],
    }
}

/// `draws` is half the distance at which a win becomes a loss, in log odds; a draw
/// needs it above 0.
fn rao_kupper(difference: f64, draws: f64) -> Point {
    let wins = log_logistic(difference - draws);
    let losses = log_logistic(-difference - draws);
    let [not_win, not_loss] = [logistic(draws - difference), logistic(draws + difference)];
    let [win_bend, loss_bend] = [not_win * (1.0 - not_win), not_loss * (1.0 - not_loss)];
    let width = (2.0 * draws).exp_m1();
    let growth = 2.0 + 2.0 / width;
    let slowing = 4.0 * (width + 1.0) / (width * width);
    let [loss, win] = [[loss_bend; 3], [win_bend, -win_bend, win_bend]];
    let draw = [loss[0] + win[0], loss[1] + win[1], loss[2] + win[2] + slowing];
    Point {
        logs: [losses, wins + losses + width.ln(), wins],
        scores: [
            [-not_loss, -not_loss],
            [not_win - not_loss, growth - not_win - not_loss],
            [not_win, -not_win],
        ],
        bends: [loss, draw, win],
    }
}
