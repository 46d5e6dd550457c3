//! Slowness of this machine against the machines that limits in tests are made
//! for: an emulated processor takes several times as long for the same work.

use std::time::Duration;

/// The variable that tells: a whole number of times.
pub const SLOWNESS: &str = "JOUST_SLOWNESS";

/// Returns `time` as long as this machine needs for what others do in it.
pub fn scaled(time: Duration) -> Duration {
    time * times(std::env::var(SLOWNESS).ok().as_deref())
}

/// Nonsense and nothing are once.
fn times(text: Option<&str>) -> u32 {
    text.and_then(|text| text.parse().ok()).filter(|times| (1..=100).contains(times)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_of_times_is_taken_and_nonsense_is_once() {
        assert_eq!(times(Some("6")), 6);
        for nonsense in [None, Some(""), Some("0"), Some("-3"), Some("1.5"), Some("4000000000")] {
            assert_eq!(times(nonsense), 1, "{nonsense:?}");
        }
    }
}
