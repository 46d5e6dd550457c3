//! Seed of a bout, derived from the tournament's.

use joust_referee::Seed;
use sha2::{Digest as _, Sha256};

/// Returns the seed of a bout.
///
/// It is the first eight bytes, little endian, of the SHA-256 of `joust-bout-seed-1`, the
/// tournament seed (eight bytes, little endian), the event id, the bots' names in sorted order and
/// `number` (four bytes, little endian), where every text is preceded by its length in bytes (four
/// bytes, little endian). The seats are not included, so both bouts of a mirror pair have the same
/// seed when they have the same `number`.
pub fn bout_seed(tournament: Seed, event: &str, names: &[&str], number: u32) -> Seed {
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    let mut hash = Sha256::new_with_prefix(b"joust-bout-seed-1");
    hash.update(tournament.0.to_le_bytes());
    update_text(&mut hash, event);
    for name in sorted {
        update_text(&mut hash, name);
    }
    hash.update(number.to_le_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    let first = digest.first_chunk().expect("a digest has 32 bytes");
    Seed(u64::from_le_bytes(*first))
}

fn update_text(hash: &mut Sha256, text: &str) {
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    hash.update(length.to_le_bytes());
    hash.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_do_not_change_the_seed() {
        let one = bout_seed(Seed(2026), "league", &["a", "b"], 0);
        let other = bout_seed(Seed(2026), "league", &["b", "a"], 0);
        assert_eq!(one, other);
    }

    #[test]
    fn every_part_changes_the_seed() {
        let base = bout_seed(Seed(2026), "league", &["a", "b"], 0);
        let changed = [
            bout_seed(Seed(2027), "league", &["a", "b"], 0),
            bout_seed(Seed(2026), "cup", &["a", "b"], 0),
            bout_seed(Seed(2026), "league", &["a", "c"], 0),
            bout_seed(Seed(2026), "league", &["a", "b"], 1),
        ];
        assert!(changed.iter().all(|seed| *seed != base));
    }

    #[test]
    fn seeds_are_the_same_as_ever() {
        assert_eq!(
            bout_seed(Seed(2026), "league", &["a", "b"], 0),
            Seed(13_233_957_271_328_896_058)
        );
        assert_eq!(
            bout_seed(Seed(2026), "league", &["bob", "ann"], 7),
            Seed(15_280_489_593_508_315_563)
        );
    }
}
