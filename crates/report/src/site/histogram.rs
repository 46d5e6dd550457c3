//! Histogram of the time that turns took: counted by half octaves, drawn as bars.

use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;

use super::formatting;

/// Two bars for each doubling, from 64 µs to 67 s.
const BINS: usize = 41;

/// The end of the first bar, microseconds.
const FIRST_US: f64 = 64.0;

/// Turns counted by how long they took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Histogram {
    bins: [u64; BINS],
    /// Number of turns.
    pub(super) turns: u64,
    /// The longest one, microseconds.
    pub(super) longest_us: u64,
    /// The largest limit that held for any of them, microseconds; 0 for none.
    pub(super) limit_us: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { bins: [0; BINS], turns: 0, longest_us: 0, limit_us: 0 }
    }
}

impl Histogram {
    /// Counts one more turn.
    pub(super) fn add(&mut self, micros: u64) {
        self.bins[bin(micros)] += 1;
        self.turns += 1;
        self.longest_us = self.longest_us.max(micros);
    }

    /// Adds the counts of another histogram.
    pub(super) fn merge(&mut self, other: &Self) {
        self.bins.iter_mut().zip(other.bins).for_each(|(own, more)| *own += more);
        self.turns += other.turns;
        self.longest_us = self.longest_us.max(other.longest_us);
        self.limit_us = self.limit_us.max(other.limit_us);
    }

    /// Returns the end of the bar within which `share` of the turns were done,
    /// at most the longest of them.
    fn within(&self, share: f64) -> Duration {
        let (wanted, mut seen) = (to_f64(self.turns) * share, 0);
        let is_within = |count: &u64| {
            seen += count;
            to_f64(seen) >= wanted
        };
        let place = self.bins.iter().position(is_within).unwrap_or(BINS - 1);
        micros(end(place).min(to_f64(self.longest_us)))
    }

    /// Returns the picture; `None` when there is nothing to draw, as in games whose bots act when
    /// they like: the game does not wait for them, so no time is measured.
    pub(super) fn chart(&self) -> Option<Chart> {
        (self.longest_us > 0).then(|| Chart::of(self))
    }
}

/// Returns the bin of a turn of `micros` microseconds.
fn bin(micros: u64) -> usize {
    (0..BINS - 1).find(|place| to_f64(micros) < end(*place)).unwrap_or(BINS - 1)
}

#[expect(clippy::cast_precision_loss, reason = "nothing is counted to 2^53")]
fn to_f64(count: u64) -> f64 {
    count as f64
}

/// Returns the end of a bar, microseconds.
fn end(place: usize) -> f64 {
    FIRST_US * (to_place(place) / 2.0).exp2()
}

fn micros(micros: f64) -> Duration {
    Duration::from_secs_f64(micros / 1e6)
}

/// A histogram as a page shows it. Lengths are in a picture 400 wide, 150 high.
#[derive(Debug, Serialize)]
pub(super) struct Chart {
    /// Every bar as a rectangle of one path.
    bars: String,
    ticks: Vec<Tick>,
    /// Place of the limit, from the left.
    limit: Option<String>,
    /// The limit in words.
    limit_text: String,
    /// True if the limit's words stand at the left of its line.
    limit_left: bool,
    turns: String,
    median: String,
    most: String,
    longest: String,
    /// The longest turn as a share of the limit.
    share: Option<String>,
    rows: Vec<HistogramBar>,
}

#[derive(Debug, Serialize)]
struct Tick {
    x: String,
    text: &'static str,
}

#[derive(Debug, Serialize)]
struct HistogramBar {
    from: String,
    to: String,
    turns: String,
}

const WIDTH: f64 = 400.0;
const LEFT: f64 = 8.0;
const BASE: f64 = 124.0;
const HIGHEST: f64 = 106.0;

impl Chart {
    fn of(histogram: &Histogram) -> Self {
        let (first, last) = range(histogram);
        let x = |place: f64| {
            LEFT + (place - to_place(first)) * (WIDTH - 2.0 * LEFT) / to_place(last + 1 - first)
        };
        let limit = (histogram.limit_us > 0)
            .then(|| x(place_of(to_f64(histogram.limit_us)).min(to_place(last + 1))));
        Self {
            bars: bars(histogram, (first, last), x),
            ticks: ticks((first, last), x),
            limit: limit.map(|x| format!("{x:.1}")),
            limit_text: formatting::time(Duration::from_micros(histogram.limit_us)),
            limit_left: limit.is_some_and(|x| x > WIDTH / 2.0),
            turns: formatting::count(histogram.turns),
            median: formatting::time(histogram.within(0.5)),
            most: formatting::time(histogram.within(0.95)),
            longest: formatting::time(Duration::from_micros(histogram.longest_us)),
            share: share(histogram),
            rows: rows(histogram),
        }
    }
}

fn to_place(bars: usize) -> f64 {
    to_f64(bars as u64)
}

/// Returns where on the scale of bars a time is; a whole number is where the
/// bar of that number begins.
fn place_of(micros: f64) -> f64 {
    ((micros / FIRST_US).log2() * 2.0 + 1.0).max(0.0)
}

