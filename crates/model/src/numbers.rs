//! Serde forms of the referee's numbers, which know no serde: the number alone.

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

/// A [`joust_referee::LimitSet`], as its bits.
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
