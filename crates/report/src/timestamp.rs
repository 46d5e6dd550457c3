//! Instants as people read them.

/// Returns `2026-11-21T22:01:03Z` for milliseconds since 1970.
pub fn format_timestamp(at: i64) -> String {
    let moment = jiff::Timestamp::from_second(at.div_euclid(1000));
    moment.map_or_else(|_| at.to_string(), |moment| moment.to_string())
}

/// Returns `2026-11-21 22:46 UTC` for milliseconds since 1970.
pub(super) fn format_minute(at: i64) -> String {
    format_with(at, "%Y-%m-%d %H:%M UTC")
}

/// Returns `2026-11-21T22:46:03Z` for milliseconds since 1970, and the epoch for a number that is
/// no date.
pub(super) fn format_rfc3339(at: i64) -> String {
    format_with(at, "%Y-%m-%dT%H:%M:%SZ")
}

/// Returns milliseconds since 1970 in a form of `strftime`.
pub(super) fn format_with(at: i64, form: &str) -> String {
    let moment = jiff::Timestamp::from_millisecond(at).unwrap_or_default();
    moment.strftime(form).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_is_shown_in_utc_to_the_second() {
        assert_eq!(format_timestamp(0), "1970-01-01T00:00:00Z");
        assert_eq!(format_timestamp(1_790_000_000_999), "2026-09-21T14:13:20Z");
        assert_eq!(format_timestamp(i64::MAX), i64::MAX.to_string());
    }

    #[test]
    fn an_instant_is_shown_format_minute() {
        assert_eq!(format_minute(1_790_000_000_000), "2026-09-21 14:13 UTC");
        assert_eq!(format_rfc3339(1_790_000_000_000), "2026-09-21T14:13:20Z");
        assert_eq!(format_rfc3339(i64::MAX), "1970-01-01T00:00:00Z");
    }
}
