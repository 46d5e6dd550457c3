//! Signatures of guests: what a guest says came of a bout, under the key that it was invited
//! with, so that whom to blame can be shown to anybody.

use data_encoding::HEXLOWER;
use joust_model::{BoutId, BoutResult, BuildHash};
use nkeys::KeyPair;
use serde::{Deserialize, Serialize};

/// A signature of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The bout.
    pub bout: BoutId,
    /// The public key, as the server's list of users has it.
    pub key: String,
    /// The signature (Ed25519).
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// Returns what is signed: a hash of all of a result that bots and referee decide, and of the
/// machine.
#[must_use]
pub fn statement(result: &BoutResult) -> BuildHash {
    let mut seats = Vec::new();
    for seat in &result.seats {
        let bot = (seat.bot.len() as u64).to_le_bytes();
        seats.extend(bot.iter().chain(seat.bot.as_bytes()));
        seats.push(seat.rank);
        seats.extend(seat.score.to_string().bytes().chain([b'\n']));
        seats.extend(seat.verdicts.0.iter().flat_map(|count| count.to_le_bytes()));
    }
    let fields: [&[u8]; 8] = [
        &result.bout.0,
        &result.key.0,
        result.machine.as_bytes(),
        result.ended.as_bytes(),
        &result.rounds.to_le_bytes(),
        result.state_hash.as_bytes(),
        &seats,
        &result.action_log,
    ];
    BuildHash::of("joust-signed-result-1", &fields)
}

impl Signature {
    /// Signs a result; `None` for a key that has no seed.
    #[must_use]
    pub fn of(result: &BoutResult, key: &KeyPair) -> Option<Self> {
        let bytes = key.sign(&statement(result).0).ok()?;
        Some(Self { bout: result.bout, key: key.public_key(), bytes })
    }

    /// Says whether its key signed this result.
    #[must_use]
    pub fn is_of(&self, result: &BoutResult) -> bool {
        let signed = |key: KeyPair| key.verify(&statement(result).0, &self.bytes).is_ok();
        self.bout == result.bout && KeyPair::from_public_key(&self.key).is_ok_and(signed)
    }

    /// Returns it as a word, for the record.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}:{}", self.key, HEXLOWER.encode(&self.bytes))
    }

    /// Finds the signature of a bout among the words of a record.
    #[must_use]
    pub fn found_in(bout: BoutId, record: &str) -> Option<Self> {
        record.split_whitespace().find_map(|word| {
            let (key, bytes) = word.split_once(':')?;
            let bytes = HEXLOWER.decode(bytes.as_bytes()).ok().filter(|it| it.len() == 64)?;
            Some(Self { bout, key: key.to_owned(), bytes })
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use joust_model::{PlanKey, Tier};

    use super::*;

    fn unseated() -> BoutResult {
        result(Vec::new())
    }

    /// A result of these seats.
    pub(crate) fn result(seats: Vec<joust_model::SeatResult>) -> BoutResult {
        BoutResult {
            bout: BoutId([1; 8]),
            key: PlanKey([2; 32]),
            ended: "over".to_owned(),
            rounds: 3,
            state_hash: "00".to_owned(),
            seats,
            tier: Tier::A,
            machine: "m".to_owned(),
            joust_version: String::new(),
            contended: false,
            ticks_late: 0,
            oversubscribed: false,
            started_at: 0,
            took: Duration::ZERO,
            action_log: vec![1, 2, 3],
            turn_log: Vec::new(),
        }
    }

    #[test]
    fn a_signature_is_of_one_result_under_one_key_and_survives_the_record() {
        let (key, other) = (KeyPair::new_user(), KeyPair::new_user());
        let signature = Signature::of(&unseated(), &key).expect("it has a seed");
        assert!(signature.is_of(&unseated()));
        assert!(!signature.is_of(&BoutResult { action_log: vec![1, 2, 4], ..unseated() }));
        assert!(!Signature { key: other.public_key(), ..signature.clone() }.is_of(&unseated()));
        let record = format!("signed by guest `guest-ann`: {} (a key)", signature.text());
        assert_eq!(Signature::found_in(unseated().bout, &record), Some(signature));
        assert_eq!(Signature::found_in(unseated().bout, "no: such a:00 thing"), None);
    }
}
