//! Identities of the bouts of a match.

use sha2::{Digest as _, Sha256};

use super::BoutId;
use super::hash::{add_field, start_digest};

/// Identities of the bouts between some bots. The common part is hashed once, because a match can
/// have a hundred thousand bouts.
#[derive(Clone, Debug)]
pub struct BoutIds(Sha256);

impl BoutIds {
    /// Makes the identities of the match between `bots`, whose order has no effect.
    pub fn of(tournament: &str, event: &str, bots: &[&str]) -> Self {
        let mut sorted = bots.to_vec();
        sorted.sort_unstable();
        let mut fields: Vec<&[u8]> = vec![tournament.as_bytes(), event.as_bytes()];
        fields.extend(sorted.iter().map(|bot| bot.as_bytes()));
        Self(start_digest("joust-bout-1", &fields))
    }

    /// Returns the identity of the bout with a number in the match.
    pub fn id(&self, number: u32) -> BoutId {
        let mut hash = self.0.clone();
        add_field(&mut hash, &number.to_le_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        BoutId(*digest.first_chunk().expect("a digest has 32 bytes"))
    }
}
