//! Estimate of the difference of two bots from a sample of scores.

use super::normal::{NORMALISED_ELO, Z95, elo_of_score, phi};

/// A class of outcomes: its score from 0 to 1, and how many there were.
pub(super) type Class = (f64, u64);

/// Unit that is scored as one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Bout,
    MirrorPair,
}

impl Unit {
    fn bouts(self) -> f64 {
        match self {
            Self::Bout => 1.0,
            Self::MirrorPair => 2.0,
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Bout => "bouts",
            Self::MirrorPair => "mirror pairs",
        }
    }
}

/// The difference of two bots, seen from the first. What a sample cannot say is
/// `None`; nothing is ever infinite or not a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Outcomes counted: bouts, or mirror pairs.
    pub outcomes: u64,
    /// The mean score, from 0 to 1.
    pub score: f64,
    /// The variance of one outcome's score.
    pub variance: f64,
    /// The standard error of `score`.
    pub stderr: f64,
    /// The difference in Elo; `None` when everything was won or lost.
    pub elo: Option<f64>,
    /// The lower and upper end of its 95 % interval; `None` where an end leaves
    /// what a score can be.
    pub interval: [Option<f64>; 2],
    /// Half the distance of the two ends, which do not lie evenly about `elo`.
    pub half_width: Option<f64>,
    /// The difference in normalised Elo, whose unit is the spread of one bout's
    /// score; `None` without spread.
    pub normalised: Option<f64>,
    /// The half width of its 95 % interval.
    pub normalised_half_width: Option<f64>,
    /// Probability that the first is the stronger, from 0 to 1; `None` without spread.
    pub superiority: Option<f64>,
    unit: Unit,
}

impl Estimate {
    /// Returns what `classes` say; `None` when there are no outcomes.
    pub(super) fn of(unit: Unit, classes: &[Class]) -> Option<Self> {
        let outcomes: u64 = classes.iter().map(|(_, count)| count).sum();
        if outcomes == 0 {
            return None;
        }
        let (score, variance) = moments(classes, outcomes as f64);
        let stderr = (variance / outcomes as f64).sqrt();
        let interval = [score - Z95 * stderr, score + Z95 * stderr].map(elo_of_score);
        let spread = (variance > 0.0).then_some((score - 0.5, unit.bouts() * variance));
        Some(Self {
            outcomes,
            score,
            variance,
            stderr,
            elo: elo_of_score(score),
            interval,
            half_width: interval[0].zip(interval[1]).map(|(low, high)| (high - low) / 2.0),
            normalised: spread.map(|(lead, spread)| lead / spread.sqrt() * NORMALISED_ELO),
            normalised_half_width: spread.map(|_| normalised_half_width(unit, outcomes)),
            superiority: spread.map(|(lead, _)| phi(lead / stderr)),
            unit,
        })
    }

    /// Returns the interval that samples without a loss, or without a win, allow:
    /// the differences at which such a sample is not rarer than one in forty.
    fn one_sided(&self) -> Option<f64> {
        let score = 0.025_f64.powf(1.0 / self.outcomes as f64);
        elo_of_score(score)
    }

    /// Returns the difference in words, with its interval, for any sample.
    #[must_use]
    pub fn text(&self) -> String {
        let (outcomes, unit) = (self.outcomes, self.unit.plural());
        if self.variance > 0.0 {
            return self.number();
        }
        match self.one_sided() {
            _ if self.elo.is_some() => {
                format!("level in all {outcomes} {unit}, which does not say how surely")
            }
            Some(least) if self.score > 0.5 => {
                format!(
                    "no finite difference: won all {outcomes} {unit} (95 %: above {least:+.0} Elo)"
                )
            }
            Some(least) => {
                format!(
                    "no finite difference: lost all {outcomes} {unit} (95 %: below {:+.0} Elo)",
                    -least
                )
            }
            None => format!("no finite difference: {outcomes} {unit} went one way"),
        }
    }

    fn number(&self) -> String {
        let interval = match self.interval {
            [Some(low), Some(high)] => format!("{low:+.1} to {high:+.1}"),
            [Some(low), None] => format!("above {low:+.1}"),
            [None, Some(high)] => format!("below {high:+.1}"),
            [None, None] => "anything".to_owned(),
        };
        let superiority = 100.0 * self.superiority.unwrap_or(0.5);
        let elo = self.elo.unwrap_or(0.0);
        format!("{elo:+.1} Elo (95 %: {interval}), superior with {superiority:.1} %")
    }
}

/// Returns the mean and the variance of the scores.
fn moments(classes: &[Class], outcomes: f64) -> (f64, f64) {
    let share = |count: u64| count as f64 / outcomes;
    let score: f64 = classes.iter().map(|(score, count)| score * share(*count)).sum();
    let of_class = |(one, count): &Class| share(*count) * (one - score).powi(2);
    let occupied = classes.iter().filter(|(_, count)| *count > 0).map(|(score, _)| *score);
    if one_value(occupied) {
        return (classes.iter().find(|(_, count)| *count > 0).map_or(score, |class| class.0), 0.0);
    }
    (score, classes.iter().map(of_class).sum())
}

/// Returns whether all outcomes have the same score, so that rounding cannot make up a spread.
fn one_value(mut scores: impl Iterator<Item = f64>) -> bool {
    let first = scores.next();
    scores.all(|score| Some(score) == first)
}

fn normalised_half_width(unit: Unit, outcomes: u64) -> f64 {
    Z95 * NORMALISED_ELO / (unit.bouts() * outcomes as f64).sqrt()
}
