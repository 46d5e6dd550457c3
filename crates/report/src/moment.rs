//! Instants as people read them.

/// Returns `2026-11-21T22:01:03Z` for milliseconds since 1970.
#[must_use]
pub fn moment(at: i64) -> String {
    let moment = jiff::Timestamp::from_second(at.div_euclid(1000));
    moment.map_or_else(|_| at.to_string(), |moment| moment.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_shown_in_utc_to_the_second() {
        assert_eq!(moment(0), "1970-01-01T00:00:00Z");
        assert_eq!(moment(1_790_000_000_999), "2026-09-21T14:13:20Z");
        assert_eq!(moment(i64::MAX), i64::MAX.to_string());
    }
}
