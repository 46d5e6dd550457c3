//! Instants as people read them.

/// Returns `2026-11-21T22:01:03Z` for milliseconds since 1970.
#[must_use]
pub fn moment(at: i64) -> String {
    let moment = jiff::Timestamp::from_second(at.div_euclid(1000));
    moment.map_or_else(|_| at.to_string(), |moment| moment.to_string())
}

/// Returns `2026-11-21 22:46 UTC` for milliseconds since 1970.
pub(super) fn to_the_minute(at: i64) -> String {
    formatted(at, "%Y-%m-%d %H:%M UTC")
}

/// Returns `2026-11-21T22:46:03Z` for milliseconds since 1970, and the epoch for what is no date.
pub(super) fn for_programs(at: i64) -> String {
    formatted(at, "%Y-%m-%dT%H:%M:%SZ")
}

/// Returns milliseconds since 1970 in a form of `strftime`.
pub(super) fn formatted(at: i64, form: &str) -> String {
    let moment = jiff::Timestamp::from_millisecond(at).unwrap_or_default();
    moment.strftime(form).to_string()
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

    #[test]
    fn an_instant_is_shown_to_the_minute() {
        assert_eq!(to_the_minute(1_790_000_000_000), "2026-09-21 14:13 UTC");
        assert_eq!(for_programs(1_790_000_000_000), "2026-09-21T14:13:20Z");
        assert_eq!(for_programs(i64::MAX), "1970-01-01T00:00:00Z");
    }
}
