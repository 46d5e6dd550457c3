//! Serde forms of the referee crate's numbers, which does not depend on serde.

use serde::{Deserialize, Serialize};

/// Serde form of a seed: its number.
#[derive(Serialize, Deserialize)]
#[serde(remote = "joust_referee::Seed")]
pub(crate) struct PlainSeed(u64);

/// Serde form of a set of limits: its bits.
#[derive(Serialize, Deserialize)]
#[serde(remote = "joust_referee::LimitSet")]
pub(crate) struct PlainLimits(u16);

/// A [`joust_referee::Score`] in millionths of points.
pub(crate) mod score {
    use joust_referee::Score;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(score: &Score, to: S) -> Result<S::Ok, S::Error> {
        score.as_millionths().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Score, D::Error> {
        i64::deserialize(from).map(Score::millionths)
    }
}

/// Serialises a score as a decimal number: `3`, `0.5`.
///
/// # Errors
///
/// The serializer's.
pub fn plain_score<S: serde::Serializer>(
    score: &joust_referee::Score,
    to: S,
) -> Result<S::Ok, S::Error> {
    match score.as_whole() {
        Some(points) => to.serialize_i64(points),
        None => to.serialize_f64(score.as_f64()),
    }
}

/// A score that [`plain_score`] serialises.
#[derive(Clone, Copy, Debug)]
pub struct PlainScore(pub joust_referee::Score);

impl Serialize for PlainScore {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        plain_score(&self.0, to)
    }
}