/// The first and the last bar that are drawn: those with turns, the limit, and
/// at least eight.
fn range(histogram: &Histogram) -> (usize, usize) {
    let used = |(place, count): (usize, &u64)| (*count > 0).then_some(place);
    let mut places = histogram.bins.iter().enumerate().filter_map(used);
    let first = places.next().unwrap_or(0);
    let last = places.next_back().unwrap_or(first);
    let limit = if histogram.limit_us > 0 { bin(histogram.limit_us) } else { last };
    let (first, last) = (first.min(limit).saturating_sub(1), last.max(limit));
    (first, last.max(first + 7).min(BINS - 1))
}

fn bars(histogram: &Histogram, (first, last): (usize, usize), x: impl Fn(f64) -> f64) -> String {
    let tallest = to_f64(histogram.bins.iter().copied().max().unwrap_or(1).max(1));
    let mut path = String::new();
    for place in first..=last {
        if histogram.bins[place] == 0 {
            continue;
        }
        // A bar of a single turn among millions is still seen.
        let height = (HIGHEST * to_f64(histogram.bins[place]) / tallest).max(1.5);
        let (left, right) = (x(to_place(place)) + 0.5, x(to_place(place + 1)) - 0.5);
        let width = right - left;
        write!(path, "M{left:.1} {BASE}v-{height:.1}h{width:.1}v{height:.1}z")
            .expect("a text takes all that is written");
    }
    path
}

fn ticks((first, last): (usize, usize), x: impl Fn(f64) -> f64) -> Vec<Tick> {
    const TICKS: [(f64, &str); 6] = [
        (100.0, "0.1 ms"),
        (1e3, "1 ms"),
        (1e4, "10 ms"),
        (1e5, "100 ms"),
        (1e6, "1 s"),
        (1e7, "10 s"),
    ];
    let inside = |place: &f64| (to_place(first) + 0.3..to_place(last) + 0.7).contains(place);
    let with_places = TICKS.map(|(micros, text)| (place_of(micros), text));
    let shown = with_places.into_iter().filter(|(place, _)| inside(place));
    shown.map(|(place, text)| Tick { x: format!("{:.1}", x(place)), text }).collect()
}

fn share(histogram: &Histogram) -> Option<String> {
    let hundredfold = u128::from(histogram.longest_us) * 100;
    let percent = hundredfold.checked_div(histogram.limit_us.into())?;
    Some(if percent == 0 { "under 1 %".to_owned() } else { format!("{percent} %") })
}

fn rows(histogram: &Histogram) -> Vec<HistogramBar> {
    let used = histogram.bins.iter().enumerate().filter(|(_, count)| **count > 0);
    used.map(|(place, count)| HistogramBar {
        from: if place == 0 { "0".to_owned() } else { formatting::time(micros(end(place - 1))) },
        to: formatting::time(micros(end(place))),
        turns: formatting::count(*count),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(micros: &[u64], limit_us: u64) -> Histogram {
        let mut histogram = Histogram { limit_us, ..Histogram::default() };
        micros.iter().for_each(|one| histogram.add(*one));
        histogram
    }

    #[test]
    fn every_time_has_a_bar() {
        assert_eq!([0, 63, 64, 90, 91].map(bin), [0, 0, 1, 1, 2]);
        assert_eq!(bin(u64::MAX), BINS - 1);
        assert!((place_of(64.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_was_counted_apart_is_the_same_as_together() {
        let mut one = histogram(&[10, 2_000], 100);
        one.merge(&histogram(&[3_000_000], 200));
        assert_eq!(one, histogram(&[10, 2_000, 3_000_000], 200));
    }

    #[test]
    fn the_words_tell_the_middle_and_the_longest() {
        let chart = histogram(&[1_000, 1_000, 1_000, 500_000], 1_000_000).chart().expect("turns");
        assert_eq!(chart.turns, "4");
        assert_eq!(chart.median, "1.0 ms");
        assert_eq!((chart.longest.as_str(), chart.share.as_deref()), ("500 ms", Some("50 %")));
    }

    #[test]
    fn nothing_leaves_the_picture() {
        for times in [&[0_u64, 1][..], &[u64::MAX], &[1, 60_000_000], &[64]] {
            for limit in [0, 1, 1_000_000, u64::MAX] {
                let chart = histogram(times, limit).chart().expect("turns");
                let xs = chart.ticks.iter().map(|tick| tick.x.parse::<f64>().expect("a number"));
                let limit = chart.limit.map(|x| x.parse::<f64>().expect("a number"));
                for x in xs {
                    assert!((0.0..=WIDTH).contains(&x), "{times:?} {x}");
                }
                assert!(limit.is_none_or(|x| (0.0..=WIDTH).contains(&x)), "{times:?}");
                assert!(
                    !chart.bars.contains("NaN") && !chart.bars.contains("--"),
                    "{}",
                    chart.bars
                );
            }
        }
    }

    #[test]
    fn without_a_turn_that_was_timed_there_is_no_picture() {
        assert!(Histogram::default().chart().is_none());
        assert!(histogram(&[0, 0], 500_000).chart().is_none());
    }
}
