//! Number of groups of bots.

/// Returns how many groups of `seats` bots can be formed of `bots` bots, at most `u64::MAX`.
pub fn all_groups(bots: u64, seats: u64) -> u64 {
    if seats == 0 || seats > bots {
        return 0;
    }
    let mut groups: u128 = 1;
    for place in 0..seats.min(bots - seats) {
        groups = groups * u128::from(bots - place) / u128::from(place + 1);
        if groups > u64::MAX.into() {
            return u64::MAX;
        }
    }
    u64::try_from(groups).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_counted_without_overflow() {
        assert_eq!(
            [(10, 4), (6, 6), (3, 4), (3, 0)].map(|(b, s)| all_groups(b, s)),
            [210, 1, 0, 0]
        );
        assert_eq!(all_groups(1_000_000, 12), u64::MAX);
    }
}
