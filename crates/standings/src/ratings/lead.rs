//! Lead of one bot: the mean of what it was ahead by in each of a few samples.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Two virtual samples, half a point ahead and half a point behind: a handful of equal
/// samples has no spread of its own and must not sound sure.
const VIRTUAL: [f64; 2] = [-0.5, 0.5];

/// Lead of a bot, from samples between -1 (everything lost) and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankLead {
    /// Samples.
    pub samples: u64,
    /// Their mean.
    pub mean: f64,
    /// The ends of the 95 % interval of the true mean, within -1 and 1.
    pub interval: [f64; 2],
    /// Probability that the true mean is above 0, from 0 to 1.
    pub superiority: f64,
}

impl RankLead {
    /// Returns the lead that `samples` show; `None` without samples.
    ///
    /// Interval and likelihood follow Student's distribution about the mean of the
    /// samples and of two virtual ones, half a point ahead and half a point behind. So they
    /// are a little wider than from the samples alone, and finite for one sample.
    pub fn of(samples: &[f64]) -> Option<Self> {
        if samples.is_empty() {
            return None;
        }
        let count = samples.len() as f64;
        let all = || samples.iter().chain(&VIRTUAL).map(|one| one.clamp(-1.0, 1.0));
        let many = count + VIRTUAL.len() as f64;
        let middle = all().sum::<f64>() / many;
        let variance = all().map(|one| (one - middle).powi(2)).sum::<f64>() / (many - 1.0);
        let error = (variance / many).sqrt();
        let student = StudentsT::new(0.0, 1.0, many - 1.0).ok()?;
        let reach = student.inverse_cdf(0.975) * error;
        Some(Self {
            samples: samples.len() as u64,
            mean: samples.iter().sum::<f64>() / count,
            interval: [(middle - reach).max(-1.0), (middle + reach).min(1.0)],
            superiority: student.cdf(middle / error),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_says_nothing() {
        assert_eq!(RankLead::of(&[]), None);
    }

    #[test]
    fn a_single_won_sample_is_not_sure() {
        let lead = RankLead::of(&[1.0]).expect("a sample");
        assert_eq!((lead.samples, lead.mean), (1, 1.0));
        assert!((0.6..0.9).contains(&lead.superiority), "{lead:?}");
        assert!(lead.interval[0] < 0.0, "{lead:?}");
    }

    #[test]
    fn many_equal_samples_are_sure_and_their_interval_holds_them() {
        let lead = RankLead::of(&[0.5; 60]).expect("samples");
        assert!(lead.superiority > 0.999, "{lead:?}");
        assert!(lead.interval[0] > 0.4 && lead.interval[1] >= 0.5, "{lead:?}");
    }

    #[test]
    fn the_other_side_sees_the_reverse() {
        let samples = [0.5, -0.25, 1.0, 0.0, 0.25];
        let [one, other] = [1.0, -1.0].map(|side| {
            let seen: Vec<f64> = samples.iter().map(|sample| side * sample).collect();
            RankLead::of(&seen).expect("samples")
        });
        assert!((one.superiority + other.superiority - 1.0).abs() < 1e-9);
        assert!((one.interval[0] + other.interval[1]).abs() < 1e-9);
    }
}
