//! Serde forms of the referee crate's numbers, which does not depend on serde.

/// A [`joust_referee::Seed`].
pub(crate) mod seed {
    use joust_referee::Seed;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(seed: &Seed, serializer: S) -> Result<S::Ok, S::Error> {
        seed.0.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Seed, D::Error> {
        u64::deserialize(from).map(Seed)
    }
}

/// A [`joust_referee::LimitSet`] as its bits.
pub(crate) mod limits {
    use joust_referee::LimitSet;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        limits: &LimitSet,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        limits.0.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<LimitSet, D::Error> {
        u16::deserialize(from).map(LimitSet)
    }
}

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

impl serde::Serialize for PlainScore {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        plain_score(&self.0, to)
    }
}
