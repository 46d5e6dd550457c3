//! How many groups of bots there are, and how many of them meet.

/// Returns how many groups of `seats` there are of `bots` bots; what does not fit
/// is `u64::MAX`.
#[must_use]
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

/// Returns how many groups of `seats` meet when at most `most` may: all of them,
/// or the most in which every bot is equally often. Where not even one such step
/// of `bots / gcd(bots, seats)` groups is allowed, it is `most`.
#[must_use]
pub fn groups_that_meet(bots: u64, seats: u64, most: u64) -> u64 {
    let all = all_groups(bots, seats);
    if all <= most {
        return all;
    }
    let step = bots / gcd(bots, seats);
    if most < step { most } else { most - most % step }
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
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

    #[test]
    fn as_many_groups_meet_as_let_every_bot_play_equally_often() {
        assert_eq!(groups_that_meet(12, 4, 500), 495);
        assert_eq!(groups_that_meet(13, 4, 500), 494);
        assert_eq!(groups_that_meet(31, 12, 7), 7);
    }
}
