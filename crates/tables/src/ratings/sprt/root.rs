//! Zeros of falling functions.

/// Returns where a falling function crosses zero between `low` and `high`, both
/// excluded; to the last bit that halving finds.
pub(super) fn falling_root(low: f64, high: f64, function: impl Fn(f64) -> f64) -> f64 {
    let [mut low, mut high] = [low, high];
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if function(middle) > 0.0 { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}
