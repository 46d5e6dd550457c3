//! The number of a round, as the record counts it and as people do.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A round of a bout. Referees and logs count from 0; text and JSON, which people read and write,
/// from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Round(pub u32);

impl Round {
    /// Returns the round that people call `number`.
    pub fn numbered(number: u32) -> Self {
        Self(number.saturating_sub(1))
    }

    /// Returns the number that people use: 1 for the first round.
    pub fn number(self) -> u32 {
        self.0.saturating_add(1)
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

impl Serialize for Round {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.number().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Round {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        u32::deserialize(from).map(Self::numbered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_round_is_1_wherever_people_meet_it() {
        assert_eq!((Round(0).to_string(), format!("{:03}", Round(11))), ("1".into(), "012".into()));
        assert_eq!(serde_json::to_string(&Round(0)).expect("a number"), "1");
        assert_eq!(serde_json::from_str::<Round>("7").expect("a number"), Round::numbered(7));
        assert_eq!(Round::numbered(7), Round(6));
    }
}
